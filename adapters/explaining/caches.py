"""How explanations of ModelCaches and InferenceClusters are told, or given as JSON."""

from typing import Any

from adapters.explaining.chains import line_json, tell_chain
from adapters.explaining.passages import NOTE, Passage, Sheet, Table
from adapters.explaining.places import Place, tell_place
from adapters.texts import clock, moment
from engine.instants import rfc3339
from machines.caches.explaining import (
    CacheExplanation,
    ClusterExplanation,
    EntryExplanation,
    ReplicaRow,
    ignored_words,
    is_calm,
)

_SHOWN_CHAINS = 3  # clusters whose whole way is shown, in text


def tell_cache(
    told: CacheExplanation, place: Place, *, only: str | None = None
) -> tuple[Passage | Table, ...]:
    """Tell why a cache is as it is; of `only` one cluster its whole way."""
    sheet, subject = Sheet(), told.subject
    sheet.line(
        f"{subject.kind} {subject.namespace}/{subject.name} is ready on {told.ready} clusters "
        f"({told.reason})"
    )
    sheet.line(told.headline, indent=2)
    for note in told.notes:
        sheet.line(f"Mind: {note}", role=NOTE, indent=2)
    if only is None:
        for words in told.advice:
            sheet.line(f"Do: {words}", indent=2)
    for entry in told.entries:
        _tell_entry(sheet, entry, place)
    replicas = [row for row in told.replicas if only in {None, row.cluster}]
    if replicas:
        sheet.line()
        rows = [[row.name, row.cluster, row.standing] for row in replicas]
        sheet.table(["MODELREPLICA", "CLUSTER", "IS"], rows)
    if only is None:
        tell_chain(sheet, "How it came to this", told.causes)
    troubled = [entry for entry in told.entries if not is_calm(entry) or entry.phase != "Ready"]
    for entry in told.entries if only is not None else troubled[:_SHOWN_CHAINS]:
        title = f"How {entry.cluster} came to this (… is {told.place})"
        chain = tuple(
            line._replace(words=line.words.replace(told.place, "…")) for line in entry.chain
        )
        rest = f"--on {entry.cluster}"
        tell_chain(sheet, title, chain, whole=only is not None, rest=rest)
    tell_place(sheet, place, told.cluster)
    return sheet.passages


def tell_cluster(told: ClusterExplanation, place: Place) -> tuple[Passage | Table, ...]:
    """Tell how a cluster is reached, or why not, and what is staged there."""
    sheet = Sheet()
    since = f" since {moment(told.since.at)}{place.ago(told.since.at)}" if told.since else ""
    sheet.line(f"InferenceCluster {told.subject.name}: {told.reason}{since}")
    if told.message:
        sheet.line(told.message, indent=2)
    sheet.line(f"Do: {told.advice}", indent=2)
    if told.caches:
        sheet.line()
        sheet.table(["MODELCACHE", "PHASE", "MESSAGE"], [list(row) for row in told.caches])
    if told.replicas:
        sheet.line()
        rows = [[one.name, one.standing, one.message] for one in told.replicas]
        sheet.table(["MODELREPLICA", "IS", "MESSAGE"], rows)
    tell_chain(sheet, "How it came to this", told.causes)
    tell_place(sheet, place, told.cluster)
    return sheet.passages


def cache_json(told: CacheExplanation, place: Place) -> dict[str, Any]:
    """Give the explanation of a cache as plain JSON values."""
    return {
        **place.head(told.cluster, told.subject),
        "ready": told.ready,
        "reason": told.reason,
        "summary": told.headline,
        "notes": list(told.notes),
        "do": list(told.advice),
        "clusters": [entry_json(entry) for entry in told.entries],
        "replicas": [_replica_json(row) for row in told.replicas],
        "causes": [line_json(line) for line in told.causes],
    }


def cluster_json(told: ClusterExplanation, place: Place) -> dict[str, Any]:
    """Give the explanation of a cluster as plain JSON values."""
    return {
        **place.head(told.cluster, told.subject),
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


def _tell_entry(sheet: Sheet, entry: EntryExplanation, place: Place) -> None:
    sheet.line()
    kept = ", kept though not wanted any more" if entry.retained else ""
    since = f"{clock(entry.since)}{place.ago(entry.since)}"
    sheet.line(f"{entry.cluster}: {entry.phase}{kept} since {since}", role=entry.phase)
    if entry.message:
        sheet.line(entry.message, indent=2)
    if entry.phase != "Ready" or not is_calm(entry):
        sheet.line(f"Do: {entry.advice}", indent=2)
    for ignored in entry.ignored:
        sheet.line(f"{ignored.seq} {clock(ignored.at)} {ignored_words(ignored)}", indent=2)


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
