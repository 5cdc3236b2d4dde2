"""Retrying: the manifest of a new ModelWarmup for the nodes at which another one failed.

What ended never runs again, so a retry is an object of its own: the same spec, other targets.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from machines.labels import GROUP, SUSPEND, VERSION
from machines.node_jobs import NodeJobState
from machines.phases import TARGET_PHASE, WARMUP_STATE_BY_PHASE
from machines.spec_parts import MAX_TARGETS
from machines.states import State, Warmup
from machines.warmups import TERMINAL

_NAME_LENGTH = 253  # of an object's name
_RETRY = re.compile(r"-retry(?:-([1-9][0-9]{0,8}))?")
# Whoever applied the first one must not take the retry for theirs, and prune or "repair" it.
_NOT_CARRIED_PREFIXES = (
    "kubectl.kubernetes.io/", "applyset.kubernetes.io/", "config.kubernetes.io/",
    "argocd.argoproj.io/", "kustomize.toolkit.fluxcd.io/", "helm.toolkit.fluxcd.io/",
    "helm.sh/", "meta.helm.sh/", "objectset.rio.cattle.io/",
)  # fmt: skip
_NOT_CARRIED = ("app.kubernetes.io/managed-by", "app.kubernetes.io/instance", SUSPEND)


class Failures(NamedTuple):
    """The nodes at which a warmup failed, by name, and how many its status does not name."""

    names: tuple[str, ...]
    hidden: int = 0


def failures_of_status(status: Mapping[str, Any]) -> Failures:
    """Read them off a `.status`, raw JSON of any shape."""
    failed = TARGET_PHASE[NodeJobState.FAILED]
    details = status.get("targets")
    rows = [row for row in details if isinstance(row, dict)] if isinstance(details, list) else []
    shown = [
        row["nodeName"]
        for row in rows
        if row.get("phase") == failed and isinstance(row.get("nodeName"), str)
    ]
    count = status.get("failedNodes")
    hidden = count - len(shown) if isinstance(count, int) else 0
    return Failures(tuple(sorted(set(shown))), max(hidden, 0))


def failures_of_warmup(state: State, warmup: Warmup) -> Failures:
    """Give them all, but for names under which a newer machine is Ready."""
    present = state.clusters[warmup.cluster].node_uids
    names = {
        target.node_name
        for target in warmup.targets.values()
        if target.state is NodeJobState.FAILED
        and not _is_ready(warmup, present.get(target.node_name, ""))
    }
    return Failures(tuple(sorted(names)))


def has_ended(status: Mapping[str, Any]) -> bool:
    """Say whether a `.status` is that of a warmup that has ended."""
    phase = status.get("phase")
    return isinstance(phase, str) and WARMUP_STATE_BY_PHASE.get(phase) in TERMINAL


def retry_names(name: str) -> Iterator[str]:
    """Give the names that a retry can have, the best first: of x x-retry, then x-retry-2.

    A retry of x-retry-2 begins with x-retry-3. There is no end of them.
    """
    found = _RETRY.search(name, max(name.rfind("-retry"), 0))
    base, number = name, 1
    if found is not None and found.end() == len(name):
        base, number = name[: found.start()], int(found[1] or 1) + 1
    while True:
        suffix = "-retry" if number == 1 else f"-retry-{number}"
        yield base[: _NAME_LENGTH - len(suffix)].rstrip("-.") + suffix
        number += 1


def retry_manifest(
    metadata: Mapping[str, Any], spec: Mapping[str, Any], name: str, nodes: Sequence[str]
) -> dict[str, Any]:
    """Give the manifest: `metadata` and `spec` are those of the warmup that failed at `nodes`."""
    carried = {
        field: kept
        for field in ("labels", "annotations")
        if (kept := _carried(metadata.get(field)))
    }
    groups = [nodes[begin : begin + MAX_TARGETS] for begin in range(0, len(nodes), MAX_TARGETS)]
    return {
        "apiVersion": f"{GROUP}/{VERSION}",
        "kind": "ModelWarmup",
        "metadata": {"name": name, "namespace": metadata["namespace"], **carried},
        "spec": {**spec, "targets": [{"nodes": {"names": list(group)}} for group in groups]},
    }


def _carried(texts: Any) -> dict[str, str]:
    given = texts.items() if isinstance(texts, dict) else ()
    return {
        key: value
        for key, value in given
        if key not in _NOT_CARRIED and not key.startswith(_NOT_CARRIED_PREFIXES)
    }


def _is_ready(warmup: Warmup, uid: str) -> bool:
    target = warmup.targets.get(uid)
    return target is not None and target.state is NodeJobState.READY
