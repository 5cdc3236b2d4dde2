"""`warmlog plan`: what it foretells is what the controller does, and it changes nothing."""

import json
from pathlib import Path

import pytest

from adapters.cli.exit_codes import ExitCode
from adapters.simulator.plans import Ending, NodePlan
from machines.job_names import MASK
from machines.labels import GROUP, POOL, VERSION
from tests.cli.commands import REF, pool_world, printed, record, sample, warmlog
from tests.cli.plans import IN_POOL, LATENCY, NAMES, jobs_of, mixed_world, planned, told, written
from tests.cli.serving import served


def test_a_plan_is_what_the_controller_then_does(tmp_path: Path) -> None:
    """Nodes, names of Jobs, revision and the first wave are those of a controller's run."""
    world = mixed_world()
    manifest = sample(targets=[*NAMES, *IN_POOL], policies={"parallelism": 2})
    plan = planned(tmp_path, world, manifest)
    record(tmp_path / "first.db", world, lambda each: each.apply(manifest), seconds=1)
    first = sorted(jobs_of(world))
    record(tmp_path / "all.db", world, lambda each: each.uncordon("gpu-1"), seconds=600)
    uid = world.must_find("ModelWarmup", "default", "runtime-image-warmup")["metadata"]["uid"]
    foretold = {
        node["node"]: (node["job"].replace(MASK, uid.replace("-", "")[:8]), plan["revision"])
        for node in plan["nodes"]
    }
    assert foretold == jobs_of(world)
    assert [node["node"] for node in plan["nodes"]] == ["gpu-2", "gpu-3", "gpu-4", "gpu-1"]
    assert [node["node"] for node in plan["nodes"] if node["first"]] == first == ["gpu-2", "gpu-3"]


def test_a_plan_changes_nothing(tmp_path: Path) -> None:
    """A cluster is read and asked for dry runs; it is the same afterwards."""
    world = mixed_world()
    before = world.cluster.storage.version
    code, _, _ = told(tmp_path, world, sample(targets=[*NAMES, *IN_POOL]))
    assert code == ExitCode.OK
    assert world.cluster.storage.version == before
    assert (world.listed("Job"), world.listed("ModelWarmup"), world.listed("Pod")) == ([], [], [])


def test_each_node_says_why_it_is_in_or_out(tmp_path: Path) -> None:
    """Every entry that asks for a node is named, as are the reasons of those that wait."""
    plan = planned(tmp_path, mixed_world(), sample(targets=[*NAMES, *IN_POOL]))
    [gpu_2] = [node for node in plan["nodes"] if node["node"] == "gpu-2"]
    assert gpu_2["askedBy"] == [{"target": 0, "by": "name"}, {"target": 1, "by": "selector"}]
    assert plan["nodes"][-1]["last"] == "node is cordoned"
    waiting = {each["node"]: each["reason"] for each in plan["waiting"]}
    assert waiting == {"absent": "NodeNotFound", "outside": "NodeNotAuthorized"}
    [skipped] = plan["skipped"]
    assert (skipped["node"], skipped["why"]) == ("master", "it is a control-plane node")


def test_how_long_a_name_waits_is_said(tmp_path: Path) -> None:
    """The default, the annotation's time, and none at all."""
    manifest = sample(targets=NAMES)
    assert "; fails as NodeNotFound after 5 min\n" in told(tmp_path, mixed_world(), manifest)[1]
    for seconds, words in (("90", "after 1 min 30 s"), ("0", "it fails at once as NodeNotFound")):
        manifest["metadata"]["annotations"] = {"warmlog.dev/target-wait-seconds": seconds}
        assert words in told(tmp_path, mixed_world(), manifest)[1]


def test_policies_and_their_caps_are_told(tmp_path: Path) -> None:
    """What is used stands there, defaults included, and what was cut down to it."""
    manifest = sample(policies={"retryLimit": 50})
    _, text, _ = told(tmp_path, mixed_world(), manifest)
    assert "8 Jobs at a time, each with 30 min and 20 retries; removed 1 h after" in text
    assert "Mind: policies are capped: retryLimit 50 is used as 20" in text


