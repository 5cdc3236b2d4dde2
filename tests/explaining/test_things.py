"""What is no object of warmlog's is explained by its own name, from every recording."""

import json
from pathlib import Path

import pytest

from adapters.explaining.errors import Misasked, NotHeld
from adapters.explaining.explained import Explained
from adapters.explaining.explaining import Question, explain_object
from adapters.explaining.references import Reference, parse_thing
from adapters.store.opening import open_log
from engine.replaying import Moment
from tests.cli.commands import printed, warmlog
from tests.explaining.relating import Row, own, related
from tests.recordings.reading import FOLDER, FOREIGN

LOGS = sorted([*FOLDER.glob("*.jsonl"), *FOREIGN.glob("*.jsonl")])
TWO_CLUSTERS = FOLDER / "real_a_hydration_fails_once.jsonl"
REPLICAS = FOLDER / "demo_replicas.jsonl"


def rows_of(log: Path) -> list[Row]:
    """The rows of a log, as they stand in the file."""
    return [json.loads(line) for line in log.read_text().splitlines()[1:]]


async def answered(
    log: Path, ref: str | Reference, on: str | None = None, at: int | None = None
) -> Explained:
    """What is said of an object at a position."""
    reference = ref if isinstance(ref, Reference) else parse_thing(ref)
    async with await open_log(str(log), read_only=True) as reader:
        return await explain_object(reader, Question(reference, on), Moment(position=at))


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.stem)
async def test_whatever_a_recording_knows_is_explained_by_its_name(log: Path) -> None:
    """Each Job, claim, node, workload … is explained at the end, by rows that are about it."""
    rows = rows_of(log)
    found = dict.fromkeys(named for row in rows if (named := own(row)) is not None)
    assert found
    for named in found:
        explained = await answered(log, Reference(*named[1:]), named.cluster)
        document = explained.document
        mine = [row for row in rows if own(row) == named]
        assert document["object"]["name"] == named.name
        assert explained.phase == document["standing"]
        assert f"{named.name} on" in explained.text.splitlines()[0]
        assert explained.phase in explained.text
        assert document["do"]
        assert ", below" not in explained.text  # nothing of its owners stands below
        assert (document["standing"] == "gone") == (mine[-1]["type"] == "Gone")
        cited = {line["position"] for line in document["causes"]}
        assert {row["seq"] for row in mine} <= cited
        assert cited <= related(rows, named), named
        seen = [row["seq"] for row in mine if row["type"].endswith("Seen")]
        assert document["lastSeen"]["position"] == seen[-1]


async def test_a_jobs_owner_says_what_to_do() -> None:
    """A failed Job names its node and its ModelWarmup, and says what is to be done about those."""
    log = FOLDER / "demo.jsonl"
    failed = next(
        row for row in rows_of(log) if row["data"].get("level", {}).get("outcome") == "Failed"
    )
    _, namespace, name, _ = failed["subject"].split("/")
    document = (await answered(log, f"job/{namespace}/{name}")).document
    assert document["standing"] == "Failed"
    [of] = document["of"]
    node = failed["data"]["level"]["nodeName"]
    assert (of["kind"], of["name"], of["part"]) == ("ModelWarmup", "runtime-image-warmup", node)
    assert of["phase"] == "Failed"
    assert name in of["do"]
    assert document["do"] == [of["do"]]
    assert of["more"] == f"warmlog explain mw/default/runtime-image-warmup --node {node}"
    asked = next(line for line in document["causes"] if line["type"] == "CreateJobIntended")
    assert any(line["cause"] == asked["position"] for line in document["causes"])


async def test_a_claim_names_its_cache_and_who_mounts_it() -> None:
    """A claim is of a ModelCache on a cluster, and whoever mounts it or waits for it is named."""
    claim = next(row for row in rows_of(REPLICAS) if row["type"] == "PersistentVolumeClaimSeen")
    _, namespace, name, _ = claim["subject"].split("/")
    found = await answered(REPLICAS, f"pvc/{namespace}/{name}", at=60)
    assert found.phase == "Bound"
    named = [(of["kind"], of["name"], of["part"]) for of in found.document["of"]]
    assert named == [("ModelCache", "qwen-small", "home"), ("ModelReplica", "qwen-small-home", "")]
    early = await answered(REPLICAS, f"pvc/{namespace}/{name}", at=claim["seq"])
    assert early.phase == "Pending"  # nothing mounts it yet, and the replica waits for it
    waiting = [of["name"] for of in early.document["of"] if of["phase"] == "WaitingForCache"]
    assert waiting == ["qwen-small-home"]


