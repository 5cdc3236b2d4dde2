"""Comparing the served CRD with what the projection writes."""

from typing import Any

import pytest

from adapters.kubernetes.crd_checking import (
    caches_served,
    check_crd,
    missing_paths,
    paths_of,
)
from adapters.ports import ApiUnanswered, Response
from tests.kubernetes.fakes import Answer, ScriptedApi, refused

UNREAD = "The CRD modelcaches.modelplane.ai could not be read (cut); it is read again at a start."
MEND = "apply this version's CRD with `kubectl apply -k crds/`"
STATUS = {
    "phase": "Running",
    "targets": [{"nodeName": "n1"}, {"phase": "Failed"}],
    "warmlog": {"uid": "u", "position": 7},
    "conditions": [],
}


def _crd(**status: Any) -> dict[str, Any]:
    schema = {"properties": {"status": {"type": "object", "properties": status}}}
    version = {
        "name": "v1alpha1",
        "served": True,
        "schema": {"openAPIV3Schema": schema},
        "subresources": {"status": {}},
    }
    return {"spec": {"versions": [{"name": "v0", "served": True}, version]}}


TEXT = {"type": "string"}
TARGETS = {"items": {"properties": {"nodeName": TEXT, "phase": TEXT}}}
WHOLE = _crd(
    phase=TEXT,
    targets=TARGETS,
    warmlog={"x-kubernetes-preserve-unknown-fields": True},
    conditions={"items": {}},
)


def test_a_status_gives_its_paths() -> None:
    """Every field that is written is named once, items of lists with brackets."""
    assert paths_of(STATUS) == (
        "conditions",
        "phase",
        "targets[].nodeName",
        "targets[].phase",
        "warmlog.position",
        "warmlog.uid",
    )
    assert paths_of({}) == ()


def test_what_a_schema_keeps_is_not_missing() -> None:
    """Properties, items, additional properties and preserved fields are all kept."""
    assert missing_paths(WHOLE, "v1alpha1", paths_of(STATUS)) == ()
    mapped = _crd(counts={"additionalProperties": {"type": "integer"}})
    assert missing_paths(mapped, "v1alpha1", ["counts.any"]) == ()
    assert missing_paths(mapped, "v1alpha1", ["counts.any.deeper"]) == ("counts.any.deeper",)


async def _checked(answer: Answer) -> str:
    return await check_crd(ScriptedApi(answer), paths_of(STATUS), timeout_seconds=5)


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (Response(200, WHOLE), ""),
        (
            Response(200, _crd(phase=TEXT, targets=TARGETS, conditions={})),
            (
                "The served CRD modelwarmups.model.aibrix.ai drops status.warmlog.position,"
                f" status.warmlog.uid: {MEND}."
            ),
        ),
        (
            Response(200, _crd()),
            (
                "The served CRD modelwarmups.model.aibrix.ai drops status.conditions, status.phase,"
                " status.targets[].nodeName, status.targets[].phase, status.warmlog.position"
                f" and 1 more: {MEND}."
            ),
        ),
        (
            Response(200, {"spec": {"versions": [{"name": "v1alpha1", "served": False}]}}),
            f"The CRD modelwarmups.model.aibrix.ai does not serve v1alpha1: {MEND}.",
        ),
        (
            Response(200, {"spec": {"versions": [{"name": "v1alpha1", "served": True}]}}),
            f"The CRD modelwarmups.model.aibrix.ai has no status subresource: {MEND}.",
        ),
        (
            refused(404, "NotFound", "not found"),
            f"Cluster prod has no CRD modelwarmups.model.aibrix.ai: {MEND}.",
        ),
        (
            refused(403, "Forbidden", "no"),
            (
                "warmlog may not read the CRD modelwarmups.model.aibrix.ai and cannot tell whether"
                " it is up to date: apply its roles with `kubectl apply -k deploy/`."
            ),
        ),
        (
            refused(500, "", "oops"),
            (
                "The CRD modelwarmups.model.aibrix.ai could not be read (oops);"
                " it is read again at a start."
            ),
        ),
        (
            ApiUnanswered("cut"),
            (
                "The CRD modelwarmups.model.aibrix.ai could not be read (cut);"
                " it is read again at a start."
            ),
        ),
    ],
)
async def test_what_is_wrong_is_one_sentence(answer: Answer, sentence: str) -> None:
    """It names what would be lost, and the command that mends it."""
    assert await _checked(answer) == sentence


def _crd_of(owner: str = "") -> Response:
    owners = [{"kind": owner, "name": "xmodelcaches"}] if owner else []
    return Response(200, {"metadata": {"ownerReferences": owners}, **_crd()})


async def test_caches_are_served_where_their_crds_are_ours() -> None:
    """Both CRDs are looked at; whoever else owns one is nobody who serves it."""
    api = ScriptedApi(_crd_of(), _crd_of("ClusterExtension"))
    assert await caches_served(api, timeout_seconds=10) == ""
    assert [request.path.rpartition("/")[2] for request in api.requests] == [
        "modelcaches.modelplane.ai",
        "inferenceclusters.modelplane.ai",
    ]


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ([refused(404)], f"Cluster prod has no CRD modelcaches.modelplane.ai: {MEND}."),
        (
            [_crd_of(), _crd_of("CompositeResourceDefinition")],
            (
                "the CRD inferenceclusters.modelplane.ai belongs to CompositeResourceDefinition"
                " xmodelcaches, and so to Modelplane's own controller. Remove that, then"
                f" {MEND}."
            ),
        ),
        (
            [ApiUnanswered("cut")],
            UNREAD,
        ),
    ],
)
async def test_caches_are_not_served_beside_modelplane(answers: list[Answer], words: str) -> None:
    """Nor without their CRDs, nor while nobody can tell whose they are; one sentence says so."""
    said = await caches_served(ScriptedApi(*answers), timeout_seconds=10)
    assert said == f"ModelCaches and InferenceClusters are not served: {words}"
