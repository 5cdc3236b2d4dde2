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
    """Its options are taken as they stand: with a volume, only the kubeconfig is missing."""
    missing = tmp_path / "kubeconfig"
    arguments = [each.replace("/var/lib/warmlog", str(tmp_path)) for each in deployed_arguments()]
    result = warmlog(*arguments, "--kubeconfig", missing)
    assert result.exit_code == ExitCode.CLUSTER_UNUSABLE
    assert str(missing) in result.stderr


def test_a_log_in_no_folder_is_refused_at_once(tmp_path: Path) -> None:
    """A mistyped path ends the command with its sentence, before any Lease is waited for."""
    result = warmlog("run", "--log", f"sqlite:///{tmp_path}/missing/warmlog.db")
    assert result.exit_code == ExitCode.LOG_UNREADABLE
    assert "There is no folder" in result.stderr
