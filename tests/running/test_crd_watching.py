"""Watching served CRDs: each lack is told once, until nothing is lacking."""

import copy
from typing import Any

import pytest
import yaml

from adapters.kubernetes.announcing import event_body
from adapters.kubernetes.generating import CRDS_FOLDER
from adapters.kubernetes.schemas import CRD_FILES
from adapters.ports import ApiUnanswered, Response
from adapters.running.crd_watching import PROJECTED, Projected, lack_announcement, watch_crd
from tests.kubernetes.fakes import ManualTimer, ScriptedApi

BY_KIND = {each.kind.name: each for each in PROJECTED}
MISSING = Response(404, {"reason": "NotFound", "message": "not found"})


def without_messages(crd: dict[str, Any]) -> dict[str, Any]:
    """The CRD as an older version, which keeps no message of a target."""
    old = copy.deepcopy(crd)
    schema = old["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    del schema["properties"]["status"]["properties"]["targets"]["items"]["properties"]["message"]
    return old


async def test_what_lacks_is_told_until_it_is_there() -> None:
    """A missing CRD, then an old one, then the right one: two Events, and in the end no words."""
    crd = yaml.safe_load((CRDS_FOLDER / "modelwarmup.yaml").read_text())
    old = Response(200, without_messages(crd))
    api = ScriptedApi(MISSING, MISSING, old, old, Response(200, crd))
    timer, told, announced = ManualTimer(), list[str](), list[str]()
    warmups = BY_KIND["ModelWarmup"]
    await watch_crd(
        api, warmups, told.append, announced.append, timer, timeout_seconds=5
    )  # fmt: skip
    assert ["has no CRD" in words for words in told] == [True, True, False, False, False]
    assert "drops status.targets[].message" in told[2]
    assert told[-1] == ""
    assert announced == [told[0], told[2]]
    assert timer.slept == [10.0] * 4
    body = event_body(lack_announcement(warmups.kind, announced[0], 7), "pod")
    assert body["regarding"]["kind"] == "CustomResourceDefinition"
    assert body["metadata"]["namespace"] == "default"
    assert "apply this version's CRD" in body["note"]


def served(projected: Projected) -> dict[str, Any]:
    """The CRD of this version for a kind."""
    name = projected.kind.resource
    [crd] = [
        each
        for objects in CRD_FILES.values()
        for each in objects
        if each["metadata"]["name"] == name
    ]
    return copy.deepcopy(crd)


async def looks(projected: Projected, *answers: Any) -> tuple[list[str], list[str]]:
    """What is told at each look until nothing is lacking, and what is announced."""
    told, announced = list[str](), list[str]()
    await watch_crd(
        ScriptedApi(*answers), projected, told.append, announced.append, ManualTimer(),
        timeout_seconds=5,
    )  # fmt: skip
    return told, announced


@pytest.mark.parametrize("kind", BY_KIND)
async def test_each_kind_is_compared_with_its_own_definition(kind: str) -> None:
    """This version's definition keeps all that is written; one without a status keeps nothing."""
    projected = BY_KIND[kind]
    older = served(projected)
    del older["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"]
    told, [announced] = await looks(
        projected, Response(200, older), Response(200, served(projected))
    )
    assert told[0].startswith(f"The served CRD {projected.kind.resource} drops status.")
    assert told[1:] == [""]
    assert announced == told[0]
    assert lack_announcement(projected.kind, announced, 7).subject.name == projected.kind.resource


async def test_what_is_not_served_here_is_told_elsewhere() -> None:
    """No definition, one of another controller and no answer are no lack; an older one is."""
    projected = BY_KIND["ModelCache"]
    older, whole, another = served(projected), served(projected), served(projected)
    status = older["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"]
    del status["properties"]["clusters"]["items"]["properties"]["mount"]
    another["metadata"]["ownerReferences"] = [{"kind": "CompositeResourceDefinition", "name": "x"}]
    del another["spec"]["versions"][0]["subresources"]
    told, announced = await looks(
        projected, MISSING, Response(200, another), ApiUnanswered("cut"), Response(200, older),
        Response(200, whole),
    )  # fmt: skip
    assert told[:3] == ["", "", ""]
    assert "drops status.clusters[].mount.volumes[].name" in told[3]
    assert told[4:] == [""]
    assert announced == [told[3]]
