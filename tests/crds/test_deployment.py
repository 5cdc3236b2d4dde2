"""deploy/, as far as it can be judged without a server."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
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


def applied(folder: Path) -> Iterator[dict[str, Any]]:
    """Every object that kustomize finds in a folder of deploy/."""
    [kustomization] = documents(folder / "kustomization.yaml")
    for name in kustomization["resources"]:
        path = (folder / name).resolve()
        yield from applied(path) if path.is_dir() else documents(path)


@pytest.mark.parametrize("folder", ["deploy", "deploy/workload-cluster"])
def test_every_account_is_bound_to_a_role_that_is_there(folder: str) -> None:
    """Whatever a binding names is applied with it, and nothing is applied twice."""
    objects = list(applied(ROOT / folder))
    kinds = [
        (each["kind"], each["metadata"].get("namespace"), each["metadata"]["name"])
        for each in objects
    ]
    assert len(kinds) == len(set(kinds))
    bindings = [each for each in objects if each["kind"].endswith("Binding") and "subjects" in each]
    assert bindings
    for binding in bindings:
        role, namespace = binding["roleRef"], binding["metadata"].get("namespace")
        scope = namespace if role["kind"] == "Role" else None
        assert (role["kind"], scope, role["name"]) in kinds
        for subject in binding["subjects"]:
            assert (subject["kind"], subject["namespace"], subject["name"]) in kinds


def test_staging_is_allowed_alike_everywhere() -> None:
    """The cluster that warmlog runs in grants the very role that another cluster grants."""
    homes, others = (
        [each for each in applied(ROOT / folder) if each["metadata"]["name"] == "warmlog-workloads"]
        for folder in ("deploy", "deploy/workload-cluster")
    )
    assert others == homes[:1]
    assert [each["kind"] for each in homes] == ["ClusterRole", "ClusterRoleBinding"]


def test_the_token_of_another_cluster_is_the_accounts_own() -> None:
    """The Secret that a kubeconfig is made from belongs to the account that is bound."""
    objects = list(applied(ROOT / "deploy/workload-cluster"))
    [secret] = [each for each in objects if each["kind"] == "Secret"]
    [account] = [each for each in objects if each["kind"] == "ServiceAccount"]
    assert secret["type"] == "kubernetes.io/service-account-token"
    assert secret["metadata"]["annotations"] == {
        "kubernetes.io/service-account.name": account["metadata"]["name"]
    }
    assert "data" not in secret
