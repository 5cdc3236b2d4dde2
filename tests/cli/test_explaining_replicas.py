"""`warmlog explain` of ModelReplicas: through the cache to the node, claim or Secret behind it."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from adapters.cli.exit_codes import ExitCode
from machines.observations import EventsRead
from tests.caches.builders import CLAIM, ONE, WORKLOAD
from tests.caches.builders import spec_of as cache_spec
from tests.cli.cache_logs import write
from tests.cli.commands import printed, warmlog
from tests.replicas.builders import DEPLOYMENT, ReplicaScene, spec_of

REF = "mr/ml-team/r"
THING = f"Deployment {WORKLOAD}/{DEPLOYMENT.split()[1]}"


@pytest.fixture(scope="module")
def scene() -> ReplicaScene:
    """A replica that waited, started and serves, and whose claim is lost then."""
    scene = ReplicaScene(heal_seconds=60)
    scene.cache(cache_spec(secret="hub"))
    scene.list_secrets()
    scene.replica()
    scene.carry_out()
    scene.wait(5)
    scene.token("d1")
    scene.carry_out()
    node = scene.node("n")
    scene.claim("Pending", selected_node="n")
    scene.wait(30)
    scene.gone(ONE, node)
    scene.wait(10)
    scene.claim("Bound")
    scene.stage()
    known = scene.there(DEPLOYMENT)
    assert known is not None
    scene.wait(20)
    scene.tell(EventsRead(ONE, known.subject, "", "Unschedulable", "0/3 nodes are available"))
    scene.wait(60)
    scene.available()
    scene.wait(60)
    scene.claim("Lost", volume="pv-1")
    return scene


@pytest.fixture(scope="module")
def log(scene: ReplicaScene, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its log."""
    return write(scene, tmp_path_factory.mktemp("replicas") / "log.jsonl")


def explained(path: Path, *more: str, ref: str = REF) -> dict[str, Any]:
    """The explanation as JSON."""
    found: dict[str, Any] = json.loads(printed("explain", ref, "--log", path, "-o", "json", *more))
    return found


def test_a_replica_that_waits_is_led_back_to_the_node(log: Path) -> None:
    """From the replica to its entry, the claim, and the node that is gone, with times."""
    told = explained(log, "--at", "2026-01-01T00:00:36Z")
    assert (told["standing"], told["since"]) == ("WaitingForCache", "2026-01-01T00:00:00Z")
    assert told["on"] == "one"
    assert "the scheduler chose node n, which is gone since 2026-01-01T00:00:35Z" in told["summary"]
    assert told["do"].startswith("nothing: the choice is taken back by itself")
    assert (told["cache"]["name"], told["cache"]["phase"]) == ("qwen", "Pending")
    assert told["cache"]["message"] == told["summary"]
    words = [line["words"] for line in told["cache"]["chain"]]
    assert words[-1] == "Node n is gone"
    assert f"decided to create claim {WORKLOAD}/{CLAIM}" in words
    assert told["causes"][-1]["position"] == told["cache"]["chain"][-1]["position"]


def test_a_replica_that_waits_for_a_token_is_told_how_to_give_it(log: Path) -> None:
    """What would unblock it is what would unblock its cache."""
    told = explained(log, "--at", "2026-01-01T00:00:04Z")
    assert told["summary"].startswith("Secret ml-team/hub does not exist")
    do = "`kubectl -n ml-team create secret generic hub --from-literal=HF_TOKEN=TOKEN`"
    assert told["do"].startswith(do)


def test_a_replica_that_starts_is_told_by_its_pods(log: Path) -> None:
    """The engine, its workload, and the words of its Pods, with what to do about them."""
    told = explained(log, "--at", "2026-01-01T00:01:06Z")
    assert told["standing"] == "ModelStarting"
    assert told["do"] == "see to engine main, below"
    [engine] = told["engines"]
    assert (engine["workload"], engine["available"], engine["claim"]) == (THING, False, CLAIM)
    assert (engine["reason"], engine["message"]) == ("Unschedulable", "0/3 nodes are available")
    assert engine["do"].startswith("make room for the Pods on nodes of the pool")
    assert told["causes"][-1]["words"].startswith("Pods of Deployment r-main-bb4e3: Unschedulable")


def test_a_replica_that_runs_says_what_it_keeps_and_why(log: Path) -> None:
    """It serves, its claim is lost, and what led to each is there."""
    told = explained(log)
    assert told["standing"] == "Serving"
    lost = f"claim {WORKLOAD}/{CLAIM} has lost its volume pv-1"
    assert told["keeps"] == f"keeps the mount of claim {CLAIM}: {lost}"
    assert told["do"].startswith("nothing for what runs, it goes on as it is; for the cache: `")
    assert [line["ledTo"] for line in told["causes"] if line["ledTo"]] == [
        "WaitingForCache", "Deploying", "ModelStarting", "Serving",
    ]  # fmt: skip
    positions = [line["position"] for line in told["causes"]]
    assert positions == sorted(set(positions))


