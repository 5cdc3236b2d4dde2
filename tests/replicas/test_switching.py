"""The behaviour table for a replica whose reference, engines or kind of workload are edited."""

import pytest

from machines.observations import Refused
from tests.caches.builders import CLAIM
from tests.caches.builders import spec_of as cache_spec
from tests.replicas.builders import DEPLOYMENT, GANG, MOUNT, ReplicaScene, engine, spec_of
from tests.replicas.serving import (
    KINDS,
    OTHER_CLAIM,
    OTHER_MOUNT,
    ServingScene,
    open_body,
)


@KINDS
def test_a_switch_waits_for_the_other_cache(what: str) -> None:
    """Engines keep the first cache until the second is Ready; then there is one apply [C14]"""
    scene = ServingScene(what).serving()
    scene.other_cache()
    scene.replica(spec=scene.spec(cache="other"), generation=2)
    scene.carry_out()
    assert scene.serves_as_before()
    assert OTHER_CLAIM in scene.condition("ModelAccepted")[2]
    scene.all_bound()
    assert scene.serves_as_before()
    scene.all_ended()
    assert scene.applied == 1
    assert scene.workload(what).mount == OTHER_MOUNT
    assert scene.condition("ModelAccepted") == ("True", "Accepted", "")


@KINDS
def test_a_cache_that_is_added_is_waited_for_without_a_restart(what: str) -> None:
    """A replica that runs uncached goes on so until the mount is published [C15]"""
    scene = ServingScene(what).serving(cache="")
    scene.cache()
    scene.carry_out()
    scene.replica(spec=scene.spec(), generation=2)
    assert scene.serves_as_before()
    assert CLAIM in scene.condition("ModelAccepted")[2]
    scene.staged()
    assert scene.applied == 1
    assert scene.workload(what).mount == MOUNT


@KINDS
def test_a_reference_that_is_removed_costs_one_rollout(what: str) -> None:
    """It is applied at once, though the cache is Ready."""
    scene = ServingScene(what).serving()
    scene.replica(spec=scene.spec(cache=""), generation=2)
    scene.carry_out()
    assert (scene.applied, scene.workload(what).mount) == (1, "")


@KINDS
def test_a_user_that_comes_back_finds_its_claim(what: str) -> None:
    """A cache's claim stays when its last replica drops it, and serves it when it is back [S22]"""
    scene = ServingScene(what).serving()
    uid = scene.known("ic/one", "PersistentVolumeClaim").subject.uid
    scene.replica(spec=scene.spec(cache=""), generation=2)
    scene.carry_out()
    scene.wait(7200)
    scene.replica(spec=scene.spec(), generation=3)
    scene.carry_out()
    assert scene.known("ic/one", "PersistentVolumeClaim").subject.uid == uid
    assert scene.workload(what).mount == MOUNT


@KINDS
def test_a_reader_starts_after_the_download_is_cleared_away(what: str) -> None:
    """When the Job is gone the claim is there, and a replica that comes later mounts it [S29]"""
    scene = ServingScene(what)
    scene.cache()
    scene.staged()
    assert scene.all_of("HydrationJob") == []
    scene.replica(spec=scene.spec())
    scene.carry_out()
    assert scene.workload(what).mount == MOUNT


@KINDS
def test_what_is_mounted_is_what_the_cache_publishes(what: str) -> None:
    """The claim's name comes from the entry; no second rule for it can drift [C77] [C59]"""
    scene = ServingScene(what).serving()
    [entry] = scene.cache_rows()
    assert scene.status()["mount"] == entry["mount"]
    assert entry["mount"]["env"] == [{"name": "HF_HUB_CACHE", "value": "/mnt/models"}]


@KINDS
def test_a_mount_that_comes_later_leaves_the_rollout_to_the_workload(what: str) -> None:
    """No surge is asked for beside what engines had: how they are replaced is as before [C26]"""
    scene = ServingScene(what).serving(cache="")
    scene.cache()
    scene.replica(spec=scene.spec(), generation=2)
    scene.carry_out()
    scene.all_bound()
    scene.job("Complete")
    scene.carry_out(f"apply {what}")
    body = open_body(scene, what)
    assert not {"strategy", "rolloutStrategy"} & body["spec"].keys()


def variables(scene: ReplicaScene, what: str = DEPLOYMENT) -> dict[str, str]:
    """Give the engine's variables in the open apply of a Deployment."""
    container = open_body(scene, what)["spec"]["template"]["spec"]["containers"][0]
    capabilities = container.get("securityContext", {}).get("capabilities", {})
    found = {one["name"]: one.get("value", "") for one in container.get("env", [])}
    return found | {"capabilities": ",".join(capabilities.get("add", []))}


