"""The kubelets of all nodes: what becomes of a Pod once it is bound, by its node's plan.

What a Pod that fills a claim does inside is the claim's plan, wherever it runs.
"""

from collections.abc import Callable, Mapping

from adapters.simulator import pod_statuses
from adapters.simulator.clock import SECOND, Span
from adapters.simulator.conditions import (
    controller_of,
    has_ended,
    is_deleting,
    with_condition,
)
from adapters.simulator.controlling import Controller, Surroundings
from adapters.simulator.deleting import DeleteOptions
from adapters.simulator.engine_pods import Engines, is_engine
from adapters.simulator.plans import Ending, EnginePlan, HydrationPlan, NodePlan, doubled
from adapters.simulator.pod_needs import missing_config, unready_claim
from adapters.simulator.protecting import claims_of
from adapters.simulator.resources import CLAIM, NODE, POD, SECRET
from adapters.simulator.storage import ADDED, DELETED, Change, Manifest, key_of

COMPONENT = "kubelet"
DEFAULT_PLAN = NodePlan()

_FORCED = DeleteOptions(propagation="Background", grace_seconds=0)
_KILLED = 137
_LOG_TAIL = 2048  # characters of a log that can become a termination message

# From a failed pull until the kubelet shows that it waits before the next.
_UNTIL_BACKOFF_SHOWN = Span(SECOND, 3 * SECOND)