def test_a_suspended_one_gets_no_job_yet(tmp_path: Path) -> None:
    """With the annotation that suspends it, it is said that no Job is made."""
    manifest = sample()
    manifest["metadata"]["annotations"] = {"warmlog.dev/suspend": "true"}
    plan = planned(tmp_path, mixed_world(), manifest)
    assert plan["summary"] == "is suspended: 4 nodes would get a Job once it is not"
    assert not any(node["first"] for node in plan["nodes"])


def test_a_namespace_that_does_not_exist_is_said(tmp_path: Path) -> None:
    """Without its namespace nothing can be done, and the server says so too."""
    manifest = sample()
    manifest["metadata"]["namespace"] = "team"
    code, text, _ = told(tmp_path, mixed_world(), manifest)
    assert code == ExitCode.DIFFERENT
    assert "nothing can be done: namespace team does not exist" in text
    assert 'namespaces "team" not found' in text


def test_a_namespace_of_the_same_file_is_taken_as_made(tmp_path: Path) -> None:
    """With the Namespace and its pool label in the file, the plan is that of afterwards."""
    manifest = sample()
    manifest["metadata"]["namespace"] = "team"
    namespace = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": "team", "labels": {POOL: LATENCY}},
    }
    code, text, errors = told(tmp_path, mixed_world(), namespace, manifest)
    assert (code, errors) == (ExitCode.OK, "")
    assert "4 nodes get a Job, 4 at first" in text
    assert "namespace team does not exist yet: planned as the same files make it" in text
    assert "Dry run: none, for its namespace does not exist yet" in text


def test_a_namespace_that_changes_its_pool_is_said(tmp_path: Path) -> None:
    """The pool that the file gives to a namespace counts, and the other one is named."""
    namespace = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": "default", "labels": {POOL: "other"}},
    }
    _, text, _ = told(tmp_path, mixed_world(), namespace, sample())
    assert f"namespace default is in pool {LATENCY} now: planned with pool other" in text
    assert "no node gets a Job now" in text


def test_a_namespace_that_is_going_is_said(tmp_path: Path) -> None:
    """In a namespace that is being deleted nothing is made."""
    world = mixed_world()
    world.apply(sample())
    held = {"metadata": {"name": "runtime-image-warmup", "finalizers": ["example.com/hold"]}}
    world.apply({"apiVersion": f"{GROUP}/{VERSION}", "kind": "ModelWarmup", **held})
    world.delete_namespace("default")
    _, text, _ = told(tmp_path, world, sample())
    assert "no node gets a Job now: namespace default is being deleted" in text


def test_no_pool_label_says_what_to_do(tmp_path: Path) -> None:
    """A namespace without the label has no targets; how to label it is said."""
    world = mixed_world()
    world.relabel_namespace("default", {POOL: None})
    code, text, _ = told(tmp_path, world, sample())
    assert code == ExitCode.OK
    assert f"no node gets a Job now: namespace default has no label {POOL}; 6 nodes" in text
    assert f"Do: `kubectl label namespace default {POOL}=POOL`" in text


def test_one_that_has_ended_is_not_done_again(tmp_path: Path) -> None:
    """Of a ModelWarmup that has ended it is said how, live and against its log; nothing is done."""
    world = pool_world("good")
    world.add_node("bad", pool=LATENCY, plan=NodePlan(ending=Ending.FAIL))
    log = record(tmp_path / "run.db", world, lambda each: each.apply(sample()), seconds=600)
    plan = planned(tmp_path, world, sample())
    assert (plan["standing"], plan["phase"]) == ("same", "Degraded")
    assert plan["summary"].startswith("has ended, Degraded (1 node succeeded, 1 failed): what")
    assert plan["notAsked"] == "for no Job would be created"
    path = written(tmp_path, sample())
    [recorded] = json.loads(printed("plan", path, "--log", log, "-o", "json"))["items"]
    assert recorded["summary"] == plan["summary"]
    names = {node["node"]: node["job"] for node in recorded["nodes"]}
    assert names == {node: name for node, (name, _) in jobs_of(world).items()}


