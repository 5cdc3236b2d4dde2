"""Part names: kind and name of everything that a replica is composed of."""

from functools import lru_cache

from machines.replicas.kinds import CLAIM_TEMPLATE, DEPLOYMENT, GANG, SERVICE
from machines.replicas.names import claim_template_name, workload_name
from machines.replicas.specs import EngineSpec, ReplicaSpec


def workload_kind(engine: EngineSpec) -> str:
    """Give the kind of an engine's workload."""
    return GANG if engine.is_gang else DEPLOYMENT


@lru_cache(maxsize=4096)  # asked for at every look at a replica
def part_names(replica: str, spec: ReplicaSpec) -> tuple[tuple[str, str], ...]:
    """Give kind and name of everything that a replica is composed of."""
    names = [(SERVICE, replica)]
    for engine in spec.engines:
        names.append((workload_kind(engine), workload_name(replica, engine.name)))
        names += [
            (CLAIM_TEMPLATE, claim_template_name(replica, engine.name, member.role))
            for member in engine.members
            if member.devices
        ]
    return tuple(names)
