"""What a real API server admits of ModelWarmups, by their schema and their policy."""

import asyncio
import copy
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import yaml

from adapters.kubernetes.policies import NAME as POLICY_NAME
from adapters.kubernetes.schemas import MODELWARMUP
from machines.labels import VERSION
from machines.specs import parse
from tests.crds.drawing import bad_specs, examples, good_specs
from tests.crds.manifests import GOOD, spec
from tests.crds.refusals import BAD, WRONG_TYPES
from tests.e2e.admitting import (
    DRY_RUN,
    MERGE_PATCH,
    NAMES,
    NAMESPACE,
    WARMUPS,
    answer,
    apply_crds,
    is_named,
    wait_for_refusal,
    warmup,
    without_rules,
)
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import Json, request
from tests.machines.test_specs import WHOLE, poisoned
from tests.repository import ROOT

pytestmark = pytest.mark.e2e

LAX_GROUP = "lax.warmlog.dev"
WRONG: tuple[Any, ...] = ("", 5, [[]], {"a": []}, None)


@pytest.mark.parametrize("case", GOOD)
async def test_good_specs_are_stored_as_written(server: aiohttp.ClientSession, case: str) -> None:
    """A legal spec is accepted, and nothing is added to it, pruned from it or changed in it."""
    code, stored = await answer(server, "POST", WARMUPS + DRY_RUN, warmup(GOOD[case]))
    assert code == 201, stored
    assert stored["spec"] == GOOD[case]


@pytest.mark.parametrize("case", BAD)
async def test_bad_specs_are_refused(server: aiohttp.ClientSession, case: str) -> None:
    """A spec that cannot work is refused as invalid, by schema or policy, and its place named."""
    what = warmup(BAD[case].spec)
    code, said = await answer(server, "POST", WARMUPS + DRY_RUN, what)
    assert (code, said.get("reason")) == (422, "Invalid"), said
    assert is_named(BAD[case].place, said), said


async def verdicts(session: aiohttp.ClientSession, specs: list[Json]) -> list[tuple[bool, str]]:
    """What the server says to each of many specs: whether it takes it, and its words."""
    slots = asyncio.Semaphore(8)

    async def ask(what: Json) -> tuple[bool, str]:
        async with slots:
            code, said = await answer(session, "POST", f"{WARMUPS}?dryRun=All", warmup(what))
        return code == 201, said.get("message", "")

    return await asyncio.gather(*map(ask, specs))


@pytest.mark.parametrize("kind", ["good", "bad", "wrong types"])
async def test_server_and_controller_are_of_one_mind(
    server: aiohttp.ClientSession, kind: str
) -> None:
    """The server refuses exactly what the controller calls faulty, made up as it may be [W65]"""
    made: dict[str, Callable[[], list[Json]]] = {
        "good": lambda: examples(good_specs(), 150),
        "bad": lambda: examples(bad_specs().map(lambda planted: planted.spec), 150),
        "wrong types": lambda: [bad for each in WRONG for bad in poisoned(WHOLE, each)],
    }
    specs = made[kind]()
    assert len(specs) >= 150
    for what, (accepted, words) in zip(specs, await verdicts(server, specs), strict=True):
        assert accepted == (not parse(what).faults), (words, parse(what).faults, what)


async def test_every_fault_of_a_policy_is_told(server: aiohttp.ClientSession) -> None:
    """One refusal names all the entries that break its rule, by their places."""
    mount = [{"name": "x", "mountPath": "/x"}]
    entries = [{"name": f"c-{number}", "image": "a", "volumeMounts": mount} for number in range(3)]
    del entries[1]["volumeMounts"]
    what = warmup(spec(custom={"containers": entries}))
    code, said = await answer(server, "POST", WARMUPS + DRY_RUN, what)
    assert code == 422
    assert said["message"].endswith(
        "spec.custom.containers[0].volumeMounts, spec.custom.containers[2].volumeMounts "
        "must each name one of spec.custom.volumes"
    )


async def test_policies_are_sound(control_plane: ControlPlane, with_crds: ControlPlane) -> None:
    """The server finds nothing to warn of in the expressions of the policy."""
    policy: Json = {}
    deadline = time.monotonic() + 30
    while "typeChecking" not in policy.get("status", {}):
        assert time.monotonic() < deadline, policy
        await asyncio.sleep(0.1)
        words = ("get", "validatingadmissionpolicy", POLICY_NAME, "-o", "json")
        policy = json.loads(control_plane.kubectl(*words))
    assert policy["status"]["typeChecking"].get("expressionWarnings", []) == []


