"""Chaos of caches: facts in any order about two clusters and one name, told to the core alone.

Nothing here is a cluster: claims bind before they are created, Jobs end for claims that are gone,
lists hold what they like. Each action becomes observations, as from a running controller.
"""

from collections.abc import Callable, Iterator
from typing import Any

from engine.canonical_json import dumps
from engine.events import Event, Subject
from engine.instants import SECOND
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
from machines.ingesting import due_deadlines
from machines.intents import CacheIntent, Change, Create
from machines.levels import Level, NamespaceLevel, NodeLevel
from machines.observations import (
    Absent,
    Answer,
    Answered,
    ClaimUsersRead,
    Contested,
    Deleted,
    Done,
    EventsRead,
    Listed,
    Observation,
    Reachability,
    Refused,
    RolledBack,
    Seen,
    Unknown,
    Unread,
)
from machines.states import CACHE_KINDS, SECRET, WORKLOAD_KINDS, Known
from property_tests import cache_actions as act
from property_tests.making import LogInTheMaking
from tests.caches.builders import CLAIM, HOME, JOB, NAME, NAMESPACE, WORKLOAD, spec_of
from tests.caches.willing import changed_level, created_level

SPECS: tuple[dict[str, Any], ...] = (
    spec_of(),
    spec_of(secret="hub"),
    spec_of(selector={"wanted": "yes"}, size=60),
    spec_of(repo="other/model"),
    spec_of(repo="../etc"),
)
NOTES = ((), (("warmlog.dev/retry", "1"),), (("warmlog.dev/retry", "2"),),
         (("warmlog.dev/abandon", "true"),))  # fmt: skip
OWNERS = (
    Owner(NAMESPACE, NAME, "cache-0"),
    Owner(NAMESPACE, NAME, "cache-1"),
    Owner(),
    Owner("other", NAME, "other-0"),
)
ANSWERS: tuple[Answer, ...] = (
    Done("uid"),
    Done("uid", found=True),
    Refused(403, "Forbidden", "exceeded quota"),
    Refused(409, "NameTaken", "exists"),
    Refused(409, "ClaimInUse", "Pod p mounts it"),
    Refused(403, "Forbidden", "namespace is terminating", terminating=True),
    Unknown("timed out"),
    Absent(),
)


class CacheChaos(LogInTheMaking):
    """A log in the making, and the state that its rows give."""

    def take(self, action: act.Action) -> tuple[Event, ...]:
        """Do what the action says; give the rows that it made."""
        self.clock += SECOND // 7
        if isinstance(action, act.Restart):
            begun = self.restart()
            self.last = list(all_listed(self)) if action.listed else []
            return begun + self.tell(self.last)
        if isinstance(action, act.AllGoesWell):
            return self._prosper(action)
        if isinstance(action, act.TimePasses):
            self.clock += action.seconds * SECOND
            self.last = list(due_deadlines(self.state, self.clock))
        elif not isinstance(action, act.Again):
            self.last = list(_MAKERS[type(action)](self, action))
        return self.tell(self.last)

    def known(self, cluster: str, kind: str) -> list[Known]:
        """Give what the log knows of a kind on a cluster."""
        there = self.state.clusters.get(cluster)
        return list(there.objects[kind].values()) if there else []

    def version(self) -> str:
        """Give the next version of anything."""
        self._version += 1
        return str(self._version)

    def seen(self, cluster: str, subject: Subject, level: Level, past: Any = None) -> Seen:
        """Observe an object at a level."""
        return Seen(cluster, subject, self.version(), level, past)

    def _prosper(self, action: act.AllGoesWell) -> tuple[Event, ...]:
        """Carry out what is open, turn by turn, and let what is there come to its end."""
        rows: tuple[Event, ...] = ()
        for _ in range(action.turns):
            for seq in list(self.state.open):
                if seq in self.state.open:
                    self.last = list(carried_out(self, seq))
                    rows += self.tell(self.last)
        self.last = [*_bound(self), *_ended(self, action.outcome)]
        return rows + self.tell(self.last)


