"""The command that deploy/ runs is one that this command line takes."""

from pathlib import Path

import yaml

from adapters.cli.exit_codes import ExitCode
from tests.cli.commands import warmlog
from tests.repository import ROOT


def deployed_arguments() -> list[str]:
    """The arguments of the Deployment's one container."""
    deployment = yaml.safe_load((ROOT / "deploy/deployment.yaml").read_text())
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    arguments: list[str] = container["args"]
    return arguments


def test_the_deployed_command_is_understood(tmp_path: Path) -> None:
    """Its options are taken as they stand: outside a cluster only the kubeconfig is missing."""
    missing = tmp_path / "kubeconfig"
    result = warmlog(*deployed_arguments(), "--kubeconfig", missing)
    assert result.exit_code == ExitCode.CLUSTER_UNUSABLE
    assert str(missing) in result.stderr
