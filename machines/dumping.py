"""Dumping: the state as JSON text and back, for snapshots.

Generic over the records: a named tuple or dataclass becomes its class's name and its values, an
enum its class's name and its value, a dict a list of pairs, so that order and key types stay.
"""

from dataclasses import fields, is_dataclass
from enum import StrEnum
from typing import Any

from engine.canonical_json import dumps, loads
from engine.events import Subject
from machines import faults, intents, levels, spec_parts, specs, states
from machines.caches import cluster_specs, hydration_settings, settings
from machines.caches import levels as cache_levels
from machines.caches import specs as cache_specs
from machines.caches import states as cache_states
from machines.caches.entries import EntryState
from machines.node_jobs import NodeJobState
from machines.replicas import levels as replica_levels
from machines.replicas import members as replica_members
from machines.replicas import specs as replica_specs
from machines.replicas import states as replica_states
from machines.replicas.replicas import ReplicaState
from machines.warmups import WarmupState

_MODULES = (
    faults, intents, levels, spec_parts, specs, states,
    cluster_specs, hydration_settings, settings, cache_levels, cache_specs, cache_states,
    replica_levels, replica_members, replica_specs, replica_states,
)  # fmt: skip
_RECORDS: dict[str, type] = {
    cls.__name__: cls
    for module in _MODULES
    for cls in vars(module).values()
    if isinstance(cls, type) and (hasattr(cls, "_fields") or is_dataclass(cls))
} | {"Subject": Subject}
_ENUMS: dict[str, type[StrEnum]] = {
    cls.__name__: cls for cls in (NodeJobState, WarmupState, EntryState, ReplicaState)
}


def dump_state(state: states.State) -> str:
    """Give the state as canonical JSON text."""
    return dumps(_dump(state))


def load_state(text: str) -> states.State:
    """Read what `dump_state` gave. KeyError or ValueError when it is something else."""
    state = _load(loads(text))
    if not isinstance(state, states.State):
        msg = "the text is no dumped state"
        raise ValueError(msg)  # noqa: TRY004 -- the value is wrong, not the caller's type
    return state


def _dump(value: Any) -> Any:
    if isinstance(value, StrEnum):
        return ["e", type(value).__name__, value.value]
    if isinstance(value, tuple):
        name = type(value).__name__ if hasattr(value, "_fields") else ""
        return ["t", name, [_dump(item) for item in value]]
    if isinstance(value, dict):
        return ["d", [[_dump(key), _dump(item)] for key, item in value.items()]]
    if isinstance(value, list):
        return ["l", [_dump(item) for item in value]]
    if is_dataclass(value):
        items = [_dump(getattr(value, slot.name)) for slot in fields(value)]
        return ["r", type(value).__name__, items]
    return value


def _load(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    tag = value[0]
    if tag == "e":
        return _ENUMS[value[1]](value[2])
    if tag == "d":
        return {_load(key): _load(item) for key, item in value[1]}
    if tag == "l":
        return [_load(item) for item in value[1]]
    items = [_load(item) for item in value[2]]
    if tag == "t":
        return _RECORDS[value[1]](*items) if value[1] else tuple(items)
    return _RECORDS[value[1]](*items)
