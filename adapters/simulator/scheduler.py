"""The scheduler: binds Pods to nodes, and says why when it cannot."""

from collections import Counter
from collections.abc import Iterable
from functools import partial

from adapters.simulator.conditions import (
    condition_of,
    has_ended,
    is_deleting,
    with_condition,
)
from adapters.simulator.controlling import Controller, Surroundings
from adapters.simulator.plans import doubled
from adapters.simulator.protecting import claims_of
from adapters.simulator.resource_claims import has_its_claims
from adapters.simulator.resources import CLAIM, CLASS, NODE, POD, VOLUME
from adapters.simulator.scheduling_volumes import PodVolumes, VolumeBindingFailed
from adapters.simulator.selecting import affinity_matches
from adapters.simulator.storage import DELETED, Change, Manifest

COMPONENT = "default-scheduler"

_AFFINITY = "node(s) didn't match Pod's node affinity/selector"
_CORDONED = "node(s) were unschedulable"
_OUTSIDE = "node(s) didn't satisfy plugin(s) [NodeAffinity]"
_TAINTED = "node(s) had untolerated taint(s)"
_FULL = "Too many pods"
_NO_NODES = "no nodes available to schedule pods"


class Scheduler(Controller):
    """See the module."""

    def __init__(self, around: Surroundings) -> None:
        """Watch Pods and Nodes, and what the claims of Pods depend on."""
        super().__init__(around)
        self._volumes = PodVolumes(around)
        self._binding: dict[str, str] = {}  # key of a Pod whose claims are being bound -> its node
        self._waiting: dict[str, int] = {}  # key of a Pod without a node -> attempts so far
        self._waiting_for_room: dict[str, None] = {}
        self._tried_at: dict[str, int] = {}
        self._bound: dict[str, set[str]] = {}  # node -> keys of its Pods that have not ended
        around.storage.subscribe(
            self._on_change, NODE.kind, POD.kind, CLAIM.kind, VOLUME.kind, CLASS.kind
        )

    def _on_change(self, kind: str, change: Change) -> None:
        if kind == NODE.kind:
            if change.type == DELETED:
                self._look_at_claims()
            if _matters(change):
                self._try_again(self._waiting)
        elif kind == POD.kind:
            self._on_pod(change)
        elif kind in {CLAIM.kind, VOLUME.kind, CLASS.kind}:
            self._look_at_claims()
            self._try_again([key for key in self._waiting if self._mounts(key)])

    def _mounts(self, key: str) -> bool:
        pod = self.storage.get(POD.kind, key)
        return pod is not None and bool(claims_of(pod))

    def _on_pod(self, change: Change) -> None:
        pod, key = change.object, change.key
        node = pod["spec"].get("nodeName")
        if node:
            self._forget(key)
            bound = self._bound.setdefault(node, set())
            if change.type == DELETED or has_ended(pod):
                if key in bound:
                    bound.remove(key)
                    self._try_again(self._waiting_for_room)
            else:
                bound.add(key)
        elif change.type == DELETED or is_deleting(pod):
            self._forget(key)
        elif key not in self._waiting and has_its_claims(pod):
            self._waiting[key] = 0
            self._try(key, 0)

    def _forget(self, key: str) -> None:
        self._waiting.pop(key, None)
        self._waiting_for_room.pop(key, None)
        self._tried_at.pop(key, None)
        node = self._binding.pop(key, None)
        if node is not None:
            self._bound[node].discard(key)

    def _try_again(self, keys: Iterable[str]) -> None:
        """A change may have helped any of these Pods; each is tried once its back-off is over."""
        timing = self.timing
        for key in keys:
            attempts = self._waiting[key]
            backoff = 0
            if attempts:
                limit = timing.scheduling_backoff_limit
                backoff = doubled(timing.scheduling_backoff, attempts - 1, limit)
            self._try(key, self._tried_at.get(key, self.agenda.now) + backoff)

    def _try(self, key: str, earliest: int) -> None:
        delay = self.chance.between(self.timing.scheduling, "schedule", key, self.storage.version)
        at = max(self.agenda.now + delay, earliest)
        self.agenda.put(at, ("schedule", key), lambda: self._schedule(key))

    def _schedule(self, key: str) -> None:
        pod = self.storage.get(POD.kind, key)
        if key not in self._waiting or key in self._binding or pod is None:
            return
        self._waiting[key] += 1
        self._tried_at[key] = self.agenda.now
        hindrance = self._volumes.hindrance(pod)
        if hindrance:
            self._refuse(pod, _hindered_words(len(self.storage.objects(NODE.kind)), hindrance))
            return
        candidates, outside = self._candidates(pod)
        fitting = []
        reasons: Counter[str] = Counter()
        for node in candidates:
            reason = self._objection(pod, node)
            if reason is None:
                fitting.append(node)
            else:
                reasons[reason] += 1
        if fitting:
            self._assign(key, pod, min(fitting, key=self._preference))
            return
        if outside:
            reasons[_OUTSIDE] += outside
        if reasons[_FULL]:
            self._waiting_for_room[key] = None
        self._refuse(pod, _unfit_words(reasons))

    def _candidates(self, pod: Manifest) -> tuple[list[Manifest], int]:
        """Give the nodes to be looked at, and how many the Pod's pinning left out unseen."""
        nodes = self.storage.objects(NODE.kind)
        pinned = _pinned_names(pod)
        if pinned is None:
            return self.storage.listed(NODE.kind), 0
        found = [nodes[f"/{name}"] for name in sorted(pinned) if f"/{name}" in nodes]
        return found, len(nodes) - len(found)

    def _objection(self, pod: Manifest, node: Manifest) -> str | None:
        """Give why a node does not fit, by the first filter that says no."""
        spec = node.get("spec") or {}
        tolerations = pod["spec"].get("tolerations") or ()
        if spec.get("unschedulable"):
            return _CORDONED
        for taint in spec.get("taints") or ():
            if taint["effect"] != "PreferNoSchedule" and not tolerated(taint, tolerations):
                return _TAINTED
        terms = _required_terms(pod)
        if terms is not None and not affinity_matches(terms, node):
            return _AFFINITY
        marks = node["metadata"].get("labels") or {}
        if not (pod["spec"].get("nodeSelector") or {}).items() <= marks.items():
            return _AFFINITY
        limit = int(((node.get("status") or {}).get("allocatable") or {}).get("pods", 110))
        if len(self._bound.get(node["metadata"]["name"], ())) >= limit:
            return _FULL
        return self._volumes.objection(pod, node)

    def _preference(self, node: Manifest) -> tuple[int, str]:
        name = node["metadata"]["name"]
        return len(self._bound.get(name, ())), name

    def _assign(self, key: str, pod: Manifest, node: Manifest) -> None:
        """Bind a Pod to a node, once its claims are bound."""
        name = node["metadata"]["name"]
        if not self._volumes.reserve(pod, node):
            self._bind(pod, name)
            return
        self._binding[key] = name
        self._bound.setdefault(name, set()).add(key)
        at = self.agenda.now + self.timing.volume_wait
        self.agenda.put(at, ("give up", key), lambda: self._give_up(key))

    def _look_at_claims(self) -> None:
        """See in a moment how the claims fare that are being bound."""
        for key in self._binding:
            span = self.timing.binding
            at = self.agenda.now + self.chance.between(span, "bind", key, self.storage.version)
            self.agenda.put(at, ("bind", key), partial(self._look_at_claims_of, key))

    def _look_at_claims_of(self, key: str) -> None:
        pod, node = self.storage.get(POD.kind, key), self._binding.get(key)
        if pod is None or node is None:
            return
        try:
            if self._volumes.are_bound(pod, node):
                self.agenda.drop(("give up", key))
                self._bind(pod, node)
        except VolumeBindingFailed as failure:
            self._fail_to_bind(key, pod, str(failure))

    def _give_up(self, key: str) -> None:
        pod = self.storage.get(POD.kind, key)
        if pod is not None and key in self._binding:
            self._fail_to_bind(key, pod, self._volumes.out_of_time())

    def _fail_to_bind(self, key: str, pod: Manifest, words: str) -> None:
        """Say that a Pod's claims were not bound, and try it anew."""
        self.agenda.drop(("give up", key))
        self._bound[self._binding.pop(key)].discard(key)
        self._tried_at[key] = self.agenda.now
        self._refuse(pod, words, "SchedulerError")
        self._try_again([key])

    def _bind(self, pod: Manifest, node_name: str) -> None:
        name, namespace = pod["metadata"]["name"], pod["metadata"]["namespace"]
        scheduled = {"type": "PodScheduled", "status": "True", "lastProbeTime": None}

        status = with_condition(pod["status"], scheduled, self.agenda.now)
        self.registry.bind(pod, node_name, status)
        words = f"Successfully assigned {namespace}/{name} to {node_name}"
        self.around.recorder.record(pod, COMPONENT, "Scheduled", words)

    def _refuse(self, pod: Manifest, words: str, reason: str = "Unschedulable") -> None:
        standing = condition_of(pod, "PodScheduled")
        if standing is None or standing.get("message") != words:
            condition = {
                "type": "PodScheduled",
                "status": "False",
                "lastProbeTime": None,
                "reason": reason,
                "message": words,
                "observedGeneration": pod["metadata"]["generation"],
            }
            self.change_status(
                pod, lambda status: with_condition(status, condition, self.agenda.now)
            )
        self.around.recorder.record(pod, COMPONENT, "FailedScheduling", words, warning=True)


