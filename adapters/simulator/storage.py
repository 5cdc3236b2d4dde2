"""What etcd and the watch cache are to a real API server: objects, their history, one counter.

Objects are plain JSON dicts and immutable by convention: nobody, inside or outside, may change a
dict that was stored or handed out; a write stores a new one, which may share parts with the old.
That is what keeps a list of a thousand objects, or a watch event, free of copying.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterator, Mapping
from operator import attrgetter
from typing import Any, NamedTuple

Manifest = dict[str, Any]

ADDED, MODIFIED, DELETED = "ADDED", "MODIFIED", "DELETED"

_HISTORY_LIMIT = 200_000  # changes of one kind; a real server forgets after five minutes


def key_of(namespace: str, name: str) -> str:
    """Give an object's key; keys sort as etcd's do, so lists come in a real server's order."""
    return f"{namespace}/{name}"


def key_of_item(item: Manifest) -> str:
    """Give the key under which an object is stored."""
    return key_of(item["metadata"].get("namespace", ""), item["metadata"]["name"])


class Change(NamedTuple):
    """One write: what it made of an object, and what was there before (None for the first)."""

    version: int
    type: str
    key: str
    object: Manifest
    previous: Manifest | None


_version_of = attrgetter("version")

Listener = Callable[[str, Change], None]


