"""References: every way in which a person may write an object's name."""

import pytest

from adapters.explaining.errors import Misasked
from adapters.explaining.references import Reference, parse_reference, parse_thing, parse_warmup


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mw/ns/a", Reference("ModelWarmup", "ns", "a")),
        ("modelcaches.modelplane.ai/ns/a", Reference("ModelCache", "ns", "a")),
        ("mc/ns/a", Reference("ModelCache", "ns", "a")),
        ("mr/ns/a", Reference("ModelReplica", "ns", "a")),
        ("modelreplicas.modelplane.ai/ns/a", Reference("ModelReplica", "ns", "a")),
        (" InferenceCluster/east ", Reference("InferenceCluster", "", "east")),
    ],
)
def test_an_object_is_named(text: str, expected: Reference) -> None:
    """Kinds in any case, plural, short and with their group; only what has one with a namespace."""
    assert parse_reference(text) == expected
    assert parse_reference(str(expected)) == expected


@pytest.mark.parametrize("text", ["mc/a", "mc//a", "mc/ns/a/b", "ic/ns/a", "ic/", "", "mc"])
def test_no_object_is_named(text: str) -> None:
    """What names no object is refused with how to write one."""
    with pytest.raises(Misasked, match="names no object: write KIND/NAMESPACE/NAME"):
        parse_reference(text)


def test_an_unknown_kind() -> None:
    """The refusal of a kind lists every kind that there is."""
    with pytest.raises(
        Misasked, match=r"ModelWarmup \(mw\), ModelCache \(mc\), ModelReplica \(mr\)"
    ):
        parse_reference("pod/ns/a")


def test_only_a_warmup() -> None:
    """Where only a ModelWarmup will do, a ModelCache is told how it is tried again instead."""
    assert parse_warmup("mw/ns/a").name == "a"
    with pytest.raises(Misasked, match=r"annotate modelcache a warmlog\.dev/retry"):
        parse_warmup("mc/ns/a")
    with pytest.raises(Misasked, match="is no ModelWarmup"):
        parse_warmup("ic/a")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("job/ns/a", Reference("Job", "ns", "a")),
        ("jobs.batch/a", Reference("Job", "", "a")),
        ("claim/ns/a", Reference("PersistentVolumeClaim", "ns", "a")),
        ("pvc/a", Reference("PersistentVolumeClaim", "", "a")),
        ("Node/gpu-01", Reference("Node", "", "gpu-01")),
        ("pod/ns/a", Reference("Pod", "ns", "a")),
        ("secret/a", Reference("Secret", "", "a")),
        ("mc/ns/a", Reference("ModelCache", "ns", "a")),
        ("deploy/ns/a", Reference("Deployment", "ns", "a")),
        ("lws/a", Reference("LeaderWorkerSet", "", "a")),
        ("svc/ns/a", Reference("Service", "ns", "a")),
        ("resourceclaimtemplates.resource.k8s.io/a", Reference("ResourceClaimTemplate", "", "a")),
        ("ns/a", Reference("Namespace", "", "a")),
        ("sc/a", Reference("StorageClass", "", "a")),
    ],
)
def test_a_thing_is_named(text: str, expected: Reference) -> None:
    """Where these will do, all kinds that a log knows have names, with kubectl's short ones."""
    assert parse_thing(text) == expected
    assert parse_thing(str(expected)) == expected


@pytest.mark.parametrize(
    "text", ["node/ns/a", "job/", "job//a", "job/ns/a/b", "pod", "mw/a", "sc/ns/a"]
)
def test_no_thing_is_named(text: str) -> None:
    """What names nothing is refused with how to write one."""
    with pytest.raises(Misasked, match=r"names no .*: write KIND/NAMESPACE/NAME.*node/NAME"):
        parse_thing(text)


def test_an_unknown_kind_of_thing() -> None:
    """The refusal of a kind says how those are written that there are."""
    known = r"job/NAMESPACE/NAME.*\(deploy\).*\(lws\).*\(svc\).*namespace/NAME \(ns\).*\(sc\)"
    with pytest.raises(Misasked, match=rf"knows nothing of kind 'ingress'.*{known}"):
        parse_thing("ingress/ns/a")