def lax_and_strict() -> tuple[Json, Json]:
    """The CRD under another group: with the types of the spec only, and as it is."""
    strict = copy.deepcopy(MODELWARMUP)
    strict["metadata"]["name"] = f"modelwarmups.{LAX_GROUP}"
    strict["spec"]["group"] = LAX_GROUP
    strict["spec"]["names"]["shortNames"] = []
    lax = copy.deepcopy(strict)
    fields = lax["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]
    fields["spec"] = without_rules(fields["spec"])
    return lax, strict


async def put_up(session: aiohttp.ClientSession, warmups: str, cases: dict[str, str]) -> None:
    """Store bad specs, each under its name, where nothing refuses them."""
    version = warmups.removeprefix("/apis/").partition("/namespaces/")[0]
    for name, case in cases.items():
        await request(
            session, "POST", warmups, {**warmup(BAD[case].spec, name), "apiVersion": version}
        )


async def edit_all(session: aiohttp.ClientSession, warmups: str, cases: dict[str, str]) -> None:
    """Label each, hold it by a finalizer, write its status, and let it go."""
    labels = {"metadata": {"labels": {"a": "b"}, "finalizers": ["warmlog.dev/test"]}}
    status = {"status": {"phase": "Failed"}}
    freed = {"metadata": {"finalizers": None}}
    for name, case in cases.items():
        for path, change in ((name, labels), (f"{name}/status", status), (name, freed)):
            code, said = await answer(session, "PATCH", f"{warmups}/{path}", change, MERGE_PATCH)
            assert code == 200, (case, said)


async def wait_until_refused(session: aiohttp.ClientSession, warmups: str) -> None:
    """Wait for a schema with rules: it is served a moment after it is stored."""
    late = {**warmup(BAD["nothing to run"].spec, "late"), "apiVersion": f"{LAX_GROUP}/{VERSION}"}
    while (await answer(session, "POST", warmups + DRY_RUN, late))[0] == 201:
        await asyncio.sleep(0.05)


async def test_what_was_accepted_earlier_is_not_frozen(
    with_crds: ControlPlane, server: aiohttp.ClientSession, tmp_path: Path
) -> None:
    """Objects that break a rule, stored before it was one, stay editable but for the spec.

    Were the spec not immutable, no other rule would keep them from being changed either: a server
    that forgives nothing, as 1.32 when a status is written, has nothing to forgive [W60] [W95]
    """
    warmups = f"/apis/{LAX_GROUP}/{VERSION}/namespaces/{NAMESPACE}/modelwarmups"
    lax, strict = lax_and_strict()
    crd = tmp_path / "crd.yaml"
    crd.write_text(yaml.safe_dump(lax))
    apply_crds(with_crds, "-f", crd, lax["metadata"]["name"])
    cases = {f"bad-{index}": case for index, case in enumerate(BAD) if case not in WRONG_TYPES}
    await put_up(server, warmups, cases)
    rules = strict["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    immutable = rules["x-kubernetes-validations"].pop(0)
    crd.write_text(yaml.safe_dump(strict))
    apply_crds(with_crds, "-f", crd, lax["metadata"]["name"])
    await wait_until_refused(server, warmups)
    [name] = [name for name, case in cases.items() if case == "nothing to run"]
    change = {"spec": {"policies": {"parallelism": 2}}}
    code, said = await answer(server, "PATCH", f"{warmups}/{name}", change, MERGE_PATCH)
    assert code == 200, said
    rules["x-kubernetes-validations"].insert(0, immutable)
    crd.write_text(yaml.safe_dump(strict))
    apply_crds(with_crds, "-f", crd, lax["metadata"]["name"])
    change = {"spec": {"policies": {"parallelism": 3}}}
    while (await answer(server, "PATCH", f"{warmups}/{name}", change, MERGE_PATCH))[0] == 200:
        change["spec"]["policies"]["parallelism"] += 1
        await asyncio.sleep(0.05)
    await edit_all(server, warmups, cases)
    with_crds.kubectl("delete", "crd", lax["metadata"]["name"])


async def test_a_policy_is_asked_of_new_objects_only(
    with_crds: ControlPlane, server: aiohttp.ClientSession
) -> None:
    """What was stored while there was no policy stays editable when there is one [W60]"""
    with_crds.kubectl("delete", "validatingadmissionpolicybinding", POLICY_NAME)
    mounts = BAD["a mount although there are no volumes"].spec
    await wait_for_refusal(server, mounts, refused=False)
    answers = {
        case: (await answer(server, "POST", WARMUPS + DRY_RUN, warmup(bad.spec)))[0]
        for case, bad in BAD.items()
    }
    cases = [case for case, code in answers.items() if code == 201]
    assert len(cases) > 20
    stored = {f"bad-{index}": case for index, case in enumerate(cases)}
    await put_up(server, WARMUPS, stored)
    apply_crds(with_crds, "-k", ROOT / "crds", *NAMES)
    await wait_for_refusal(server, mounts)
    await edit_all(server, WARMUPS, stored)