def tolerated(taint: Manifest, tolerations: Iterable[Manifest]) -> Manifest | None:
    """Give the first toleration that bears a taint."""
    for toleration in tolerations:
        if toleration.get("effect") not in {None, "", taint["effect"]}:
            continue
        if toleration.get("key") not in {None, "", taint["key"]}:
            continue
        exists = toleration.get("operator") == "Exists"
        if exists or toleration.get("value", "") == taint.get("value", ""):
            return toleration
    return None


def _required_terms(pod: Manifest) -> list[Manifest] | None:
    affinity = (pod["spec"].get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    return None if required is None else required.get("nodeSelectorTerms") or []


def _pinned_names(pod: Manifest) -> set[str] | None:
    """Give the nodes that a Pod names by matchFields; None when some term names none."""
    terms = _required_terms(pod)
    if terms is None:
        return None
    names: set[str] = set()
    for term in terms:
        fields = [
            set(field.get("values") or ())
            for field in term.get("matchFields") or ()
            if field["key"] == "metadata.name" and field["operator"] == "In"
        ]
        if not fields:
            return None
        names |= set.intersection(*fields)
    return names


def _matters(change: Change) -> bool:
    """Say whether a Node changed in what the scheduler looks at: heartbeats do not."""
    if change.type == DELETED or change.previous is None:
        return True
    old, new = change.previous, change.object
    return (
        old["metadata"].get("labels") != new["metadata"].get("labels")
        or old.get("spec") != new.get("spec")
        or (old.get("status") or {}).get("allocatable")
        != (new.get("status") or {}).get("allocatable")
    )


def _hindered_words(total: int, hindrance: str) -> str:
    """Say what keeps a Pod from every node; the last two words are the real scheduler's own."""
    if not total:
        return _NO_NODES
    return f"0/{total} nodes are available: {hindrance}. not found"


def _unfit_words(reasons: Counter[str]) -> str:
    """Say why no node fits, in the form of the real scheduler."""
    total = reasons.total()
    if not total:
        return _NO_NODES
    listed = ", ".join(sorted(f"{count} {reason}" for reason, count in reasons.items()))
    helpless = "Preemption is not helpful for scheduling"
    if reasons[_FULL]:
        helpless = "No preemption victims found for incoming pod"
    shown = f"0/{total} nodes are available"
    after = f"no new claims to deallocate, preemption: {shown}: {total} {helpless}."
    return f"{shown}: {listed}. {after}"
