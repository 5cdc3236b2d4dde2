"""Renaming: two states of the core that can do the same from here on have one name.

A state holds instants and positions of its log, so no two moments ever give equal ones. In its
name they are replaced, which is sound because of what the code does with them:

- *Instants* are added to and compared with each other and with the instant of the event at hand,
  which is never before the last one; so only their distances count, and the last instant stands
  for zero. Every number past `EARLIEST` is one: nothing else in a state is as large.
- *Positions of decisions* (`SEQS`) are looked up among the open ones, or tested for being there at
  all. An open one is named by its rank among them, one that was answered by `ANSWERED`.
- What is only *shown* (`SHOWN`) is left out: the position of a status, and the face it had then,
  with which it is compared only to say at which position it changed. (A status that tells of a
  past is compared by its position, too; in these worlds none does.)
- *Who is gone* (`buried`) is asked for by uid. The version of its end is compared only of what a
  replica is composed of, which may come back; else it tells rolled-back clusters, and there are
  none. Its row is compared with that of a create which found what had gone before: nobody takes a
  label off here, so what has gone is found by none.
- *Collections without an order* (`SETS`) are only asked whether they hold something.

Everything else is compared as it stands, order included: what is not listed here can only make
more states than there are, never hide one. Versions stay too: those of the worlds begin anew for
each object. `Cores` puts this to the test when asked: of states with one name it keeps some twice,
tells them the same, and compares the names of what comes of it.
"""

import hashlib
import marshal
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import StrEnum
from typing import Any

from engine.events import Subject
from machines.intents import INTENT_BY_TYPE
from machines.levels import LEVEL_BY_KIND
from machines.replicas.kinds import COMPOSED
from machines.states import Ended, State

EARLIEST = 10**17  # nanoseconds: an instant in 1973
ANSWERED = -1

SHOWN = frozenset(
    {
        ("State", "log_id"), ("State", "position"), ("State", "now"), ("State", "caching"),
        ("Warmup", "position"), ("Warmup", "face"), ("Warmup", "ignored"),
        ("Cache", "position"), ("Cache", "face"), ("Cache", "ignored"),
        ("Entry", "face"), ("Entry", "ignored"),
        ("Replica", "position"), ("Replica", "face"), ("Replica", "ignored"),
        ("ServedCluster", "position"), ("ServedCluster", "face"),
    }
)  # fmt: skip
SEQS = frozenset(
    {
        ("OpenIntent", "seq"), ("Job", "deleting"), ("Job", "restoring"), ("Warmup", "resolving"),
        ("Warmup", "creating"), ("Cache", "open"), ("Entry", "open"), ("Replica", "open"),
    }
)  # fmt: skip
SETS = frozenset(
    {
        ("Cluster", "synced"), ("Cluster", "listed"), ("Cluster", "doubted"),
    }
)  # fmt: skip

# What holds no instant and no position is read once for each value that there is, other records
# once for each value, instant and open decisions.
_STILL: tuple[type, ...] = (*LEVEL_BY_KIND.values(), Subject, *INTENT_BY_TYPE.values())

Name = bytes
_Reader = Callable[["_Namer", Any], Any]


def name_of(state: State) -> Name:
    """Give the name of a state: equal for states that can do the same from here on."""
    namer = _Namer(state)
    text = marshal.dumps(namer.read(state), 2)  # that version knows no references: bytes by value
    return hashlib.blake2b(text, digest_size=16).digest()


class _Namer:
    """Reads one state, relative to its last instant and to its open decisions."""

    def __init__(self, state: State) -> None:
        self._now = state.now
        self._ranks = {seq: rank for rank, seq in enumerate(sorted(state.open), 1)}
        self.relative_to = (state.now, *self._ranks)  # what the reading of a record depends on

    def read(self, value: Any) -> Any:
        kind = type(value)
        if kind is str or kind is bool or value is None:
            return value
        if kind is int:
            return value - self._now if value > EARLIEST else value
        reader = _READERS.get(kind)
        if reader is None:
            reader = _READERS[kind] = _reader_of(kind)
        return reader(self, value)

    def rank(self, value: Any) -> Any:
        """Read a position, or a mapping to positions; none is 0."""
        if isinstance(value, dict):
            return tuple((self.read(key), self.rank(seq)) for key, seq in value.items())
        return self._ranks.get(value, ANSWERED) if value else 0

    def buried(self, value: dict[str, Ended]) -> Any:
        """Read who is gone; the version of the end matters only of what may come back."""
        return tuple(
            sorted(
                (uid, end[:2] if end.kind in COMPOSED else end.kind) for uid, end in value.items()
            )
        )

    def unordered(self, value: Any) -> Any:
        """Read a mapping whose order nobody looks at."""
        return tuple(sorted(self.read(value)))


def _reader_of(kind: type) -> _Reader:
    if issubclass(kind, StrEnum):
        return lambda _, value: value.value
    if issubclass(kind, dict):
        return _read_dict
    if is_dataclass(kind):
        return _read_fields(kind, tuple(slot.name for slot in fields(kind)))
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return _read_fields(kind, kind._fields)
    return lambda namer, value: tuple([namer.read(item) for item in value])


def _read_dict(namer: _Namer, value: dict[Any, Any]) -> Any:
    read = namer.read
    return tuple([(read(key), read(item)) for key, item in value.items()])


def _read_fields(kind: type, names: tuple[str, ...]) -> _Reader:
    """Read a record field by field, each by the rule that its class and name have."""
    rules = [(name, _rule(kind, name)) for name in names if (kind.__name__, name) not in SHOWN]

    def read(namer: _Namer, value: Any) -> Any:
        return (kind.__name__, *[rule(namer, getattr(value, name)) for name, rule in rules])

    if kind not in _STILL and not issubclass(kind, tuple):
        return read

    def read_once(namer: _Namer, value: Any) -> Any:
        key = kind, value, () if kind in _STILL else namer.relative_to
        known = _KNOWN.get(key)
        if known is None:
            known = _KNOWN[key] = read(namer, value)
        return known

    return read_once


def _rule(kind: type, name: str) -> _Reader:
    if (kind.__name__, name) in SEQS:
        return _Namer.rank
    if (kind.__name__, name) in SETS:
        return _Namer.unordered
    if (kind.__name__, name) == ("Cluster", "buried"):
        return _Namer.buried
    if (kind.__name__, name) == ("State", "open"):
        return lambda namer, value: tuple(namer.read(opened) for opened in value.values())
    return _Namer.read


_READERS: dict[type, _Reader] = {}
_KNOWN: dict[Any, Any] = {}
