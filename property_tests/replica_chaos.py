"""Chaos of replicas: facts in any order about two clusters, one cache and one replica's name.

As in `cache_chaos`: nothing here is a cluster. Workloads appear before anybody applied them, are
another's, or have mounts that no cache published.
"""

from collections.abc import Callable, Iterator
from typing import Any

from engine.canonical_json import dumps
from engine.events import Draft, Event, Subject
from engine.instants import SECOND
from machines.caches.levels import Owner
from machines.caches.mounts import mount
from machines.caches.settings import CachingSettings
from machines.deciding import effect_of, is_as_intended, still_wanted
from machines.intents import Apply, Create, Delete, ObjectIntent
from machines.levels import Level, NamespaceLevel
from machines.observations import Absent, Answered, Deleted, Done, Listed, Observation, Seen, Unread
from machines.replicas.levels import PartLevel, ReplicaLevel, WorkloadLevel
from machines.states import REPLICA_KINDS, SERVING_KINDS
from property_tests import cache_actions as cached
from property_tests import replica_actions as act
from property_tests.cache_chaos import CacheChaos, all_listed, carried_out, listed, place
from tests.caches.builders import CLAIM, HOME, NAMESPACE, WORKLOAD
from tests.replicas.builders import (
    DEPLOYMENT,
    GANG,
    MOUNT,
    REPLICA,
    SERVICE,
    TEMPLATE,
    applied_level,
    engine,
    spec_of,
)
from tests.replicas.serving import SECOND as SECOND_ENGINE

SPECS: tuple[dict[str, Any], ...] = (
    spec_of(),
    spec_of(engine(gang=True)),
    spec_of(engine(copies=2), engine("second")),
    spec_of(cache=""),
    spec_of(cache="nobody"),
    spec_of(cluster="two"),
    spec_of() | {"engines": []},
    spec_of(serving={"mode": "PrefillDecode"}),
)
PARTS = (DEPLOYMENT, GANG, SECOND_ENGINE, SERVICE, TEMPLATE)
OWNERS = (
    Owner(NAMESPACE, REPLICA, "replica-0"),
    Owner(NAMESPACE, REPLICA, "replica-1"),
    Owner(),
    Owner(NAMESPACE, REPLICA, "nobody"),
    Owner("other", REPLICA, "other-0"),
)
MOUNTS = ("", MOUNT, dumps(mount("another-claim")))


class ReplicaChaos(CacheChaos):
    """A log in the making, and the state that its rows give."""

    def restart(self) -> tuple[Event, ...]:
        """Begin another session, that serves replicas."""
        data = dumps({"caching": CachingSettings(replicas=True).to_json()})
        session = str(Subject("Session", "", "", ""))
        return self._step([Draft("", session, "SessionStarted", 1, data)])

    def take(self, action: act.Action) -> tuple[Event, ...]:
        """Do what the action says; give the rows that it made."""
        if isinstance(action, act.AllDone):
            return self._all_done(action.turns)
        maker = _MAKERS.get(type(action))
        if maker is None:
            return super().take(action)  # type: ignore[arg-type]  # what is not ours is a cache's
        self.clock += SECOND // 7
        self.last = list(maker(self, action))
        return self.tell(self.last)

    def _all_done(self, turns: int) -> tuple[Event, ...]:
        self.clock += SECOND // 7
        rows: tuple[Event, ...] = ()
        for _ in range(turns):
            for seq in list(self.state.open):
                if seq in self.state.open:
                    rows += self.tell(list(done(self, seq)))
        rows += super().take(cached.AllGoesWell(0, "Complete"))
        for cluster in range(2):
            for kind in ("Deployment", "LeaderWorkerSet"):
                for known in self.known(place(cluster), kind):
                    assert isinstance(known.level, WorkloadLevel)
                    level = known.level._replace(available="True")
                    rows += self.tell([self.seen(place(cluster), known.subject, level)])
        return rows


def done(chaos: ReplicaChaos, seq: int, seen: str = "before") -> Iterator[Observation]:
    """Carry out an open intent, unless it is not wanted any more; show it, and answer."""
    opened = chaos.state.open[seq]
    if not still_wanted(chaos.state, seq) or not is_as_intended(effect_of(chaos.state, seq)):
        yield Answered(seq, Absent())
    elif opened.owner.kind != "ModelReplica":
        yield from carried_out(chaos, seq, seen=seen != "never")
    else:
        result = list(_shown(chaos, seq))
        uid = result[0].subject.uid if result else "uid"
        answer = Answered(seq, Done(uid))
        shown: list[Observation] = [*result] if seen != "never" else []
        yield from [answer, *shown] if seen == "after" else [*shown, answer]


