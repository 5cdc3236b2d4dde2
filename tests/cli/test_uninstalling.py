"""`warmlog uninstall`: what stays behind on every cluster, and what letting go of it changes."""

import json
from pathlib import Path
from typing import Any

import pytest

from adapters.cli.exit_codes import ExitCode
from adapters.ports import Request
from adapters.simulator.answers import failure
from adapters.simulator.faults import every
from adapters.simulator.plans import ProvisionerPlan
from adapters.simulator.resources import LEASE, path_of
from adapters.simulator.worlds import World
from engine.instants import SECOND
from machines.caches import hydration_bodies as bodies
from machines.caches.hydration_settings import HydrationSettings
from machines.labels import CACHE_IN_USE
from tests.cli.commands import sample
from tests.cli.leavings import (
    PLACE,
    SPEC,
    TOKEN,
    cache,
    claimed,
    finalizers,
    home_world,
    lease,
    staged,
    told,
    two_served,
    uninstalled,
    west_world,
    with_ready,
)
from tests.cli.serving import Served, served
from tests.repository import ROOT


def test_all_that_is_left_is_listed_and_nothing_is_changed(tmp_path: Path) -> None:
    """Claims, Jobs and token Secrets of every cluster are listed with whose they are."""
    home, west = home_world("west"), west_world()
    qwen = cache(home, "qwen", CACHE_IN_USE)
    staged(west, qwen)
    staged(west, qwen._replace(name="old", uid="an-old-uid"))
    staged(home, cache(home, "let-go"))
    with two_served(home, west, tmp_path) as (server, second):
        result = uninstalled(server)
        found = told(server)
        assert server.writes + second.writes == []
    assert (result.exit_code, result.stderr) == (ExitCode.OK, "")
    assert [each["name"] for each in found["caches"]] == ["qwen"]
    here, there = found["clusters"]
    assert [(each["kind"], each["owner"]["name"]) for each in here["left"]] == [
        ("Job", "let-go"),
        ("PersistentVolumeClaim", "let-go"),
        ("Secret", "let-go"),
    ]
    assert {(each["owner"]["name"], each["ownerStanding"]) for each in there["left"]} == {
        ("qwen", "EXISTS"),
        ("old", "GONE"),
    }
    assert "1 ModelCache with the finalizer warmlog.dev/cache-in-use\n" in result.stdout
    assert "Job, PersistentVolumeClaim, Secret on InferenceCluster west\n" in result.stdout
    assert "On this cluster: 3 objects\n" in result.stdout
    assert "On InferenceCluster west: 6 objects\n" in result.stdout
    assert "10Gi Pending  ModelCache ml-team/old is gone\n" in result.stdout
    assert "Nothing was changed. `warmlog uninstall --yes` takes the finalizer" in result.stdout
    assert TOKEN not in result.stdout + json.dumps(found)


def test_values_of_secrets_are_not_asked_for(tmp_path: Path) -> None:
    """Secrets are listed by metadata alone, and only those with the label of caches."""
    home, west = home_world("west"), west_world()
    staged(west, cache(home, "qwen", CACHE_IN_USE))
    with two_served(home, west, tmp_path) as (server, second):
        assert uninstalled(server).exit_code == ExitCode.OK
        asked = [each for each in server.requests + second.requests if "/secrets" in each.path]
    lists = [each for each in asked if each.path.endswith("/secrets")]
    assert len(lists) == 2
    assert all("PartialObjectMetadataList" in each.accept for each in lists)
    assert all(("labelSelector", "modelplane.ai/modelcache") in each.query for each in lists)
    [read] = [each for each in asked if each not in lists]
    assert read.path.endswith("/namespaces/modelplane-system/secrets/west")


