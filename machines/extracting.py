"""Extracting: which rows of a log one object's story needs.

Rows about other ModelWarmups, ModelCaches and ModelReplicas, about what those have, and about
nodes, namespaces, storage classes and Secrets that nothing kept speaks of, are left out. A
ModelCache's story needs the ModelReplicas that refer to it, and theirs needs its ModelCaches.
Whoever extracts checks that the object still goes through the same phases, and else keeps more.
"""

from collections.abc import Container, Iterator
from typing import Any, NamedTuple

from engine.canonical_json import loads, loads_or_none
from engine.events import Event, Subject
from machines.kinds import CACHE, CLUSTER, PUBLISHED, REPLICA, WARMUP
from machines.states import State

Name = tuple[str, str, str]  # kind, namespace, name

PLACES = frozenset({"Node", "Namespace", "StorageClass", "Secret"})  # kept where spoken of
OF_WARMUPS = frozenset({"Job", "Pod"})
# Kinds of whose objects the newest level alone counts later on: nearly always, and surely.
PASSING = (frozenset({*PLACES, "Pod", "HydrationPod"}), frozenset({"Pod", "HydrationPod"}))
_OF_EVERYBODY = frozenset({"", "Session"})
_LINKS = ("warmupUid", "controllerUid", "jobUid", "claimUid")


class Ties:
    """Whose each object is, learnt row by row."""

    def __init__(self, wanted: Name) -> None:
        """Look for the object of that name; there may be several after each other."""
        self._wanted = wanted
        self._above: dict[str, str] = {}  # uid of whatever an object belongs to, by its own
        self._owners: dict[str, Name] = {}  # by uid
        self._caches: dict[str, dict[str, bool]] = {}  # names of ModelCaches by a replica's uid
        self.targets: dict[str, bool] = {}  # names and uids of nodes that are wanted
        self.found: dict[str, bool] = {}  # uids of the object

    def note(self, event: Event, state: State) -> None:
        """Take in a row that was just folded."""
        subject = Subject.parse(event.subject)
        if subject.kind in PUBLISHED or subject.kind == CLUSTER:
            self._note_owner(subject, event)
        elif event.type.endswith("Seen"):
            level = loads(event.data)["level"]
            above = [level[name] for name in _LINKS if level.get(name)]
            above += [level["owner"][-1]] if level.get("owner") else []
            if above:
                self._above[subject.uid] = above[0]
        for uid in self.found:
            warmup = state.warmups.get(uid)
            if warmup is not None and state.dirty.get(uid) == event.seq:
                for key, target in warmup.targets.items():
                    self.targets[key] = self.targets[target.node_name] = True

    def _note_owner(self, subject: Subject, event: Event) -> None:
        self._owners[subject.uid] = subject[:3]
        if subject[:3] == self._wanted:
            self.found[subject.uid] = True
        if event.type == "ModelReplicaSeen":
            spec = loads_or_none(loads(event.data)["level"].get("spec", ""))
            reference = spec.get("modelCacheRef") if isinstance(spec, dict) else None
            name = reference.get("name") if isinstance(reference, dict) else None
            if isinstance(name, str):
                self._caches.setdefault(subject.uid, {})[name] = True

    def known(self) -> list[Name]:
        """Give the names of all that may be asked for, sorted."""
        return sorted(set(self._owners.values()))

    def related(self) -> frozenset[str]:
        """Give the uids of the owners whose rows the story needs."""
        kind = self._wanted[0]
        if kind == CLUSTER:
            return frozenset(uid for uid, name in self._owners.items() if name[0] != WARMUP)
        related = set(self.found)
        while True:
            others = [uid for uid in self._owners if uid not in related]
            more = [uid for uid in others if self._is_near(uid, related)]
            if not more:
                return frozenset(related)
            related.update(more)

    def _is_near(self, uid: str, related: set[str]) -> bool:
        """Say whether a ModelCache is one that a related replica refers to, or the other way."""
        kind, namespace, name = self._owners[uid]
        if kind == CACHE:
            return any(
                name in self._caches.get(each, ()) and self._owners[each][1] == namespace
                for each in related
            )
        return kind == REPLICA and any(
            self._owners[each][:2] == (CACHE, namespace)
            and self._owners[each][2] in self._caches.get(uid, ())
            for each in related
        )

    def owner(self, uid: str) -> str:
        """Give the uid of the owner that an object belongs to in the end; "" when none is known."""
        seen = set()
        while uid in self._above and uid not in seen:
            seen.add(uid)
            uid = self._above[uid]
        return uid if uid in self._owners else ""


