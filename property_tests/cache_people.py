"""People and machines around ModelCaches: clusters, and all that is done by hand in them.

`cache_worlds` adds time, networks and a controller that lives many lives.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from adapters.running.announcing_caches import CacheAnnouncer
from adapters.running.writing import Identity
from adapters.simulator.answers import Refusal
from adapters.simulator.clock import SECOND
from adapters.simulator.driving import Driver, start
from adapters.simulator.plans import Ending, HydrationPlan, ProvisionerPlan
from adapters.simulator.resources import CACHE, CLAIM, INFERENCE_CLUSTER, JOB, NODE, POD, SECRET
from adapters.simulator.storage import Manifest
from adapters.store.memory_logs import MemoryLog
from engine.events import Event
from machines import labels
from machines.caches.child_names import workload_namespace
from machines.states import State
from property_tests.faults.troubled_worlds import TroubledWorld
from property_tests.playing.choices import many, one_of, together, whole, yes_or_no
from property_tests.playing.deeds import beginning, deed
from property_tests.retelling import VERSION
from property_tests.staged_worlds import HOME, NOBODY, PLANTED, StagedWorld
from property_tests.witnessing import Witness

IDENTITY = Identity(VERSION, "code", "settings")
OWN = "warmlog-system"
WORKLOADS = workload_namespace("default", "")
STORAGE = "shared"
SPEAKING = "401 of the hub: TOKEN may not"

HYDRATIONS = {
    "succeeds": HydrationPlan(),
    "fails": HydrationPlan(ending=Ending.FAIL, message=SPEAKING),
    "fails four times": HydrationPlan(ending=Ending.FAIL, failures=4, message=SPEAKING),
    "hangs": HydrationPlan(ending=Ending.HANG),
}
PROVISIONERS: dict[str, ProvisionerPlan | None] = {
    "works": ProvisionerPlan(),
    "fails": ProvisionerPlan(failures=None),
    "is on one node": ProvisionerPlan(on_one_node=True),
    "is not there": None,
}
SELECTORS: dict[str, dict[str, str] | None] = {"all": None, "a": {"tier": "a"}, "none": {"x": "y"}}
NAMES = ("one", "two", "three")
CLUSTERS = ("home", "east", "west")

caches = one_of(*NAMES)
places = one_of(HOME, "east", "west")
clusters = one_of(*CLUSTERS)
picks = whole(0, 7)


Deed = Callable[[StagedWorld, Manifest], None]


class CachePeople(TroubledWorld):
    """Clusters, and the people and machines in them."""

    def __init__(self) -> None:
        """Begin with nothing."""
        super().__init__()
        self.logs = [MemoryLog("log-0")]
        self.witness = Witness(self.logs[0], "log-0")
        self.witness.evidence.secrets = PLANTED
        self.left: set[str] = set()  # uids of caches whose objects may stay: they were let go of
        self.tokens: set[str] = set()  # all values that it ever had
        self.worlds: dict[str, StagedWorld] = {}
        self.ways: dict[str, str] = {}  # where the kubeconfig of a cluster last led
        self.driver: Driver
        self.plans: dict[str, str] = {}

    @property
    def home(self) -> StagedWorld:
        """The cluster that warmlog runs in."""
        return self.worlds[HOME]

    @property
    def all_logs(self) -> Sequence[MemoryLog]:
        """Every log that was begun, the newest last."""
        return self.logs

    @property
    def now(self) -> int:
        """The virtual instant where warmlog runs, UTC nanoseconds."""
        return self.home.cluster.now

    def every_world(self) -> list[StagedWorld]:
        """Give the clusters, home first."""
        return list(self.worlds.values())

    def rows(self) -> list[Event]:
        """All rows of the newest log."""
        return list(self.logs[-1].rows)

    @beginning(
        seed=whole(0, 1000),
        count=whole(1, 3),
        mode=one_of("Immediate", "WaitForFirstConsumer"),
        wants=many(together(caches, one_of("", "hub")), 1, 3),
        hydration=one_of(*sorted(HYDRATIONS)),
    )
    def begin(
        self, seed: int, count: int, mode: str, wants: list[tuple[str, str]], hydration: str
    ) -> None:
        """A few clusters are there, somebody wants models on them, and the controller starts."""
        for index, name in enumerate((HOME, "east", "west")):
            world = self.worlds[name] = StagedWorld(seed + index, name, self.witness)
            world.add_namespace("kube-system")
            world.add_node("n0")
            world.add_node("n1")
            world.add_storage_class(STORAGE, plan=ProvisionerPlan(), mode=mode, expandable=True)
            self.plans[name] = hydration
        self.home.install_all()
        self.home.add_namespace(OWN)
        for world in self.worlds.values():
            world.cluster.advance(self.home.cluster.now + 2 * SECOND)
        for name in CLUSTERS[:count]:
            self.serve(name, tier="a")
        self.keep_tokens()
        for name, secret in wants:
            self.wish(name, secret, "all", 10)
        self.live()

    def keep_tokens(self) -> None:
        """Have somebody name the Secrets with tokens, so that they are read and no words hold any.

        A life of the controller that begins now cannot know a value that is in no Secret any more,
        while Pods may still quote it: so what was a token stays in a Secret.
        """
        self.set_token(PLANTED[0])
        for name, secret in (("keeper", "hub"), ("archive", "old")):
            self.home.make_cache("default", name, selector={"x": "y"}, authSecret={"name": secret})

    def serve(self, name: str, tier: str) -> None:
        """Have an InferenceCluster for a world."""
        if self.home.find(INFERENCE_CLUSTER.kind, "", name):
            return
        if name == "home":
            self.home.add_inference_cluster(name, class_name=STORAGE, marks={"tier": tier})
            return
        self.point(name, name)
        self.home.add_inference_cluster(
            name, source="Existing", secret=f"{name}-kubeconfig", class_name=STORAGE,
            marks={"tier": tier},
        )  # fmt: skip

    def point(self, name: str, other: str) -> None:
        """Have the kubeconfig of a cluster lead to a world.

        What was made in another one meanwhile stays there: nobody leads to that any more.
        """
        old, self.ways[name] = self.ways.get(name, name), other
        if old in self.worlds and old not in {name, other}:
            self.let_go(*NAMES)
        self.home.set_secret(OWN, f"{name}-kubeconfig", {"kubeconfig": f"sim: {other}"})

    def wish(self, name: str, secret: str, selector: str, size: int, **more: Any) -> None:
        """Apply a ModelCache."""
        auth = {"authSecret": {"name": secret}} if secret else {}
        with suppress(Refusal):
            self.home.make_cache(
                "default", name, selector=SELECTORS[selector], sizeGiB=size, **auth, **more
            )

    def live(self) -> None:
        """Begin a life of the controller."""
        others = {name: self.worlds[name] for name in ("east", "west")}
        self.driver = self.born(
            lambda log, host: start(self.home, log, IDENTITY, self.listen, others=others, host=host)
        )
        self.announcer = CacheAnnouncer(self.driver.writer.state)

    def listen(self, rows: tuple[Event, ...], state: State) -> None:
        """Look for news, as the live loop does."""
        super().listen(rows, state)
        self.witness.evidence.announced += map(str, self.announcer.news(state))

    def let_go(self, *names: str) -> None:
        """Note that what these caches have may stay somewhere."""
        for name in names:
            found = self.home.find(CACHE.kind, "default", name)
            self.left |= {found["metadata"]["uid"]} if found else set()

    # What people do.

    @deed(
        name=caches,
        secret=one_of("", "hub", "gone"),
        size=one_of(5, 10, 20),
        selector=one_of(*sorted(SELECTORS)),
    )
    def apply_cache(self, name: str, secret: str, size: int, selector: str) -> None:
        """Somebody applies a ModelCache, or edits one."""
        self.wish(name, secret, selector, size)

    @deed(name=caches)
    def edit_repo(self, name: str) -> None:
        """Somebody edits what cannot be edited."""
        if self.home.find(CACHE.kind, "default", name):
            self.wish(name, "", "all", 10, repo="org/another")

    @deed(name=caches)
    def delete_cache(self, name: str) -> None:
        """Somebody deletes a ModelCache."""
        if self.home.find(CACHE.kind, "default", name):
            self.home.delete_cache("default", name)

    @deed(name=caches, what=one_of(labels.ABANDON, labels.RETRY, labels.RETRY),
          value=one_of("true", "again", None))  # fmt: skip
    def annotate_cache(self, name: str, what: str, value: str | None) -> None:
        """Somebody asks for a retry, or to let go."""
        if self.home.find(CACHE.kind, "default", name):
            self.home.annotate(CACHE.kind, "default", name, {what: value})
            if what == labels.ABANDON:
                self.let_go(name)

    @deed(name=caches)
    def strip_finalizer(self, name: str) -> None:
        """Somebody takes the finalizer off by hand."""
        if self.home.find(CACHE.kind, "default", name):
            self.let_go(name)
            self.home.strip_finalizers(name)

    @deed(name=caches, phase=one_of("Ready", "Failed"))
    def deface_status(self, name: str, phase: str) -> None:
        """Somebody writes into a status that is ours."""
        found = self.home.find(CACHE.kind, "default", name)
        if found:
            status = {"clusters": [{"name": "east", "phase": phase}]}
            self.home.edit_cache_status(name, status)

    @deed(name=clusters, tier=one_of("a", "b"))
    def add_cluster(self, name: str, tier: str) -> None:
        """Somebody names a cluster, or labels it."""
        if self.home.find(INFERENCE_CLUSTER.kind, "", name):
            self.home.relabel(INFERENCE_CLUSTER.kind, "", name, {"tier": tier})
        else:
            self.serve(name, tier)

    @deed(name=clusters)
    def delete_cluster(self, name: str) -> None:
        """Somebody forgets a cluster."""
        if self.home.find(INFERENCE_CLUSTER.kind, "", name):
            self.home.delete_inference_cluster(name)
            self.let_go(*NAMES)

    @deed(value=one_of(*PLANTED, "", None))
    def set_token(self, value: str | None) -> None:
        """Somebody sets, empties, or deletes the token."""
        if value is not None:
            self.tokens |= {value} - {""}
            self.home.set_secret(
                "default", "old", {f"HF_{at}": one for at, one in enumerate(sorted(self.tokens))}
            )
            self.home.set_secret("default", "hub", {"HF_TOKEN": value})
        elif self.home.find(SECRET.kind, "default", "hub"):
            self.home.delete_secret("default", "hub")

    def after_each(self) -> None:
        """Have the words of Pods follow the tokens that are there."""
        self.speak()

    def speak(self) -> None:
        """Have Pods that fail quote the tokens that their cluster holds now."""
        for name, world in self.worlds.items():
            plan = HYDRATIONS[self.plans[name]]
            words = plan.message.replace("TOKEN", " and ".join(world.held_tokens()))
            world.plan_hydration("", plan._replace(message=words))

    @deed(name=one_of("east", "west"), to=one_of("east", "west", "no", None))
    def set_kubeconfig(self, name: str, to: str | None) -> None:
        """Somebody sets the way into a cluster, wrongly or not, or takes it away."""
        if to is not None:
            self.point(name, to)
        elif self.home.find(SECRET.kind, OWN, f"{name}-kubeconfig"):
            self.home.delete_secret(OWN, f"{name}-kubeconfig")
        if to not in {None, "no", name}:
            self.let_go(*NAMES)

    @deed(place=places, kind=one_of(JOB.kind, POD.kind, CLAIM.kind, SECRET.kind),
          pick=picks)  # fmt: skip
    def delete_thing(self, place: str, kind: str, pick: int) -> None:
        """Somebody deletes something of ours by hand."""
        self.on_thing(place, kind, pick, lambda world, one: world.delete_any(one))

    @deed(place=places, kind=one_of(JOB.kind, POD.kind, CLAIM.kind, SECRET.kind),
          pick=picks)  # fmt: skip
    def strip_label(self, place: str, kind: str, pick: int) -> None:
        """Somebody takes our label off something."""
        self.on_thing(place, kind, pick, lambda world, one: world.strip(one, labels.CACHE))

    @deed(place=places, kind=one_of(JOB.kind, CLAIM.kind, SECRET.kind), pick=picks,
          key=one_of(labels.CACHE_UID, labels.HYDRATED, labels.FINGERPRINT),
          value=one_of(NOBODY, None))  # fmt: skip
    def edit_note(self, place: str, kind: str, pick: int, key: str, value: str | None) -> None:
        """Somebody edits an annotation of ours."""
        if key == labels.CACHE_UID and value is None:
            return  # nobody's any more: allowed to stay
        self.left |= {NOBODY} if value == NOBODY and key == labels.CACHE_UID else set()
        self.on_thing(place, kind, pick, lambda world, one: world.note_on(one, {key: value}))

    @deed(place=places, pick=picks)
    def mount(self, place: str, pick: int) -> None:
        """Somebody's engine mounts a claim."""
        world = self.worlds[place]
        name = f"engine-{pick}"
        found = world.listed(CLAIM.kind, WORKLOADS)
        if found and not world.find(POD.kind, WORKLOADS, name):
            with suppress(Refusal):
                world.add_mounting_pod(
                    WORKLOADS, name, found[pick % len(found)]["metadata"]["name"]
                )

    @deed(place=places, pick=picks)
    def unmount(self, place: str, pick: int) -> None:
        """The engine ends."""
        if self.worlds[place].find(POD.kind, WORKLOADS, f"engine-{pick}"):
            self.worlds[place].delete_pod(WORKLOADS, f"engine-{pick}")

    @deed(place=places)
    def delete_namespace(self, place: str) -> None:
        """Somebody deletes everything of ours at once."""
        found = self.worlds[place].find("Namespace", "", WORKLOADS)
        if found and not found["metadata"].get("deletionTimestamp"):
            self.worlds[place].delete_namespace(WORKLOADS)

    @deed(place=places, how=one_of("forbid", "deny", "allow"),
          kind=one_of(JOB.kind, CLAIM.kind, SECRET.kind))  # fmt: skip
    def refuse(self, place: str, how: str, kind: str) -> None:
        """A quota or a policy refuses new objects, or not any more."""
        if how == "allow":
            self.worlds[place].allow(kind, WORKLOADS)
        else:
            getattr(self.worlds[place], how)(kind, WORKLOADS, f"{how}: no more")

    # What machines do.

    @deed(place=places, name=one_of("n0", "n1"),
          what=one_of("join", "leave", "replace", "silence"))  # fmt: skip
    def node_changes(self, place: str, name: str, what: str) -> None:
        """A machine joins, leaves, is replaced, or falls silent."""
        world = self.worlds[place]
        there = world.find(NODE.kind, "", name)
        if what == "join" and not there:
            world.add_node(name)
        elif what != "join" and there:
            if what == "replace":
                world.replace_node(name)
            else:
                (world.delete_node if what == "leave" else world.stop_kubelet)(name)

    @deed(place=places, plan=one_of(*sorted(PROVISIONERS)))
    def provisioner_is(self, place: str, plan: str) -> None:
        """The provisioner works, fails, or is not there."""
        self.worlds[place].set_provisioner(STORAGE, PROVISIONERS[plan])

    @deed(place=places, plan=one_of(*sorted(HYDRATIONS)))
    def hydration_is(self, place: str, plan: str) -> None:
        """The hub works, or not."""
        self.plans[place] = plan
        self.speak()

    @deed(place=places, pick=picks)
    def volume_is_lost(self, place: str, pick: int) -> None:
        """A volume vanishes with its data."""
        found = self.worlds[place].listed("PersistentVolume")
        if found:
            with suppress(Refusal):  # one that was going goes with its last finalizer
                self.worlds[place].lose_volume(found[pick % len(found)]["metadata"]["name"])

    @deed(place=places, there=yes_or_no())
    def class_is_there(self, place: str, there: bool) -> None:  # noqa: FBT001 -- a parameter
        """The storage class comes or goes."""
        found = self.worlds[place].find("StorageClass", "", STORAGE)
        if there and not found:
            self.worlds[place].add_storage_class(STORAGE, plan=ProvisionerPlan(), expandable=True)
        elif found and not there:
            self.worlds[place].delete_storage_class(STORAGE)

    def on_thing(self, place: str, kind: str, pick: int, deed: Deed) -> None:
        """Do something to an object in the namespace of the caches."""
        world = self.worlds[place]
        found = [one for one in world.listed(kind, WORKLOADS)
                 if not one["metadata"]["name"].startswith("engine")]  # fmt: skip
        if found:
            deed(world, found[pick % len(found)])
