"""Watching the served CRD: each lack is told once, until nothing is lacking."""

import copy
from typing import Any

import yaml

from adapters.kubernetes.announcing import Announcement, event_body
from adapters.kubernetes.generating import CRDS_FOLDER
from adapters.ports import Response
from adapters.running.crd_watching import watch_crd
from tests.kubernetes.fakes import ManualTimer, ScriptedApi

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
    timer, told, announced = ManualTimer(), list[str](), list[Announcement]()
    await watch_crd(
        api, told.append, announced.append, timer, clock=lambda: 7, timeout_seconds=5
    )  # fmt: skip
    assert ["has no CRD" in words for words in told] == [True, True, False, False, False]
    assert "drops status.targets[].message" in told[2]
    assert told[-1] == ""
    assert [one.note for one in announced] == [told[0], told[2]]
    assert timer.slept == [10.0] * 4
    body = event_body(announced[0], "pod")
    assert body["regarding"]["kind"] == "CustomResourceDefinition"
    assert body["metadata"]["namespace"] == "default"
    assert "apply this version's CRD" in body["note"]
