"""Playing the Job controller by hand, for stories that the real one seldom tells.

Statuses go through the API server's own validation, so no Job can be in a state that a real one
could not be in. Nodes get a kubelet that takes Pods and never starts them, so that what a Pod says
is up to the story as well.
"""

from typing import Any

from adapters.ports import MERGE_PATCH, Request
from adapters.simulator.clock import timestamp
from adapters.simulator.plans import NodePlan
from adapters.simulator.resources import BY_KIND, JOB, POD, path_of
from adapters.simulator.storage import Manifest
from adapters.simulator.worlds import World
from tests.running.stories import pool_world
from tests.scenarios.endings import node_of

IDLE = NodePlan(starts=False)
INTERIM = {"Complete": "SuccessCriteriaMet", "Failed": "FailureTarget"}

Condition = tuple[str, str, str]  # type, reason, message


class Hands:
    """Somebody who does by hand what controllers do; all of it in the namespace `default`."""

    def __init__(self, *nodes: str) -> None:
        """Take over a cluster of these nodes."""
        self.world: World = pool_world(*nodes, plan=IDLE)
        self.world.stop_job_controller()
        self._pods = 0

    def job(self, node: str) -> Manifest:
        """The newest Job for a node."""
        found = [job for job in self.world.listed(JOB.kind) if node_of(job) == node]
        assert found, f"no Job for {node}"
        return max(found, key=lambda job: int(job["metadata"]["resourceVersion"]))

    def report(self, node: str, *conditions: Condition, **counters: int) -> None:
        """Write the status of a node's Job: these conditions, all of them True, and counters."""
        job, now = self.job(node), timestamp(self.world.cluster.now)
        status: dict[str, Any] = {"startTime": now, "active": None, **counters}
        status["conditions"] = [
            {"type": kind, "status": "True", "reason": reason, "message": message,
             "lastProbeTime": now, "lastTransitionTime": now}
            for kind, reason, message in conditions
        ]  # fmt: skip
        if any(kind == "Complete" for kind, *_ in conditions):
            status["completionTime"] = now
        self._patch(JOB.kind, job["metadata"]["name"], status)

    def end(self, node: str, outcome: str, reason: str = "", message: str = "") -> None:
        """End a node's Job as the Job controller does: first say that it will end, then end it."""
        interim = (INTERIM[outcome], reason, message)
        self.report(node, interim, terminating=0)
        self.report(node, interim, (outcome, reason, message), terminating=0)

    def make_pod(self, node: str) -> str:
        """Make a Pod for a node's Job; give its name. The scheduler binds it a moment later."""
        job = self.job(node)
        self._pods += 1
        name = f"{job['metadata']['name']}-{self._pods}"
        owner = {
            "apiVersion": "batch/v1", "kind": "Job", "name": job["metadata"]["name"],
            "uid": job["metadata"]["uid"], "controller": True, "blockOwnerDeletion": True,
        }  # fmt: skip
        template = job["spec"]["template"]
        metadata = {**template["metadata"], "name": name, "ownerReferences": [owner]}
        body = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]}
        self._ask(Request("POST", path_of(POD, "default"), body=body))
        return name

    def set_pod(self, name: str, phase: str, **status: Any) -> None:
        """Write a Pod's status as its kubelet would."""
        self._patch(POD.kind, name, {"phase": phase, **status})

    def warn(self, pod: str, reason: str, message: str) -> None:
        """Write a warning Event about a Pod, as its kubelet would."""
        item = self.world.must_find(POD.kind, "default", pod)
        self.world.cluster.recorder.record(item, "kubelet", reason, message, warning=True)

    def hold(self, node: str, *finalizers: str) -> None:
        """Have these finalizers, and no other, hold a node's Job."""
        body = {"metadata": {"finalizers": list(finalizers)}}
        path = path_of(JOB, "default", self.job(node)["metadata"]["name"])
        self._ask(Request("PATCH", path, body=body, content_type=MERGE_PATCH))

    def _patch(self, kind: str, name: str, status: Manifest) -> None:
        path = f"{path_of(BY_KIND[kind], 'default', name)}/status"
        self._ask(Request("PATCH", path, body={"status": status}, content_type=MERGE_PATCH))

    def _ask(self, request: Request) -> None:
        response = self.world.api.answer(request)
        assert response.ok, response.body


def exited(code: int, message: str = "", **more: Any) -> dict[str, Any]:
    """The container statuses of a Pod whose one container exited."""
    ended = {"exitCode": code, "reason": "Completed" if code == 0 else "Error", "message": message}
    state = {"terminated": ended}
    return {"containerStatuses": [{"name": "image-0", "state": state, "lastState": {}, **more}]}
