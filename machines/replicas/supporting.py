"""Supporting: what of a replica warmlog, or its cluster, has no way to run."""

from machines.replicas.kinds import CLAIM_TEMPLATE, GANG
from machines.replicas.placing import needed_kinds, place_of
from machines.replicas.specs import PREFILL_DECODE
from machines.replicas.states import Replica
from machines.states import State

_MISSING = {
    GANG: "the LeaderWorkerSet CRD (leaderworkerset.x-k8s.io/v1), which several nodes need",
    CLAIM_TEMPLATE: "resource.k8s.io/v1, which device requests need",
}


def unsupported_words(state: State, replica: Replica) -> str:
    """Name what is missing; "" when everything is there, or is not known."""
    spec = replica.spec
    if spec is None:
        return ""
    if spec.mode == PREFILL_DECODE:
        return f"spec.serving.mode {PREFILL_DECODE} is not supported: warmlog runs Unified alone"
    for index, engine in enumerate(spec.engines):
        for place, member in enumerate(engine.members):
            if not member.image:
                field = f"spec.engines[{index}].members[{place}].template.spec.containers"
                return f"{field} has no container: nothing can be run for engine {engine.name}"
    return _unsupported_there(state, replica)


def _unsupported_there(state: State, replica: Replica) -> str:
    place = place_of(state, replica)
    if replica.spec is None or place is None:
        return ""
    gangs = [engine.name for engine in replica.spec.engines if place.dynamo and engine.is_gang]
    if gangs:
        return (
            f"engine {gangs[0]} has a Leader and Workers, which cluster {replica.cluster_name} "
            "with its Dynamo stack would run as a Grove gang: that is not supported"
        )
    unserved = place.cluster.unserved
    for kind in needed_kinds(replica.spec) if unserved else ():
        if kind in unserved:
            missing = _MISSING.get(kind, kind)
            return f"cluster {replica.cluster_name} does not serve {missing}"
    return ""
