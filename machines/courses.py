"""Courses: what became of each object, step by step, as far as the log has told it.

By object (its cluster, and kind/namespace/name) and aspect:

    object          there, or gone
    phase           of a ModelWarmup
    node NAME       the phase of one node of a ModelWarmup, and the reason of a failure
    cluster NAME    the phase of a ModelCache's entry, and the claim whose mount is published
    stage           of a ModelReplica: Waiting, Deploying, Serving
    condition TYPE  of a ModelCache, a ModelReplica or an InferenceCluster: the reason
    mount           that a ModelReplica keeps: its claim
    ignored         a trigger that a machine did not take, and in which state

Words, times, uids and counters are no part of it: the same story has the same courses in another
cluster, and under another version.
"""

from collections import Counter
from collections.abc import Iterator
from sys import intern
from typing import NamedTuple

from engine.canonical_json import dumps, loads
from engine.comparing import Step
from engine.events import Event
from machines.caches.conditions import condition_rows as cache_rows
from machines.caches.entries import EntryState
from machines.caches.finding import CLAIM, names_of
from machines.caches.messages import Messages
from machines.caches.states import Cache, ServedCluster
from machines.caches.statuses import REACHABLE, cluster_row
from machines.node_jobs import NodeJobState
from machines.phases import TARGET_PHASE, WARMUP_PHASE
from machines.projecting import Owner, changed_owners
from machines.replicas.conditions import condition_rows as replica_rows
from machines.replicas.states import Replica
from machines.states import State, Target, Warmup

OBJECT, THERE, GONE, IGNORED = "object", "there", "gone", "ignored"
LEFT = "left"  # what is no part of its object any more

Place = tuple[str, str]  # cluster, and kind/namespace/name


class New(NamedTuple):
    """A step that an object has just made."""

    place: Place
    uid: str
    aspect: str
    order: int  # how many it made before
    step: Step


class Recorder:
    """Takes one log's rows, once folded, and keeps the courses of its objects."""

    def __init__(self) -> None:
        """Begin before the first row."""
        self._courses: dict[Place, dict[str, list[Step]]] = {}
        self._targets: dict[str, dict[str, Target]] = {}  # as last seen, by the warmup's uid
        self._uids: dict[Place, str] = {}  # who bears the name now

    def take(self, state: State, event: Event) -> list[New]:
        """Note what a row has changed, and give it. `state` is what it gives, folded."""
        made: list[New] = []
        for owner in changed_owners(state, event):
            made += self._note(state, owner)
        for served in state.served.values():
            if served.position == event.seq:
                made += self._note_cluster(state, served)
        if event.type == "Gone":
            made += self._note_gone(event)
        return made

    def before(self, new: New) -> str:
        """Give what an aspect was before a step; "" when the object did not have it."""
        if not new.order:
            return ""
        value = self._courses[new.place][new.aspect][new.order - 1].value
        return "" if value == LEFT else value

    def uid(self, place: Place) -> str:
        """Give the uid of who bears a name now; "" when nobody does."""
        return self._uids.get(place, "")

    def places(self) -> dict[Place, dict[str, list[Step]]]:
        """Give the courses by cluster and name, and by aspect."""
        return self._courses

    def courses(self) -> dict[str, dict[str, list[Step]]]:
        """Give the courses by name alone, where one cluster has an object of it."""
        times = Counter(name for _, name in self._courses)
        return {
            name if times[name] == 1 else f"{cluster} {name}": aspects
            for (cluster, name), aspects in sorted(self._courses.items())
        }

    def _note(self, state: State, owner: Owner) -> Iterator[New]:
        place = owner.cluster, "/".join(owner.subject[:3])
        self._uids[place] = owner.subject.uid
        aspects = dict(self._aspects(state, owner))
        if isinstance(owner, Cache):
            known = (name for name in self._courses.get(place, ()) if name != IGNORED)
            aspects |= {name: LEFT for name in known if name not in aspects}
        for aspect, value in aspects.items():
            yield from self._add(place, aspect, value, owner.position)

    def _note_cluster(self, state: State, served: ServedCluster) -> Iterator[New]:
        place = served.home, "/".join(served.subject[:3])
        self._uids[place] = served.subject.uid
        _, reason, _ = cluster_row(state, served)
        yield from self._add(place, f"condition {REACHABLE}", reason, served.position)

    def _note_gone(self, event: Event) -> Iterator[New]:
        name, _, uid = event.subject.rpartition("/")
        place = event.cluster, name
        if self._uids.get(place) == uid:
            self._targets.pop(uid, None)
            yield from self._add(place, OBJECT, GONE, event.seq)
            del self._uids[place]

    def _add(self, place: Place, aspect: str, value: str, position: int) -> Iterator[New]:
        steps = self._courses.setdefault(place, {}).setdefault(intern(aspect), [])
        if value != (steps[-1].value if steps else LEFT):
            step = Step(position, intern(value))
            yield New(place, self._uids[place], aspect, len(steps), step)
            steps.append(step)

    def _aspects(self, state: State, owner: Owner) -> Iterator[tuple[str, str]]:
        yield OBJECT, THERE
        yield from _ignored(owner)
        if isinstance(owner, Warmup):
            yield "phase", WARMUP_PHASE[owner.state]
            yield from self._nodes(owner)
        elif isinstance(owner, Cache):
            yield from _entries(owner)
            for row in cache_rows(state, owner, Messages(state, owner)):
                yield f"condition {row.type}", row.reason
        else:
            yield from _replica(state, owner)

    def _nodes(self, warmup: Warmup) -> Iterator[tuple[str, str]]:
        uid = warmup.subject.uid
        old = self._targets.get(uid, {})
        new = warmup.targets
        changed = [key for key, target in new.items() if old.get(key) is not target]
        dropped = [key for key in old if key not in new]
        if changed or dropped:
            self._targets[uid] = new.copy()
        names = {new[key].node_name for key in changed}
        yield from (
            (f"node {old[key].node_name}", LEFT)
            for key in dropped
            if old[key].node_name not in names
        )
        yield from ((f"node {new[key].node_name}", _target(new[key])) for key in changed)


def _ignored(owner: Owner) -> Iterator[tuple[str, str]]:
    """Give what was ignored at the row that is noted now."""
    machines = owner.entries.values() if isinstance(owner, Cache) else (owner,)
    for one in machines:
        if one.ignored and one.ignored[-1].seq == owner.position:
            yield IGNORED, f"{one.ignored[-1].trigger} in {one.ignored[-1].state}"


def _target(target: Target) -> str:
    if target.state is NodeJobState.WITHDRAWN:
        return LEFT
    phase = TARGET_PHASE[target.state]
    failed = target.state is NodeJobState.FAILED and target.words.reason
    return f"{phase}: {target.words.reason}" if failed else phase


def _entries(cache: Cache) -> Iterator[tuple[str, str]]:
    claim = names_of(cache)[CLAIM]
    for name, entry in cache.entries.items():
        phase = entry.state.value
        yield f"cluster {name}", f"{phase}: {claim}" if entry.state is EntryState.READY else phase


def _replica(state: State, replica: Replica) -> Iterator[tuple[str, str]]:
    yield "stage", replica.state.value
    for row in replica_rows(state, replica):
        yield f"condition {row.type}", row.reason
    if replica.kept:
        volumes = loads(replica.kept).get("volumes", [])
        yield "mount", dumps([one.get("persistentVolumeClaim") for one in volumes])
