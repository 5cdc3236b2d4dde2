"""The samples of ModelCaches on a real control plane, with the commands of their README."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.e2e.controlplane.building import built_programs
from tests.e2e.controlplane.running import ControlPlane
from tests.repository import ROOT
from tests.samples.test_modelcache import FOLDER, NAMES, PLACEHOLDER, readme

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def deployed(control_plane: ControlPlane) -> ControlPlane:
    """A control plane with deploy/ applied, whose Deployment is never started."""
    control_plane.kubectl("apply", "--server-side", "-k", str(ROOT / "deploy"))
    control_plane.kubectl("delete", "deployment", "warmlog", "-n", "warmlog-system")
    return control_plane


@pytest.mark.parametrize("name", NAMES)
def test_every_sample_is_accepted(deployed: ControlPlane, name: str) -> None:
    """The server takes each as it stands, strictly read, without a warning."""
    flags = ("--dry-run=server", "--validate=strict", "--warnings-as-errors")
    said = deployed.kubectl("apply", *flags, "-f", str(FOLDER / f"{name}.yaml"))
    assert "modelcache.modelplane.ai/" in said


@pytest.mark.parametrize("name", NAMES)
def test_placeholders_are_left_out(deployed: ControlPlane, name: str) -> None:
    """With the selector of the README no Secret is written over by a placeholder."""
    flags = ("--dry-run=server", "-l", f"!{PLACEHOLDER}", "-f", str(FOLDER / f"{name}.yaml"))
    assert "secret/" not in deployed.kubectl("apply", *flags)


def commands() -> str:
    """What the README runs to reach a second cluster, and to hand its kubeconfig over."""
    blocks = re.findall(r"```sh\n(.*?)```", readme(), re.DOTALL)
    return "".join(block for block in blocks if "west.kubeconfig" in block)


def test_the_readme_makes_a_kubeconfig_that_works(deployed: ControlPlane, tmp_path: Path) -> None:
    """Word for word: rights are granted, the kubeconfig reads classes, and it becomes a Secret."""
    (tmp_path / "deploy").symlink_to(ROOT / "deploy")
    home = json.loads(deployed.kubectl("config", "view", "--raw", "-o", "json"))
    script = commands().replace("WEST=west", f"WEST={home['current-context']}")
    assert "rm west.kubeconfig" in script
    programs = built_programs()
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=tmp_path,
        env={
            "PATH": f"{programs}:{os.environ['PATH']}",
            "HOME": str(tmp_path),
            "KUBECONFIG": str(deployed.kubeconfig),
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    secret = json.loads(
        deployed.kubectl("get", "secret", "west-kubeconfig", "-n", "warmlog-system", "-o", "json")
    )
    assert list(secret["data"]) == ["kubeconfig"]
    assert {path.name for path in tmp_path.iterdir()} <= {"deploy", ".kube"}
    deployed.kubectl("delete", "secret", "west-kubeconfig", "-n", "warmlog-system")
