"""samples/modelreplica/: what the manifests say, and the rules that all of them keep."""

import copy
import re
from collections.abc import Iterator

import pytest

from machines.caches.specs import CacheSpec, parse_cache
from machines.replicas.members import Member
from machines.replicas.specs import ReplicaSpec, parse_replica
from tests.repository import ROOT
from tests.samples import test_modelcache
from tests.samples.manifests import Json, read_all, unknown_fields

FOLDER = ROOT / "samples" / "modelreplica"
NAMES = ("single-node", "uncached", "multi-node", "whole-story")
# Sample -> cluster, cache, and the roles of its one engine.
EXPECTED = {
    "single-node": ("home", "qwen-small", ["Standalone"]),
    "uncached": ("home", "", ["Standalone"]),
    "multi-node": ("west", "qwen-everywhere", ["Leader", "Worker"]),
    "whole-story": ("home", "qwen-story", ["Standalone"]),
}


def objects(name: str, kind: str) -> list[Json]:
    """The objects of a kind in a sample."""
    documents = read_all((FOLDER / f"{name}.yaml").read_text())
    return [document for document in documents if document["kind"] == kind]


def spec_of(name: str) -> ReplicaSpec:
    """The spec of the replica in a sample, as the controller reads it."""
    [replica] = objects(name, "ModelReplica")
    parsed = parse_replica(replica["spec"])
    assert parsed.spec is not None, parsed.faults
    return parsed.spec


def members(name: str) -> Iterator[Member]:
    """Every member of a sample's engines."""
    for engine in spec_of(name).engines:
        yield from engine.members


def readme() -> str:
    """The page beside the samples."""
    return (FOLDER / "README.md").read_text()


def caches() -> Iterator[tuple[str, CacheSpec]]:
    """Every ModelCache in the samples, by its name."""
    found = [objects(name, "ModelCache") for name in NAMES]
    found += [test_modelcache.objects(name, "ModelCache") for name in test_modelcache.NAMES]
    for each in [one for those in found for one in those]:
        spec = parse_cache(each["spec"]).spec
        assert spec is not None
        yield each["metadata"]["name"], spec


def test_the_folder_holds_the_samples_and_their_readme() -> None:
    """There are the four manifests and a README, and nothing that no test looks at."""
    expected = {"README.md", *(f"{name}.yaml" for name in NAMES)}
    assert {path.name for path in FOLDER.iterdir()} == expected


@pytest.mark.parametrize("name", NAMES)
def test_a_samples_replica_is_understood(name: str) -> None:
    """The controller finds no fault in the spec, and reads out of it what the file says."""
    spec = spec_of(name)
    [engine] = spec.engines
    roles = [member.role for member in engine.members]
    assert (spec.cluster_name, spec.cache_name, roles) == EXPECTED[name]
    assert all(member.devices and member.image for member in engine.members)
    [replica] = objects(name, "ModelReplica")
    assert replica["metadata"]["namespace"] == "default"


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_has_no_field_that_nobody_knows(name: str) -> None:
    """As kubectl reads it, strictly."""
    for kind in ("ModelReplica", "ModelCache", "InferenceCluster"):
        for document in objects(name, kind):
            assert unknown_fields(document) == []


def test_the_strict_reading_finds_misspelt_fields() -> None:
    """A field that is misspelt is found however deep it stands."""
    [replica] = objects("multi-node", "ModelReplica")
    changed = copy.deepcopy(replica)
    changed["spec"]["engines"][0]["members"][1]["worker"]["node"] = 1
    assert unknown_fields(changed) == ["spec.engines[0].members[1].worker.node"]


@pytest.mark.parametrize("name", NAMES)
def test_an_engine_asks_for_the_model_that_its_cache_has(name: str) -> None:
    """It names repository and revision as the cache does, or it would download another."""
    spec, known = spec_of(name), dict(caches())
    if not spec.cache_name:
        return
    cache = known[spec.cache_name]
    for member in members(name):
        words = [part for arg in member.args or () for part in arg.split("=")]
        assert cache.repo in words
        assert ("--revision" in words) is bool(cache.revision)
        assert not cache.revision or cache.revision in words


@pytest.mark.parametrize("name", NAMES)
def test_an_engine_listens_where_it_is_asked(name: str) -> None:
    """The probe and the Service both want port 8000."""
    for member in members(name):
        assert "--port=8000" in (member.args or ())


def test_a_gang_knows_its_places() -> None:
    """Leader and Worker run one command, which takes rank and address from the variables."""
    leader, worker = members("multi-node")
    assert (leader.image, leader.command, leader.args) == (
        worker.image,
        worker.command,
        worker.args,
    )
    args = " ".join(leader.args or ())
    assert f"--nnodes={1 + worker.worker_nodes} " in args
    assert "--node-rank=$(MODELPLANE_RANK) " in args
    assert "--dist-init-addr=$(MODELPLANE_LEADER_ADDRESS):" in args


@pytest.mark.parametrize("name", NAMES)
def test_the_readme_has_the_command_for_each_sample(name: str) -> None:
    """One line applies it, and all that it makes is cleaned up by its name."""
    assert f"kubectl apply -f samples/modelreplica/{name}.yaml" in readme()
    clean_up = readme().partition("## 5. Clean up")[2]
    for kind in ("ModelReplica", "ModelCache", "InferenceCluster"):
        for document in objects(name, kind):
            assert re.search(rf"\b{document['metadata']['name']}\b", clean_up)
