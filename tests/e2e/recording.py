"""Recording a cluster without a controller: with `kubectl` alone, and by its audit log."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.e2e.controlplane.running import ControlPlane

WARMUP_KINDS = ("namespaces", "nodes", "jobs", "pods", "modelwarmups")
CACHE_KINDS = (
    "namespaces", "nodes", "jobs", "pods",
    "modelcaches", "inferenceclusters", "storageclasses", "persistentvolumeclaims",
)  # fmt: skip

# What an audit log has to hold: the bodies of what warmlog reads.
_POLICY = """
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - level: RequestResponse
    resources:
      - group: ""
        resources: [namespaces, nodes, nodes/status, pods, pods/status,
          persistentvolumeclaims, persistentvolumeclaims/status]
      - group: batch
      - group: storage.k8s.io
        resources: [storageclasses]
      - group: model.aibrix.ai
      - group: modelplane.ai
  - level: None
"""


def audited(folder: Path) -> ControlPlane:
    """Give a control plane, not started yet, whose API server keeps an audit log."""
    policy = folder / "audit-policy.yaml"
    policy.write_text(_POLICY)
    flags = [
        f"--audit-policy-file={policy}",
        f"--audit-log-path={folder / 'audit.log'}",
        "--audit-log-mode=blocking",
    ]
    return ControlPlane(folder / "control-plane", more_flags={"kube-apiserver": flags})


class Recorder:
    """Records one story in every way that there is, each into files of its own."""

    def __init__(self, control_plane: ControlPlane, folder: Path, kinds: Sequence[str]) -> None:
        """Record these kinds of an `audited` control plane into `folder`."""
        self._control_plane = control_plane
        self._folder = folder
        self._kinds = kinds
        self._watches: list[subprocess.Popen[bytes]] = []

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch every kind, each with a `kubectl get --watch` of its own."""
        for kind in self._kinds:
            arguments = ("get", kind, "-A", "--watch", "--output-watch-events", "-o", "json")
            command = self._control_plane.kubectl_command(*arguments)
            with self._watched(kind).open("wb") as output:
                environment = {**os.environ, "KUBECTL_KUBERC": "false"}
                self._watches.append(subprocess.Popen(command, stdout=output, env=environment))
        try:
            yield
        finally:
            self.stop_watching()

    def stop_watching(self) -> None:
        """End the watches, whatever comes after."""
        for watch in self._watches:
            watch.terminate()
            watch.wait()
        self._watches.clear()

    def list(self) -> None:
        """Append a List of everything as it is now."""
        kinds = ",".join(self._kinds)
        listed = self._control_plane.kubectl("get", kinds, "-A", "-o", "json")
        with (self._folder / "listed.json").open("a") as output:
            output.write(listed)

    def audit(self) -> None:
        """Take what the audit log holds by now."""
        log = self._control_plane.logs_folder.parent.parent / "audit.log"
        (self._folder / "audit.log").write_bytes(log.read_bytes())

    def materials(self) -> tuple[tuple[Path, ...], ...]:
        """Give what was recorded: watches apart and in one stream, Lists, and the audit log."""
        watches = tuple(map(self._watched, self._kinds))
        stream = self._folder / "stream.json"
        stream.write_bytes(b"".join(path.read_bytes() for path in watches))
        return watches, (stream,), (self._folder / "listed.json",), (self._folder / "audit.log",)

    def _watched(self, kind: str) -> Path:
        return self._folder / f"{kind}.json"