def test_one_that_runs_tells_who_has_a_job(tmp_path: Path) -> None:
    """Of a ModelWarmup under way, nodes with a Job are told apart from those to come."""
    world = pool_world("gpu-1", "gpu-2")
    manifest = sample(policies={"parallelism": 1})
    record(tmp_path / "run.db", world, lambda each: each.apply(manifest), seconds=1)
    plan = planned(tmp_path, world, manifest)
    assert {node["node"]: node["state"] for node in plan["nodes"]} == {
        "gpu-1": "Hydrating",
        "gpu-2": "Pending",
    }
    assert (plan["phase"], bool(plan["object"]["uid"])) == ("Running", True)
    [note] = plan["notes"]
    assert note == "by its status so far: 0 succeeded, 0 failed, 1 running, 2 wanted in all"
    assert not any(MASK in node["job"] for node in plan["nodes"])


def test_another_spec_under_the_name_is_refused_and_planned_as_new(tmp_path: Path) -> None:
    """The spec is immutable: that is said, and the plan is that of a new object."""
    world = mixed_world()
    world.apply(sample())
    plan = planned(tmp_path, world, sample(targets=[{"nodes": {"names": ["gpu-3"]}}]))
    assert (plan["standing"], plan["object"]["uid"]) == ("other", "")
    assert [node["node"] for node in plan["nodes"]] == ["gpu-3"]
    assert plan["summary"] == "1 node gets a Job, 1 at first"


def test_a_recording_gives_the_same_plan(tmp_path: Path) -> None:
    """Against the log of a controller that saw the cluster, nodes and Jobs are the same."""
    world = mixed_world()
    manifest = sample(targets=[*NAMES, *IN_POOL])
    live = planned(tmp_path, world, manifest)
    log = record(tmp_path / "run.db", world, lambda _: None, seconds=5)
    path = written(tmp_path, manifest)
    [recorded] = json.loads(printed("plan", path, "--log", log, "-o", "json"))["items"]
    for part in ("nodes", "waiting", "skipped", "summary", "revision", "pool", "policies"):
        assert recorded[part] == live[part]
    assert recorded["notAsked"] == "for a recording answers nothing"


def test_a_recording_is_planned_against_at_any_moment(tmp_path: Path) -> None:
    """With --at the nodes are those of that moment, and deadlines of one that exists are times."""
    world = pool_world("gpu-1")
    manifest = sample(targets=[*NAMES, *IN_POOL])
    log = record(
        tmp_path / "run.db",
        world,
        lambda each: each.apply(manifest),
        lambda each: each.add_node("gpu-2", pool=LATENCY),
        seconds=30,
    )
    path = written(tmp_path, manifest)
    early = printed("plan", path, "--log", log, "--at", "-25s")
    assert "gpu-1 " in early
    assert "node gpu-2 does not exist; fails as NodeNotFound at 00:05:" in early
    assert "node gpu-2 does not exist" not in printed("plan", path, "--log", log)


def test_several_are_planned_one_after_the_other(tmp_path: Path) -> None:
    """Each ModelWarmup of a file has its plan; other kinds are skipped, with a word."""
    other = sample()
    other["metadata"]["name"] = "second"
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}}
    code, text, errors = told(tmp_path, mixed_world(), sample(), secret, other)
    assert code == ExitCode.OK
    heads = [line for line in text.splitlines() if line.startswith("ModelWarmup ")]
    assert [head.partition(":")[0] for head in heads] == [
        "ModelWarmup default/runtime-image-warmup",
        "ModelWarmup default/second",
    ]
    assert errors == "warmlog: skipped, for only ModelWarmups are planned: 1 Secret.\n"


def test_the_namespace_is_the_contexts(tmp_path: Path) -> None:
    """A manifest that names no namespace is meant for that of the kubeconfig's context."""
    world = mixed_world()
    world.add_namespace("team", pool=LATENCY)
    manifest = sample()
    del manifest["metadata"]["namespace"]
    path = written(tmp_path, manifest)
    with served(world, tmp_path, namespace="team") as server:
        text = printed("plan", path, "--kubeconfig", server.kubeconfig)
        assert text.startswith("ModelWarmup team/runtime-image-warmup: 4 nodes")
        text = printed("plan", path, "--kubeconfig", server.kubeconfig, "-n", "default")
        assert text.startswith("ModelWarmup default/runtime-image-warmup: 4 nodes")


