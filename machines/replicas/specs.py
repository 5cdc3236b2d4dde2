"""A ModelReplica's spec, read: which engines it has, on which cluster, and with which cache.

`parse_replica` takes the stored spec as it stands and never raises, as `caches/specs.py` has it:
faults name their fields. Fields, bounds and defaults are those of Modelplane's public API
(modelplane.ai/v1alpha1); what could only make objects that every API server refuses is a fault as
well. `members` reads what one member's Pods are made of.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

from machines.faults import Fault, Faults
from machines.replicas.members import LEADER, ROLES, STANDALONE, WORKER, Member, given, read_member
from machines.syntaxes import DNS_SUBDOMAIN, Syntax

UNIFIED, PREFILL_DECODE = "Unified", "PrefillDecode"
MODES = (UNIFIED, PREFILL_DECODE)
PHASES = ("Prefill", "Decode")
MOST_ENGINES, MOST_MEMBERS, MOST_COPIES = 8, 2, 64

# It stands in the middle of the names of objects, so it may begin and end with a hyphen.
ENGINE_NAME = Syntax(
    "a name of lower-case letters, digits and '-'", f"[-a-z0-9]+|{DNS_SUBDOMAIN.pattern}", 63
)
_ENGINES = "spec.engines"
_SHAPES = "must be one Standalone member, or one Leader and one Worker"


class EngineSpec(NamedTuple):
    """One engine: Pods of one member, or gangs of a leader and its workers."""

    name: str
    copies: int
    phase: str  # "" unless the mode is PrefillDecode
    members: tuple[Member, ...]

    @property
    def is_gang(self) -> bool:
        """Whether several Pods make one copy."""
        return STANDALONE not in [member.role for member in self.members]


class ReplicaSpec(NamedTuple):
    """A spec that can work."""

    cluster_name: str
    cache_name: str  # "" when no cache is referred to
    mode: str
    engines: tuple[EngineSpec, ...]


class ParsedReplica(NamedTuple):
    """A spec that can work, or why it cannot."""

    spec: ReplicaSpec | None
    faults: tuple[Fault, ...]


def parse_replica(raw: Any) -> ParsedReplica:
    """Read a stored spec; every fault at once, in the order of the fields."""
    faults = Faults()
    spec = faults.mapping(raw, "spec")
    cluster_name = given(faults, spec.get("clusterName"), "spec.clusterName")
    cache_name = _cache_name(faults, spec.get("modelCacheRef"))
    serving = faults.mapping(spec.get("serving"), "spec.serving")
    mode = faults.text(serving.get("mode"), "spec.serving.mode") or UNIFIED
    if mode not in MODES:
        faults.add("spec.serving.mode", f"must be {' or '.join(MODES)}")
    engines = tuple(_engines(faults, spec.get("engines")))
    _check_phases(faults, mode, engines)
    if faults.found():
        return ParsedReplica(None, faults.found())
    return ParsedReplica(ReplicaSpec(cluster_name, cache_name, mode, engines), ())


def _cache_name(faults: Faults, raw: Any) -> str:
    field = "spec.modelCacheRef"
    reference = faults.mapping(raw, field)
    if raw is None or faults.has(field):
        return ""
    return given(faults, reference.get("name"), f"{field}.name")


def _engines(faults: Faults, raw: Any) -> Iterator[EngineSpec]:
    if not raw and raw in (None, []):
        faults.add(_ENGINES, "must have at least one engine")
    names: set[str] = set()
    for path, engine in faults.objects(raw, _ENGINES, MOST_ENGINES):
        name = faults.named(engine.get("name"), f"{path}.name", ENGINE_NAME)
        if name in names:
            faults.add(path, f"has the name of another engine: {name}")
        names.add(name)
        copies = faults.number(engine.get("copies"), f"{path}.copies", 1, 1, MOST_COPIES)
        phase = faults.text(engine.get("phase"), f"{path}.phase")
        if phase and phase not in PHASES:
            faults.add(f"{path}.phase", f"must be {' or '.join(PHASES)}")
        members = _members(faults, engine.get("members"), f"{path}.members")
        yield EngineSpec(name, copies, phase, members)


def _members(faults: Faults, raw: Any, field: str) -> tuple[Member, ...]:
    if raw is None:
        faults.add(field, _SHAPES)
    raws = list(faults.objects(raw, field, MOST_MEMBERS))
    members = tuple(read_member(faults, member, path) for path, member in raws)
    roles = sorted(member.role for member in members)
    if all(role in ROLES for role in roles) and roles not in ([STANDALONE], [LEADER, WORKER]):
        faults.add(field, _SHAPES)
    if all(member.get("deviceRequests") is None for _, member in raws):
        faults.add(field, "must have a member with deviceRequests")
    return members


def _check_phases(faults: Faults, mode: str, engines: tuple[EngineSpec, ...]) -> None:
    if mode == PREFILL_DECODE:
        if sorted(engine.phase for engine in engines) != sorted(PHASES):
            faults.add(_ENGINES, f"must be two engines, of phase {' and '.join(PHASES)}: {mode}")
        return
    phased = (index for index, engine in enumerate(engines) if engine.phase)
    for index in islice(phased, 1):
        field = f"{_ENGINES}[{index}].phase"
        faults.add(field, f"must not be set: the mode is not {PREFILL_DECODE}")
