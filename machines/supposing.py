"""Supposing: the state of a cluster as it would be once a ModelWarmup was applied.

The warmup is told to a state as a fact, and the state is folded on and decided upon by the very
step that a running controller takes. It is thrown away afterwards: nothing is logged, and nothing
that was decided is ever carried out.
"""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from engine.canonical_json import loads
from engine.stepping import Cursor, step
from machines.domain import WARMLOG
from machines.ingesting import ingest
from machines.levels import WarmupLevel
from machines.observations import Deleted, Listed, Observation, Seen
from machines.specs import parse
from machines.states import WARMUP_KINDS, Cluster, Known, State, Warmup

_UNORDERED = "0"  # the version of a list that says of nothing that it is gone


class Standing(StrEnum):
    """How what is to be applied stands to what exists under its name."""

    NEW = "new"
    SAME = "same"
    ALIKE = "alike"  # it means the same, and is written differently
    OTHER = "other"  # the spec is another one, and immutable


class Supposed(NamedTuple):
    """A state in which a warmup has been applied, and the warmup."""

    state: State
    warmup: Warmup
    standing: Standing


def on_lists(lists: Sequence[Listed], wanted: Seen, existing: Seen | None, clock: int) -> Supposed:
    """Suppose it in a cluster of which nothing is known but `lists`; `clock` is UTC nanoseconds.

    `existing` is the ModelWarmup that has its name already. A kind that is not in `lists` is
    unknown, so nothing is concluded from it.
    """
    applied, standing = _applied(wanted, existing)
    warmups = Listed(wanted.cluster, "ModelWarmup", _UNORDERED, (applied,))
    return _supposed(WARMLOG.initial("plan"), [*lists, warmups], applied, standing, clock)


def on_recording(state: State, wanted: Seen, namespace: Seen | None = None) -> Supposed:
    """Suppose it in a state that a log gave, which is changed in place; `namespace` comes first.

    What was not listed again since the last start is taken as it was known before.
    """
    cluster = state.clusters[wanted.cluster]
    known = _known(cluster, wanted)
    existing = _seen_again(cluster, known) if known else None
    applied, standing = _applied(wanted, existing)
    observations: list[Observation] = list(_relisted(cluster))
    if namespace is not None:
        observations.append(_later(cluster, namespace))
    if existing is not None and standing is Standing.OTHER:
        observations.append(Deleted(wanted.cluster, existing.subject, existing.version))
    observations.append(_later(cluster, applied))
    return _supposed(state, observations, applied, standing, state.now)


def _supposed(
    state: State,
    observations: Sequence[Observation],
    applied: Seen,
    standing: Standing,
    clock: int,
) -> Supposed:
    cursor = Cursor(state.position, state.position, 0, state.now)
    state, _ = step(WARMLOG, state, cursor, ingest(state, observations, clock), clock)
    return Supposed(state, state.warmups[applied.subject.uid], standing)


def _applied(wanted: Seen, existing: Seen | None) -> tuple[Seen, Standing]:
    """Give the object as it would stand: what exists keeps its uid, and its spec with it."""
    old, new = existing.level if existing else None, wanted.level
    if existing is None or not isinstance(old, WarmupLevel) or not isinstance(new, WarmupLevel):
        return wanted, Standing.NEW
    if old.spec == new.spec:
        standing = Standing.SAME
    elif parse(loads(old.spec)) == parse(loads(new.spec)):
        standing = Standing.ALIKE
    else:
        return wanted, Standing.OTHER
    notes = tuple(sorted({**dict(old.annotations), **dict(new.annotations)}.items()))
    return existing._replace(level=old._replace(annotations=notes)), standing


def _known(cluster: Cluster, wanted: Seen) -> Known | None:
    for known in cluster.objects["ModelWarmup"].values():
        if known.subject[:3] == wanted.subject[:3]:
            return known
    return None


def _relisted(cluster: Cluster) -> Iterator[Listed]:
    for kind in WARMUP_KINDS:
        if kind not in cluster.synced:
            items = (_seen_again(cluster, each) for each in cluster.objects[kind].values())
            yield Listed(cluster.name, kind, _UNORDERED, tuple(items))


def _seen_again(cluster: Cluster, known: Known) -> Seen:
    return Seen(cluster.name, known.subject, str(known.version), known.level)


def _later(cluster: Cluster, seen: Seen) -> Seen:
    """Give a sight of an object that is newer than what is known of it."""
    known = cluster.objects[seen.subject.kind].get(seen.subject.uid)
    return seen._replace(version=str(known.version + 1)) if known else seen
