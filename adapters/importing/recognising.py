"""Recognising: which of warmlog's kinds a raw object is of, as the watches' selectors would say."""

from adapters.importing.sights import Raw
from adapters.kubernetes.fields import mapping, text
from adapters.kubernetes.kinds import (
    CLAIM,
    HYDRATION_JOB,
    HYDRATION_POD,
    INFERENCE_CLUSTER,
    JOB,
    MODEL_CACHE,
    MODEL_REPLICA,
    MODEL_WARMUP,
    NAMESPACE,
    NODE,
    POD,
    SECRET,
    SERVING_KINDS,
    STORAGE_CLASS,
    Kind,
)
from machines.states import State

# In the order in which a list of several kinds is told: what others are about comes first.
_READ = (
    NAMESPACE, NODE, STORAGE_CLASS, SECRET, INFERENCE_CLUSTER, MODEL_WARMUP, MODEL_CACHE,
    MODEL_REPLICA, CLAIM, *SERVING_KINDS, JOB, HYDRATION_JOB, POD, HYDRATION_POD,
)  # fmt: skip


def group_of(api_version: str) -> str:
    """Give the group of an apiVersion; "" is the core group."""
    group, slash, _ = api_version.partition("/")
    return group if slash else ""


_KINDS_SERVED: dict[tuple[str, str], tuple[Kind, ...]] = {}
for _kind in _READ:
    _served = group_of(_kind.group_version), _kind.served_as
    _KINDS_SERVED[_served] = (*_KINDS_SERVED.get(_served, ()), _kind)


def kinds_served(raw: Raw) -> tuple[Kind, ...]:
    """Give the kinds that an object could be of, whatever labels it bears; none is not read."""
    served = group_of(text(raw.get("apiVersion"))), text(raw.get("kind"))
    return _KINDS_SERVED.get(served, ())


def kinds_called(word: str) -> tuple[Kind, ...]:
    """Give the kinds that a person calls so, as `kubectl` would understand it; none is not read."""
    wanted = word.strip().lower()
    for kinds in _KINDS_SERVED.values():
        kind = kinds[0]
        if wanted in {kind.served_as.lower(), kind.plural, kind.resource}:
            return kinds
    return ()


def order_of(raw: Raw) -> int:
    """Give where an object comes in among those of other kinds of its list."""
    served = kinds_served(raw)
    return _READ.index(served[0]) if served else len(_READ)


def kinds_of(state: State, cluster: str, raw: Raw) -> tuple[Kind, ...]:
    """Give the kinds as which an object is ours.

    One that was known as ours stays so when its label is taken off: it is asked for by its name.
    """
    metadata = mapping(raw.get("metadata"))
    marks = mapping(metadata.get("labels"))
    return tuple(
        kind
        for kind in kinds_served(raw)
        if not kind.label_selector
        or kind.label_selector in marks
        or _is_known(state, cluster, kind, metadata)
    )


def _is_known(state: State, cluster: str, kind: Kind, metadata: Raw) -> bool:
    """Say whether an object is known as of this kind: by its uid, or by its name alone."""
    there = state.clusters.get(cluster)
    if there is None:
        return False
    uid, objects = text(metadata.get("uid")), there.objects[kind.name]
    if uid:
        return uid in objects
    name = text(metadata.get("namespace")), text(metadata.get("name"))
    return any((one.subject.namespace, one.subject.name) == name for one in objects.values())
