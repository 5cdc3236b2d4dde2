"""Building the programs of the control plane, each one only when it is missing.

Run ``python -m tests.e2e.controlplane.building`` to build ahead of the tests; it prints the
folder. A cold build takes about six minutes on two idle cores and needs Go and a module proxy.
"""

import fcntl
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

MODULE_FOLDER = Path(__file__).parent
KWOK_VERSION = "v0.8.0"

# Program name -> Go package. All but kwok come from the module that go.mod describes.
PACKAGES = {
    "etcd": "go.etcd.io/etcd/server/v3",
    "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
    "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
    "kube-scheduler": "k8s.io/kubernetes/cmd/kube-scheduler",
    "kubectl": "k8s.io/kubernetes/cmd/kubectl",
    "kwok": "sigs.k8s.io/kwok/cmd/kwok",
}

Printing = Callable[[str], None]


class BuildingError(Exception):
    """A program of the control plane could not be built; the text says which and why."""


def kubernetes_version() -> str:
    """The Kubernetes version that go.mod requires, such as ``v1.36.3``."""
    text = (MODULE_FOLDER / "go.mod").read_text()
    match = re.search(r"^\s*(?:require )?k8s\.io/kubernetes (v\S+)", text, re.MULTILINE)
    if match is None:
        raise BuildingError("go.mod does not require k8s.io/kubernetes")
    return match[1]


def cache_folder() -> Path:
    """Where built programs are kept: outside the checkout, one folder per version."""
    return Path.home() / ".cache" / "warmlog" / "control-plane" / kubernetes_version()


def missing_programs(folder: Path) -> list[str]:
    """The programs that `folder` lacks, in build order."""
    return [name for name in PACKAGES if not os.access(folder / name, os.X_OK)]


def built_programs(report: Printing = print) -> Path:
    """Return the folder that holds every program, building what is missing.

    A complete KUBEBUILDER_ASSETS folder is used as it is; an incomplete one (the usual
    envtest bundle has neither scheduler nor kwok) is left alone. Raises BuildingError.
    """
    assets = os.environ.get("KUBEBUILDER_ASSETS")
    if assets and not missing_programs(Path(assets)):
        return Path(assets)
    folder = cache_folder()
    if missing_programs(folder):
        folder.mkdir(parents=True, exist_ok=True)
        # Parallel test workers must not compile the same thing twice at the same time.
        with locked(folder / ".lock"):
            for name in missing_programs(folder):
                _build(name, folder, report)
    return folder


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock that a file stands for; whoever else wants it waits."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _build(name: str, folder: Path, report: Printing) -> None:
    """Build one program under a temporary name, then rename: never leaves half a program."""
    if shutil.which("go") is None:
        raise BuildingError(
            f"{name} is missing from {folder} and there is no go command to build it with; "
            "install Go, or set KUBEBUILDER_ASSETS to a folder that holds " + ", ".join(PACKAGES)
        )
    report(f"building {name}")
    started = time.monotonic()
    scratch = folder / f".building-{name}-{os.getpid()}"
    scratch.mkdir()
    try:
        _compile(name, scratch)
        (scratch / name).rename(folder / name)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    report(f"built {name} in {time.monotonic() - started:.0f} s")


def _compile(name: str, scratch: Path) -> None:
    environment = {**os.environ, "CGO_ENABLED": "0", "GOWORK": "off", "GOBIN": str(scratch)}
    result = subprocess.run(
        _compile_command(name, scratch / name),
        cwd=MODULE_FOLDER,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        last_lines = "\n".join(result.stdout.splitlines()[-20:])
        raise BuildingError(f"go could not build {name}:\n{last_lines}")


def _compile_command(name: str, output: Path) -> list[str]:
    package = PACKAGES[name]
    if name == "kwok":
        # Its own requirements would move those of Kubernetes, so it is built apart from go.mod.
        return ["go", "install", "-trimpath", "-ldflags=-s -w", f"{package}@{KWOK_VERSION}"]
    return ["go", "build", "-trimpath", f"-ldflags={_link_flags()}", "-o", str(output), package]


def _link_flags() -> str:
    """Strip symbols, and stamp the version: an unstamped API server calls itself v0.0.0."""
    version = kubernetes_version()
    major, minor = version.removeprefix("v").split(".")[:2]
    stamps = {"gitVersion": version, "gitMajor": major, "gitMinor": minor}
    prefix = "k8s.io/component-base/version"
    return "-s -w " + " ".join(f"-X {prefix}.{key}={value}" for key, value in stamps.items())


def main() -> int:
    """Build what is missing and print the folder; 1 when that failed."""
    try:
        print(built_programs(lambda line: print(line, flush=True)))
    except BuildingError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
