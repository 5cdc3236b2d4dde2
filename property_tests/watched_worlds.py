"""Watched worlds: a simulated cluster with ModelWarmups, and what is done by hand in it."""

from typing import Any

from adapters.kubernetes.schemas import MODELWARMUP
from adapters.ports import MERGE_PATCH, Request
from adapters.simulator.resources import JOB, POD, WARMUP, path_of
from adapters.simulator.storage import Manifest
from machines import labels
from property_tests.witnessing import Witness, WitnessedWorld

NAMESPACE_NAME = "default"
POOL = "p"


class WatchedWorld(WitnessedWorld):
    """A world with ModelWarmups in it."""

    def __init__(self, seed: int, witness: Witness) -> None:
        """Begin with a namespace in the pool, and the ModelWarmup kind."""
        super().__init__(seed, "sim", witness)
        self.install(MODELWARMUP)
        self.relabel_namespace(NAMESPACE_NAME, {labels.POOL: POOL})
        self._first = self.cluster.storage.version

    def restore(self, back: int) -> None:
        """Restore the cluster from a backup, so many writes old.

        What ran then runs again, so Jobs may be too many until the controller has seen it.
        """
        storage = self.cluster.storage
        # What was compacted away cannot be gone back to.
        self.roll_back(max(storage.version - back, self._first, storage.compacted))

    def edit_status(self, name: str, changes: Manifest) -> None:
        """Change a ModelWarmup's status by hand."""
        path = f"{path_of(WARMUP, NAMESPACE_NAME, name)}/status"
        self._ask(Request("PATCH", path, body={"status": changes}, content_type=MERGE_PATCH))

    def strip_job(self, name: str) -> None:
        """Take the labels off a Job by hand."""
        body = {"metadata": {"labels": {labels.WARMUP_UID: None, labels.REVISION: None}}}
        path = path_of(JOB, NAMESPACE_NAME, name)
        self._ask(Request("PATCH", path, body=body, content_type=MERGE_PATCH))

    def strip_pod(self, name: str) -> None:
        """Take our labels off a Pod by hand."""
        self.relabel(POD.kind, NAMESPACE_NAME, name, {labels.WARMUP_UID: None})


def warmup_manifest(name: str, targets: list[dict[str, Any]], **policies: int) -> Manifest:
    """Give a ModelWarmup as a user would write it."""
    return {
        "apiVersion": WARMUP.api_version,
        "kind": WARMUP.kind,
        "metadata": {"name": name, "namespace": NAMESPACE_NAME},
        "spec": {
            "targets": targets,
            "imagePreload": {"images": [{"image": "busybox:1.36", "command": ["true"]}]},
            "policies": policies,
        },
    }
