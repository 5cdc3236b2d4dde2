"""Asking a real API server what it admits of ModelWarmups."""

import asyncio
import io
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import aiohttp

from adapters.kubernetes.schemas import INFERENCECLUSTER, MODELCACHE, MODELREPLICA, MODELWARMUP
from machines.labels import GROUP, VERSION
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import Json

SHIPPED = MODELWARMUP, MODELCACHE, MODELREPLICA, INFERENCECLUSTER
NAMES = [definition["metadata"]["name"] for definition in SHIPPED]
NAMESPACE = "manifests"
WARMUPS = f"/apis/{GROUP}/{VERSION}/namespaces/{NAMESPACE}/modelwarmups"
DRY_RUN = "?dryRun=All&fieldValidation=Strict"
MERGE_PATCH = "application/merge-patch+json"
WRONG: tuple[Any, ...] = ("", 5, [[]], {"a": []}, None)
MOUNT: Json = {
    "volumes": [{"name": "model-cache", "persistentVolumeClaim": {"claimName": "claim"}}],
    "volumeMounts": [{"name": "model-cache", "mountPath": "/mnt/models"}],
    "env": [{"name": "HF_HUB_CACHE", "value": "/mnt/models"}],
}


def warmup(what: Json, name: str = "tried") -> Json:
    """A ModelWarmup with this spec."""
    return {
        "apiVersion": f"{GROUP}/{VERSION}",
        "kind": "ModelWarmup",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": what,
    }


async def answer(
    session: aiohttp.ClientSession,
    method: str,
    path: str,
    body: Any,
    content_type: str = "application/json",
) -> tuple[int, Json]:
    """Send one request: the code and the body, refusals included."""
    headers = {"Content-Type": content_type}
    # As a stream: aiohttp warns of large bodies, and warnings are errors here.
    data = io.BytesIO(json.dumps(body).encode())
    async with session.request(method, path, data=data, headers=headers) as response:
        return response.status, await response.json()


def named_fields(refusal: Json) -> list[str]:
    """The fields that a refusal names."""
    return [cause.get("field", "") for cause in refusal.get("details", {}).get("causes", [])]


def without_rules(schema: Json) -> Json:
    """The types of a schema, without any bound or rule."""
    kept = {key: schema[key] for key in schema if key in {"type", "format"} or key[:2] == "x-"}
    kept.pop("x-kubernetes-validations", None)
    if "properties" in schema:
        children = schema["properties"].items()
        kept["properties"] = {name: without_rules(child) for name, child in children}
    for key in {"items", "additionalProperties"} & schema.keys():
        kept[key] = without_rules(schema[key])
    return kept


def is_named(place: str, refusal: Json) -> bool:
    """Whether a refusal names a place: in a cause of its own or, as a policy does, in words."""
    return place in named_fields(refusal) or place in refusal["message"].split(" ")


def is_established(crd: Json) -> bool:
    """Whether a CustomResourceDefinition is served."""
    conditions = crd["status"].get("conditions") or []
    return any(each["type"] == "Established" and each["status"] == "True" for each in conditions)


def apply_crds(control_plane: ControlPlane, flag: str, source: Path, *names: str) -> None:
    """Apply CustomResourceDefinitions and wait until those of these names are served."""
    control_plane.kubectl("apply", "--server-side", flag, str(source))
    deadline = time.monotonic() + 30
    # Not `kubectl wait`: it fails on the null that conditions are at first.
    while not all(map(is_established, _crds(control_plane, names))):
        assert time.monotonic() < deadline, f"not served: {', '.join(names)}"
        time.sleep(0.05)


def _crds(control_plane: ControlPlane, names: Sequence[str]) -> list[Json]:
    found: Json = json.loads(control_plane.kubectl("get", "crd", *names, "-o", "json"))
    items: list[Json] = found.get("items", [found])
    return items


async def wait_for_refusal(
    session: aiohttp.ClientSession, what: Json, *, refused: bool = True
) -> None:
    """Wait until a spec is refused, or no longer: a policy comes and goes a moment late."""
    deadline = time.monotonic() + 30
    while ((await answer(session, "POST", WARMUPS + DRY_RUN, warmup(what)))[0] == 201) is refused:
        assert time.monotonic() < deadline, "the policy is not asked, or still asked"
        await asyncio.sleep(0.05)
