"""Knowledge: what a log says, row by row, read from the rows as they stand."""

from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from engine.canonical_json import loads
from property_tests.evidence import Row

Level = dict[str, Any]
_WAY = "-kubeconfig"  # how the Secrets end by which clusters are reached
# What is listed before anything is decided for a warmup.
_WARMUP_KINDS = ("ModelWarmup", "Namespace", "Node", "Job", "Pod")


class Known(NamedTuple):
    """An object as it was last seen."""

    row: Row
    level: Level


@dataclass
class Knowledge:
    """What a log says so far."""

    log: int
    objects: dict[tuple[str, str], Known] = field(default_factory=dict)  # by cluster and uid
    names: dict[tuple[str, str, str, str], str] = field(default_factory=dict)  # uid of the newest
    silent: set[str] = field(default_factory=set)  # clusters that do not answer
    synced: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    intents: dict[int, Row] = field(default_factory=dict)
    closed: dict[int, Row] = field(default_factory=dict)  # the answer that ended it
    by_place: dict[tuple[str, str, str, str], list[Row]] = field(
        default_factory=lambda: defaultdict(list)
    )
    outcomes: dict[str, dict[str, Row]] = field(default_factory=lambda: defaultdict(dict))
    missed: set[str] = field(default_factory=set)  # ModelWarmups that a list did not hold any more
    looked: dict[str, int] = field(default_factory=dict)  # last finished look, by warmup
    rolled_back: list[int] = field(default_factory=list)  # when clusters were
    latched: set[str] = field(default_factory=set)  # uids of claims that were hydrated
    recovered: set[str] = field(default_factory=set)  # uids whose own status told of the past
    let_go: set[str] = field(default_factory=set)  # uids of owners, where a cluster was forgotten
    last_fact: int = 0

    def of(self, cluster: str, uid: str) -> Level | None:
        """Give the level of an object that is there."""
        known = self.objects.get((cluster, uid))
        return known.level if known else None

    def forget(self, cluster: str) -> None:
        """Know nothing of a cluster any more."""
        self.objects = {key: known for key, known in self.objects.items() if key[0] != cluster}
        self.synced.pop(cluster, None)
        self.silent.discard(cluster)

    def release(self, cluster: str) -> None:
        """Whatever was decided for a cluster may have landed, and stays: nobody goes there now."""
        self.let_go |= {
            intent.subject.uid
            for intent in self.intents.values()
            if intent.event.cluster == cluster
        }

    def named(self, cluster: str, kind: str, namespace: str, name: str) -> Level | None:
        """Give the level of the object of a name."""
        return self.of(cluster, self.names.get((cluster, kind, namespace, name), ""))

    def unknown(self, row: Row) -> str:
        """Say what was not known of the cluster that something was decided about."""
        cluster = row.event.cluster
        if cluster in self.silent:
            return f"{cluster} does not answer"
        kinds = (row.data["kind"],) if "kind" in row.data else _WARMUP_KINDS
        listed = {one.partition("/")[0] for one in self.synced[cluster]}
        missing = [kind for kind in kinds if kind not in listed]
        return f"{', '.join(missing)} of {cluster} was not listed" if missing else ""


def see(knowledge: Knowledge, row: Row) -> None:
    """Take in a row that tells a level."""
    cluster, subject, level = row.event.cluster, row.subject, row.data["level"]
    if subject.kind == "Secret" and level != (knowledge.of(cluster, subject.uid) or level):
        knowledge.release(f"ic/{subject.name.removesuffix(_WAY)}")  # which leads elsewhere now
    knowledge.objects[cluster, subject.uid] = Known(row, level)
    knowledge.missed.discard(subject.uid)
    knowledge.names[cluster, subject.kind, subject.namespace, subject.name] = subject.uid
    if subject.kind == "Job" and level.get("outcome") in {"Complete", "Failed"}:
        owner = knowledge.outcomes[level.get("controllerUid", "")]
        owner.setdefault(level.get("nodeUid", ""), row)
    elif level.get("hydrated", "").startswith(f"{subject.uid}/"):
        knowledge.latched.add(subject.uid)


def _gone(knowledge: Knowledge, row: Row) -> None:
    known = knowledge.objects.pop((row.event.cluster, row.subject.uid), None)
    if row.subject.kind == "ModelWarmup" and row.data.get("inferred"):
        knowledge.missed.add(row.subject.uid)  # by a list from the past, perhaps
    elif row.subject.kind == "ModelWarmup":
        knowledge.outcomes.pop(row.subject.uid, None)  # a backup may bring it back, as new
    if row.subject.kind == "InferenceCluster" and known:  # what was known of it goes with it
        knowledge.release(log_name(row.subject.name, known))
        knowledge.forget(f"ic/{row.subject.name}")


def _begin_session(knowledge: Knowledge, row: Row) -> None:
    knowledge.synced.clear()


def _synced(knowledge: Knowledge, row: Row) -> None:
    knowledge.synced[row.event.cluster].add(row.data["kind"])


def _unread(knowledge: Knowledge, row: Row) -> None:
    knowledge.synced[row.event.cluster].discard(row.data["kind"])


def _rolled_back(knowledge: Knowledge, row: Row) -> None:
    knowledge.rolled_back.append(row.event.seq)
    for uid in knowledge.missed:
        knowledge.outcomes.pop(uid, None)  # if it comes back now, a backup brought it
    knowledge.synced[row.event.cluster].clear()


def _silent(knowledge: Knowledge, row: Row) -> None:
    knowledge.silent.add(row.event.cluster)


def _answering(knowledge: Knowledge, row: Row) -> None:
    knowledge.silent.discard(row.event.cluster)


def _recovered(knowledge: Knowledge, row: Row) -> None:
    knowledge.recovered.add(row.subject.uid)


def _nothing(knowledge: Knowledge, row: Row) -> None:
    """Most rows tell nothing that the invariants ask for."""


_FOLDS = {
    "Gone": _gone,
    "SessionStarted": _begin_session,
    "Synced": _synced,
    "Unread": _unread,
    "ClusterRolledBack": _rolled_back,
    "Unreachable": _silent,
    "Reachable": _answering,
    "Recovered": _recovered,
}


def know(knowledge: Knowledge, row: Row) -> None:
    """Take in a row that is neither a level, nor an answer, nor a decision."""
    _FOLDS.get(row.event.type, _nothing)(knowledge, row)


def owner_of(knowledge: Knowledge, intent: Row) -> Level | None:
    """Give what was decided for, wherever it lives."""
    found = (
        known.level for (_, uid), known in knowledge.objects.items() if uid == intent.subject.uid
    )
    return next(found, None)


def served(knowledge: Knowledge) -> dict[str, Known]:
    """Give the InferenceClusters by name."""
    return {
        known.row.subject.name: known
        for known in knowledge.objects.values()
        if known.row.subject.kind == "InferenceCluster"
    }


def log_name(name: str, served: Known) -> str:
    """Give the name that an InferenceCluster has in the log."""
    return served.row.event.cluster if _is_home(served.level["spec"]) else f"ic/{name}"


@lru_cache(maxsize=256)
def _is_home(spec: str) -> bool:
    return bool(loads(spec).get("cluster", {}).get("source") == "InCluster")