def test_letting_go_takes_our_finalizer_and_nothing_else(tmp_path: Path) -> None:
    """With --yes others' finalizers, the spec and all on other clusters stay as they are."""
    home, west = home_world("west"), west_world()
    staged(west, cache(home, "qwen", "else.example/first", CACHE_IN_USE, "else.example/last"))
    cache(home, "going", CACHE_IN_USE)
    home.delete_cache("ml-team", "going")
    before = home.must_find("ModelCache", "ml-team", "qwen")
    with two_served(home, west, tmp_path) as (server, second):
        result = uninstalled(server, "--yes")
        assert {each.method for each in server.writes} == {"PATCH"}
        assert second.writes == []
        again = uninstalled(server, "--yes")
    assert result.exit_code == ExitCode.OK
    assert "Let go: 2 of 2 ModelCaches. Nothing was deleted by this." in result.stdout
    assert result.stdout.count("was let go") == 2
    assert home.find("ModelCache", "ml-team", "going") is None
    after = home.must_find("ModelCache", "ml-team", "qwen")
    assert finalizers(home, "qwen") == ["else.example/first", "else.example/last"]
    assert (after["spec"], after["metadata"]["uid"]) == (before["spec"], before["metadata"]["uid"])
    assert len(west.listed("PersistentVolumeClaim")) == 1
    assert "No ModelCache has the finalizer warmlog.dev/cache-in-use." in again.stdout


@pytest.mark.parametrize("end", [failure(403, "Forbidden", "u may not"), "conflicts"])
def test_a_release_that_is_refused_is_told(tmp_path: Path, end: Any) -> None:
    """The server's words stand beside the ModelCache, and the code says that it is not all done."""
    home = home_world()
    cache(home, "qwen", CACHE_IN_USE)
    cache(home, "zeta", CACHE_IN_USE)
    refusal = failure(409, "Conflict", "too late", {}) if end == "conflicts" else end
    home.api.faults.add(every("PATCH", "/modelcaches/qwen"), refusal, times=9)
    with served(home, tmp_path) as server:
        result = uninstalled(server, "--yes")
    assert result.exit_code == ExitCode.DIFFERENT
    words = "refused (409): too late" if end == "conflicts" else "refused (403): u may not"
    assert f"was not let go: {words}  nothing\n" in result.stdout
    assert "Let go: 1 of 2 ModelCaches" in result.stdout
    assert (finalizers(home, "qwen"), finalizers(home, "zeta")) == ([CACHE_IN_USE], [])


def test_a_write_that_comes_between_is_not_lost(tmp_path: Path) -> None:
    """A ModelCache that changed meanwhile is read again, and let go in its new version."""
    home = home_world()
    cache(home, "qwen", CACHE_IN_USE)
    late = failure(422, "Invalid", "the server rejected our request", {})
    home.api.faults.add(every("PATCH", "/modelcaches/qwen"), late)
    with served(home, tmp_path) as server:
        assert uninstalled(server, "--yes").exit_code == ExitCode.OK
        _, patch = server.writes
    tests = [each["path"] for each in patch.body if each["op"] == "test"]
    assert tests == ["/metadata/uid", "/metadata/resourceVersion", "/metadata/finalizers/0"]
    assert finalizers(home, "qwen") == []


def test_it_lets_nothing_go_while_a_controller_runs(tmp_path: Path) -> None:
    """A Lease that is renewed while it looks means a controller, which would hold them again."""
    home = home_world()
    cache(home, "qwen", CACHE_IN_USE)
    lease(home, "warmlog-7f9c_abc")
    with served(home, tmp_path) as server:
        renewing(home, server)
        result = uninstalled(server, "--yes")
        assert server.writes == []
        assert result.exit_code == ExitCode.STILL_RUNNING
        assert "A controller runs, warmlog-7f9c_abc, and would put" in result.stderr
        assert "scale deployment/warmlog --replicas=0" in result.stderr
        assert "1 ModelCache with the finalizer" in result.stdout
        assert uninstalled(server, "--yes", "--force").exit_code == ExitCode.OK
    assert finalizers(home, "qwen") == []


def renewing(world: World, server: Served) -> None:
    """Have every look at the Lease be followed by a renewal."""
    path = path_of(LEASE, "warmlog-system", "warmlog")
    handle = world.api.answer

    def answer(request: Request) -> Any:
        response = handle(request)
        if request.path == path and request.method == "GET":
            spec = {**response.body["spec"], "leaseTransitions": len(server.requests)}
            handle(Request("PUT", path, body={**response.body, "spec": spec}))
        return response

    world.api.answer = answer  # type: ignore[method-assign]


