"""People around ModelReplicas, beside those around ModelCaches."""

from contextlib import suppress
from typing import Any

from adapters.running.announcing_caches import CacheAnnouncer
from adapters.running.announcing_replicas import ReplicaAnnouncer
from adapters.simulator.answers import Refusal
from adapters.simulator.clock import SECOND, Span
from adapters.simulator.driving import start
from adapters.simulator.plans import EnginePlan, ProvisionerPlan
from adapters.simulator.resources import LEADER_WORKER_SET, REPLICA
from adapters.simulator.storage import Manifest
from engine.events import Event
from machines import labels
from machines.caches.settings import CachingSettings
from machines.states import State
from property_tests.cache_people import (
    IDENTITY,
    OWN,
    STORAGE,
    WORKLOADS,
    caches,
    picks,
    places,
)
from property_tests.cache_worlds import CacheWorlds
from property_tests.playing.choices import many, one_of, together, whole, yes_or_no
from property_tests.playing.deeds import beginning, deed
from property_tests.served_worlds import NAMESPACE, SERVING, STRANGER, ServedWorld
from property_tests.staged_worlds import HOME, NOBODY
from tests.replicas.builders import engine, spec_of

WHO = IDENTITY._replace(caching=CachingSettings(replicas=True))
REPLICAS = ("chat", "code")
ENGINES = (EnginePlan(), EnginePlan(ready=None), EnginePlan(crash=Span(SECOND, SECOND)))
MEDDLING = ("delete", "delete", "strip", "nobody", "unapply", "label")

replicas = one_of(*REPLICAS)
refs = one_of("one", "one", "two", "none such", "")
shapes = one_of("one", "one", "two", "gang", "both", "disaggregated")