def test_a_dynamo_engine_keeps_its_identity_during_a_switch() -> None:
    """Revision and capability are those of the mount in use, until the other is Ready [C16]"""
    scene = ServingScene()
    scene.dynamo()
    scene.serving()
    scene.other_cache()
    scene.carry_out()
    scene.replica(spec=scene.spec(cache="other", copies=2), generation=2)
    found = variables(scene)
    assert (found["MX_MODEL_REVISION"], found["capabilities"]) == (CLAIM, "IPC_LOCK")
    scene.carry_out()
    scene.all_bound()
    scene.job_of_other("Complete")
    scene.carry_out(f"apply {DEPLOYMENT}")
    assert variables(scene)["MX_MODEL_REVISION"] == OTHER_CLAIM
    scene.carry_out()
    scene.replica(spec=scene.spec(cache=""), generation=3)
    found = variables(scene)
    assert "MX_MODEL_REVISION" not in found
    assert found["capabilities"] == ""


@KINDS
@pytest.mark.parametrize("cached", [True, False])
def test_an_added_engine_gets_what_the_others_have(what: str, *, cached: bool) -> None:
    """While the cache waits, one that is added is composed with the replica's kept mount, if any"""
    scene = ServingScene(what).serving(cache="qwen" if cached else "")
    scene.cache()
    scene.carry_out()
    scene.claim_gone()
    scene.carry_out()
    engines = [engine(gang=what == GANG), engine("second")]
    scene.replica(spec=spec_of(*engines), generation=2)
    scene.carry_out()
    assert scene.applied == 0
    assert scene.second().mount == (MOUNT if cached else "")


@KINDS
def test_an_added_engine_of_a_ready_cache_gets_its_mount(what: str) -> None:
    """M for all: the first engine is left as it is, as it has it already."""
    scene = ServingScene(what).serving()
    scene.replica(spec=spec_of(engine(gang=what == GANG), engine("second")), generation=2)
    scene.carry_out()
    assert (scene.applied, scene.second().mount) == (0, MOUNT)


@KINDS
def test_an_engine_that_is_removed_goes_with_all_that_it_had(what: str) -> None:
    """Its workload and its device templates are deleted; the other engine is not touched."""
    scene = ServingScene(what)
    scene.cache()
    scene.replica(spec=spec_of(engine(gang=what == GANG), engine("second")))
    scene.staged()
    assert scene.second().mount == MOUNT
    before = scene.times(what)
    scene.replica(spec=scene.spec(), generation=2)
    scene.carry_out()
    assert scene.second_there() is None
    names = {known.subject.name for _, known in scene.all_of("ResourceClaimTemplate")}
    assert not any("second" in name for name in names)
    assert scene.times(what) == before


@pytest.mark.parametrize("gang", [True, False])
def test_an_engine_may_become_another_kind_of_workload(*, gang: bool) -> None:
    """One that gets more nodes, or fewer, keeps its mount; the workload of before goes."""
    old, new = (DEPLOYMENT, GANG) if gang else (GANG, DEPLOYMENT)
    scene = ServingScene(old).serving()
    scene.claim_gone()
    scene.replica(spec=spec_of(engine(gang=gang)), generation=2)
    scene.carry_out()
    assert scene.there(old) is None
    assert scene.workload(new).mount == MOUNT
    scene.available(new)
    assert scene.condition("Ready") == ("True", "Available", "")


def test_an_engine_whose_apply_is_refused_keeps_its_own_mount() -> None:
    """A switch may be half done: what each engine was composed with is kept for each."""
    scene = ServingScene()
    scene.cache()
    scene.replica(spec=spec_of(engine(), engine("second")))
    scene.staged()
    scene.other_cache()
    scene.staged()
    scene.replica(spec=spec_of(engine(), engine("second"), cache="other"), generation=2)
    scene.refuse(f"apply {DEPLOYMENT}", Refused(403, "Forbidden", "exceeded quota"))
    scene.carry_out()
    assert (scene.workload().mount, scene.second().mount) == (MOUNT, OTHER_MOUNT)
    assert list(scene.mr.claims) == [OTHER_CLAIM, CLAIM]
    scene.gone_claim(OTHER_CLAIM)
    scene.wait(60)
    scene.carry_out()
    assert (scene.workload().mount, scene.second().mount) == (MOUNT, OTHER_MOUNT)
    scene.removed()
    scene.carry_out()
    assert scene.workload().mount == MOUNT
    scene.staged()
    assert (scene.workload().mount, scene.second().mount) == (OTHER_MOUNT, OTHER_MOUNT)
    assert list(scene.mr.claims) == [OTHER_CLAIM]


def test_what_an_engine_asks_for_is_its_own_affair() -> None:
    """Command and arguments stand as the user wrote them, whatever the cache's revision [C60]"""
    scene = ServingScene()
    scene.cache(cache_spec(revision="v2"))
    scene.replica(spec=scene.spec())
    scene.carry_out()
    scene.all_bound()
    scene.job("Complete")
    scene.carry_out(f"apply {DEPLOYMENT}")
    container = open_body(scene, DEPLOYMENT)["spec"]["template"]["spec"]["containers"][0]
    assert (container["args"], "command" in container) == (["--model", "x"], False)


def test_nothing_but_a_service_stands_before_engines() -> None:
    """No gateway with a time limit of its own is composed: a Service is all there is [C73]"""
    scene = ServingScene().serving()
    kinds = {row.data.split('"kind":"')[1].split('"')[0] for row in scene.applies()}
    assert kinds == {"Service", "Deployment", "ResourceClaimTemplate"}