def test_a_lease_that_was_given_back_is_free(tmp_path: Path) -> None:
    """A controller that stopped in good order leaves a Lease without a holder."""
    home = home_world()
    cache(home, "qwen", CACHE_IN_USE)
    lease(home, "")
    with served(home, tmp_path) as server:
        result = uninstalled(server, "--yes")
    assert (result.exit_code, result.stderr) == (ExitCode.OK, "")


def test_without_a_look_at_the_lease_nothing_is_let_go(tmp_path: Path) -> None:
    """Whoever may not read the Lease is told so, and has to say --force."""
    home = home_world()
    cache(home, "qwen", CACHE_IN_USE)
    home.api.faults.add(every("GET", "/leases/"), failure(403, "Forbidden", "u may not"), times=9)
    with served(home, tmp_path) as server:
        result = uninstalled(server, "--yes")
        assert server.writes == []
    assert result.exit_code == ExitCode.STILL_RUNNING
    assert "the Lease warmlog-system/warmlog cannot be read: u may not" in result.stderr


def test_a_cluster_that_cannot_be_read_is_told_with_its_words(tmp_path: Path) -> None:
    """A missing Secret, a bad kubeconfig and a silent server hide nothing of the others."""
    home, west = home_world("west", "lost", "bad", "away"), west_world()
    staged(west, cache(home, "qwen", CACHE_IN_USE))
    home.add_secret("modelplane-system", "bad", {"kubeconfig": f"token: {TOKEN}"})
    with two_served(home, west, tmp_path) as (server, second):
        away = second.kubeconfig.read_text().replace("127.0.0.1:", "127.0.0.1:1#")
        home.add_secret("modelplane-system", "away", {"kubeconfig": away})
        fault = failure(403, "Forbidden", "secrets is forbidden")
        west.api.faults.add(every("GET", "/v1/secrets"), fault, times=2)
        result = uninstalled(server)
        found = told(server)
    assert result.exit_code == ExitCode.CLUSTER_UNUSABLE
    troubles = {tuple(each["inferenceClusters"]): each["troubles"] for each in found["clusters"]}
    missing = "Secret modelplane-system/lost with its kubeconfig does not exist"
    assert troubles["lost",] == [missing]
    assert troubles["bad",][0].startswith("the kubeconfig is no YAML with a current context")
    assert troubles["away",][0].startswith("it does not answer: ")
    assert troubles["west",] == ["secrets cannot be read: secrets is forbidden"]
    assert f"On InferenceCluster lost\n  {missing}\n" in result.stdout
    assert "On InferenceCluster west: 2 objects\n" in result.stdout
    assert "unknown on InferenceCluster away" in result.stdout
    assert TOKEN not in result.stdout + result.stderr


def test_one_cluster_under_two_names_is_listed_once(tmp_path: Path) -> None:
    """What an InferenceCluster finds on the very cluster it is an object of is not told twice."""
    home, west = home_world("west"), west_world()
    home.add_inference_cluster("home")
    home.add_inference_cluster("again", source="Existing", secret="again")
    staged(home, cache(home, "qwen", CACHE_IN_USE))
    with two_served(home, west, tmp_path) as (server, _):
        home.add_secret("modelplane-system", "again", {"kubeconfig": server.kubeconfig.read_text()})
        found, text = told(server), uninstalled(server).stdout
    assert [len(each["left"]) for each in found["clusters"]] == [3, 0, 0]
    title = "this cluster (InferenceCluster home)"
    assert f"On InferenceCluster again: it is the same cluster as {title}\n" in text


def test_what_others_made_is_only_counted(tmp_path: Path) -> None:
    """A claim with the caches' label, which warmlog never took over, is nobody's here."""
    home = home_world()
    body = bodies.claim(bodies.CacheNames("ml-team", "qwen", "u", PLACE), SPEC, "rwx")
    del body["metadata"]["annotations"]
    home.add_namespace(PLACE)
    home.apply(body)
    with served(home, tmp_path) as server:
        text = uninstalled(server).stdout
    assert "On this cluster: nothing\n  1 object more with the label of caches" in text
    assert "Nothing of warmlog is left.\n" in text


