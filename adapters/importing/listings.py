"""Listings: which kinds of a cluster were listed, and what a later list may call gone.

What `kubectl` was asked for is not in what it printed: a list may be of one namespace, or of one
label. So a kind counts as listed once any list of it ended, or the run of ADDED events with which
a watch begins. What is gone is only told by a list that repeats an earlier one of the same source:
one that shares an object with it, and lacks another, of a namespace that it shows.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from adapters.importing.sights import How
from adapters.kubernetes.kinds import Kind
from adapters.kubernetes.reflecting import number
from machines.observations import Listed, Seen
from machines.states import Known, State

_CALLS_NOTHING_GONE = "0"  # the version of a list


class _Shown(NamedTuple):
    """What the last list of a kind held, and which list that was."""

    number: int
    uids: frozenset[str]


class ListingBook:
    """The lists of one source, which is of one cluster."""

    def __init__(self, cluster: str) -> None:
        """Begin with none."""
        self._cluster = cluster
        self._number = 0  # of the last list
        self._last: dict[Kind, _Shown] = {}
        self._running: dict[tuple[Kind, ...], tuple[str, str]] = {}  # runs of ADDED: last names
        self._begun: set[tuple[Kind, ...]] = set()  # kinds whose first run or list is over

    def listed(
        self, state: State, found: Mapping[Kind, Sequence[Seen]], version: str, *, whole: bool
    ) -> Iterator[Listed]:
        """Give a list that ended, kind by kind; `whole` says that its request left nothing out."""
        if whole and number(version):
            for kind, seen in found.items():
                yield Listed(self._cluster, kind.name, version, tuple(seen))
            return
        held = {kind: frozenset(one.subject.uid for one in seen) for kind, seen in found.items()}
        spaces = {one.subject.namespace for seen in found.values() for one in seen} | {""}
        lacked = self._lacked(held)
        self._number += 1
        for kind in (*found, *(kind for kind in lacked if kind not in found)):
            self._last[kind] = _Shown(self._number, held.get(kind, frozenset()))
            known = self._known(state, kind)
            gone = {
                uid: known[uid].version
                for uid in lacked.get(kind, frozenset())
                if uid in known and known[uid].subject.namespace in spaces
            }
            seen = found.get(kind, ())
            newest = max((*gone.values(), *(number(one.version) for one in seen)), default=0)
            unsettled = frozenset(known.keys() - gone.keys())
            yield Listed(self._cluster, kind.name, str(newest), tuple(seen), unsettled)

    def _lacked(self, held: Mapping[Kind, frozenset[str]]) -> dict[Kind, frozenset[str]]:
        """Give what an earlier list held and this one does not, if both asked for the same.

        They did when they share an object. A list of several kinds may hold none of one any more.
        """
        last = self._last
        repeated = {
            last[kind].number for kind in held if kind in last and last[kind].uids & held[kind]
        }
        several = len({kind.served_as for kind in held}) > 1
        return {
            kind: shown.uids - held.get(kind, frozenset())
            for kind, shown in last.items()
            if shown.number in repeated and (several or kind in held)
        }

    def note_list(self, kinds: tuple[Kind, ...]) -> None:
        """Note that kinds were listed, so that no run of ADDED events has to tell."""
        self._running.pop(kinds, None)
        self._begun.add(kinds)

    def run_ends(
        self, state: State, kinds: tuple[Kind, ...], how: How, name: tuple[str, str]
    ) -> Iterator[Listed]:
        """Give the end of the first run of ADDED events, if this event is not of it any more.

        A watch begins with what is there in the order of names; what is added later is out of it.
        """
        if kinds in self._begun:
            return
        if how is How.ADDED and name > self._running.get(kinds, ("", "")):
            self._running[kinds] = name
            return
        if kinds in self._running:
            yield from self._end(state, kinds)

    def end(self, state: State) -> Iterator[Listed]:
        """Give the ends of the runs that lasted to the end of the source."""
        for kinds in tuple(self._running):
            yield from self._end(state, kinds)

    def _end(self, state: State, kinds: tuple[Kind, ...]) -> Iterator[Listed]:
        self.note_list(kinds)
        for kind in kinds:
            unsettled = frozenset(self._known(state, kind))
            yield Listed(self._cluster, kind.name, _CALLS_NOTHING_GONE, (), unsettled)

    def _known(self, state: State, kind: Kind) -> dict[str, Known]:
        there = state.clusters.get(self._cluster)
        return there.objects[kind.name] if there is not None else {}