def test_an_engine_that_is_down_comes_before_its_cache(scene: ReplicaScene, tmp_path: Path) -> None:
    """What to do names the engine first, and what the replica keeps is said once."""
    down = deepcopy(scene)
    known = down.there(DEPLOYMENT)
    assert known is not None
    down.edit(DEPLOYMENT, available="False", reason="MinimumReplicasUnavailable")
    down.tell(EventsRead(ONE, known.subject, "", "ImagePullBackOff", "not found"))
    path = write(down, tmp_path / "down.jsonl")
    told = explained(path)
    assert told["standing"] == "ModelStarting"
    assert told["do"].startswith("see to engine main, below; for the cache: ")
    assert printed("explain", REF, "--log", path).count(told["keeps"]) == 1


def test_the_text_says_it_shortly(log: Path) -> None:
    """Where it stands, what to do, its engines, its cache, and where it looked."""
    lines = printed("explain", REF, "--log", log, "--at", "2026-01-01T00:00:36Z").splitlines()
    assert lines[0].startswith(
        "ModelReplica ml-team/r on cluster one is WaitingForCache since 2026-01-01 00:00:00Z (35 s"
    )
    assert any(line.startswith("ModelCache ml-team/qwen on one: Pending since") for line in lines)
    title = "How ModelCache ml-team/qwen came to this on one (… is "
    assert any(line.startswith(title) for line in lines)
    text = printed("explain", REF, "--log", log)
    assert f"engine main: {THING} is available, with the mount of claim {CLAIM}" in text
    assert text.splitlines()[-1].startswith("Position ")


def test_caches_and_clusters_name_their_replicas(log: Path) -> None:
    """An explanation of either lists the replicas, with where each stands."""
    for ref in ("mc/ml-team/qwen", "ic/one"):
        [row] = explained(log, ref=ref)["replicas"]
        assert (row["modelReplica"], row["standing"]) == ("ml-team/r", "Serving")
        assert "ml-team/r" in printed("explain", ref, "--log", log)


def test_no_secret_is_told(log: Path) -> None:
    """Not even the digest of a token is in an explanation."""
    assert '"d1"' not in printed("explain", REF, "--log", log, "-o", "json")


def test_a_replica_without_its_cache(tmp_path: Path) -> None:
    """A name that no cache has is told, and how to see those that there are."""
    scene = ReplicaScene()
    scene.replica(spec=spec_of(cache="qwem"))
    told = explained(write(scene, tmp_path / "log.jsonl"))
    assert (told["standing"], told["modelCache"], told["cache"]) == (
        "WaitingForCache", "qwem", None,
    )  # fmt: skip
    assert told["do"].startswith("make ModelCache qwem in namespace ml-team, or correct")


def test_a_replica_without_its_cluster(tmp_path: Path) -> None:
    """A cluster that does not exist, and one that does not answer, ask for something else."""
    scene = ReplicaScene()
    scene.replica(spec=spec_of(cluster="two"))
    told = explained(write(scene, tmp_path / "one.jsonl"))
    assert told["do"].startswith("make an InferenceCluster two again")
    scene.cluster("two")
    scene.unreachable("ic/two", "i/o timeout")
    told = explained(write(scene, tmp_path / "two.jsonl"))
    assert told["standing"] == "WaitingForCluster"
    assert told["do"] == "see whether the API server of two answers with its kubeconfig"
    assert told["causes"][-1]["words"] == "cluster ic/two does not answer: i/o timeout"


def test_what_is_gone(scene: ReplicaScene, tmp_path: Path) -> None:
    """A replica that was deleted is told with when, and as it was just before that."""
    gone = ReplicaScene()
    gone.replica(spec=spec_of(cache=""))
    gone.serve()
    gone.replica(spec=spec_of(cache=""), deleting=True)
    gone.carry_out()
    went, _, was, *_ = printed(
        "explain", REF, "--log", write(gone, tmp_path / "gone.jsonl")
    ).splitlines()
    assert "was deleted at position" in went
    assert " is Terminating since " in was


def test_statuses_of_replicas_are_listed(log: Path) -> None:
    """Replay lists them with their engines, and of one what runs each engine."""
    lines = printed("replay", log).splitlines()
    row = next(line.split() for line in lines if line.startswith("ml-team") and " r " in line)
    assert row[:5] == ["ml-team", "r", "1/1", "True", "Serving"]
    details = printed("replay", log, "--object", REF)
    assert f"main    Deployment  {WORKLOAD}/r-main-bb4e3  available" in details


def test_options_of_other_kinds(log: Path) -> None:
    """Of a replica there is neither --node nor --on."""
    for option in ("--node", "--on"):
        result = warmlog("explain", REF, option, "x", "--log", log)
        assert result.exit_code == ExitCode.USAGE