def place(index: int) -> str:
    """Give the name of a cluster in the log; -1 is home."""
    return HOME if index < 0 else f"ic/{act.CLUSTERS[index]}"


def all_listed(chaos: CacheChaos) -> Iterator[Observation]:
    """List every kind, and every Secret that is watched, as they are known."""
    for index in range(-1, 2):
        for kind in CACHE_KINDS if index < 0 else WORKLOAD_KINDS:
            yield listed(chaos, place(index), kind)
    for scope in sorted(wanted_secrets(chaos.state)):
        yield listed(chaos, scope.cluster, SECRET, scope=(scope.namespace, scope.name))


def listed(
    chaos: CacheChaos,
    cluster: str,
    kind: str,
    *,
    without: int = 9,
    scope: tuple[str, str] = ("", ""),
) -> Listed:
    """List a kind as it is known, but for one object, which is gone."""
    items = tuple(
        Seen(cluster, known.subject, str(known.version), known.level)
        for index, known in enumerate(chaos.known(cluster, kind))
        if index != without
        and (not any(scope) or (known.subject.namespace, known.subject.name) == scope)
    )
    return Listed(cluster, kind, chaos.version(), items, scope=scope)


def cache_subject(life: int) -> Subject:
    """Give what the facts of one of the two ModelCaches of the name are about."""
    return Subject("ModelCache", NAMESPACE, NAME, f"cache-{life}")


def carried_out(chaos: CacheChaos, seq: int, *, seen: bool = True) -> Iterator[Observation]:
    """Do what an open intent says; show what came of it, unless nobody looks; and answer."""
    opened = chaos.state.open[seq]
    intent, cluster = opened.intent, opened.cluster
    assert isinstance(intent, CacheIntent)
    body = cache_body(chaos.state, cluster, intent)
    uid = intent.uid if not isinstance(intent, Create) else f"made-{seq}"
    subject = Subject(intent.kind, intent.namespace, intent.name, uid)
    there = chaos.state.clusters.get(cluster)
    known = there.objects[intent.kind].get(uid) if there else None
    if seen and isinstance(intent, Create) and body is not None:
        yield chaos.seen(cluster, subject, created_level(body, intent.kind))
    elif seen and isinstance(intent, Change) and known is not None and body is not None:
        yield chaos.seen(cluster, subject, changed_level(known, intent, body))
    elif seen and known is not None:
        yield Deleted(cluster, subject, chaos.version())
    yield Answered(seq, Done(uid))


def _bound(chaos: CacheChaos) -> Iterator[Observation]:
    for index in range(2):
        for known in chaos.known(place(index), "PersistentVolumeClaim"):
            assert isinstance(known.level, ClaimLevel)
            yield chaos.seen(place(index), known.subject, known.level._replace(phase="Bound"))


def _ended(chaos: CacheChaos, outcome: str) -> Iterator[Observation]:
    for index in range(2):
        for known in chaos.known(place(index), "HydrationJob"):
            assert isinstance(known.level, HydrationJobLevel)
            yield chaos.seen(place(index), known.subject, known.level._replace(outcome=outcome))


def _cache(chaos: CacheChaos, action: act.CacheIs) -> Iterator[Observation]:
    subject = cache_subject(action.life)
    level = CacheLevel(
        action.spec + 1, dumps(SPECS[action.spec]), NOTES[action.notes],
        action.deleting, action.held,
    )  # fmt: skip
    uid = subject.uid if action.past == "ours" else "another"
    rows = [{"name": "one", "phase": "Ready"}, {"name": "two", "phase": "Failed"}]
    past = {"clusters": rows, "warmlog": {"uid": uid, "log": "older"}} if action.past else None
    yield chaos.seen(HOME, subject, level, past)


def _cache_gone(chaos: CacheChaos, action: act.CacheGone) -> Iterator[Observation]:
    yield Deleted(HOME, cache_subject(action.life), chaos.version())


def _cluster_subject(cluster: int, life: int) -> Subject:
    name = act.CLUSTERS[cluster]
    return Subject("InferenceCluster", "", name, f"{name}-{life}")


