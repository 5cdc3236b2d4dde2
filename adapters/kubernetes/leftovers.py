"""Leftovers: what warmlog made in clusters or holds there, and whose each thing is."""

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from machines.caches.levels import Owner


class Standing(StrEnum):
    """What has become of the object that a leftover was made for."""

    EXISTS = "exists"
    REPLACED = "is gone, another has its name"
    GONE = "is gone"
    UNKNOWN = "may exist"  # nobody could be asked


class Leftover(NamedTuple):
    """An object that stays where it is when warmlog leaves."""

    kind: str  # as `kubectl` has it
    namespace: str
    name: str
    uid: str
    owner: Owner
    standing: Standing
    words: str = ""  # how it is: size and phase of a claim, outcome of a Job
    owner_kind: str = "ModelCache"


class Held(NamedTuple):
    """A ModelCache or ModelReplica that bears our finalizer: nothing deletes it without warmlog."""

    kind: str
    namespace: str
    name: str
    uid: str
    ready: str  # status.summary.ready, or the status of condition ModelReady, as it stands
    deleting: bool


class Place(NamedTuple):
    """A cluster, and what is left there."""

    names: tuple[str, ...]  # of its InferenceClusters
    is_home: bool = False
    left: tuple[Leftover, ...] = ()
    others: int = 0  # with the label of caches, but not made or taken over by warmlog
    troubles: tuple[str, ...] = ()  # what could not be read, and why
    uid: str = ""  # of its namespace kube-system: two names may mean one cluster
    same_as: str = ""

    @property
    def title(self) -> str:
        """What people call it."""
        named = " and ".join(self.names)
        if not self.is_home:
            return f"InferenceCluster {named}"
        return f"this cluster (InferenceCluster {named})" if named else "this cluster"


class Inventory(NamedTuple):
    """All that is left."""

    caches: tuple[Held, ...] = ()
    replicas: tuple[Held, ...] = ()
    places: tuple[Place, ...] = ()
    warmup_jobs: tuple[Leftover, ...] = ()  # of ModelWarmups that are no more
    troubles: tuple[str, ...] = ()

    @property
    def held(self) -> tuple[Held, ...]:
        """Give all that bears a finalizer of ours."""
        return (*self.caches, *self.replicas)

    def of(self, held: Held) -> dict[str, tuple[Leftover, ...]]:
        """Give what one has, by the titles of the clusters that hold any of it."""
        found = {
            place.title: tuple(one for one in place.left if one.owner.uid == held.uid)
            for place in self.places
        }
        return {title: left for title, left in found.items() if left}

    @property
    def unread(self) -> bool:
        """Say whether there may be more than is listed."""
        return bool(self.troubles) or any(place.troubles for place in self.places)

    @property
    def is_empty(self) -> bool:
        """Say whether nothing was found."""
        return not (self.held or self.warmup_jobs or any(place.left for place in self.places))


class Owners:
    """The owners of one kind that exist; None when they could not be read."""

    def __init__(self, existing: Iterable[Owner] | None) -> None:
        """Know these."""
        self._known = existing is not None
        self._existing = frozenset(existing or ())
        self._uids = frozenset(one.uid for one in self._existing)
        self._names = frozenset((one.namespace, one.name) for one in self._existing)

    def standing(self, owner: Owner) -> Standing:
        """Say what has become of an owner."""
        if not self._known:
            return Standing.UNKNOWN
        if owner.uid in self._uids:
            return Standing.EXISTS
        same_name = (owner.namespace, owner.name) in self._names
        return Standing.REPLACED if same_name else Standing.GONE
