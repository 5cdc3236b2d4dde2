"""What is decided for a cache, carried out on the simulated API server one after the other."""

import base64
from typing import Any

from adapters.kubernetes.acting import look_up, perform
from adapters.kubernetes.discretion import DiscreetApi
from adapters.kubernetes.vaults import SecretVault
from machines.caches.changes import ChangeKind
from machines.caches.levels import ClaimLevel, Owner, SecretLevel
from machines.intents import CacheIntent, Change, Create, Delete, Effect
from machines.observations import Answer, Done, Refused, Seen
from tests.kubernetes import cache_objects as objects
from tests.simulator.building import get, merge, post, world_of

PLACE = (objects.CACHE_UID, "PersistentVolumeClaim", objects.NAMESPACE, objects.CLAIM_NAME)
SECRET = (objects.CACHE_UID, "Secret", objects.NAMESPACE, objects.SECRET_NAME)
MARKS = {"modelplane.ai/modelcache": "qwen"}
CLAIM: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": objects.CLAIM_NAME, "labels": MARKS, "annotations": {"team": "x"}},
    "spec": {
        "accessModes": ["ReadWriteMany"],
        "storageClassName": "rwx",
        "resources": {"requests": {"storage": "60Gi"}},
    },
}

MOUNTING: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "engine"},
    "spec": {
        "containers": [{"name": "c", "image": "i"}],
        "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": objects.CLAIM_NAME}}],
    },
}


class Cluster:
    """A simulated cluster, behind a vault, in which intents are carried out."""

    def __init__(self) -> None:
        """Begin with the user's own token Secret."""
        self.world = world_of("n1")
        self.vault = SecretVault(b"k" * 32)
        self.api = DiscreetApi(self.world.api, self.vault)
        self.seen: list[Seen] = []

    async def act(self, intent: CacheIntent, body: Any = None) -> Answer:
        """Carry out, and look up that it landed."""
        tokens = self.vault.tokens("home")
        effect = Effect(1, "prod", intent, body)
        performed = await perform(effect, self.api, timeout_seconds=1, tokens=tokens)
        self.seen += [one for one in performed.observations if isinstance(one, Seen)]
        if isinstance(performed.answer, Done):
            looked = await look_up(effect, self.api, timeout_seconds=1)
            assert isinstance(looked.answer, Done)
        return performed.answer

    def give_token(self, value: str) -> dict[str, str]:
        """Let the user's Secret hold this value; give what names it."""
        encoded = base64.b64encode(value.encode()).decode()
        metadata = {"namespace": "ml-team", "name": "hub"}
        self.vault.keep("home", {"metadata": metadata, "data": {"HF_TOKEN": encoded}})
        return {**metadata, "key": "HF_TOKEN", "digest": self.vault.digest(encoded)}

    async def create_namespace(self) -> None:
        """Create the namespace, twice."""
        create = Create(objects.CACHE_UID, "Namespace", "", objects.NAMESPACE, "d")
        body = {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": objects.NAMESPACE},
        }
        first = await self.act(create, body)
        assert isinstance(first, Done)
        assert await self.act(create, body) == Done(first.uid, found=True)


async def test_a_claim_is_made_owned_latched_grown_and_released() -> None:
    """Each change is done once and found done then; what others wrote stays."""
    cluster = Cluster()
    await cluster.create_namespace()
    made = await cluster.act(Create(*PLACE, "d"), CLAIM)
    assert isinstance(made, Done)
    latch = {"warmlog.dev/hydrated": f"{made.uid}/abc"}
    for kind, body in (
        (ChangeKind.OWN, {"labels": MARKS, "annotations": objects.OWNER}),
        (ChangeKind.LATCH, {"annotations": latch}),
    ):
        change = Change(*PLACE, made.uid, kind, "d")
        assert await cluster.act(change, body) == Done(made.uid)
        assert await cluster.act(change, body) == Done(made.uid, found=True)
    level = cluster.seen[-1].level
    assert isinstance(level, ClaimLevel)
    assert level.owner == Owner("ml-team", "qwen", objects.CACHE_UID)
    assert level.hydrated == latch["warmlog.dev/hydrated"]
    grow = Change(*PLACE, made.uid, ChangeKind.GROW, "d")
    unbound = await cluster.act(grow, {"storage": "80Gi"})
    assert isinstance(unbound, Refused)  # only a bound claim of a class that allows it grows
    path = f"/api/v1/namespaces/{objects.NAMESPACE}/persistentvolumeclaims/{objects.CLAIM_NAME}"
    assert get(cluster.world, path).body["metadata"]["annotations"]["team"] == "x"
    pods = f"/api/v1/namespaces/{objects.NAMESPACE}/pods"
    assert post(cluster.world, pods, MOUNTING).code == 201
    delete = Delete(*PLACE, made.uid)
    held = await cluster.act(delete)
    assert isinstance(held, Refused)
    assert held.reason == "ClaimInUse"
    ended = merge(cluster.world, f"{pods}/engine/status", {"status": {"phase": "Succeeded"}})
    assert ended.code == 200
    assert await cluster.act(delete) == Done(made.uid)


async def test_a_claim_is_healed_of_its_node() -> None:
    """Only that annotation goes, and only while it names that node."""
    cluster = Cluster()
    await cluster.create_namespace()
    made = await cluster.act(Create(*PLACE, "d"), CLAIM)
    assert isinstance(made, Done)
    path = f"/api/v1/namespaces/{objects.NAMESPACE}/persistentvolumeclaims/{objects.CLAIM_NAME}"
    chosen = {"volume.kubernetes.io/selected-node": "n9"}
    assert merge(cluster.world, path, {"metadata": {"annotations": chosen}}).code == 200
    heal = Change(*PLACE, made.uid, ChangeKind.HEAL, "d")
    assert await cluster.act(heal, {"selectedNode": "n9"}) == Done(made.uid)
    assert get(cluster.world, path).body["metadata"]["annotations"] == {"team": "x"}


async def test_a_token_secret_follows_its_source() -> None:
    """Created with one value, rotated to the next; only digests are seen."""
    cluster = Cluster()
    await cluster.create_namespace()
    body = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": objects.SECRET_NAME,
            "labels": MARKS,
            "annotations": objects.OWNER,
        },
        "type": "Opaque",
        "token": cluster.give_token("hf-first-marker"),
    }
    made = await cluster.act(Create(*SECRET, "d"), body)
    assert isinstance(made, Done)
    token = cluster.give_token("hf-second-marker")
    rotate = Change(*SECRET, made.uid, ChangeKind.ROTATE, "d")
    assert await cluster.act(rotate, {"token": token}) == Done(made.uid)
    assert await cluster.act(rotate, {"token": token}) == Done(made.uid, found=True)
    path = f"/api/v1/namespaces/{objects.NAMESPACE}/secrets/{objects.SECRET_NAME}"
    held = get(cluster.world, path).body["data"]["HF_TOKEN"]
    assert base64.b64decode(held) == b"hf-second-marker"
    level = cluster.seen[-1].level
    assert isinstance(level, SecretLevel)
    assert dict(level.keys) == {"HF_TOKEN": token["digest"]}
    assert "marker" not in str(cluster.seen)
