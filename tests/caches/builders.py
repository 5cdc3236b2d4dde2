"""Scenes: a ModelCache, its clusters, and what it has there, told to the pure core.

A scene begins with the home cluster and one workload cluster "one", both listed whole, with a
storage class; nothing of Kubernetes and no adapter is involved. What is decided stands open until
it is answered; `willing.carry_out` does all of it as a willing cluster would.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from engine.canonical_json import dumps, loads
from engine.events import Draft, Event, Subject
from engine.instants import SECOND
from engine.stepping import Cursor, step
from machines.caches.changes import what_of
from machines.caches.deciding import cache_body
from machines.caches.levels import (
    CacheLevel,
    ClaimLevel,
    ClusterLevel,
    HydrationJobLevel,
    HydrationPodLevel,
    Owner,
    SecretLevel,
    StorageClassLevel,
)
from machines.caches.reaching import wanted_secrets
from machines.caches.settings import CachingSettings
from machines.caches.states import Cache, Entry
from machines.domain import WARMLOG
from machines.ingesting import due_deadlines, ingest
from machines.intents import CacheIntent, intent_from_json
from machines.levels import Level, NamespaceLevel, NodeLevel
from machines.observations import (
    Answer,
    Answered,
    ClaimUsersRead,
    Deleted,
    Done,
    EventsRead,
    Listed,
    Observation,
    Reachability,
    Refused,
    Seen,
)
from machines.states import CACHE_KINDS, SECRET, WORKLOAD_KINDS, Known, OpenIntent, State

HOME, ONE, TWO = "home", "ic/one", "ic/two"
NAMESPACE, NAME, UID = "ml-team", "qwen", "cache-uid"
WORKLOAD = "mp-ml-team-51733"
CLAIM, JOB, COPY = (
    "modelcache-ml-team-qwen-17db2",
    "modelcache-ml-team-qwen-hydrate-256ec",
    "modelcache-ml-team-qwen-auth-ae01b",
)
OURS = Owner(NAMESPACE, NAME, UID)
BEGINNING = 1_767_225_600 * SECOND  # 2026-01-01T00:00:00Z


def spec_of(
    *,
    repo: str = "Qwen/Qwen3-8B",
    revision: str = "",
    secret: str = "",
    size: int = 50,
    selector: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """A spec that stages a repository, everywhere unless told otherwise."""
    hub: dict[str, Any] = {"repo": repo, "sizeGiB": size}
    hub |= {"revision": revision} if revision else {}
    hub |= {"authSecret": {"name": secret}} if secret else {}
    spec: dict[str, Any] = {"source": "HuggingFace", "huggingFace": hub}
    return spec | ({"clusterSelector": {"matchLabels": dict(selector)}} if selector else {})


class CacheScene:
    """A home, its clusters, one ModelCache unless more are made, and the log of it all."""

    def __init__(self, *clusters: str, log_id: str = "log", **settings: Any) -> None:
        """Begin with everything listed, and a storage class on each cluster."""
        self.state: State = WARMLOG.initial(log_id)
        self.rows: list[Event] = []
        self.clock = BEGINNING
        self.cursor = Cursor(0, 0, 1, 0)
        self.version = 100
        self.settings = CachingSettings(**settings)
        self.start()
        for name in clusters or ("one",):
            self.cluster(name)
        self.sync(HOME)
        for name in clusters or ("one",):
            self.storage_class(f"ic/{name}")
            self.sync(f"ic/{name}")

    # telling

    def tell(self, *observations: Observation) -> tuple[Event, ...]:
        """Tell what was observed; give the rows that it made."""
        return self.step(ingest(self.state, observations, self.clock))

    def step(self, drafts: Iterable[Draft]) -> tuple[Event, ...]:
        """Fold these facts, and what they have decided."""
        self.state, made = step(WARMLOG, self.state, self.cursor, drafts, self.clock)
        self.cursor = made.cursor
        self.rows += made.events
        return made.events

    def see(self, cluster: str, subject: Subject, level: Level, status: Any = None) -> None:
        """Tell that an object is at a level, at its next version."""
        self.tell(Seen(cluster, subject, str(self.next()), level, status))

    def gone(self, cluster: str, subject: Subject, last: Level | None = None) -> None:
        """Tell that an object is gone."""
        self.tell(Deleted(cluster, subject, str(self.next()), last))

    def next(self) -> int:
        """Give the next resourceVersion."""
        self.version += 1
        return self.version

    def start(self) -> None:
        """The controller starts; nothing is listed yet."""
        data = dumps({"caching": self.settings.to_json()})
        self.step([Draft("", str(Subject("Session", "", "", "")), "SessionStarted", 1, data)])

    def sync(
        self, cluster: str, *, without: str = "", secrets: bool = True, workload: bool = False
    ) -> None:
        """Every kind, and every named Secret, of a cluster is listed as it is known."""
        kinds: tuple[str, ...] = CACHE_KINDS if cluster == HOME else WORKLOAD_KINDS
        kinds += WORKLOAD_KINDS if workload else ()
        for kind in kinds:
            self.tell(self.listed(cluster, kind, without=without))
        for scope in sorted(wanted_secrets(self.state)):
            if secrets and scope.cluster == cluster:
                self.tell(self.listed(cluster, SECRET, scope=(scope.namespace, scope.name)))

    def listed(
        self, cluster: str, kind: str, *, scope: tuple[str, str] = ("", ""), without: str = ""
    ) -> Listed:
        """Give a whole list of a kind, as it is known, but for one uid."""
        known = self.state.clusters[cluster].objects[kind] if cluster in self.state.clusters else {}
        items = tuple(
            Seen(cluster, one.subject, str(one.version), one.level)
            for uid, one in known.items()
            if uid != without
            and (not any(scope) or (one.subject.namespace, one.subject.name) == scope)
        )
        return Listed(cluster, kind, str(self.next()), items, scope=scope)

    def wait(self, seconds: float) -> None:
        """So many seconds pass, one deadline after the other."""
        end = self.clock + int(seconds * SECOND)
        while self.state.timers and self.state.timers[0][0] <= end:
            self.clock = max(self.clock, self.state.timers[0][0])
            if not self.tell(*due_deadlines(self.state, self.clock)):
                break
        self.clock = end

    # clusters

    def cluster(
        self, name: str, *, uid: str = "", source: str = "Existing", storage: str = "",
        **fields: Any,
    ) -> None:  # fmt: skip
        """An InferenceCluster is there, labelled with its own name."""
        existing: dict[str, Any] = {"secretRef": {"name": f"{name}-kubeconfig"}}
        existing |= {"cache": {"storageClassName": storage}} if storage else {}
        block = {"existing": existing} if source == "Existing" else {}
        spec = {"cluster": {"source": source, **block}}
        given = {"labels": (("name", name),), "created": "2026-01-01T00:00:00Z", **fields}
        level = ClusterLevel(spec=dumps(spec), **given)
        self.see(HOME, self.cluster_subject(name, uid), level)
        if source == "Existing":
            secret = f"{name}-kubeconfig"
            subject = Subject(SECRET, self.settings.own_namespace, secret, f"{secret}-uid")
            self.see(HOME, subject, SecretLevel((("kubeconfig", "k1"),)))

    def cluster_subject(self, name: str, uid: str = "") -> Subject:
        """Give what an InferenceCluster's facts are about."""
        return Subject("InferenceCluster", "", name, uid or f"{name}-uid")

    def storage_class(self, cluster: str, name: str = "modelplane-rwx", uid: str = "") -> None:
        """A storage class is there, that binds for the first consumer."""
        level = StorageClassLevel("nfs", "WaitForFirstConsumer", expandable=True)
        self.see(cluster, Subject("StorageClass", "", name, uid or f"{name}-uid"), level)

    def namespace(self, cluster: str, name: str = WORKLOAD, *, terminating: bool = False) -> None:
        """A namespace is there."""
        subject = Subject("Namespace", "", name, f"{cluster[3:]}-{name}-uid")
        self.see(cluster, subject, NamespaceLevel("", terminating))

    def subject(self, kind: str, name: str, uid: str) -> Subject:
        """Give what the facts of an object without a namespace are about."""
        return Subject(kind, "", name, uid)

    def plain_namespace(self) -> NamespaceLevel:
        """Give the level of a namespace of which nothing is to be told."""
        return NamespaceLevel()

    def node(self, name: str, *, cluster: str = ONE, uid: str = "") -> Subject:
        """A node is there."""
        subject = Subject("Node", "", name, uid or f"{name}-uid")
        self.see(cluster, subject, NodeLevel(ready="True"))
        return subject

    def unreachable(self, cluster: str = ONE, words: str = "no route to host") -> None:
        """A cluster does not answer."""
        self.tell(Reachability(cluster, reachable=False, words=words))

    def reachable(self, cluster: str = ONE) -> None:
        """A cluster answers again."""
        self.tell(Reachability(cluster, reachable=True))

    # the cache

    def cache(
        self, spec: Any = None, *, name: str = NAME, namespace: str = NAMESPACE, uid: str = UID,
        status: Any = None, **fields: Any,
    ) -> Cache:  # fmt: skip
        """A ModelCache is there; give what is known of it."""
        subject = Subject("ModelCache", namespace, name, uid)
        known = self.state.caches.get(uid)
        text = known.level.spec if known and spec is None else dumps(spec or spec_of())
        held = known.level.held if known else False
        level = CacheLevel(**{"spec": text, "held": held, **fields})
        self.see(HOME, subject, level, status)
        return self.state.caches[uid]

    def cache_gone(self, uid: str = UID) -> None:
        """The ModelCache is gone."""
        self.gone(HOME, self.state.caches[uid].subject)

    @property
    def mc(self) -> Cache:
        """The cache of the scene."""
        return self.state.caches[UID]

    def entry(self, name: str = "one") -> Entry:
        """The cache's entry on a cluster."""
        return self.mc.entries[name]

    def phase(self, name: str = "one") -> str:
        """Give where the cache stands on a cluster."""
        return self.entry(name).state.value

    def token(self, digest: str = "d1", *, key: str = "HF_TOKEN", name: str = "hub") -> None:
        """The Secret with the token is there; no digest: an empty value."""
        subject = Subject(SECRET, NAMESPACE, name, f"{name}-uid")
        self.see(HOME, subject, SecretLevel(((key, digest),)))

    def list_secrets(self) -> None:
        """Every Secret that is to be watched is listed, as it is known."""
        for scope in sorted(wanted_secrets(self.state)):
            self.tell(self.listed(scope.cluster, SECRET, scope=(scope.namespace, scope.name)))

    # what it has

    def claim(
        self, phase: str = "Pending", *, cluster: str = ONE, uid: str = "", **fields: Any
    ) -> str:
        """The claim is at this level; give its uid."""
        known = self.state.clusters[cluster].find("PersistentVolumeClaim", WORKLOAD, CLAIM)
        old = known.level if known and not uid else None
        level = old if isinstance(old, ClaimLevel) else ClaimLevel(OURS, NAME, requested="50Gi")
        uid = uid or (known.subject.uid if known else f"claim-{self.next()}")
        subject = Subject("PersistentVolumeClaim", WORKLOAD, CLAIM, uid)
        self.see(cluster, subject, level._replace(phase=phase, **fields))
        return uid

    def claim_gone(self, cluster: str = ONE) -> None:
        """The claim is gone."""
        known = self.state.clusters[cluster].find("PersistentVolumeClaim", WORKLOAD, CLAIM)
        assert known is not None
        self.gone(cluster, known.subject)

    def job(self, outcome: str = "", *, cluster: str = ONE, uid: str = "", **fields: Any) -> str:
        """The hydration Job is at this level; give its uid."""
        known = self.state.clusters[cluster].find("HydrationJob", WORKLOAD, JOB)
        old = known.level if known and not uid else None
        level = old if isinstance(old, HydrationJobLevel) else self.job_level(cluster)
        uid = uid or (known.subject.uid if known else f"job-{self.next()}")
        level = level._replace(outcome=outcome, **fields)
        self.see(cluster, Subject("HydrationJob", WORKLOAD, JOB, uid), level)
        return uid

    def job_level(self, cluster: str = ONE) -> HydrationJobLevel:
        """Give the level of an unfinished Job of the claim that is there."""
        known = self.state.clusters[cluster].find("PersistentVolumeClaim", WORKLOAD, CLAIM)
        claim_uid = known.subject.uid if known else ""
        return HydrationJobLevel(OURS, NAME, claim_uid, self.mc.fingerprint)

    def job_gone(self, cluster: str = ONE, last: Level | None = None) -> None:
        """The Job is gone."""
        known = self.state.clusters[cluster].find("HydrationJob", WORKLOAD, JOB)
        assert known is not None
        self.gone(cluster, known.subject, last)

    def pod(self, phase: str, name: str = "pod", *, cluster: str = ONE, **fields: Any) -> Subject:
        """A Pod of the Job is at this level."""
        known = self.state.clusters[cluster].find("HydrationJob", WORKLOAD, JOB)
        job_uid = known.subject.uid if known else self.entry().job_uid
        subject = Subject("HydrationPod", WORKLOAD, name, f"{name}-uid")
        self.see(cluster, subject, HydrationPodLevel(job_uid, phase=phase, **fields))
        return subject

    def users(self, *pods: str, cluster: str = ONE) -> tuple[Event, ...]:
        """The Pods of the namespace were listed: these mount the claim."""
        known = self.state.clusters[cluster].find("PersistentVolumeClaim", WORKLOAD, CLAIM)
        assert known is not None
        return self.tell(ClaimUsersRead(cluster, known.subject, pods))

    def events(self, subject: Subject, reason: str, message: str) -> tuple[Event, ...]:
        """The Events of an object were read."""
        return self.tell(EventsRead(ONE, subject, "", reason, message))

    def known(self, cluster: str, kind: str) -> Known:
        """Give the one object of a kind that is known on a cluster."""
        [known] = self.state.clusters[cluster].objects[kind].values()
        return known

    def forbidden(self, words: str = "exceeded quota: storage") -> Refused:
        """Give a refusal of the API server."""
        return Refused(403, "Forbidden", words)

    def done(self) -> Done:
        """Give the answer that it is as intended."""
        return Done("uid")

    # decisions

    def opened(self) -> list[tuple[str, str]]:
        """Give what is decided and not answered: what, and on which cluster."""
        return [(name_of(one), one.cluster) for one in self.state.open.values()]

    def doing(self, cluster: str = ONE) -> list[str]:
        """Give what is decided and not answered on a cluster."""
        return [what for what, where in self.opened() if where == cluster]

    def decided(self, what: str) -> int:
        """Say how often something was decided."""
        return sum(what_was_decided(row) == what for row in self.rows if row.seen is not None)

    def answer(self, what: str, answer: Answer, cluster: str = "") -> tuple[Event, ...]:
        """The open intent of this name is answered."""
        [seq] = [
            seq
            for seq, one in self.state.open.items()
            if name_of(one) == what and cluster in ("", one.cluster)
        ]
        return self.tell(Answered(seq, answer))

    def body(self, what: str) -> dict[str, Any]:
        """Give the body of the open intent of this name."""
        [one] = [one for one in self.state.open.values() if name_of(one) == what]
        assert isinstance(one.intent, CacheIntent)
        return cache_body(self.state, one.cluster, one.intent) or {}


def name_of(opened: OpenIntent) -> str:
    """Name what an open intent is to do."""
    assert isinstance(opened.intent, CacheIntent)
    return what_of(opened.intent)


def what_was_decided(row: Event) -> str:
    """Name what a decision's row decides, as in "create HydrationJob"."""
    intent = intent_from_json(row.type, loads(row.data))
    assert isinstance(intent, CacheIntent)
    return what_of(intent)
