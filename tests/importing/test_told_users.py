"""Pods in material say who mounts a claim that is to be released."""

from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from tests.importing.reading import Raw, Read, event, listed, raw, read_text
from tests.importing.test_told_events import pool
from tests.kubernetes import cache_objects as objects

CLAIM = objects.CLAIM_NAME


def cache(version: int = 2, **metadata: Any) -> Raw:
    """The ModelCache that the claim is of."""
    told = {"namespace": "ml-team", "uid": objects.CACHE_UID, **metadata}
    hub = {"repo": "org/model", "sizeGiB": 1}
    return raw("ModelCache", "qwen", version, metadata=told,
               spec={"source": "HuggingFace", "huggingFace": hub})  # fmt: skip


def going() -> Raw:
    """It is being deleted, and held by our finalizer."""
    return cache(
        7, deletionTimestamp="2026-01-01T12:00:05Z", finalizers=["warmlog.dev/cache-in-use"]
    )


def home() -> Raw:
    """The cluster itself, as an InferenceCluster."""
    return raw("InferenceCluster", "home", 1, spec={"cluster": {"source": "InCluster"}})


def claim() -> Raw:
    """The claim, bound."""
    told = objects.claim(phase="Bound")
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", **told}


def user(version: int = 6, phase: str = "Running", mounts: str = CLAIM) -> Raw:
    """A Pod of somebody's that mounts it."""
    volumes = [{"name": "model", "persistentVolumeClaim": {"claimName": mounts}}]
    return raw(
        "Pod", "notebook", version, metadata={"namespace": objects.NAMESPACE},
        spec={"volumes": volumes, "nodeName": "gpu-1"}, status={"phase": phase},
    )  # fmt: skip


def told(folder: Path, *events: tuple[str, Raw], first: Sequence[Raw] = ()) -> Read:
    """Read a List with something of all kinds, and a stream of events of watches."""
    watched = "".join(event(kind, one) for kind, one in events)
    return read_text(folder, listed(*pool(), *first) + watched)


def test_who_mounts_a_claim_that_is_to_go_is_told(tmp_path: Path) -> None:
    """In whatever order the Pod, the claim and the ModelCache that is deleted come."""
    for order in permutations((home(), claim(), user())):
        read = told(tmp_path, ("ADDED", cache()), *(("ADDED", each) for each in order),
                    ("MODIFIED", going()))  # fmt: skip
        assert read.data("ClaimUsersRead") == [{"pods": ["notebook"]}]


@pytest.mark.parametrize(
    ("kind", "phase", "last"),
    [("MODIFIED", "Succeeded", {"pods": [], "ended": ["notebook"]}),
     ("DELETED", "Running", {"pods": []})],
)  # fmt: skip
def test_that_a_pod_has_ended_or_left_is_told(
    tmp_path: Path, kind: str, phase: str, last: dict[str, list[str]]
) -> None:
    """Once somebody mounted the claim, that nobody does any more is known as well."""
    read = told(
        tmp_path, ("MODIFIED", going()), (kind, user(8, phase)),
        first=(home(), cache(), claim(), user()),
    )  # fmt: skip
    assert read.data("ClaimUsersRead") == [{"pods": ["notebook"]}, last]


def test_that_nobody_mounts_it_is_not_concluded_from_silence(tmp_path: Path) -> None:
    """Material without such a Pod does not say that there is none."""
    other = user(mounts="another")
    read = told(
        tmp_path, *(("ADDED", each) for each in (home(), cache(), claim(), other)),
        ("MODIFIED", going()),
    )  # fmt: skip
    assert read.data("ClaimUsersRead") == []
    assert read.account.strange["Pods that are not ours, and mount claims"] == 1