class ReplicaPeople(CacheWorlds):
    """Clusters, and the people and machines in them."""

    worlds: dict[str, ServedWorld]  # type: ignore[assignment]

    def __init__(self) -> None:
        """Begin with nothing."""
        super().__init__()
        self.lengths: list[int] = []  # of the log, after each batch
        self.left_replicas: set[str] = set()  # whose objects may stay

    @property
    def home(self) -> ServedWorld:
        """The cluster that warmlog runs in."""
        return self.worlds[HOME]

    @beginning(
        seed=whole(0, 1000),
        gangs=yes_or_no(),
        wants=many(together(replicas, refs, shapes), 1, 2),
        ready=yes_or_no(),
    )
    def begin(
        self,
        seed: int,
        gangs: bool,  # noqa: FBT001 -- parameters
        wants: list[tuple[str, str, str]],
        ready: bool,  # noqa: FBT001 -- parameters
    ) -> None:
        """Two clusters are there, somebody wants models and engines, and the controller starts."""
        for index, name in enumerate((HOME, "east", "west")):
            world = self.worlds[name] = ServedWorld(seed + index, name, self.witness)
            world.add_namespace("kube-system")
            world.add_node("n0")
            world.add_node("n1")
            world.add_storage_class(STORAGE, plan=ProvisionerPlan(), expandable=True)
            self.plans[name] = "succeeds"
            if gangs:
                world.serve(LEADER_WORKER_SET.kind)
        self.home.install_all()
        self.home.add_namespace(OWN)
        for world in self.worlds.values():
            world.cluster.advance(self.home.cluster.now + 2 * SECOND)
        self.serve("home", tier="a")
        self.serve("east", tier="a")
        self.keep_tokens()
        self.wish("one", "", "all", 10)
        for name, ref, shape in wants:
            self.want(name, ref, shape, "home", 1, "v1")
        self.live()
        if ready:
            self.drive(60)

    def want(
        self, name: str, ref: str, shape: str, cluster: str, copies: int, image: str, **more: Any
    ) -> None:
        """Apply a ModelReplica."""
        engines = {
            "one": [engine(copies=copies)],
            "two": [engine(copies=copies), engine("second")],
            "gang": [engine(gang=True, copies=copies)],
            "both": [engine("second", gang=True), engine(copies=copies)],
            "disaggregated": [engine("prefill") | {"phase": "Prefill"},
                              engine("decode") | {"phase": "Decode"}],
        }[shape]  # fmt: skip
        for one in engines:
            for member in one["members"]:
                member["template"]["spec"]["containers"][0]["image"] = f"vllm:{image}"
        mode = {"serving": {"mode": "PrefillDecode"}} if shape == "disaggregated" else {}
        spec = spec_of(*engines, cache=ref.replace(" ", "-"), cluster=cluster, **mode, **more)
        found = self.home.find(REPLICA.kind, NAMESPACE, name)
        if found:
            spec = {"modelCacheRef": None, "serving": None, **spec}
            spec["clusterName"] = found["spec"]["clusterName"]
        with suppress(Refusal):
            self.home.apply({
                "apiVersion": REPLICA.api_version, "kind": REPLICA.kind,
                "metadata": {"name": name, "namespace": NAMESPACE}, "spec": spec,
            })  # fmt: skip

    def live(self) -> None:
        """Begin a life of the controller, on a log that may have been lost, or cut, before."""
        rows = len(self.logs[-1].rows)
        self.lengths = [one for one in self.lengths if one <= rows]
        others = {name: self.worlds[name] for name in ("east", "west")}
        self.driver = self.born(
            lambda log, host: start(self.home, log, WHO, self.listen, others=others, host=host)
        )
        self.announcer = CacheAnnouncer(self.driver.writer.state)
        self.replica_announcer = ReplicaAnnouncer(self.driver.writer.state)

    def listen(self, rows: tuple[Event, ...], state: State) -> None:
        """Look for news, as the live loop does."""
        super().listen(rows, state)
        log = self.logs[-1]
        self.lengths = [one for one in self.lengths if one < len(log.rows)] + [len(log.rows)]
        self.witness.evidence.announced += map(str, self.replica_announcer.news(state))

    def let_go(self, *names: str) -> None:
        """Note that what caches have may stay somewhere; when a cluster goes, replicas' as well."""
        super().let_go(*names)
        if len(names) > 1:
            found = self.home.listed(REPLICA.kind)
            self.left_replicas |= {one["metadata"]["uid"] for one in found}

    @deed(name=replicas, ref=refs, shape=shapes, cluster=one_of("home", "east"),
          copies=one_of(1, 2), image=one_of("v1", "v2"))  # fmt: skip
    def apply_replica(
        self, name: str, ref: str, shape: str, cluster: str, copies: int, image: str
    ) -> None:
        """Somebody applies a ModelReplica, or edits one."""
        self.want(name, ref, shape, cluster, copies, image)

    @deed(name=replicas, ref=refs)
    def switch(self, name: str, ref: str) -> None:
        """Somebody has a replica use another cache, or none."""
        if self.home.find(REPLICA.kind, NAMESPACE, name):
            value = {"name": ref.replace(" ", "-")} if ref else None
            self.home.apply({
                "apiVersion": REPLICA.api_version, "kind": REPLICA.kind,
                "metadata": {"name": name, "namespace": NAMESPACE},
                "spec": {"modelCacheRef": value},
            })  # fmt: skip

    @deed(name=caches)
    def needed_cache(self, name: str) -> None:
        """Somebody applies a cache that all clusters are to have."""
        self.wish(name, "", "all", 10)

    @deed(name=replicas)
    def delete_replica(self, name: str) -> None:
        """Somebody deletes a ModelReplica."""
        if self.home.find(REPLICA.kind, NAMESPACE, name):
            self.home.delete_replica(name)

    @deed(name=replicas, value=one_of("true", None))
    def abandon(self, name: str, value: str | None) -> None:
        """Somebody asks to let go of a replica, or not any more."""
        found = self.home.find(REPLICA.kind, NAMESPACE, name)
        if found:
            self.home.annotate(REPLICA.kind, NAMESPACE, name, {labels.ABANDON: value})
            self.left_replicas.add(found["metadata"]["uid"])

    @deed(name=replicas, mount=one_of("stranger", "hostPath", ""))
    def edit_replica_status(self, name: str, mount: str) -> None:
        """Somebody writes a replica's status."""
        found = self.home.find(REPLICA.kind, NAMESPACE, name)
        if not found:
            return
        volume: Manifest = {"name": "model-cache"}
        if mount:
            volume |= {"persistentVolumeClaim": {"claimName": mount}}
        value = {"volumes": [volume], "volumeMounts": [], "env": []} if mount else None
        with suppress(Refusal):
            self.home.edit_replica_status(name, {"mount": value, "composed": not mount})

    @deed(place=places, kind=one_of(*SERVING), pick=picks,
          how=one_of(*MEDDLING))  # fmt: skip
    def meddle(self, place: str, kind: str, pick: int, how: str) -> None:
        """Somebody deletes something of a replica's by hand, or edits what it bears of ours."""
        world = self.worlds[place]
        found = world.listed(kind, WORKLOADS)
        if not found:
            return
        thing = found[pick % len(found)]
        if how == "delete":
            world.delete_serving(thing)
        elif how == "label":
            world.patch_by_hand(thing, {"metadata": {"labels": {labels.SERVING: None}}})
        else:
            notes = {"strip": {labels.REPLICA_UID: None, labels.REPLICA_NAME: None,
                               labels.REPLICA_NAMESPACE: None},
                     "nobody": {labels.REPLICA_UID: NOBODY},
                     "unapply": {labels.APPLIED: None}}[how]  # fmt: skip
            world.patch_by_hand(thing, {"metadata": {"annotations": notes}})

    @deed(place=places, pick=picks, what=one_of("image", "scale", "restart", "mine"))
    def edit_workload(self, place: str, pick: int, what: str) -> None:
        """Somebody edits an engine's Deployment, scales it, or restarts it."""
        world = self.worlds[place]
        found = world.listed("Deployment", WORKLOADS)
        if not found:
            return
        thing = found[pick % len(found)]
        name = thing["metadata"]["name"]
        if what == "scale":
            world.scale("Deployment", WORKLOADS, name, pick % 3)
            return
        container = dict(thing["spec"]["template"]["spec"]["containers"][0])
        patch: Manifest = {"spec": {"template": {"spec": {
            "containers": [{**container, "image": "mine:1"}]}}}}  # fmt: skip
        if what == "restart":
            patch = {"spec": {"template": {"metadata": {"annotations": {"restarted": str(pick)}}}}}
        elif what == "mine":
            patch = {"spec": {"replicas": pick % 3}}
        world.patch_by_hand(thing, patch)

    @deed(place=places, pick=picks)
    def gang_is_up(self, place: str, pick: int) -> None:
        """LeaderWorkerSets say that they are available."""
        for one in self.worlds[place].listed(LEADER_WORKER_SET.kind, WORKLOADS)[: pick + 1]:
            name = one["metadata"]["name"]
            self.worlds[place].make_available(LEADER_WORKER_SET.kind, WORKLOADS, name)

    @deed(place=places, there=yes_or_no())
    def gangs_are_served(self, place: str, there: bool) -> None:  # noqa: FBT001 -- a parameter
        """The definition of LeaderWorkerSets comes or goes."""
        kind = LEADER_WORKER_SET.kind
        (self.worlds[place].serve if there else self.worlds[place].stop_serving)(kind)

    @deed(place=places, how=one_of("forbid", "deny", "allow"),
          kind=one_of(*SERVING))  # fmt: skip
    def refuse_engine(self, place: str, how: str, kind: str) -> None:
        """A quota or a policy refuses new objects, or not any more."""
        if how == "allow":
            self.worlds[place].allow(kind, WORKLOADS)
        else:
            getattr(self.worlds[place], how)(kind, WORKLOADS, f"{how}: no more")

    @deed(place=places, plan=one_of(*range(len(ENGINES))))
    def engines_are(self, place: str, plan: int) -> None:
        """Engines come up, never do, or crash."""
        self.worlds[place].plan_engines("", ENGINES[plan])

    @deed(place=places, name=one_of(*REPLICAS), what=one_of("Service", "mine"))
    def plant(self, place: str, name: str, what: str) -> None:
        """Somebody has a Service of a replica's name, another's or nobody's."""
        notes = {
            labels.REPLICA_NAME: "x",
            labels.REPLICA_NAMESPACE: "y",
            labels.REPLICA_UID: STRANGER,
        }
        world = self.worlds[place]
        if world.find("Service", WORKLOADS, name) or not world.find("Namespace", "", WORKLOADS):
            return
        with suppress(Refusal):
            world.apply({
                "apiVersion": "v1", "kind": "Service",
                "metadata": {"name": name, "namespace": WORKLOADS,
                             "annotations": notes if what == "mine" else {}},
                "spec": {"ports": [{"port": 1}], "selector": {"a": "b"}},
            })  # fmt: skip

    def all_is_well(self) -> None:
        """Everything that can be well is."""
        super().all_is_well()
        for world in self.worlds.values():
            for kind in SERVING:
                world.allow(kind, WORKLOADS)
            world.plan_engines("", EnginePlan())

            for one in world.listed("Service", WORKLOADS):
                if one["spec"]["selector"] == {"a": "b"}:  # which nobody sees, and asks for again
                    world.delete_serving(one)

    def gangs_are_up(self) -> None:
        """Every gang that is there is available."""
        for place in self.worlds:
            self.gang_is_up(place, 7)
