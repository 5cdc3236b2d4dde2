"""Explaining: whose a Job, a claim, a node, a workload … is, how it is, and what it bears on.

What is said of its owners is what is said of those when they are asked about themselves.
"""

from typing import NamedTuple

from engine.events import Subject
from machines.caches.explaining import CacheExplanation, ClusterExplanation
from machines.caches.reaching import names_of_cluster
from machines.chronicles import Chronicle, Told
from machines.explaining import Explanation
from machines.foreign import ExplainedAs
from machines.histories import History, Line
from machines.levels import JobLevel
from machines.messages import cause_text
from machines.replicas.explaining import ReplicaExplanation
from machines.replicas.kinds import COMPOSED
from machines.states import SECRET, State
from machines.things import JOB, SHARED, Thing
from machines.tying import Tie

SHORT = {
    "ModelWarmup": "mw", "ModelCache": "mc", "ModelReplica": "mr", "InferenceCluster": "ic",
}  # fmt: skip
_PART = {"ModelWarmup": "--node", "ModelCache": "--on"}
LEFT, DELETED = "left", "deleted"
_DONE = frozenset({"Ready", "Succeeded", "Serving", "Reachable"})


class Bearing(NamedTuple):
    """An object that a thing is of, or that it matters to, and how that is because of it."""

    subject: Subject
    part: str  # a node of a ModelWarmup, an InferenceCluster of a ModelCache; "" the whole
    phase: str
    since: int | None  # UTC nanoseconds; None when it came to its phase before this log knew it
    whole: str  # the phase of the whole, beside that of the part
    message: str
    waits_for: str
    advice: str

    @property
    def command(self) -> str:
        """Give what shows how it came to that."""
        namespace, name = self.subject[1:3]
        reference = "/".join(filter(None, (SHORT[self.subject.kind], namespace, name)))
        part = f" {_PART[self.subject.kind]} {self.part}" if self.part else ""
        return f"warmlog explain {reference}{part}"


class ThingExplanation(NamedTuple):
    """Everything that `warmlog explain` has to say of something by its own name."""

    cluster: str
    on: tuple[str, ...]  # InferenceClusters that are this cluster
    subject: Subject
    standing: str
    since: Line | None  # the row that led to that
    last: Line | None  # the row that told its last level
    gone: Line | None
    notes: tuple[str, ...]
    advice: tuple[str, ...]
    bearings: tuple[Bearing, ...]
    causes: tuple[Line, ...]


def owners_of(state: State, thing: Thing) -> frozenset[str]:
    """Give the uids of the objects that have to be explained with a thing."""
    thing.tie(state)
    return frozenset(tie.subject.uid for tie in thing.ties)


def explain_thing(state: State, thing: Thing, chronicle: Chronicle) -> ThingExplanation:
    """Explain a thing; the chronicle holds the histories of its owners."""
    thing.tie(state)
    bearings = tuple(
        _bearing(state, tie, told, chronicle)
        for tie in _narrowest(thing.ties)
        if (told := chronicle.history(tie.subject.uid)) is not None
    )
    if thing.name.kind in SHARED:  # by many, of which those that are done interest last
        bearings = tuple(sorted(bearings, key=lambda each: each.phase in _DONE))
    name = thing.name
    return ThingExplanation(
        name.cluster,
        tuple(names_of_cluster(state, name.cluster)),
        Subject(name.kind, name.namespace, name.name, thing.uid),
        "gone" if thing.gone is not None else thing.standing,
        thing.since,
        thing.last,
        thing.gone,
        tuple(_notes(state, thing, bearings)),
        _advice(bearings),
        bearings,
        tuple(thing.lines),
    )


def _narrowest(ties: dict[Tie, None]) -> list[Tie]:
    """Leave the whole of an object out where a part of it is what is meant."""
    parted = {tie.subject.uid for tie in ties if tie.part}
    return [tie for tie in ties if tie.part or tie.subject.uid not in parted]


