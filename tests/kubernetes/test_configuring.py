"""Access to API servers: which configuration is used, and what is said when none can be."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes_asyncio.client import Configuration

from adapters.kubernetes.configuring import (
    Access,
    AccessUnusable,
    default_namespace,
    load_access,
)


def _kubeconfig(path: Path, **changes: Any) -> Path:
    value: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "one",
        "clusters": [
            {"name": "c1", "cluster": {"server": "https://one:6443"}},
            {
                "name": "c2",
                "cluster": {
                    "server": "https://two:6443/",
                    "tls-server-name": "two.internal",
                    "proxy-url": "http://proxy:3128",
                },
            },
        ],
        "users": [{"name": "u", "user": {"token": "s3cret"}}],
        "contexts": [
            {"name": "one", "context": {"cluster": "c1", "user": "u"}},
            {"name": "two", "context": {"cluster": "c2", "user": "u"}},
        ],
    }
    value.update(changes)
    path.write_text(yaml.safe_dump(value))
    return path


async def test_a_kubeconfig_is_read_with_its_current_context(tmp_path: Path) -> None:
    """Server and token come from the current context."""
    access = await load_access(kubeconfig=str(_kubeconfig(tmp_path / "c")), environment={})
    assert access.host == "https://one:6443"
    assert await access.authorization() == "Bearer s3cret"
    assert (access.proxy, access.server_hostname) == (None, None)


async def test_a_context_can_be_chosen(tmp_path: Path) -> None:
    """Another context brings another server, its proxy and its certificate's name."""
    path = str(_kubeconfig(tmp_path / "c"))
    access = await load_access(kubeconfig=path, context="two", environment={})
    assert access.host == "https://two:6443"
    assert (access.proxy, access.server_hostname) == ("http://proxy:3128", "two.internal")


async def test_the_environments_kubeconfig_comes_second(tmp_path: Path) -> None:
    """KUBECONFIG is used when no path is given; inside a Pod too."""
    environment = {
        "KUBECONFIG": str(_kubeconfig(tmp_path / "c")),
        "KUBERNETES_SERVICE_HOST": "10.0.0.1",
    }
    assert (await load_access(environment=environment)).host == "https://one:6443"


async def test_a_rotated_token_is_used_after_a_renewal(tmp_path: Path) -> None:
    """Renewing reads the kubeconfig again."""
    path = _kubeconfig(tmp_path / "c")
    access = await load_access(kubeconfig=str(path), environment={})
    _kubeconfig(path, users=[{"name": "u", "user": {"token": "next"}}])
    await access.renew()
    assert await access.authorization() == "Bearer next"


async def test_an_exec_plugin_gives_the_token(tmp_path: Path) -> None:
    """The plugin named in the kubeconfig is run, as kubectl would."""
    credential = (
        '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",'
        ' "status": {"token": "from-plugin"}}'
    )
    exec_user = {
        "exec": {
            "apiVersion": "client.authentication.k8s.io/v1",
            "command": "echo",
            "args": [credential],
        }
    }
    path = _kubeconfig(tmp_path / "c", users=[{"name": "u", "user": exec_user}])
    access = await load_access(kubeconfig=str(path), environment={})
    assert await access.authorization() == "Bearer from-plugin"


@pytest.mark.parametrize(
    ("content", "context", "words"),
    [
        (None, None, "there is no kubeconfig at {path}: give --kubeconfig FILE"),
        ("a: [", None, "kubeconfig {path} is not YAML"),
        ("", None, "kubeconfig {path} cannot be used"),
        ("just text", None, "kubeconfig {path} cannot be used"),
        ("{}", None, "kubeconfig {path} cannot be used"),
        ("whole", "three", "kubeconfig {path} with context three cannot be used"),
    ],
)
async def test_an_unusable_kubeconfig_is_one_sentence(
    tmp_path: Path, content: str | None, context: str | None, words: str
) -> None:
    """It names the file, and is never a traceback."""
    path = tmp_path / "c"
    if content == "whole":
        _kubeconfig(path)
    elif content is not None:
        path.write_text(content)
    with pytest.raises(AccessUnusable) as error:
        await load_access(kubeconfig=str(path), context=context, environment={})
    assert str(error.value).startswith(words.format(path=path))