async def test_a_secret_that_is_missing_says_who_waits_for_it() -> None:
    """A Secret that was looked for and is not there is explained, with how to make it."""
    missing = await answered(REPLICAS, "secret/default/hub-token", at=75)
    assert missing.phase == "not there"
    [of] = missing.document["of"]
    assert (of["name"], of["part"], of["phase"]) == ("qwen-roomy", "home", "Pending")
    assert "create secret generic hub-token" in of["do"]
    assert (await answered(REPLICAS, "secret/default/hub-token")).phase == "there"


async def test_a_kubeconfig_says_which_cluster_it_leads_to() -> None:
    """The Secret of a kubeconfig is of the InferenceCluster that it leads to."""
    found = await answered(FOLDER / "a_cache_can_never_work.jsonl", "secret/warmlog-system/k")
    assert [(of["kind"], of["name"]) for of in found.document["of"]] == [
        ("InferenceCluster", "one")
    ]


async def test_a_workload_says_whose_engine_it_is_and_why_that_does_not_serve() -> None:
    """A Deployment that is not available is of a ModelReplica, which tells what its Pods say."""
    seen = [row for row in rows_of(REPLICAS) if row["type"] == "DeploymentSeen"]
    _, namespace, name, _ = seen[0]["subject"].split("/")
    found = await answered(REPLICAS, f"deploy/{namespace}/{name}", at=seen[0]["seq"])
    assert found.phase == "not available"
    [of] = found.document["of"]
    assert (of["kind"], of["name"]) == ("ModelReplica", "qwen-small-home")
    assert f"Deployment {namespace}/{name}" in of["message"]
    assert found.document["do"] == [of["do"]]
    asked = next(line for line in found.document["causes"] if line["type"] == "ApplyIntended")
    assert asked["words"].startswith("decided to apply Deployment")
    assert (await answered(REPLICAS, f"deploy/{name}")).phase == "available"


@pytest.mark.parametrize("kind", ["Service", "ResourceClaimTemplate"])
async def test_the_other_parts_of_a_replica_say_whose_they_are(kind: str) -> None:
    """A Service and a ResourceClaimTemplate are there, and of the ModelReplica they came from."""
    part = next(row for row in rows_of(REPLICAS) if row["type"] == f"{kind}Seen")
    _, namespace, name, _ = part["subject"].split("/")
    found = await answered(REPLICAS, f"{kind}/{namespace}/{name}")
    assert found.phase == "there"
    assert [of["name"] for of in found.document["of"]] == ["qwen-small-home"]


async def test_a_namespace_says_its_pool_and_who_waits_in_it() -> None:
    """A ModelWarmup in a namespace without the pool label is named, with the label to set."""
    log = FOLDER / "a_pool_is_left_and_joined_again.jsonl"
    pools = [row for row in rows_of(log) if row["type"] == "NamespaceSeen"]
    left = next(row for row in pools if "pool" not in row["data"]["level"])
    name = left["subject"].split("/")[2]
    found = await answered(log, f"ns/{name}", at=left["seq"])
    assert found.phase == "there"
    assert "without a pool (no label resource-pool.aibrix.ai/name)" in found.text
    [of] = found.document["of"]
    assert of["kind"] == "ModelWarmup"
    assert of["do"]
    assert (await answered(log, f"ns/{name}")).phase.startswith("in pool ")


async def test_a_namespace_on_a_cluster_names_those_that_wait_first() -> None:
    """Caches and replicas that have their objects in it are told, those that are done last."""
    namespace = next(
        row["subject"].split("/")[2]
        for row in rows_of(REPLICAS)
        if row["type"] == "NamespaceSeen" and row["subject"].split("/")[2].startswith("mp-")
    )
    found = await answered(REPLICAS, f"ns/{namespace}", at=60)
    told = [(of["kind"], of["name"], of["phase"]) for of in found.document["of"]]
    assert told == [
        ("ModelReplica", "qwen-small-home", "Deploying"), ("ModelCache", "qwen-small", "Ready"),
    ]  # fmt: skip


async def test_a_storage_class_says_which_caches_claim_of_it() -> None:
    """A class is named by an InferenceCluster, and each ModelCache whose claim has it is told."""
    found = await answered(REPLICAS, "sc/modelplane-rwx")
    assert found.phase == "there"
    named = {(of["kind"], of["name"], of["part"]) for of in found.document["of"]}
    assert named == {
        ("InferenceCluster", "home", ""), ("ModelCache", "qwen-small", "home"),
        ("ModelCache", "qwen-roomy", "home"),
    }  # fmt: skip