def test_a_namespace_that_is_left_empty_is_the_contexts(tmp_path: Path) -> None:
    """`namespace:` with nothing behind it, as templates leave it, is no namespace of its own."""
    manifest = sample()
    manifest["metadata"]["namespace"] = None
    code, text, _ = told(tmp_path, mixed_world(), manifest)
    assert code == ExitCode.OK
    assert text.startswith("ModelWarmup default/runtime-image-warmup: 4 nodes")


def test_one_whose_name_the_server_gives_is_planned(tmp_path: Path) -> None:
    """With `generateName` the Jobs are as they will be, but for a name that nobody knows yet."""
    manifest = sample()
    del manifest["metadata"]["name"]
    manifest["metadata"]["generateName"] = "warm-"
    code, text, _ = told(tmp_path, mixed_world(), manifest, sample())
    assert code == ExitCode.OK
    assert text.startswith("ModelWarmup default/warm-00000: 4 nodes")
    assert "the API server gives it a name when it is created: planned as warm-00000" in text
    assert "ModelWarmup default/runtime-image-warmup: 4 nodes" in text


def test_a_faulty_one_is_told_and_hides_no_other(tmp_path: Path) -> None:
    """A spec that cannot work is not planned; the others are, and the code is 1."""
    faulty = sample(targets=[])
    faulty["metadata"]["name"] = "faulty"
    code, text, errors = told(tmp_path, mixed_world(), faulty, sample())
    assert code == ExitCode.DIFFERENT
    assert "spec.targets: must have at least one entry" in errors + text
    assert "default/runtime-image-warmup: 4 nodes get a Job" in text


def test_what_nests_too_deeply_is_told_and_hides_no_other(tmp_path: Path) -> None:
    """A spec that no controller keeps whole is a fault of its own, whatever else is in the file."""
    deep: object = "end"
    for _ in range(120):
        deep = {"a": deep}
    faulty = sample(custom={"volumes": [{"name": "v", "emptyDir": deep}]})
    faulty["metadata"]["name"] = "deep"
    code, text, errors = told(tmp_path, mixed_world(), faulty, sample())
    assert code == ExitCode.DIFFERENT
    assert "manifest.yaml:" in errors
    assert "default/runtime-image-warmup: 4 nodes get a Job" in text


def test_what_validate_refuses_is_not_planned(tmp_path: Path) -> None:
    """A misspelt kind and a head without a name are told with their lines, in the same words."""
    nameless, misspelt = sample(), sample()
    del nameless["metadata"]
    misspelt["kind"] = "ModelWarmUp"
    code, _, errors = told(tmp_path, mixed_world(), nameless, misspelt, sample())
    assert code == ExitCode.DIFFERENT
    assert "metadata.name: is missing" in errors
    assert "kind: is 'ModelWarmUp', and must be ModelWarmup" in errors
    assert "skipped" not in errors


def test_a_file_without_any_is_said(tmp_path: Path, demo_log: Path) -> None:
    """Where no ModelWarmup is, that is one sentence and a code of its own."""
    result = warmlog("plan", written(tmp_path, {"kind": "Secret"}), "--log", demo_log)
    assert result.exit_code == ExitCode.NOT_FOUND
    assert "no ModelWarmup is in there" in result.stderr


def test_a_cluster_that_does_not_answer_is_said(tmp_path: Path) -> None:
    """Nobody at the address is one sentence, and no plan."""
    with served(mixed_world(), tmp_path) as server:
        pass
    result = warmlog("plan", written(tmp_path, sample()), "--kubeconfig", server.kubeconfig)
    assert (result.exit_code, result.stdout) == (ExitCode.CLUSTER_UNUSABLE, "")
    assert "The cluster does not answer" in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("options", [["--at", "3"], ["--cluster", "x"]])
def test_a_moment_needs_a_recording(tmp_path: Path, options: list[str]) -> None:
    """Options about a log without one are a wrong command line."""
    for command in (["plan", str(written(tmp_path, sample()))], ["retry", REF]):
        result = warmlog(*command, *options)
        assert result.exit_code == ExitCode.USAGE
        assert "say --log" in result.stderr