async def test_no_token_is_shown_in_an_error(tmp_path: Path) -> None:
    """The library's own words may hold a whole user; ours do not."""
    users = [{"name": "u", "user": {"token": "s3cret", "exec": {"command": "x"}}}]
    path = _kubeconfig(tmp_path / "c", users=users)
    with pytest.raises(AccessUnusable) as error:
        await load_access(kubeconfig=str(path), environment={})
    assert "s3cret" not in str(error.value)


async def test_a_pod_uses_its_service_account_and_its_rotated_token(tmp_path: Path) -> None:
    """Address, authority and token are the Pod's; a renewal reads the token's file again."""
    (tmp_path / "token").write_text("first\n")
    (tmp_path / "ca.crt").write_text("authority")
    environment = {"KUBERNETES_SERVICE_HOST": "fd00::1", "KUBERNETES_SERVICE_PORT": "443"}
    access = await load_access(environment=environment, service_account=tmp_path)
    assert access.host == "https://[fd00::1]:443"
    assert await access.authorization() == "Bearer first"
    before = access.tls_digest()
    (tmp_path / "token").write_text("second")
    (tmp_path / "ca.crt").write_text("another authority")
    await access.renew()
    assert await access.authorization() == "Bearer second"
    assert access.tls_digest() != before


async def test_outside_a_pod_there_is_no_service_account() -> None:
    """A Pod without a mounted token is told what to do."""
    with pytest.raises(AccessUnusable, match="automountServiceAccountToken"):
        await load_access(environment={"KUBERNETES_SERVICE_HOST": "10.0.0.1"})


async def test_credentials_that_cannot_be_loaded_again_stay() -> None:
    """Without a way to load them, renewing changes nothing."""
    access = Access(Configuration(host="https://one/"))
    await access.renew()
    assert access.host == "https://one"
    assert await access.authorization() == ""


def test_the_library_does_not_speak_beside_us(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Without a kubeconfig there is one sentence, ours, and no warning of the library's."""
    assert default_namespace(kubeconfig=str(tmp_path / "none"), environment={}) == "default"
    assert caplog.text == ""


def test_the_namespace_of_a_context_is_found(tmp_path: Path) -> None:
    """The current context's, or the chosen one's; "default" where it names none."""
    contexts = [
        {"name": "one", "context": {"cluster": "c1", "user": "u", "namespace": "team"}},
        {"name": "two", "context": {"cluster": "c2", "user": "u"}},
    ]
    path = str(_kubeconfig(tmp_path / "c", contexts=contexts))
    assert default_namespace(kubeconfig=path, environment={}) == "team"
    assert default_namespace(environment={"KUBECONFIG": path}) == "team"
    assert default_namespace(kubeconfig=path, context="two", environment={}) == "default"
    assert default_namespace(kubeconfig=path, context="none", environment={}) == "default"
    assert default_namespace(kubeconfig=str(tmp_path / "none"), environment={}) == "default"


def test_a_pods_namespace_is_its_own(tmp_path: Path) -> None:
    """In a Pod without a kubeconfig it is the one that the service account is in."""
    (tmp_path / "namespace").write_text("mine\n")
    inside = {"KUBERNETES_SERVICE_HOST": "10.0.0.1"}
    assert default_namespace(environment=inside, service_account=tmp_path) == "mine"
    assert default_namespace(environment=inside, service_account=tmp_path / "no") == "default"


def test_the_environments_proxy_is_used_unless_excepted() -> None:
    """Kubernetes' clients go through HTTPS_PROXY, and so does this one."""
    environment = {"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "10.0.0.0/8"}
    outside = Access(Configuration(host="https://one:6443"), environment=environment)
    assert outside.proxy == "http://proxy:3128"
    inside = Access(Configuration(host="https://10.1.2.3"), environment=environment)
    assert inside.proxy is None