class Kubelets(Controller):
    """See the module."""

    def __init__(
        self,
        around: Surroundings,
        plans: Mapping[str, NodePlan],
        hydrations: Mapping[str, HydrationPlan],
        engines: Mapping[str, EnginePlan],
    ) -> None:
        """Watch Pods, Nodes, and what Pods need; the plans may change at any time.

        `plans` are by node name, `hydrations` by the beginning of a claim's name, `engines` by that
        of a Pod's.
        """
        super().__init__(around)
        self._plans = plans
        self._hydrations = hydrations
        self._engines = Engines(around, self, engines)
        self._needy: dict[str, Callable[[Manifest], None]] = {}  # key of a Pod -> what to try again
        self._stopped: set[str] = set()
        self._attempts: dict[str, int] = {}  # uid of a Job, claim or Pod -> Pods that ran for it
        self._machines = {
            node["metadata"]["name"]: node["metadata"]["uid"]
            for node in self.storage.listed(NODE.kind)
        }
        around.storage.subscribe(self._on_change, NODE.kind, CLAIM.kind, SECRET.kind, POD.kind)

    def stop(self, node_name: str) -> None:
        """Have a node's kubelet do and say nothing any more."""
        self._stopped.add(node_name)

    def start(self, node_name: str) -> None:
        """Have a node's kubelet go on; it looks at every Pod of its node again."""
        self._stopped.discard(node_name)
        for pod in self.pods_on(node_name):
            self._take_up(pod)
        self._say_ready(node_name)

    def runs(self, node_name: str) -> bool:
        """Say whether there is a node of this name whose kubelet works."""
        exists = self.storage.get(NODE.kind, key_of("", node_name)) is not None
        return exists and node_name not in self._stopped

    def evict(self, pod: Manifest, message: str) -> None:
        """End a Pod because its node ran low."""
        self.change_status(pod, lambda _: pod_statuses.evicted(pod, self.agenda.now, message))
        self.around.recorder.record(pod, COMPONENT, "Evicted", message, warning=True)

    def _on_change(self, kind: str, change: Change) -> None:
        if kind == NODE.kind and change.type == ADDED:
            self._on_new_node(change.object)
        elif kind in {CLAIM.kind, SECRET.kind}:
            self._try_again_in(change.object["metadata"]["namespace"])
        elif kind == POD.kind and change.type == DELETED:
            self._needy.pop(change.key, None)
        elif kind == POD.kind:
            pod, before = change.object, change.previous
            if not pod["spec"].get("nodeName"):
                return
            if before is None or not before["spec"].get("nodeName"):
                self._take_up(pod)
            elif is_deleting(pod) and not is_deleting(before):
                self._stop_later(pod)

    def _on_new_node(self, node: Manifest) -> None:
        """A kubelet registers; Pods bound to an earlier machine of that name are not here."""
        node_name, uid = node["metadata"]["name"], node["metadata"]["uid"]
        if self._machines.get(node_name) == uid:
            return  # not new: it is shown again after a restart
        self._machines[node_name] = uid
        at = self.agenda.now + self.chance.between(
            self.timing.kubelet_sync, "node", node_name, self.storage.version
        )
        self.agenda.put(at, ("node-ready", node_name), lambda: self._say_ready(node_name))
        for pod in self.pods_on(node_name):
            if pod["status"].get("phase") == "Running":
                self.do(pod, "lost", self._soon(pod), self._lose)
            else:
                self._take_up(pod)

    def _say_ready(self, node_name: str) -> None:
        node = self.storage.get(NODE.kind, key_of("", node_name))
        if node is None or node_name in self._stopped:
            return
        condition = {
            "type": "Ready",
            "status": "True",
            "reason": "KubeletReady",
            "message": "kubelet is posting ready status",
        }
        self.change_status(node, lambda status: with_condition(status, condition, self.agenda.now))

    def _take_up(self, pod: Manifest) -> None:
        if is_deleting(pod):
            self._stop_later(pod)
        elif pod["status"].get("phase") == "Pending":
            self.do(pod, "accept", self._soon(pod), self._accept)
        elif pod["status"].get("phase") == "Running":
            (self._engines.go_on if is_engine(pod) else self._finish_later)(pod)

    def _try_again_in(self, namespace: str) -> None:
        """A Secret or a claim changed: look in a while whether Pods have what they need now."""
        for key, action in self._needy.items():
            pod = self.storage.get(POD.kind, key)
            if pod is not None and key.startswith(f"{namespace}/"):
                span = self.timing.config_retry
                metadata = pod["metadata"]
                after = self.chance.between(span, "need", metadata["uid"], self.storage.version)
                self.do(pod, "need", after, action)

    def _lacks(self, pod: Manifest, words: str, action: Callable[[Manifest], None]) -> bool:
        """Note what a Pod still needs, if anything, and what to do once it might have it."""
        metadata = pod["metadata"]
        key = key_of(metadata["namespace"], metadata["name"])
        if words:
            self._needy[key] = action
        else:
            self._needy.pop(key, None)
        return bool(words)

    def _plan(self, pod: Manifest) -> NodePlan:
        plan = self._plans.get(pod["spec"]["nodeName"], DEFAULT_PLAN)
        hydration = self._hydration(pod)
        if hydration is None:
            return plan
        container = pod["spec"]["containers"][0]
        logged = container.get("terminationMessagePolicy") == "FallbackToLogsOnError"
        fields = hydration._asdict()
        return plan._replace(**{**fields, "message": hydration.message[-_LOG_TAIL:] * logged})

    def _hydration(self, pod: Manifest) -> HydrationPlan | None:
        """Give the plan of the claim that a Job's Pod mounts: the one with the longest key."""
        claims = claims_of(pod)
        if not claims or controller_of(pod) is None:
            return None
        keys = [key for key in self._hydrations if claims[0].startswith(key)]
        return self._hydrations[max(keys, key=len)] if keys else None

    def _counted_under(self, pod: Manifest) -> str:
        """Give the uid under which a Pod's attempt is counted: its claim's, its Job's, its own."""
        metadata = pod["metadata"]
        if self._hydration(pod) is not None:
            claim = self.storage.get(CLAIM.kind, key_of(metadata["namespace"], claims_of(pod)[0]))
            if claim is not None:
                return str(claim["metadata"]["uid"])
        owner = controller_of(pod)
        return str(owner["uid"] if owner else metadata["uid"])

    def _soon(self, pod: Manifest) -> int:
        return self.timing_of(pod, "sync", self.timing.kubelet_sync)

    def timing_of(self, pod: Manifest, what: str, span: Span) -> int:
        """Draw how long something takes for a Pod: the same whenever it is asked."""
        return self.chance.between(span, what, pod["metadata"]["uid"])

    def do(self, pod: Manifest, what: str, after: int, action: Callable[[Manifest], None]) -> None:
        """Have `action` run on the Pod as it will be, if it and its kubelet are still there."""
        metadata = pod["metadata"]
        key, uid = key_of(metadata["namespace"], metadata["name"]), metadata["uid"]
        node_name = pod["spec"]["nodeName"]
        node = self.storage.get(NODE.kind, key_of("", node_name))
        machine = node["metadata"]["uid"] if node else ""

        def run() -> None:
            current = self.storage.get(POD.kind, key)
            host = self.storage.get(NODE.kind, key_of("", node_name))
            if current is None or current["metadata"]["uid"] != uid or host is None:
                return
            if self.runs(node_name) and host["metadata"]["uid"] == machine:
                action(current)

        # Another machine of the name must not be held up by what the one before it had to do.
        self.agenda.put(self.agenda.now + after, ("kubelet", machine, uid, what), run)

    def set_status(self, pod: Manifest, status: Manifest) -> Manifest:
        """Write a Pod's status; gives the Pod as it is then."""
        return self.change_status(pod, lambda _: status) or pod

    def _accept(self, pod: Manifest) -> None:
        if is_deleting(pod) or has_ended(pod):
            return
        pod = self.set_status(pod, pod_statuses.waiting(pod, self.agenda.now, "ContainerCreating"))
        plan = self._plan(pod)
        words = unready_claim(self.storage, pod)
        if self._lacks(pod, words, self._accept):
            told = f"Unable to attach or mount volumes: {words}"
            self.around.recorder.record(pod, COMPONENT, "FailedMount", told, warning=True)
        elif plan.starts:
            image = pod["spec"]["containers"][0]["image"]
            self.around.recorder.record(pod, COMPONENT, "Pulling", f'Pulling image "{image}"')
            self.do(pod, "pull", self.timing_of(pod, "pull", plan.pull), self._pull(0))

    def _pull(self, failed_so_far: int) -> Callable[[Manifest], None]:
        """Give the end of a pull: the image is there, or the registry said no."""

        def pulled(pod: Manifest) -> None:
            if is_deleting(pod) or has_ended(pod):
                return
            plan = self._plan(pod)
            if plan.pull_failures is not None and failed_so_far >= plan.pull_failures:
                self._start(pod)
                return
            image = pod["spec"]["containers"][0]["image"]
            words = plan.pull_words.format(image=image)
            status = pod_statuses.waiting(pod, self.agenda.now, "ErrImagePull", words)
            pod = self.set_status(pod, status)
            told = f'Failed to pull image "{image}": {words}'
            self.around.recorder.record(pod, COMPONENT, "Failed", told, warning=True)
            shown = self.timing_of(pod, f"backoff {failed_so_far}", _UNTIL_BACKOFF_SHOWN)
            self.do(pod, "backoff", shown, self._back_off(image, words))
            backoff = doubled(
                self.timing.pull_backoff, failed_so_far, self.timing.pull_backoff_limit
            )
            again = self.timing_of(pod, "pull", plan.pull)
            self.do(pod, "pull", backoff + again, self._pull(failed_so_far + 1))

        return pulled

    def _back_off(self, image: str, words: str) -> Callable[[Manifest], None]:
        def back_off(pod: Manifest) -> None:
            if is_deleting(pod) or has_ended(pod):
                return
            told = f'Back-off pulling image "{image}"'
            status = pod_statuses.waiting(
                pod, self.agenda.now, "ImagePullBackOff", f"{told}: ErrImagePull: {words}"
            )
            pod = self.set_status(pod, status)
            self.around.recorder.record(pod, COMPONENT, "BackOff", told)

        return back_off

    def _start(self, pod: Manifest) -> None:
        """Start a Pod's containers, unless their environment names what is not there."""
        if is_deleting(pod) or has_ended(pod):
            return
        words = missing_config(self.storage, pod)
        if not self._lacks(pod, words, self._start):
            self._run(pod)
            return
        status = pod_statuses.waiting(pod, self.agenda.now, "CreateContainerConfigError", words)
        pod = self.set_status(pod, status)
        self.around.recorder.record(pod, COMPONENT, "Failed", f"Error: {words}", warning=True)

    def _run(self, pod: Manifest) -> None:
        uid = self._counted_under(pod)
        self._attempts[uid] = self._attempts.get(uid, 0) + 1
        engine = is_engine(pod)
        if engine:
            pod = self._engines.begin(pod)
        else:
            pod = self.set_status(pod, pod_statuses.running(pod, self.agenda.now))
        for container in pod["spec"]["containers"]:
            words = f"Started container {container['name']}"
            self.around.recorder.record(pod, COMPONENT, "Started", words)
        if not engine:
            self._finish_later(pod)

    def _finish_later(self, pod: Manifest) -> None:
        plan = self._plan(pod)
        if plan.ending is not Ending.HANG:
            self.do(pod, "end", self.timing_of(pod, "run", plan.run), self._end)

    def _end(self, pod: Manifest) -> None:
        if has_ended(pod):
            return
        plan, now = self._plan(pod), self.agenda.now
        if self._fails(pod, plan):
            self.set_status(pod, pod_statuses.failed(pod, now, plan.exit_code, plan.message))
        else:
            self.set_status(pod, pod_statuses.succeeded(pod, now))

    def _fails(self, pod: Manifest, plan: NodePlan) -> bool:
        uid = pod["metadata"]["uid"]
        if plan.fail_rate and self.chance.fraction("fails", uid) < plan.fail_rate:
            return True
        if plan.ending is not Ending.FAIL:
            return False
        attempt = self._attempts.get(self._counted_under(pod), 1)
        return plan.failures is None or attempt <= plan.failures

    def _stop_later(self, pod: Manifest) -> None:
        grace = pod["metadata"].get("deletionGracePeriodSeconds", 0) * SECOND
        stop = min(self.timing_of(pod, "stop", self._plan(pod).stop), grace)
        self.do(pod, "stop", stop, self._killed)

    def _killed(self, pod: Manifest) -> None:
        """End a deleted Pod's containers and say that nothing of it is left."""
        if not has_ended(pod):
            pod = self.set_status(pod, pod_statuses.failed(pod, self.agenda.now, _KILLED, ""))
        self.do(pod, "remove", self._soon(pod), lambda current: self.delete(current, _FORCED))

    def _lose(self, pod: Manifest) -> None:
        if not has_ended(pod):
            status = pod_statuses.failed(
                pod,
                self.agenda.now,
                _KILLED,
                pod_statuses.LOST_CONTAINER,
                "ContainerStatusUnknown",
            )
            pod = self.set_status(pod, status)
        if is_deleting(pod):
            self._killed(pod)
