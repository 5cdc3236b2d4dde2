"""Who owns what of an object, and what of it becomes ours."""

import copy
from typing import Any

import pytest

from adapters.kubernetes.field_ownership import (
    SOMEBODY,
    our_fields,
    owns_replicas,
    scaler,
    taken_over,
)
from tests.kubernetes.objects import Raw
from tests.kubernetes.replica_objects import entry, scaling

PROVIDER = "crossplane-kubernetes-provider"
ENGINE = 'k:{"name":"engine"}'


def _fields(**engine: Raw) -> Raw:
    """Fields of a Deployment with these fields of its container."""
    containers = {"f:containers": {ENGINE: {f"f:{name}": value for name, value in engine.items()}}}
    return {"f:spec": {"f:template": {"f:spec": containers}}}


def _composed(**engine: Raw) -> Raw:
    fields = _fields(**engine)
    fields["f:spec"]["f:template"]["f:spec"]["f:containers"][ENGINE]["."] = {}
    return fields


OURS = entry("warmlog", "Apply", {**_composed(image={})})
RESTART = entry(
    "kubectl-rollout",
    "Update",
    {
        "f:spec": {
            "f:template": {
                "f:metadata": {
                    "f:annotations": {".": {}, "f:kubectl.kubernetes.io/restartedAt": {}}
                }
            }
        }
    },
)
STATUS = entry("kube-controller-manager", "Update", _composed(image={}), subresource="status")


def _metadata(*entries: Any) -> Raw:
    return {"managedFields": list(entries)}


def test_what_we_own_has_a_digest() -> None:
    """It changes with each field but the number of copies, and not with when it was written."""
    digest = our_fields(_metadata(STATUS, OURS))
    assert digest
    later = OURS | {"time": "2026-10-22T10:11:12Z"}
    assert our_fields(_metadata(later)) == digest
    scaled = copy.deepcopy(OURS)
    scaled["fieldsV1"]["f:spec"]["f:replicas"] = {}
    assert our_fields(_metadata(scaled)) == digest
    assert our_fields(_metadata(entry("warmlog", "Apply", _composed()))) != digest


@pytest.mark.parametrize(
    "entries",
    [
        [],
        [STATUS],
        [OURS | {"operation": "Update"}],
        [OURS | {"subresource": "scale"}],
        [OURS | {"manager": "warmlog2"}],
        ["no object", None],
    ],
)
def test_what_others_own_is_not_ours(entries: list[Any]) -> None:
    """Only our own applies count."""
    assert our_fields(_metadata(*entries)) == ""


def test_the_latest_of_those_who_scale_is_named() -> None:
    """Ourselves excepted; two in the same second are told apart by their names."""
    assert scaler({}, adopted=True) == ""
    owning = copy.deepcopy(OURS)
    owning["fieldsV1"]["f:spec"]["f:replicas"] = {}
    assert scaler(_metadata(owning), adopted=True) == ""
    keda = scaling("keda", "2026-10-22T10:11:12Z")
    assert scaler(_metadata(keda, owning, scaling()), adopted=True) == "keda"
    assert (
        scaler(_metadata(entry("kubectl", "Apply", {"f:spec": {"f:replicas": {}}})), adopted=True)
        == "kubectl"
    )
    assert len(scaler(_metadata(scaling("x" * 999)), adopted=True)) == 128


def test_who_scales_from_zero_is_somebody() -> None:
    """A scale to zero leaves the number to no manager: it is not ours any more, and stays."""
    assert scaler(_metadata(OURS, STATUS), adopted=True) == SOMEBODY
    assert not owns_replicas(_metadata(OURS, STATUS), adopted=True)
    assert scaler(_metadata(STATUS), adopted=True) == ""


@pytest.mark.parametrize("operation", ["Update", "Apply"])
def test_what_a_former_manager_composed_becomes_ours(operation: str) -> None:
    """Whole, be it an update's or an apply's; who merely changed something keeps that."""
    former = entry(PROVIDER, operation, _composed(image={}, args={}))
    found = taken_over(_metadata(former, RESTART, scaling(), STATUS))
    mine = former | {"manager": "warmlog", "operation": "Apply"}
    assert found == [RESTART, scaling(), STATUS, mine]


def test_several_become_one_with_what_is_ours_already() -> None:
    """As when an apply of ours came first: one entry a manager, all fields in it."""
    former = [entry(PROVIDER, "Update", _composed(args={})), entry("kubectl", "Apply", _composed())]
    before = copy.deepcopy(former)
    (mine,) = taken_over(_metadata(former[0], OURS, former[1])) or []
    assert mine == OURS | {"fieldsV1": _composed(image={}, args={})}
    assert former == before


@pytest.mark.parametrize(
    "entries",
    [
        [],
        [OURS],
        [STATUS],
        [RESTART],
        [scaling()],
        [entry("kubectl-edit", "Update", _fields(image={}))],
        ["no object", entry("x", "Update", {"f:spec": "no object"})],
    ],
)
def test_nothing_is_taken_from_who_composed_nothing(entries: list[Any]) -> None:
    """A change of one field of the container is not the container."""
    assert taken_over(_metadata(*entries)) is None


def test_each_kind_is_known_by_what_makes_it() -> None:
    """A gang by the containers of either template, a Service by its ports."""
    containers: Raw = {"f:spec": {"f:containers": {}}}  # the whole list
    for template in ("f:leaderTemplate", "f:workerTemplate"):
        fields: Raw = {"f:spec": {"f:leaderWorkerTemplate": {template: containers}}}
        assert taken_over(_metadata(entry(PROVIDER, "Update", fields)))
    ports: Raw = {".": {}, 'k:{"port":80,"protocol":"TCP"}': {".": {}, "f:port": {}}}
    assert taken_over(_metadata(entry(PROVIDER, "Update", {"f:spec": {"f:ports": ports}})))
    devices: Raw = {"f:spec": {"f:spec": {"f:devices": {"f:requests": {}}}}}
    assert taken_over(_metadata(entry(PROVIDER, "Update", devices))) is None


def test_who_composed_an_object_does_not_scale_it_until_it_is_ours() -> None:
    """What that one owns becomes ours, the number of copies with it."""
    fields = _composed(image={})
    fields["f:spec"]["f:replicas"] = {}
    composed = entry(PROVIDER, "Update", fields)
    assert scaler(_metadata(composed), adopted=False) == ""
    assert owns_replicas(_metadata(composed), adopted=False)
    assert scaler(_metadata(composed, OURS), adopted=True) == PROVIDER
    assert not owns_replicas(_metadata(composed, OURS), adopted=True)
    keda = scaling("keda", "2026-10-20T10:11:12Z")
    assert scaler(_metadata(keda, composed), adopted=False) == "keda"
    owning = entry("warmlog", "Apply", fields)
    assert owns_replicas(_metadata(keda, owning), adopted=True)
    assert not owns_replicas(_metadata(keda), adopted=True)
