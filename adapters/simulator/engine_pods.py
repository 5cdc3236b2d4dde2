"""Pods that are to run for ever, as those of a Deployment: ready after a while, or crashing."""

from collections.abc import Callable, Mapping
from typing import Protocol

from adapters.simulator import pod_statuses
from adapters.simulator.clock import SECOND, Span
from adapters.simulator.conditions import (
    controller_of,
    has_ended,
    is_deleting,
    is_true,
    with_condition,
)
from adapters.simulator.controlling import Surroundings
from adapters.simulator.plans import EnginePlan, doubled
from adapters.simulator.resources import REPLICA_SET
from adapters.simulator.storage import Manifest

_DEFAULT_PLAN = EnginePlan()
_BACKOFF, _BACKOFF_LIMIT = 10 * SECOND, 300 * SECOND


class Hands(Protocol):
    """What of a kubelet is needed to run them."""

    def do(self, pod: Manifest, what: str, after: int, action: Callable[[Manifest], None]) -> None:
        """Have `action` run on the Pod after a while, if all is still there."""

    def set_status(self, pod: Manifest, status: Manifest) -> Manifest:
        """Write a Pod's status."""

    def timing_of(self, pod: Manifest, what: str, span: Span) -> int:
        """Draw how long something takes for a Pod."""


class Engines:
    """See the module."""

    def __init__(self, around: Surroundings, hands: Hands, plans: Mapping[str, EnginePlan]) -> None:
        """Run them by the `hands` of their kubelet; plans are by the beginning of a Pod's name."""
        self._around = around
        self._hands = hands
        self._plans = plans

    def begin(self, pod: Manifest) -> Manifest:
        """Start the containers of a Pod, which are not ready before their probe says so."""
        status = _serving(pod, self._around.agenda.now, ready=not _is_probed(pod))
        pod = self._hands.set_status(pod, status)
        self.go_on(pod)
        return pod

    def go_on(self, pod: Manifest) -> None:
        """Have happen what is to happen next to a Pod that runs."""
        plan, restarts = self._plan(pod), _restarts(pod)
        if not _runs(pod):
            self._hands.do(pod, "restart", _wait_after(restarts - 1), self._restart)
            return
        if plan.crash is not None and (plan.crashes is None or restarts < plan.crashes):
            after = self._hands.timing_of(pod, f"crash {restarts}", plan.crash)
            self._hands.do(pod, "crash", after, self._crash)
        if plan.ready is not None and not is_true(pod, "Ready"):
            after = self._hands.timing_of(pod, f"ready {restarts}", plan.ready)
            self._hands.do(pod, "ready", after, self._become_ready)

    def _plan(self, pod: Manifest) -> EnginePlan:
        name = pod["metadata"]["name"]
        keys = [key for key in self._plans if name.startswith(key)]
        return self._plans[max(keys, key=len)] if keys else _DEFAULT_PLAN

    def _become_ready(self, pod: Manifest) -> None:
        if _runs(pod):
            self._hands.set_status(pod, _serving(pod, self._around.agenda.now, ready=True))

    def _crash(self, pod: Manifest) -> None:
        """End the containers, and have them started again after a back-off."""
        if not _runs(pod):
            return
        plan, times = self._plan(pod), _restarts(pod)
        wait = _wait_after(times)
        pod = self._hands.set_status(pod, _crashed(pod, self._around.agenda.now, plan, wait))
        container, metadata = pod["spec"]["containers"][0]["name"], pod["metadata"]
        named = f"{metadata['name']}_{metadata['namespace']}({metadata['uid']})"
        words = f"Back-off restarting failed container {container} in pod {named}"
        self._around.recorder.record(pod, "kubelet", "BackOff", words, warning=True)
        self._hands.do(pod, "restart", wait, self._restart)

    def _restart(self, pod: Manifest) -> None:
        if not is_deleting(pod) and not has_ended(pod):
            self.begin(pod)


def is_engine(pod: Manifest) -> bool:
    """Say whether a Pod is to run for ever."""
    owner = controller_of(pod)
    return owner is not None and owner["kind"] == REPLICA_SET.kind


def _wait_after(crashes: int) -> int:
    return doubled(_BACKOFF, max(crashes, 0), _BACKOFF_LIMIT)


def _is_probed(pod: Manifest) -> bool:
    return any(container.get("readinessProbe") for container in pod["spec"]["containers"])


def _runs(pod: Manifest) -> bool:
    if is_deleting(pod) or has_ended(pod):
        return False
    return any("running" in entry["state"] for entry in _entries(pod))


def _entries(pod: Manifest) -> list[Manifest]:
    entries: list[Manifest] = pod["status"].get("containerStatuses") or []
    return entries


def _restarts(pod: Manifest) -> int:
    return max((int(entry["restartCount"]) for entry in _entries(pod)), default=0)


def _serving(pod: Manifest, now: int, *, ready: bool) -> Manifest:
    """Give the status of a Pod whose containers run: those before them are remembered."""
    before = {entry["name"]: entry for entry in _entries(pod)}
    status = pod_statuses.running(pod, now)
    entries = []
    for entry in status["containerStatuses"]:
        known = before.get(entry["name"], {})
        kept: Manifest = {
            name: known[name] for name in ("restartCount", "lastState") if name in known
        }
        if "running" in known.get("state", {}):
            kept["state"] = known["state"]
        entries.append({**entry, **kept, "ready": ready})
    status = {**status, "containerStatuses": entries}
    return status if ready else _unready(pod, status, now)


def _crashed(pod: Manifest, now: int, plan: EnginePlan, wait: int) -> Manifest:
    """Give the status of a Pod whose first container ended and waits for its next start."""
    metadata = pod["metadata"]
    failed = pod_statuses.failed(pod, now, plan.exit_code, plan.message)
    first = failed["containerStatuses"][0]
    named = f"{metadata['name']}_{metadata['namespace']}({metadata['uid']})"
    words = f"back-off {wait // SECOND}s restarting failed container={first['name']} pod={named}"
    entry = {
        **first,
        "state": {"waiting": {"reason": "CrashLoopBackOff", "message": words}},
        "lastState": first["state"],
        "restartCount": _restarts(pod) + 1,
    }
    status = {**pod["status"], "containerStatuses": [entry, *_entries(pod)[1:]]}
    return _unready(pod, status, now)


def _unready(pod: Manifest, status: Manifest, now: int) -> Manifest:
    names = " ".join(container["name"] for container in pod["spec"]["containers"])
    words = f"containers with unready status: [{names}]"
    for kind in ("Ready", "ContainersReady"):
        condition = {"type": kind, "status": "False", "lastProbeTime": None}
        because = {"reason": "ContainersNotReady", "message": words}
        status = with_condition(status, {**condition, **because}, now)
    return status
