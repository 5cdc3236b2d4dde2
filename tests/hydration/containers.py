"""The hydration Job's container, run as a process on this machine.

Its command and environment are those of the very body that is sent to the API server, expanded by
Kubernetes' rules. Only the volume's path differs, and PATH, where the python3 of these tests stands
for the image's.
"""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from machines.caches.hydration_bodies import PATH, CacheNames, hydration_job
from machines.caches.hydration_settings import HydrationSettings
from machines.caches.specs import HUGGING_FACE, CacheSpec

NAMES = CacheNames("ml-team", "qwen", "cache-uid", "mp-ml-team-51733")
PYTHON = Path(sys.executable).parent
SYSTEM = f"{PYTHON}{os.pathsep}/usr/bin{os.pathsep}/bin"


class Ended(NamedTuple):
    """How a run ended, and all that it said."""

    code: int
    said: str

    @property
    def last_words(self) -> str:
        """What the termination message ends with."""
        return self.said.strip().splitlines()[-1]


def spec_of(repo: str, revision: str = "", *, token: bool = False) -> CacheSpec:
    """A spec, whether it could pass validation or not."""
    return CacheSpec(HUGGING_FACE, repo, revision, "hub" if token else "", "HF_TOKEN", 1, ())


def expanded(text: str, known: dict[str, str]) -> str:
    """A value or an argument as Kubernetes hands it to a container."""
    return re.sub(
        r"\$(\$|\((?P<name>[^)]*)\))",
        lambda match: "$" if match["name"] is None else known.get(match["name"], match[0]),
        text,
    )


class Container:
    """The container of a spec's Job with a volume; each run is an attempt."""

    def __init__(self, home: Path, endpoint: str, spec: CacheSpec, token: str = "") -> None:
        """Make the volume as a file system is found, with its own folder in it."""
        self.volume, self.scratch, self.token, self.path = home / "volume", home, token, SYSTEM
        (self.volume / "lost+found").mkdir(parents=True, exist_ok=True)
        self.settings = HydrationSettings(env=(("HF_ENDPOINT", endpoint),))
        self.spec, self.claim_uid = spec, "claim-uid"
        self.quiet_seconds = 10  # the script's own wait, before it takes a file for a leftover

    def pod(self) -> dict[str, Any]:
        """The container of the Job's body."""
        body = hydration_job(NAMES, self.spec, self.claim_uid, self.settings)
        [container] = body["spec"]["template"]["spec"]["containers"]
        return dict(container)

    def environment(self) -> dict[str, str]:
        """What the kubelet would set."""
        values: dict[str, str] = {}
        for entry in self.pod()["env"]:
            value = entry.get("value")
            values[entry["name"]] = self.token if value is None else expanded(value, values)
        volume = {"HF_HUB_CACHE": str(self.volume)}
        assert values["HF_HUB_CACHE"] == PATH
        own = {"HF_HOME": str(self.scratch / "hf"), "TMPDIR": str(self.scratch), "PATH": self.path}
        return values | volume | own

    def start(self, *wrapper: str) -> subprocess.Popen[str]:
        """Start an attempt, in a process group of its own."""
        environment = self.environment()
        waits = "QUIET_SECONDS = 600, {}".format
        assert waits(10) in self.pod()["command"][-1]
        command = [
            expanded(each, environment).replace(waits(10), waits(self.quiet_seconds))
            for each in self.pod()["command"]
        ]
        return subprocess.Popen(
            [*wrapper, *command],
            env=environment,
            cwd=self.scratch,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(self, *wrapper: str) -> Ended:
        """Make an attempt, to its end."""
        with self.start(*wrapper) as process:
            said, _ = process.communicate(timeout=60)
        return Ended(process.returncode, said)

    def kill(self, process: subprocess.Popen[str]) -> None:
        """End an attempt as the kernel ends it when memory runs out, and let time go by."""
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=60)
        for left in self.volume.rglob("*.incomplete"):
            os.utime(left, (0, 0))

    def markers(self) -> list[str]:
        """Whatever says that something is staged."""
        return sorted(path.name for path in self.volume.glob(".warmlog*"))

    def files(self) -> dict[str, bytes]:
        """Every file of the volume, by its path; links as what they lead to."""
        found = (path for path in self.volume.rglob("*") if path.is_file())
        return {str(path.relative_to(self.volume)): path.read_bytes() for path in found}


def watched_python(container: Container, *rules: str) -> Path:
    """Put a python3 first that keeps its arguments; `rules` are branches of a shell's case."""
    folder, log = container.scratch / "bin", container.scratch / "arguments"
    folder.mkdir()
    log.write_text("")
    program = folder / "python3"
    branches = "\n".join([*rules, f'*) exec "{PYTHON}/python3" "$@" ;;'])
    keep = f'echo "$* index ${{PIP_INDEX_URL-}}" >> "{log}"'
    program.write_text(f'#!/bin/sh\n{keep}\ncase "$*" in\n{branches}\nesac\n')
    program.chmod(0o755)
    container.path = f"{folder}{os.pathsep}{container.path}"
    return log