def _cluster(chaos: CacheChaos, action: act.ClusterIs) -> Iterator[Observation]:
    secret = Subject(SECRET, CachingSettings().own_namespace, "k", "k-uid")
    yield chaos.seen(HOME, secret, SecretLevel((("kubeconfig", "digest"),)))
    labels = (("wanted", "yes"),) * action.labelled
    spec = {"cluster": {"source": "Existing", "existing": {"secretRef": {"name": "k"}}}}
    level = ClusterLevel(labels, dumps(spec), "", action.storage, f"2026-01-0{action.cluster + 1}")
    yield chaos.seen(HOME, _cluster_subject(action.cluster, action.life), level)


def _cluster_gone(chaos: CacheChaos, action: act.ClusterGone) -> Iterator[Observation]:
    yield Deleted(HOME, _cluster_subject(action.cluster, action.life), chaos.version())


def _token(chaos: CacheChaos, action: act.TokenIs) -> Iterator[Observation]:
    known = [one.subject.uid for one in chaos.known(HOME, SECRET) if one.subject.name == "hub"]
    subject = Subject(SECRET, NAMESPACE, "hub", known[0] if known else f"hub-{chaos.version()}")
    if action.digest == "gone":
        yield Deleted(HOME, subject, chaos.version())
    else:
        yield chaos.seen(HOME, subject, SecretLevel((("HF_TOKEN", action.digest),)))


def _claim(chaos: CacheChaos, action: act.ClaimIs) -> Iterator[Observation]:
    cluster = place(action.cluster)
    uid = f"claim-{action.life}" if action.life else _uid(chaos, cluster, "PersistentVolumeClaim")
    cache = chaos.state.caches.get("cache-0")
    fingerprint = cache.fingerprint if cache else ""
    latch = ("", f"{uid}/{fingerprint}", f"other/{fingerprint}")[action.latched]
    level = ClaimLevel(
        OWNERS[action.owner], NAME, action.phase, "", "c", "50Gi", "", action.node, latch, "",
        action.deleting,
    )  # fmt: skip
    yield chaos.seen(cluster, Subject("PersistentVolumeClaim", WORKLOAD, CLAIM, uid), level)


def _uid(chaos: CacheChaos, cluster: str, kind: str) -> str:
    """Give the uid of what is there, or another one."""
    known = chaos.known(cluster, kind)
    return known[-1].subject.uid if known else f"found-{chaos.version()}"


def _job(chaos: CacheChaos, action: act.JobIs) -> Iterator[Observation]:
    cluster = place(action.cluster)
    uid = f"job-{action.life}" if action.life else _uid(chaos, cluster, "HydrationJob")
    cache = chaos.state.caches.get("cache-0")
    claims = chaos.known(cluster, "PersistentVolumeClaim")
    claim_uid = claims[-1].subject.uid if claims and action.right else "other"
    level = HydrationJobLevel(
        OWNERS[action.owner], NAME, claim_uid, cache.fingerprint if cache else "", action.outcome,
        "BackoffLimitExceeded" if action.outcome == "Failed" else "", deleting=action.deleting,
    )  # fmt: skip
    yield chaos.seen(cluster, Subject("HydrationJob", WORKLOAD, JOB, uid), level)


def _pod(chaos: CacheChaos, action: act.PodIs) -> Iterator[Observation]:
    cluster = place(action.cluster)
    name = f"pod-{action.pod}"
    job_uid = _uid(chaos, cluster, "HydrationJob")
    level = HydrationPodLevel(job_uid, action.node, action.phase, action.reason, "words")
    subject = Subject("HydrationPod", WORKLOAD, name, f"{name}-{job_uid}")
    yield chaos.seen(cluster, subject, level)


def _gone(chaos: CacheChaos, action: act.ObjectGone) -> Iterator[Observation]:
    known = chaos.known(place(action.cluster), action.kind)
    if known:
        subject = known[action.which % len(known)].subject
        yield Deleted(place(action.cluster), subject, chaos.version())


def _node(chaos: CacheChaos, action: act.NodeIs) -> Iterator[Observation]:
    subject = Subject("Node", "", "n0", f"n0-{action.life}")
    yield chaos.seen(place(action.cluster), subject, NodeLevel(ready="True"))