async def test_what_is_deleted_is_told_as_it_was_last() -> None:
    """Of a node that went its last level is told, how it went, and who waits for it."""
    found = await answered(FOREIGN / "a_node_vanished_watched.jsonl", "node/hanging-first")
    assert found.phase == "gone"
    assert found.document["lastSeen"]["type"] == "NodeSeen"
    assert found.document["gone"]["type"] == "Gone"
    [of] = found.document["of"]
    assert (of["kind"], of["part"], of["phase"]) == ("ModelCache", "home", "Pending")
    assert of["do"].startswith("warmlog would")  # no controller wrote this log
    assert "Gone at position 23" in found.text


async def test_a_node_has_to_do_with_a_claim_while_it_is_chosen() -> None:
    """The claim, what is decided about it and what came of that count until the choice is off."""
    found = await answered(FOLDER / "demo_caches.jsonl", "node/west-1")
    lines = found.document["causes"]
    [decided] = [line for line in lines if line["type"] == "ChangeIntended"]
    assert decided["words"].startswith("decided to take the chosen node off claim")
    assert decided["position"] in {line["cause"] for line in lines}
    claims = [line for line in lines if line["type"] == "PersistentVolumeClaimSeen"]
    assert "the scheduler chose" in claims[-2]["words"]
    assert "the scheduler chose" not in claims[-1]["words"]


async def test_a_node_tells_what_was_decided_about_its_job() -> None:
    """Of a node are told the create and the end of its Job, each with what came of it."""
    found = await answered(FOLDER / "one_node_cannot_pull.jsonl", "node/gpu-b")
    decided = {
        line["type"]: line["position"]
        for line in found.document["causes"]
        if line["type"].endswith("Intended")
    }
    assert decided.keys() == {"CreateJobIntended", "StampTtlIntended"}
    assert set(decided.values()) <= {line["cause"] for line in found.document["causes"]}


async def test_a_node_that_is_kept_out_says_why() -> None:
    """A node that a ModelWarmup matches outside its boundary says by which, and why."""
    found = await answered(FOLDER / "demo.jsonl", "node/control-plane-1")
    [of] = found.document["of"]
    assert (of["part"], of["phase"], of["message"]) == (
        "control-plane-1",
        "skipped",
        "it is a control-plane node",
    )


async def test_of_several_one_has_to_be_meant() -> None:
    """One name on two clusters is refused with both of them, and the cluster tells them apart."""
    with pytest.raises(
        Misasked, match=r"on second or Node/hanging-gpu on home: say --on CLUSTER\."
    ):
        await answered(TWO_CLUSTERS, "node/hanging-gpu")
    for on in ("second", "ic/second"):
        assert (await answered(TWO_CLUSTERS, "node/hanging-gpu", on)).told.cluster == "ic/second"
    with pytest.raises(NotHeld, match=r"on cluster third, but Node/hanging-gpu"):
        await answered(TWO_CLUSTERS, "node/hanging-gpu", "third")


async def test_a_namespace_may_be_left_out() -> None:
    """Without its namespace an object is found where only one bears the name."""
    pod = next(row for row in rows_of(REPLICAS) if row["type"] == "HydrationPodSeen")
    _, namespace, name, _ = pod["subject"].split("/")
    found = await answered(REPLICAS, f"pod/{name}", at=pod["seq"])
    assert found.told.subject.namespace == namespace
    assert found.phase == pod["data"]["level"]["phase"]
    assert [of["kind"] for of in found.document["of"]] == ["ModelCache"]


async def test_an_unknown_name_names_near_ones() -> None:
    """A name that no row has is refused with those that are like it; so is one not met yet."""
    log = FOLDER / "one_node_cannot_pull.jsonl"
    with pytest.raises(NotHeld, match=r"holds no Node/gpu-x at position 52, but Node/gpu-"):
        await answered(log, "node/gpu-x")
    with pytest.raises(NotHeld, match=r"holds no Node/gpu-a at position 1\.$"):
        await answered(log, "node/gpu-a", at=1)
    with pytest.raises(
        NotHeld, match=r"holds no StorageClass/modelplane-rw at .*but StorageClass/modelplane"
    ):
        await answered(REPLICAS, "sc/modelplane-rw")


def test_the_command_prints_text_and_json() -> None:
    """`warmlog explain node/…` prints text and JSON, and is refused with --node."""
    args = ("explain", "node/hanging-gpu", "--on", "second", "--log", TWO_CLUSTERS)
    text = printed(*args)
    assert text.startswith("Node hanging-gpu on second is gone since ")
    document = json.loads(printed(*args, "-o", "json"))
    assert document["standing"] == "gone"
    refused = warmlog(*args, "--node", "hanging-gpu")
    assert refused.exit_code == 2
