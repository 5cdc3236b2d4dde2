"""Access by a kubeconfig out of a Secret: what is used, and what is never followed."""

import base64
import traceback
from typing import Any

import pytest
import yaml

from adapters.kubernetes.configuring import AccessUnusable, access_from_kubeconfig
from adapters.kubernetes.http_api import HttpApi
from adapters.kubernetes.kinds import NODE, list_request
from adapters.ports import ApiUnanswered

MARKER = "s3cret-marker"


def _kubeconfig(
    user: dict[str, Any] | None = None, cluster: dict[str, Any] | None = None, **top: Any
) -> str:
    value = {
        "current-context": "two",
        "clusters": [{"name": "c", "cluster": cluster or {"server": "https://west:6443/"}}],
        "users": [{"name": "u", "user": {"token": MARKER} if user is None else user}],
        "contexts": [
            {"name": "one", "context": {"cluster": "x", "user": "x"}},
            {"name": "two", "context": {"cluster": "c", "user": "u"}},
        ],
        **top,
    }
    return yaml.safe_dump(value)


async def test_the_current_context_is_used() -> None:
    """Server, name and proxy of its cluster, the token of its user."""
    cluster = {
        "server": "https://west:6443/",
        "tls-server-name": "west.internal",
        "proxy-url": "http://proxy:3128",
    }
    access = await access_from_kubeconfig(_kubeconfig(cluster=cluster), environment={})
    assert access.host == "https://west:6443"
    assert (access.proxy, access.server_hostname) == ("http://proxy:3128", "west.internal")
    assert await access.authorization() == f"Bearer {MARKER}"
    await access.renew()  # there is nothing to load again
    assert await access.authorization() == f"Bearer {MARKER}"


async def test_a_password_is_used_where_there_is_no_token() -> None:
    """As basic authentication."""
    user = {"username": "me", "password": MARKER}
    access = await access_from_kubeconfig(_kubeconfig(user))
    encoded = base64.b64encode(f"me:{MARKER}".encode()).decode()
    assert await access.authorization() == f"Basic {encoded}"


async def test_the_environments_proxy_is_used() -> None:
    """Where the kubeconfig names none."""
    access = await access_from_kubeconfig(
        _kubeconfig(), environment={"HTTPS_PROXY": "http://outward:3128"}
    )
    assert access.proxy == "http://outward:3128"


@pytest.mark.parametrize(
    ("user", "cluster"),
    [
        ({"exec": {"command": "/bin/touch", "args": ["x"]}}, None),
        ({"auth-provider": {"name": "gcp", "config": {"cmd-path": "/bin/touch"}}}, None),
        ({"auth-provider": {"name": "oidc", "config": {"id-token": MARKER}}}, None),
        ({"tokenFile": "/var/run/secrets/kubernetes.io/serviceaccount/token"}, None),
        ({"token": MARKER, "tokenFile": "/etc/passwd"}, None),
        ({"client-certificate": "/etc/passwd"}, None),
        ({"client-key": "../key", "client-certificate-data": "aGk="}, None),
        (None, {"server": "https://west", "certificate-authority": "/etc/passwd"}),
    ],
)
async def test_programs_and_files_are_never_followed(
    user: dict[str, Any] | None, cluster: dict[str, Any] | None
) -> None:
    """Whoever may write the Secret must not act as the controller; the field is named."""
    with pytest.raises(AccessUnusable, match="is not followed from a Secret") as error:
        await access_from_kubeconfig(_kubeconfig(user, cluster))
    assert "client-certificate-data" in str(error.value)
    assert MARKER not in str(error.value)


@pytest.mark.parametrize("field", ["as", "as-uid", "as-groups", "as-user-extra"])
async def test_impersonation_is_refused_rather_than_left_out(field: str) -> None:
    """Without it, everything would be done with the rights of whoever was to impersonate."""
    with pytest.raises(AccessUnusable, match=f"user has `{field}`"):
        await access_from_kubeconfig(_kubeconfig({"token": MARKER, field: ["somebody"]}))


@pytest.mark.parametrize(
    "text",
    [
        "",
        MARKER,
        f"{MARKER}: [",
        "[" * 5000,
        f"users: [{{name: {MARKER}}}]",
        _kubeconfig(contexts=[{"name": MARKER}]),
        _kubeconfig(users=MARKER),
        _kubeconfig(clusters=[{"name": "c", "cluster": None}]),
        _kubeconfig().replace("current-context: two", f"current-context: {MARKER}"),
        _kubeconfig(cluster={"server": ""}),
        _kubeconfig(cluster={"server": 1}),
        _kubeconfig(cluster={"server": f"file:///{MARKER}"}),
        _kubeconfig(cluster={"server": "https://x", "certificate-authority-data": f"{MARKER}1"}),
        _kubeconfig({"token": f"{MARKER}\nHost: evil"}),
        _kubeconfig({"token": "t\u00f6ken"}),
    ],
)
async def test_what_cannot_be_used_is_said_without_quoting_it(text: str) -> None:
    """Parsers quote what they could not read; nobody is shown that."""
    with pytest.raises(AccessUnusable) as error:
        await access_from_kubeconfig(text)
    assert MARKER not in "".join(traceback.format_exception(error.value))


@pytest.mark.parametrize(
    "cluster",
    [
        {"server": "https://127.0.0.1:1", "tls-server-name": ".odd"},
        {"server": "https://.west"},
        {"server": "https://127.0.0.1:99999999"},
        {"server": "https://[west"},
        {"server": "https://127.0.0.1:1", "proxy-url": "odd"},
        {"server": "https://127.0.0.1:1", "certificate-authority-data": "aGk="},
    ],
)
async def test_an_address_that_can_never_be_reached_is_no_answer(cluster: dict[str, Any]) -> None:
    """One bad kubeconfig stops nothing: its cluster does not answer, as any other might not."""
    access = await access_from_kubeconfig(_kubeconfig(cluster=cluster), environment={})
    api = HttpApi("ic/west", access)
    with pytest.raises(ApiUnanswered):
        await api.send(list_request(NODE), timeout_seconds=5)
    await api.close()