class Place(NamedTuple):
    """A row about a node, a namespace, a storage class or a Secret."""

    seq: int
    name: str
    uid: str


class Selection:
    """Which rows are kept, decided with all that `Ties` knows."""

    def __init__(self, wanted: Name, ties: Ties, *, every_place: bool = False) -> None:
        """Keep the rows of one story; with `every_place` those about any node and the like."""
        self._ties = ties
        self._related = ties.related()
        self._of_warmup = wanted[0] == WARMUP
        self._every_place = every_place
        self._kept: list[int] = []
        self._places: list[Place] = []
        self._spoken = dict(ties.targets)  # names and uids in rows that are kept

    def note(self, event: Event) -> None:
        """Take in the next row of the log."""
        subject = Subject.parse(event.subject)
        if subject.kind in PLACES:
            self._places.append(Place(event.seq, subject.name, subject.uid))
        elif self._is_kept(subject):
            self._kept.append(event.seq)
            self._spoken.update(dict.fromkeys((subject.namespace, subject.name), True))
            self._spoken.update(dict.fromkeys(_texts(loads(event.data)), True))

    def kept(self) -> list[int]:
        """Give the positions of the rows to keep, in order."""
        places = [
            place.seq
            for place in self._places
            if self._every_place or place.name in self._spoken or place.uid in self._spoken
        ]
        return sorted([*self._kept, *places])

    def _is_kept(self, subject: Subject) -> bool:
        if subject.kind in _OF_EVERYBODY:
            return True
        if subject.kind in PUBLISHED:
            return subject.uid in self._related
        if subject.kind == CLUSTER:
            return not self._of_warmup
        owner = self._ties.owner(subject.uid)
        if owner:
            return owner in self._related
        return (subject.kind in OF_WARMUPS) is self._of_warmup


class Prefix:
    """Which rows before a moment what comes after it still stands on."""

    def __init__(self, pivotal: Container[int], passing: Container[str]) -> None:
        """Begin before the first row; the `pivotal` ones changed a phase, and are kept.

        Of objects of the kinds `passing` the newest level is, and else only those.
        """
        self._pivotal = pivotal
        self._passing = passing
        self._kept: list[int] = []
        # Position of the newest row by its type, by cluster and subject.
        self._newest: dict[tuple[str, str], dict[str, int]] = {}

    def note(self, event: Event) -> None:
        """Take in the next row before the moment."""
        kind = event.subject.partition("/")[0]
        if kind not in self._passing or event.seq in self._pivotal:
            self._kept.append(event.seq)
        elif event.type == "Gone":
            self._newest.pop((event.cluster, event.subject), None)
        else:
            self._newest.setdefault((event.cluster, event.subject), {})[event.type] = event.seq

    def kept(self) -> list[int]:
        """Give the positions of the rows to keep, in order."""
        newest = [seq for by_type in self._newest.values() for seq in by_type.values()]
        return sorted([*self._kept, *newest])


def _texts(value: Any) -> Iterator[str]:
    """Give every text in a row's data; a spec, which is JSON in a text, is looked into."""
    if isinstance(value, str):
        yield value
        if value[:1] in {"{", "["}:
            yield from _texts(loads_or_none(value))
    elif isinstance(value, dict):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)
