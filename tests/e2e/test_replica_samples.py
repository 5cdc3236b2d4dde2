"""The samples of ModelReplicas on a real control plane."""

import pytest

from tests.e2e.controlplane.running import ControlPlane
from tests.repository import ROOT
from tests.samples.test_modelreplica import FOLDER, NAMES

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
    assert "modelreplica.modelplane.ai/" in said
