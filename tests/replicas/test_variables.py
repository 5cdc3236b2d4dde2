"""Variables of an engine, and what comes with them: ours, those of the mount, the user's."""

import json

import pytest

from machines.caches.mounts import mount
from machines.replicas.mounts import NO_MOUNT, Mount, read_mount
from tests.replicas.composing import CACHE, GANG, containers, made, values
from tests.replicas.specs import (
    container,
    engine,
    leader,
    replica,
    running,
    template,
    variables,
    worker,
)

SHARED = ["MX_SERVER_ADDRESS", "MODEL_EXPRESS_URL", "MX_MODEL_REVISION", "MX_P2P_METADATA"]
POD = ["POD_NAME", "POD_UID", "POD_NAMESPACE"]


def test_without_variables_there_is_no_list() -> None:
    """A Deployment without a cache and without variables has no empty list of them."""
    assert "env" not in containers(made(running(env=[])))[0]


@pytest.mark.parametrize("given", [NO_MOUNT, CACHE])
def test_engines_may_ask_the_hub_for_more(given: Mount) -> None:
    """No engine is told to stay offline: a tokenizer may come from elsewhere [C63]"""
    for raw in (replica(), GANG):
        assert "OFFLINE" not in json.dumps(made(raw, given, dynamo=True))


def test_weights_are_shared_under_their_claim() -> None:
    """Peers tell weights apart by the claim of the mount in use: no two caches share it [C64]"""
    one = read_mount(mount("modelcache-team-a-qwen-11111"))
    other = read_mount(mount("modelcache-team-b-qwen-22222"))
    found = {
        values(made(replica(), each, dynamo=True))["MX_MODEL_REVISION"] for each in (one, other)
    }
    assert found == {one.claim_name, other.claim_name}


def test_the_identity_follows_the_mount() -> None:
    """While an engine keeps its old mount it says so, whatever its spec refers to by now [C16]"""
    switched = {**replica(), "modelCacheRef": {"name": "b"}}
    assert values(made(switched, CACHE, dynamo=True))["MX_MODEL_REVISION"] == "claim-a"
    assert not set(SHARED) & set(values(made(switched, NO_MOUNT, dynamo=True)))


def test_the_server_of_weights_is_found() -> None:
    """Its address holds in every namespace, under the name that is read and its older one [C65]"""
    found = values(made(replica(), CACHE, dynamo=True))
    assert list(found) == ["HF_HUB_CACHE", *SHARED, *POD]
    assert found["MX_SERVER_ADDRESS"] == "modelexpress-server.default.svc:8001"
    assert found["MODEL_EXPRESS_URL"] == found["MX_SERVER_ADDRESS"]


@pytest.mark.parametrize(
    ("given", "dynamo", "locks"),
    [(CACHE, True, True), (CACHE, False, False), (NO_MOUNT, True, False), (NO_MOUNT, False, False)],
)
def test_memory_is_locked_only_to_share_weights(given: Mount, *, dynamo: bool, locks: bool) -> None:
    """The capability that strict namespaces refuse is there only with a mount on Dynamo [C66]"""
    [only] = containers(made(replica(), given, dynamo=dynamo))
    wanted = {"capabilities": {"add": ["IPC_LOCK"]}} if locks else None
    assert only.get("securityContext") == wanted
    assert ("MX_P2P_METADATA" in values(made(replica(), given, dynamo=dynamo))) == locks


def test_a_gang_shares_no_weights() -> None:
    """A LeaderWorkerSet has neither the variables nor the capability, whatever the stack."""
    assert made(GANG, CACHE, dynamo=True) == made(GANG, CACHE)


def test_a_users_variable_stands_alone() -> None:
    """A variable of ours that the user sets as well is the user's, once, in the user's place."""
    raw = variables(
        {"name": "A", "value": "$(MX_P2P_METADATA)"},
        {"name": "HF_HUB_CACHE", "value": "/srv"},
        {"name": "POD_NAME", "value": "x"},
        {"name": "MX_MODEL_REVISION", "value": "mine"},
    )
    found = values(made(raw, CACHE, dynamo=True))
    ours = [name for name in (*SHARED, *POD) if name not in ("MX_MODEL_REVISION", "POD_NAME")]
    assert list(found) == [*ours, "A", "HF_HUB_CACHE", "POD_NAME", "MX_MODEL_REVISION"]
    assert (found["HF_HUB_CACHE"], found["MX_MODEL_REVISION"]) == ("/srv", "mine")


def test_a_users_rank_stands_alone() -> None:
    """In a gang as well: what the user says of rank and leader is all that is said."""
    env = [{"name": "MODELPLANE_RANK", "value": "0"}]
    raw = replica(engine(leader(template=template(container(env=env))), worker()))
    head, follower = containers(made(raw, CACHE))
    names = [entry["name"] for entry in head["env"]]
    assert names == ["MODELPLANE_LEADER_ADDRESS", "HF_HUB_CACHE", "MODELPLANE_RANK"]
    assert [entry["name"] for entry in follower["env"]] == [
        "MODELPLANE_LEADER_ADDRESS",
        "MODELPLANE_RANK",
        "HF_HUB_CACHE",
    ]


def test_of_two_variables_the_last_counts() -> None:
    """The API server refuses one name twice, and a kubelet took the last one."""
    twice = variables({"name": "A", "value": "1"}, {"name": "B"}, {"name": "A", "value": "2"})
    assert values(made(twice)) == {"B": None, "A": "2"}
