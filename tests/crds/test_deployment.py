"""deploy/, as far as it can be judged without a server."""

import tomllib
from pathlib import Path
from typing import Any

import yaml

from tests.repository import ROOT


def documents(path: Path) -> list[dict[str, Any]]:
    """Every document of a YAML file."""
    return list(yaml.safe_load_all(path.read_text()))


def test_the_deployment_runs_this_version() -> None:
    """The image's tag is the project's version, without a registry that nobody could pull from."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    [deployment] = documents(ROOT / "deploy" / "deployment.yaml")
    [container] = deployment["spec"]["template"]["spec"]["containers"]
    assert container["image"] == f"warmlog:{version}"


def test_the_log_lies_on_the_volume() -> None:
    """The log's file is in the folder where the claim is mounted, and the claim exists."""
    [deployment] = documents(ROOT / "deploy" / "deployment.yaml")
    [claim] = documents(ROOT / "deploy" / "claim.yaml")
    pod = deployment["spec"]["template"]["spec"]
    [container] = pod["containers"]
    log = container["args"][container["args"].index("--log") + 1]
    mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    assert log.removeprefix("sqlite:///").startswith(mounts["log"] + "/")
    assert volumes["log"]["persistentVolumeClaim"]["claimName"] == claim["metadata"]["name"]


def test_one_writer_at_a_time() -> None:
    """One replica that is gone before the next one starts: SQLite has one writer."""
    [deployment] = documents(ROOT / "deploy" / "deployment.yaml")
    assert deployment["spec"]["replicas"] == 1
    assert deployment["spec"]["strategy"] == {"type": "Recreate"}