def _namespace(chaos: CacheChaos, action: act.PlaceIs) -> Iterator[Observation]:
    name = "kube-system" if action.system else WORKLOAD
    subject = Subject("Namespace", "", name, f"{name}-uid")
    yield chaos.seen(place(action.cluster), subject, NamespaceLevel("", action.terminating))


def _class(chaos: CacheChaos, action: act.ClassIs) -> Iterator[Observation]:
    subject = Subject("StorageClass", "", "modelplane-rwx", "class-uid")
    yield chaos.seen(place(action.cluster), subject, StorageClassLevel("nfs"))


def _answer(chaos: CacheChaos, action: act.Answer) -> Iterator[Observation]:
    opened = list(chaos.state.open)
    if opened:
        yield Answered(opened[action.intent % len(opened)], ANSWERS[action.answer])


def _goes_well(chaos: CacheChaos, action: act.GoesWell) -> Iterator[Observation]:
    opened = list(chaos.state.open)
    if opened:
        yield from carried_out(chaos, opened[action.intent % len(opened)], seen=action.seen)


def _users(chaos: CacheChaos, action: act.UsersAre) -> Iterator[Observation]:
    pods = ("engine-0",) if action.used else ()
    for known in chaos.known(place(action.cluster), "PersistentVolumeClaim"):
        yield ClaimUsersRead(place(action.cluster), known.subject, pods)


def _events(chaos: CacheChaos, action: act.EventsSay) -> Iterator[Observation]:
    for known in chaos.known(place(action.cluster), action.kind):
        words = "words" if action.reason else ""
        yield EventsRead(place(action.cluster), known.subject, "", action.reason, words)


def _listed(chaos: CacheChaos, action: act.Listed) -> Iterator[Observation]:
    kinds = CACHE_KINDS if action.cluster < 0 else WORKLOAD_KINDS
    where, kind = place(action.cluster), kinds[action.kind % len(kinds)]
    yield listed(chaos, where, kind, without=action.without)


def _all(chaos: CacheChaos, action: act.AllListed) -> Iterator[Observation]:
    yield from all_listed(chaos)


def _reaches(chaos: CacheChaos, action: act.Reaches) -> Iterator[Observation]:
    yield Reachability(place(action.cluster), action.reachable, "" if action.reachable else "away")


def _goes_back(chaos: CacheChaos, action: act.GoesBack) -> Iterator[Observation]:
    yield RolledBack(place(action.cluster), "restored")
    for kind in CACHE_KINDS if action.cluster < 0 else WORKLOAD_KINDS:
        yield listed(chaos, place(action.cluster), kind, without=0)


def _unreadable(chaos: CacheChaos, action: act.Unreadable) -> Iterator[Observation]:
    at_home = action.cluster < 0
    kind, scope = (SECRET, (NAMESPACE, "hub")) if at_home else ("PersistentVolumeClaim", ("", ""))
    yield Unread(place(action.cluster), kind, action.words, scope)


def _edited(chaos: CacheChaos, action: act.Edited) -> Iterator[Observation]:
    yield Contested(HOME, cache_subject(0), action.editor)


_MAKERS: dict[type, Callable[[CacheChaos, Any], Iterator[Observation]]] = {
    act.CacheIs: _cache,
    act.CacheGone: _cache_gone,
    act.ClusterIs: _cluster,
    act.ClusterGone: _cluster_gone,
    act.TokenIs: _token,
    act.ClaimIs: _claim,
    act.JobIs: _job,
    act.PodIs: _pod,
    act.ObjectGone: _gone,
    act.NodeIs: _node,
    act.PlaceIs: _namespace,
    act.ClassIs: _class,
    act.Answer: _answer,
    act.GoesWell: _goes_well,
    act.UsersAre: _users,
    act.EventsSay: _events,
    act.Listed: _listed,
    act.AllListed: _all,
    act.Reaches: _reaches,
    act.GoesBack: _goes_back,
    act.Unreadable: _unreadable,
    act.Edited: _edited,
}