def test_a_replaced_owner_is_told_apart(tmp_path: Path) -> None:
    """A claim of a ModelCache whose name another one has now is said to be left."""
    home = home_world()
    staged(home, cache(home, "qwen")._replace(uid="an-old-uid"))
    with served(home, tmp_path) as server:
        assert {each["ownerStanding"] for each in told(server)["clusters"][0]["left"]} == {
            "REPLACED"
        }
        text = uninstalled(server).stdout
    assert "ModelCache ml-team/qwen is gone, another has its name" in text


def test_owners_that_cannot_be_asked_for_are_unknown(tmp_path: Path) -> None:
    """Without the right to read ModelCaches nobody's end is made up."""
    home = home_world()
    staged(home, cache(home, "qwen", CACHE_IN_USE))
    fault = failure(403, "Forbidden", "modelcaches is forbidden")
    home.api.faults.add(every("GET", "/modelcaches"), fault, times=2)
    with served(home, tmp_path) as server:
        result = uninstalled(server)
    assert result.exit_code == ExitCode.CLUSTER_UNUSABLE
    words = "modelcaches.modelplane.ai cannot be read: modelcaches is forbidden"
    assert words in result.stdout
    assert "ModelCache ml-team/qwen may exist\n" in result.stdout


def test_a_cluster_without_our_kinds_has_nothing_left(tmp_path: Path) -> None:
    """Where the CRDs are gone already there is nothing to let go, and that is no fault."""
    home = home_world()
    missing = failure(404, "NotFound", "the server could not find the requested resource", {})
    for group in ("modelplane.ai", "model.aibrix.ai"):
        home.api.faults.add(every("GET", f"/apis/{group}/"), missing, times=9)
    with served(home, tmp_path) as server:
        result = uninstalled(server)
    assert result.exit_code == ExitCode.OK
    assert "Nothing of warmlog is left." in result.stdout


def test_jobs_of_warmups_that_are_gone_are_listed(tmp_path: Path) -> None:
    """A Job that its ModelWarmup left behind is told, one whose ModelWarmup exists is not."""
    home = home_world()
    warmup = home.apply(sample())
    for name, uid in (("orphan", "gone-uid"), ("owned", warmup["metadata"]["uid"])):
        marks = {
            "labels": {"model.aibrix.ai/warmup": uid},
            "annotations": {"model.aibrix.ai/warmup-name": "night"},
        }
        job = bodies.hydration_job(
            bodies.CacheNames("ml-team", "x", "u", "default"), SPEC, "c", HydrationSettings()
        )
        job["metadata"] = {"name": name, "namespace": "default", **marks}
        home.apply(job)
    with served(home, tmp_path) as server:
        text = uninstalled(server).stdout
    assert "1 Job of ModelWarmups that are gone, or may be\n" in text
    assert "orphan  unfinished  ModelWarmup default/night is gone\n" in text
    assert "owned" not in text


def test_the_page_shows_what_is_printed(tmp_path: Path) -> None:
    """The example in docs/command-line.md is what the command makes of two such clusters."""
    home, west = home_world("west"), west_world()
    home.add_inference_cluster("home")
    west.add_namespace(PLACE)
    west.add_storage_class("rwx", plan=ProvisionerPlan())
    qwen = cache(home, "qwen", CACHE_IN_USE)
    with_ready(home, "qwen", "1/2")
    cache(home, "llama", CACHE_IN_USE)
    with_ready(home, "llama", "0/1")
    home.delete_cache("ml-team", "llama")
    claimed(west, qwen, 40)
    claimed(west, qwen._replace(name="mistral", uid="an-old-uid"), 60)
    west.apply(bodies.token_secret(qwen))
    west.cluster.advance(west.cluster.now + 60 * SECOND)
    with two_served(home, west, tmp_path) as (server, _):
        printed = uninstalled(server).stdout
    page = (ROOT / "docs/command-line.md").read_text()
    section = page[page.index("\n## uninstall\n") :]
    assert printed == section.split("```text\n", 1)[1].split("```", 1)[0]
