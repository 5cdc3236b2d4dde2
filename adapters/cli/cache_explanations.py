"""How explanations of ModelCaches and InferenceClusters are printed, or given as JSON."""

from typing import Any

from adapters.cli.chains import line_json, print_chain, print_place, until_words
from adapters.cli.printing import STYLES, Page
from adapters.cli.texts import clock, moment, span
from engine.events import Event
from engine.instants import SECOND, rfc3339
from engine.logs import LogIdentity
from machines.caches.explaining import (
    CacheExplanation,
    ClusterExplanation,
    EntryExplanation,
    ReplicaRow,
    ignored_words,
    is_calm,
)
from machines.replicas.explaining import ReplicaExplanation

_SHOWN_CHAINS = 3  # clusters whose whole way is shown, in text


class Asked:
    """Which log was read, up to which row."""

    def __init__(self, identity: LogIdentity, last: Event | None, recorded: str) -> None:
        """Note the log, the last row that was folded, and by whom it was recorded."""
        self.identity = identity
        self.last = last
        self.recorded = recorded

    def ago(self, at: int) -> str:
        """Say how long before the last row `at` was, once it is worth saying."""
        lasted = (self.last.at if self.last else 0) - at
        return f" ({span(lasted)} {until_words(self.identity, self.last)})" if (
            lasted >= SECOND
        ) else ""  # fmt: skip

    def head(
        self, told: CacheExplanation | ClusterExplanation | ReplicaExplanation
    ) -> dict[str, Any]:
        """Give what tells one explanation from another."""
        return {
            "object": {"cluster": told.cluster, **told.subject._asdict()},
            "log": self.identity.log_id,
            "position": self.last.seq if self.last else 0,
            "at": rfc3339(self.last.at) if self.last else None,
        }


def print_cache(told: CacheExplanation, asked: Asked, *, only: str | None = None) -> None:
    """Print why a cache is as it is; of `only` one cluster its whole way."""
    page, subject = Page(), told.subject
    page.line(
        f"{subject.kind} {subject.namespace}/{subject.name} is ready on {told.ready} clusters "
        f"({told.reason})"
    )
    page.line(told.headline, indent=2)
    for note in told.notes:
        page.line(f"Mind: {note}", style="bold yellow", indent=2)
    if only is None:
        for words in told.advice:
            page.line(f"Do: {words}", indent=2)
    for entry in told.entries:
        _print_entry(page, entry, asked)
    replicas = [row for row in told.replicas if only in {None, row.cluster}]
    if replicas:
        page.line()
        rows = [[row.name, row.cluster, row.standing] for row in replicas]
        page.table(["MODELREPLICA", "CLUSTER", "IS"], rows)
    if only is None:
        print_chain(page, "How it came to this", told.causes)
    troubled = [entry for entry in told.entries if not is_calm(entry) or entry.phase != "Ready"]
    for entry in told.entries if only is not None else troubled[:_SHOWN_CHAINS]:
        title = f"How {entry.cluster} came to this (… is {told.place})"
        chain = tuple(
            line._replace(words=line.words.replace(told.place, "…")) for line in entry.chain
        )
        rest = f"--on {entry.cluster}"
        print_chain(page, title, chain, whole=only is not None, rest=rest)
    print_place(page, asked.identity, asked.last, told.cluster, asked.recorded)


def print_cluster(told: ClusterExplanation, asked: Asked) -> None:
    """Print how a cluster is reached, or why not, and what is staged there."""
    page = Page()
    since = f" since {moment(told.since.at)}{asked.ago(told.since.at)}" if told.since else ""
    page.line(f"InferenceCluster {told.subject.name}: {told.reason}{since}")
    if told.message:
        page.line(told.message, indent=2)
    page.line(f"Do: {told.advice}", indent=2)
    if told.caches:
        page.line()
        page.table(["MODELCACHE", "PHASE", "MESSAGE"], [list(row) for row in told.caches])
    if told.replicas:
        page.line()
        rows = [[one.name, one.standing, one.message] for one in told.replicas]
        page.table(["MODELREPLICA", "IS", "MESSAGE"], rows)
    print_chain(page, "How it came to this", told.causes)
    print_place(page, asked.identity, asked.last, told.cluster, asked.recorded)


def cache_json(told: CacheExplanation, asked: Asked) -> dict[str, Any]:
    """Give the explanation of a cache as plain JSON values."""
    return {
        **asked.head(told),
        "ready": told.ready,
        "reason": told.reason,
        "summary": told.headline,
        "notes": list(told.notes),
        "do": list(told.advice),
        "clusters": [entry_json(entry) for entry in told.entries],
        "replicas": [_replica_json(row) for row in told.replicas],
        "causes": [line_json(line) for line in told.causes],
    }


def cluster_json(told: ClusterExplanation, asked: Asked) -> dict[str, Any]:
    """Give the explanation of a cluster as plain JSON values."""
    return {
        **asked.head(told),
        "reachable": told.reachable,
        "reason": told.reason,
        "since": rfc3339(told.since.at) if told.since else None,
        "sincePosition": told.since.position if told.since else None,
        "message": told.message,
        "do": told.advice,
        "caches": [
            {"modelCache": name, "phase": phase, "message": message}
            for name, phase, message in told.caches
        ],
        "replicas": [_replica_json(row) for row in told.replicas],
        "causes": [line_json(line) for line in told.causes],
    }


def _replica_json(row: ReplicaRow) -> dict[str, str]:
    name, cluster, standing, message = row
    return {"modelReplica": name, "cluster": cluster, "standing": standing, "message": message}


def _print_entry(page: Page, entry: EntryExplanation, asked: Asked) -> None:
    page.line()
    kept = ", kept though not wanted any more" if entry.retained else ""
    since = f"{clock(entry.since)}{asked.ago(entry.since)}"
    style = STYLES.get(entry.phase, "")
    page.line(f"{entry.cluster}: {entry.phase}{kept} since {since}", style=style)
    if entry.message:
        page.line(entry.message, indent=2)
    if entry.phase != "Ready" or not is_calm(entry):
        page.line(f"Do: {entry.advice}", indent=2)
    for ignored in entry.ignored:
        page.line(f"{ignored.seq} {clock(ignored.at)} {ignored_words(ignored)}", indent=2)


def entry_json(entry: EntryExplanation) -> dict[str, Any]:
    """Give a cache on one cluster as plain JSON values."""
    return {
        "cluster": entry.cluster,
        "phase": entry.phase,
        "since": rfc3339(entry.since),
        "retained": entry.retained,
        "message": entry.message,
        "do": entry.advice,
        "chain": [line_json(line) for line in entry.chain],
        "ignored": [
            {"position": each.seq, "at": rfc3339(each.at), "words": ignored_words(each)}
            for each in entry.ignored
        ],
    }