class Tidings:
    """Counts what may be news to somebody who watches a cluster: what nobody watches is none.

    So who reads many watches can tell at a glance that none of them has anything new.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self.count = 0


class _Shelf:
    """The objects of one kind, in the order of their keys, with their history."""

    def __init__(self) -> None:
        self.objects: dict[str, Manifest] = {}
        self.keys: list[str] = []
        self.history: list[Change] = []
        self.forgotten = 0  # how many changes were cut off the front of `history`

    def keys_in(self, namespace: str) -> list[str]:
        """Give the keys of one namespace; all of them for the empty one."""
        if not namespace:
            return self.keys
        low = bisect_left(self.keys, f"{namespace}/")
        return self.keys[low : bisect_left(self.keys, f"{namespace}0", low)]  # "0" follows "/"


class Storage:
    """Everything that one simulated cluster remembers."""

    def __init__(self, *, history_limit: int = _HISTORY_LIMIT) -> None:
        """Begin empty, at version 1, as etcd does; keep so many changes of a kind at most."""
        self._history_limit = history_limit
        self.version = 1
        self.compacted = 0  # changes up to this version can no longer be had
        self.tidings = Tidings()
        self._shelves: dict[str, _Shelf] = {}
        self._listeners: list[tuple[Listener, frozenset[str]]] = []
        self._told: dict[str, list[Listener]] = {}  # who hears of a kind
        self._dependents: dict[str, dict[tuple[str, str], None]] = {}

    def each(self) -> Iterator[tuple[str, Change]]:
        """Give every object as if it had just been added, as a controller that starts sees it."""
        for kind, shelf in self._shelves.items():
            for key in list(shelf.keys):
                item = shelf.objects[key]
                yield kind, Change(self.version, ADDED, key, item, None)

    def tell(self, kind: str, change: Change) -> None:
        """Tell everybody who subscribed of a change."""
        told = self._told.get(kind)
        if told is None:
            told = self._told[kind] = [
                listener for listener, kinds in self._listeners if not kinds or kind in kinds
            ]
        for listener in told:
            listener(kind, change)

    def unsubscribe_all(self) -> None:
        """Tell nobody of writes any more."""
        self._listeners, self._told = [], {}

    def subscribe(self, listener: Listener, *kinds: str) -> None:
        """Have `listener(kind, change)` called at each write, before anybody else writes.

        With `kinds`, it hears of no others.
        """
        self._listeners.append((listener, frozenset(kinds)))
        self._told = {}

    def get(self, kind: str, key: str) -> Manifest | None:
        """Give one object, or None."""
        shelf = self._shelves.get(kind)
        return None if shelf is None else shelf.objects.get(key)

    def objects(self, kind: str) -> Mapping[str, Manifest]:
        """Give all objects of a kind by key; a view, in no promised order."""
        return self._shelf(kind).objects

    def listed(self, kind: str, namespace: str = "") -> list[Manifest]:
        """Give the objects of a kind, of one namespace or of all, in the order of their keys."""
        shelf = self._shelf(kind)
        return [shelf.objects[key] for key in shelf.keys_in(namespace)]

    def listed_at(self, kind: str, namespace: str, version: int) -> list[Manifest]:
        """Give the list as it was at `version`, which must not be older than `compacted`."""
        shelf = self._shelf(kind)
        objects: dict[str, Manifest | None] = {}
        for change in reversed(shelf.history):
            if change.version <= version:
                break
            objects[change.key] = change.previous
        keys = set(shelf.keys_in(namespace))
        keys.update(key for key in objects if not namespace or key.startswith(f"{namespace}/"))
        found = (objects[key] if key in objects else shelf.objects[key] for key in sorted(keys))
        return [item for item in found if item is not None]

    def dependents(self, owner_uid: str) -> list[tuple[str, Manifest]]:
        """Give (kind, object) of all that name `owner_uid` as an owner, oldest reference first."""
        references = self._dependents.get(owner_uid, {})
        return [(kind, self._shelves[kind].objects[key]) for kind, key in references]

    def put(self, kind: str, key: str, wanted: Manifest) -> Manifest:
        """Store `wanted` under the next version and give what was stored."""
        shelf = self._shelf(kind)
        previous = shelf.objects.get(key)
        stored = self._stamped(wanted)
        shelf.objects[key] = stored
        if previous is None:
            insort(shelf.keys, key)
        self._index(kind, key, previous, stored)
        self._record(
            kind, Change(self.version, MODIFIED if previous else ADDED, key, stored, previous)
        )
        return stored

    def remove(self, kind: str, key: str) -> Manifest:
        """Take an object away; gives its last state, under the version of its end."""
        shelf = self._shelf(kind)
        previous = shelf.objects.pop(key)
        del shelf.keys[bisect_left(shelf.keys, key)]
        stored = self._stamped(previous)
        self._index(kind, key, previous, None)
        self._record(kind, Change(self.version, DELETED, key, stored, previous))
        return stored

    def compact(self, version: int) -> None:
        """Forget changes up to `version`: watches and lists from before it get 410."""
        self.compacted = max(self.compacted, version)
        self.tidings.count += 1
        for shelf in self._shelves.values():
            cut = bisect_right(shelf.history, version, key=_version_of)
            del shelf.history[:cut]
            shelf.forgotten += cut

    def position(self, kind: str) -> int:
        """Give the place behind the newest change of `kind`, for `changes`."""
        shelf = self._shelf(kind)
        return shelf.forgotten + len(shelf.history)

    def position_after(self, kind: str, version: int) -> int:
        """Give the place of the first change of `kind` that is newer than `version`."""
        shelf = self._shelf(kind)
        return shelf.forgotten + bisect_right(shelf.history, version, key=_version_of)

    def changes(self, kind: str, position: int) -> Iterator[Change] | None:
        """Give the changes of `kind` from a place on; None when some were forgotten since."""
        shelf = self._shelf(kind)
        if position < shelf.forgotten:
            return None
        history = shelf.history
        return (history[index] for index in range(position - shelf.forgotten, len(history)))

    def roll_back(self, version: int) -> None:
        """Become what the cluster was at `version`, counter included: etcd restored from a backup.

        Listeners hear nothing: whoever holds a memory of the cluster has to be told apart.
        """
        for kind, shelf in self._shelves.items():
            items = self.listed_at(kind, "", version)
            shelf.objects = {key_of_item(item): item for item in items}
            shelf.keys = sorted(shelf.objects)
            del shelf.history[bisect_right(shelf.history, version, key=_version_of) :]
        self.version = version
        self.tidings.count += 1
        self._dependents = {}
        for kind, shelf in self._shelves.items():
            for key in shelf.keys:
                self._index(kind, key, None, shelf.objects[key])

    def _shelf(self, kind: str) -> _Shelf:
        shelf = self._shelves.get(kind)
        if shelf is None:
            shelf = self._shelves[kind] = _Shelf()
        return shelf

    def _stamped(self, wanted: Manifest) -> Manifest:
        self.version += 1
        metadata = {**wanted["metadata"], "resourceVersion": str(self.version)}
        return {**wanted, "metadata": metadata}

    def _record(self, kind: str, change: Change) -> None:
        history = self._shelf(kind).history
        history.append(change)
        if len(history) > self._history_limit:
            self.compact(history[len(history) // 2].version)
        self.tell(kind, change)

    def _index(self, kind: str, key: str, old: Manifest | None, new: Manifest | None) -> None:
        """Keep `dependents` true; most writes leave the very list of owners they found."""
        before = old["metadata"].get("ownerReferences") if old else None
        after = new["metadata"].get("ownerReferences") if new else None
        if before is after:
            return
        for reference in before or ():
            references = self._dependents.get(reference["uid"], {})
            references.pop((kind, key), None)
            if not references:
                self._dependents.pop(reference["uid"], None)
        for reference in after or ():
            self._dependents.setdefault(reference["uid"], {})[kind, key] = None