def _notes(state: State, thing: Thing, bearings: tuple[Bearing, ...]) -> list[str]:
    notes = []
    cluster = state.clusters.get(thing.name.cluster)
    if cluster is not None and not cluster.reachable:
        said = cluster.words or "no words"
        notes.append(
            f"cluster {cluster.name} does not answer ({said}): all this is what was known last"
        )
    if cluster is not None and thing.kind != SECRET and thing.kind not in cluster.synced:
        notes.append("its kind is not yet listed since the last start: it may be otherwise by now")
    if len(thing.uids) > 1:
        notes.append(f"{len(thing.uids)} objects bore this name, one after the other")
    if not bearings:
        notes.append(_unowned(thing))
    return notes


def _unowned(thing: Thing) -> str:
    level = thing.level
    if isinstance(level, JobLevel) and level.warmup_uid:
        return f"it says that it is of a ModelWarmup with uid {level.warmup_uid}, which is not seen"
    if thing.name.kind == JOB:
        return "no ModelWarmup and no ModelCache is known whose it is"
    if thing.name.kind in COMPOSED:
        return "no ModelReplica is known whose it is"
    return "nothing that warmlog works for is known to need it"


def _advice(bearings: tuple[Bearing, ...]) -> tuple[str, ...]:
    told = dict.fromkeys(each.advice for each in bearings if each.advice)
    return tuple(told) or ("nothing: nothing waits for it",)


def _bearing(state: State, tie: Tie, told: Told, chronicle: Chronicle) -> Bearing:
    found = chronicle.explain(state, told, tie.part or None)
    if told.gone is not None or found is None:
        line = told.gone
        message = f"at position {line.position}: {line.words}" if line is not None else ""
        return Bearing(
            tie.subject, tie.part, DELETED, line.at if line else None, "", message, "", ""
        )
    return _of_part(tie, told, found) or _of_whole(tie, found)


def _of_part(tie: Tie, told: Told, found: ExplainedAs) -> Bearing | None:
    """Say how the node or the cluster is that a thing is about; None when it is of the whole."""
    subject, part = tie
    if not part:
        return None
    if isinstance(found, Explanation) and isinstance(told, History):
        for node in found.nodes:
            words = cause_text(node.view.words)
            return Bearing(
                subject, part, node.view.state.value, node.since, found.phase, words,
                node.waits_for, node.advice,
            )  # fmt: skip
        return _left(tie, told, found)
    if isinstance(found, CacheExplanation):
        for entry in found.entries:
            return Bearing(
                subject, part, entry.phase, entry.since, found.reason, entry.message, "",
                entry.advice,
            )  # fmt: skip
        return Bearing(subject, part, LEFT, None, found.reason, "", "", "")
    return None


def _left(tie: Tie, told: History, found: Explanation) -> Bearing:
    for skipped in found.skipped:
        return Bearing(*tie, "skipped", None, found.phase, skipped.why, "", "")
    left = told.left.get(tie.part)
    message = f"at position {left.seq}" if left is not None else ""
    return Bearing(*tie, LEFT, left.at if left else None, found.phase, message, "", "")


def _of_whole(tie: Tie, found: ExplainedAs) -> Bearing:
    subject = tie.subject
    match found:
        case Explanation():
            since = found.since.at if found.since else None
            told = found.phase, since, "", found.headline, "; ".join(found.waits_for)
            return Bearing(subject, "", *told, _by_itself(*found.advice))
        case CacheExplanation():
            told = found.reason, None, "", found.headline, ""
            return Bearing(subject, "", *told, _by_itself(*found.advice))
        case ClusterExplanation():
            since = found.since.at if found.since else None
            return Bearing(subject, "", found.reason, since, "", found.message, "", found.advice)
        case ReplicaExplanation():
            since = found.since.at if found.since else None
            told = found.standing, since, "", found.headline, ""
            return Bearing(subject, "", *told, _by_itself(found.advice))


def _by_itself(*advice: str) -> str:
    """Give advice where the parts that it points to do not stand below it."""
    return "; ".join(words.replace(", below", "") for words in advice)
