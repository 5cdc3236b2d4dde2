"""Shelving Secrets: what is known of them stays aside until something in the log names one.

A running controller reads only the Secrets that caches and clusters name, each by its name. So
nothing enters a log of the others, whatever material shows: not even that they exist.
"""

from collections.abc import Iterable, Iterator

from adapters.running.cluster_books import Wants, moves_wants, wants_of
from engine.events import Event
from machines.observations import Deleted, Listed, Observation, Seen
from machines.states import State

_Name = tuple[str, str, str]  # cluster, namespace, name
_NOTHING = Wants(frozenset(), {})


class Shelf:
    """The Secrets of all clusters, without their values."""

    def __init__(self) -> None:
        """Begin with none."""
        self._shown: dict[_Name, Seen] = {}
        self._listed: set[tuple[str, str]] = set()  # clusters and namespaces ("" is every one)
        self._told: set[_Name] = set()  # those that something names, and that were told of
        self._wants = _NOTHING
        self._grown = False  # since it was asked last

    def put(self, seen: Seen) -> Iterator[Observation]:
        """Keep a Secret; give it at once when it was told of before."""
        name = _name(seen)
        self._shown[name] = seen
        self._grown = True
        if name in self._told:
            yield seen

    def drop(self, deleted: Deleted) -> Iterator[Observation]:
        """Forget a Secret; say that it is gone when it was told of before."""
        name = _name(deleted)
        self._shown.pop(name, None)
        if name in self._told:
            yield deleted

    def note_list(self, cluster: str, namespaces: Iterable[str]) -> None:
        """Note of which namespaces all Secrets have been shown."""
        self._listed.update((cluster, namespace) for namespace in namespaces)
        self._grown = True

    def wanted(self, state: State, rows: Iterable[Event]) -> Iterator[Observation]:
        """Give what can be told of Secrets that the log names by now; `rows` came last."""
        moved = moves_wants(self._wants, rows)
        if not (moved or self._grown):
            return
        if moved:
            self._wants = wants_of(state)
        self._grown = False
        for cluster, kinds in self._wants.secrets.items():
            for kind in kinds:
                yield from self._tell(cluster, *kind.scope)

    def _tell(self, cluster: str, namespace: str, name: str) -> Iterator[Observation]:
        key = (cluster, namespace, name)
        seen = self._shown.get(key)
        missing = not self._listed.isdisjoint({(cluster, namespace), (cluster, "")})
        if key in self._told or (seen is None and not missing):
            return
        self._told.add(key)
        version, items = (seen.version, (seen,)) if seen is not None else ("0", ())
        yield Listed(cluster, "Secret", version, items, scope=(namespace, name))


def _name(one: Seen | Deleted) -> _Name:
    return one.cluster, one.subject.namespace, one.subject.name