def _shown(chaos: ReplicaChaos, seq: int) -> Iterator[Seen | Deleted]:
    opened = chaos.state.open[seq]
    intent, cluster = opened.intent, opened.cluster
    assert isinstance(intent, ObjectIntent)
    uid = intent.uid if not isinstance(intent, Create) else ""
    subject = Subject(intent.kind, intent.namespace, intent.name, uid or f"made-{seq}")
    known = chaos.state.clusters[cluster].objects[intent.kind].get(subject.uid)
    if isinstance(intent, Create):
        yield chaos.seen(cluster, subject, NamespaceLevel())
    elif isinstance(intent, Delete):
        yield Deleted(cluster, subject, chaos.version())
    elif isinstance(intent, Apply):
        old = known.level if known else None
        body = effect_of(chaos.state, seq).body or {}
        before = old if isinstance(old, WorkloadLevel) else WorkloadLevel()
        yield chaos.seen(cluster, subject, applied_level(body, before))
    elif known is not None and isinstance(known.level, ReplicaLevel):
        if intent.change == "Release" and known.level.deleting:
            yield Deleted(cluster, subject, chaos.version())
        else:
            held = intent.change == "Hold"
            yield chaos.seen(cluster, subject, known.level._replace(held=held))


def replica_subject(life: int) -> Subject:
    """Give what the facts of one of the two ModelReplicas of the name are about."""
    return Subject("ModelReplica", NAMESPACE, REPLICA, f"replica-{life}")


def everything_listed(chaos: ReplicaChaos) -> Iterator[Observation]:
    """List every kind of every cluster as it is known."""
    yield from all_listed(chaos)
    for kind in REPLICA_KINDS:
        yield listed(chaos, HOME, kind)
    for index in range(2):
        for kind in SERVING_KINDS:
            yield listed(chaos, place(index), kind)


def _replica(chaos: ReplicaChaos, action: act.ReplicaIs) -> Iterator[Observation]:
    subject = replica_subject(action.life)
    notes = (("warmlog.dev/abandon", "true"),) * action.abandoned
    level = ReplicaLevel(
        action.spec + 1, dumps(SPECS[action.spec]), notes, action.deleting, action.held
    )
    ours = {"uid": subject.uid if action.past == "ours" else "another", "log": "older"}
    past = {"composed": True, "mount": mount(CLAIM), "warmlog": ours} if action.past else None
    yield chaos.seen(HOME, subject, level, past)


def _replica_gone(chaos: ReplicaChaos, action: act.ReplicaGone) -> Iterator[Observation]:
    yield Deleted(HOME, replica_subject(action.life), chaos.version())


def _part(chaos: ReplicaChaos, action: act.PartIs) -> Iterator[Observation]:
    kind, name = PARTS[action.part].split()
    cluster = place(action.cluster)
    found = [one for one in chaos.known(cluster, kind) if one.subject.name == name]
    uid = f"{kind}-{action.life}" if action.life or not found else found[-1].subject.uid
    was = found[-1].level if found and not action.life else None
    applied = ("", "old", getattr(was, "applied", ""))[action.applied]
    owner, fields = OWNERS[action.owner], f"fields-{action.applied}"
    level: Level = PartLevel(owner, REPLICA, applied, fields, action.deleting)
    if kind in ("Deployment", "LeaderWorkerSet"):
        level = WorkloadLevel(
            owner, REPLICA, applied, fields, 1, 5 if action.scaled else 1,
            "scaler" * action.scaled, MOUNTS[action.mount], str(action.available),
            deleting=action.deleting,
        )  # fmt: skip
    yield chaos.seen(cluster, Subject(kind, WORKLOAD, name, uid), level)


def _part_gone(chaos: ReplicaChaos, action: act.PartGone) -> Iterator[Observation]:
    known = chaos.known(place(action.cluster), SERVING_KINDS[action.kind])
    if known:
        subject = known[action.which % len(known)].subject
        yield Deleted(place(action.cluster), subject, chaos.version())


def _listed(chaos: ReplicaChaos, action: act.PartsListed) -> Iterator[Listed]:
    kind = "ModelReplica" if action.cluster < 0 else SERVING_KINDS[action.kind]
    yield listed(chaos, place(action.cluster), kind, without=action.without)


def _unread(chaos: ReplicaChaos, action: act.PartsUnread) -> Iterator[Observation]:
    kind = SERVING_KINDS[action.kind]
    yield Unread(place(action.cluster), kind, "it cannot be read", served=action.served)


def _one_done(chaos: ReplicaChaos, action: act.OneDone) -> Iterator[Observation]:
    opened = list(chaos.state.open)
    if opened:
        yield from done(chaos, opened[action.intent % len(opened)], action.seen)


def _everything(chaos: ReplicaChaos, action: act.EverythingListed) -> Iterator[Observation]:
    yield from everything_listed(chaos)


_MAKERS: dict[type, Callable[[ReplicaChaos, Any], Iterator[Observation]]] = {
    act.ReplicaIs: _replica,
    act.ReplicaGone: _replica_gone,
    act.PartIs: _part,
    act.PartGone: _part_gone,
    act.PartsListed: _listed,
    act.PartsUnread: _unread,
    act.OneDone: _one_done,
    act.EverythingListed: _everything,
}
