"""The CustomResourceDefinition of LeaderWorkerSet: from its Go module, never from this repository.

Nobody here carries gangs out: the tests write the status that their controller would write.
"""

import json
import os
import shutil
import subprocess
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tests.e2e.admitting import apply_crds
from tests.e2e.controlplane.building import BuildingError, cache_folder, locked
from tests.e2e.controlplane.running import ControlPlane, KubectlError
from tests.e2e.controlplane.watching import Json

MODULE = "sigs.k8s.io/lws"
VERSION = "v0.8.0"
# What the Go checksum database says of that version: nothing else is installed, whoever served it.
SUM = "h1:DdhJ8QabwTfWgbgaHH2gdf8twliioHaoSfmDXRYEVU0="
_TRIES = 100
_FILE = "config/crd/bases/leaderworkerset.x-k8s.io_leaderworkersets.yaml"

NAME = "leaderworkersets.leaderworkerset.x-k8s.io"
API_VERSION = "leaderworkerset.x-k8s.io/v1"


def path_of(namespace: str) -> str:
    """The path of the LeaderWorkerSets of a namespace."""
    return f"/apis/{API_VERSION}/namespaces/{namespace}/leaderworkersets"


def crd_file() -> Path:
    """The definition as a JSON file beside the programs of the control plane, fetched once.

    Raises BuildingError.
    """
    file = cache_folder() / f"leaderworkersets-{VERSION}.json"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        # A lock of its own: the programs are built for minutes under theirs.
        with locked(file.with_suffix(".lock")):
            if not file.exists():
                _fetch(file)
    return file


@cache
def crd() -> Json:
    """The definition as it is parsed, for all to share: do not change it. Raises BuildingError."""
    parsed: Json = json.loads(crd_file().read_text())
    return parsed


def install(control_plane: ControlPlane) -> None:
    """Serve LeaderWorkerSets on a cluster from now on; harmless when it does so already."""
    apply_crds(control_plane, "-f", crd_file(), NAME)
    for _ in range(_TRIES):  # of a kind that was there before no list is given at once
        with suppress(KubectlError):
            control_plane.kubectl("get", "--raw", path_of("default"))
            return
        time.sleep(0.1)


def uninstall(control_plane: ControlPlane) -> None:
    """Serve them no more; every LeaderWorkerSet of that cluster goes with the definition."""
    control_plane.kubectl("delete", "crd", NAME, "--ignore-not-found", "--wait=true")


def _fetch(file: Path) -> None:
    """Write the definition under a temporary name, then rename: never leaves half of it."""
    source = _module_folder() / _FILE
    parsed: Any = yaml.load(source.read_text(), Loader=yaml.CSafeLoader)
    scratch = file.with_suffix(f".{os.getpid()}")
    scratch.write_text(json.dumps(parsed))
    scratch.rename(file)


def _module_folder() -> Path:
    """Download the module, if Go has not done so before, and give its folder."""
    if shutil.which("go") is None:
        raise BuildingError(f"there is no go command to fetch {MODULE} with: install Go")
    with tempfile.TemporaryDirectory() as folder:  # outside any module, whose versions would count
        result = subprocess.run(
            ["go", "mod", "download", "-json", f"{MODULE}@{VERSION}"],
            cwd=folder,
            env={**os.environ, "GOWORK": "off", "GOFLAGS": "-mod=mod"},
            capture_output=True,
            text=True,
            check=False,
        )
    told = json.loads(result.stdout or "{}")
    if result.returncode != 0 or told.get("Sum") != SUM:
        words = told.get("Error") or result.stderr or f"its checksum is {told.get('Sum')}"
        raise BuildingError(f"go could not fetch {MODULE}@{VERSION}: {words}")
    return Path(told["Dir"])
