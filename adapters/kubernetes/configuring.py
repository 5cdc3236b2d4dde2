"""Access to API servers: addresses, trust and credentials, loaded as Kubernetes clients load them.

A kubeconfig (with a context) or the Pod's service account; token files, exec plugins and rotated
tokens are kubernetes_asyncio's business. Credentials are loaded again when the server no longer
accepts them.
"""

import hashlib
import os
import re
import ssl
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import yaml
from kubernetes_asyncio.client import Configuration
from kubernetes_asyncio.config import (
    ConfigException,
    list_kube_config_contexts,
    load_incluster_config,
    load_kube_config,
    load_kube_config_from_dict,
)

from adapters.proxying import proxy_for
from engine.errors import WarmlogError
from machines.steadying import scrub

_DEFAULT_KUBECONFIG = "~/.kube/config"
_IN_CLUSTER = "KUBERNETES_SERVICE_HOST"
SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
_DEFAULT_NAMESPACE = "default"
# What the library raises, besides its own error, for a kubeconfig of a wrong shape.
_BROKEN_CONFIGURATION = (
    AssertionError, AttributeError, KeyError, OSError, TypeError, ValueError,
)  # fmt: skip
# The library puts whole users, tokens included, into the words of its errors.
_EMBEDDED = re.compile(r"\{.*\}", re.DOTALL)
# What of a kubeconfig in a Secret makes a client run a program, ask an identity provider or read
# a file. Whoever may write such a Secret must not thereby do that as the controller. And what makes
# it act as somebody else: left out, it would act with more rights than were meant.
_ELSEWHERE = {
    "user": (
        "exec", "auth-provider", "tokenFile", "client-certificate", "client-key",
        "as", "as-uid", "as-groups", "as-user-extra",
    ),
    "cluster": ("certificate-authority",),
}  # fmt: skip
_OF_USER = ("token", "username", "password", "client-certificate-data", "client-key-data")
_OF_CLUSTER = (
    "server", "certificate-authority-data", "insecure-skip-tls-verify", "tls-server-name",
    "proxy-url",
)  # fmt: skip
_PRINTABLE = re.compile(r"[!-~]*")
_INSTEAD = (
    "put a token, or client-certificate-data and client-key-data, and certificate-authority-data"
    " into it (`kubectl config view --raw --flatten`, or a service account's token)"
)

LoadConfiguration = Callable[[], Awaitable[Configuration]]


class AccessUnusable(WarmlogError):
    """No usable kubeconfig or service account; one sentence with what to do."""


class Access:
    """How to reach one API server, and as whom."""

    def __init__(
        self,
        configuration: Configuration,
        load: LoadConfiguration | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Use `configuration`; `load` gives a fresh one when its credentials have expired."""
        self._configuration = configuration
        self._load = load
        self._environment = {} if environment is None else environment

    @property
    def host(self) -> str:
        """The server's URL, without a slash at its end."""
        return str(self._configuration.host).rstrip("/")

    @property
    def proxy(self) -> str | None:
        """The proxy to go through: the kubeconfig's, else the environment's."""
        return self._configuration.proxy or proxy_for(self.host, self._environment)

    @property
    def server_hostname(self) -> str | None:
        """The name that the server's certificate is checked for, when it is not the host's."""
        return self._configuration.tls_server_name or None

    async def authorization(self) -> str:
        """Give the Authorization header's value; empty when there is none. Raises AccessUnusable.

        A service account's token is read again from its file once a minute.
        """
        try:
            token = await self._configuration.get_api_key_with_prefix("BearerToken")
            return str(token or "").strip()
        except (ConfigException, OSError) as error:
            raise AccessUnusable(f"the service account's token cannot be read: {error}") from error

    async def renew(self) -> None:
        """Load the credentials again. Raises AccessUnusable; then the old ones stay."""
        if self._load is not None:
            self._configuration = await self._load()

    def tls_digest(self) -> str:
        """Give a digest that changes when the certificates on disk do."""
        digest = hashlib.sha256()
        for name in self._tls_files():
            digest.update(Path(name).read_bytes() if name else b"-")
        return digest.hexdigest()

    def ssl_context(self) -> ssl.SSLContext:
        """Trust the cluster's own authority when it names one, and only that. Raises OSError.

        Authorities in the environment (SSL_CERT_FILE and the like) count only for a cluster that
        names none.
        """
        authority, certificate, key = self._tls_files()
        context = ssl.create_default_context(cafile=authority)
        # Newer Pythons refuse authorities without key identifiers; Kubernetes' clients do not.
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT
        if certificate:
            context.load_cert_chain(certificate, keyfile=key)
        if not self._configuration.verify_ssl:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        return context

    def _tls_files(self) -> tuple[str | None, str | None, str | None]:
        settings = self._configuration
        return settings.ssl_ca_cert, settings.cert_file, settings.key_file


async def load_access(
    *,
    kubeconfig: str | None = None,
    context: str | None = None,
    environment: Mapping[str, str] = os.environ,
    service_account: Path = SERVICE_ACCOUNT,
) -> Access:
    """Find out how to reach an API server. Raises AccessUnusable.

    In this order: `kubeconfig` (a path), the environment's KUBECONFIG, the Pod's service account
    (a folder), ~/.kube/config. A `context` asks for a kubeconfig.
    """
    named = kubeconfig or environment.get("KUBECONFIG") or ""
    in_cluster = not named and not context and environment.get(_IN_CLUSTER)

    async def load() -> Configuration:
        if in_cluster:
            return _load_service_account(service_account, environment)
        return await _load_kubeconfig(named or _DEFAULT_KUBECONFIG, context)

    return Access(await load(), load, environment)


async def access_from_kubeconfig(
    text: str, *, environment: Mapping[str, str] = os.environ
) -> Access:
    """Give access by the current context of a kubeconfig out of a Secret.

    Raises AccessUnusable, in words that hold nothing of it, also for one that would make a client
    run programs or read files: it has to be whole in itself. It is never loaded again: a Secret
    that changes gives another access.
    """
    try:
        user, cluster = _chosen(yaml.safe_load(text))
    except (yaml.YAMLError, RecursionError, *_BROKEN_CONFIGURATION):
        msg = "the kubeconfig is no YAML with a current context that names a cluster and a user"
        raise AccessUnusable(f"{msg}: write it anew, {_INSTEAD}") from None
    _refuse_what_is_elsewhere("user", user)
    _refuse_what_is_elsewhere("cluster", cluster)
    if not str(cluster.get("server", "")).startswith(("https://", "http://")):
        raise AccessUnusable("the kubeconfig's cluster names no server: give its https:// address")
    if not _PRINTABLE.fullmatch(str(user.get("token", "")).strip()):
        raise AccessUnusable("the kubeconfig's token holds what no token may: paste it anew")
    whole = {
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": _only(cluster, _OF_CLUSTER)}],
        "users": [{"name": "u", "user": _only(user, _OF_USER)}],
    }
    configuration = Configuration()
    try:
        await load_kube_config_from_dict(whole, client_configuration=configuration)
    except (ConfigException, *_BROKEN_CONFIGURATION) as error:
        words = f"the kubeconfig cannot be used ({type(error).__name__}): check user and cluster"
        raise AccessUnusable(f"{words}, and {_INSTEAD}") from None
    return Access(configuration, environment=environment)


def _chosen(whole: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Give user and cluster of the current context. Raises what a wrong shape makes it raise."""
    names = _named(whole["contexts"], whole["current-context"])["context"]
    user = _named(whole["users"], names["user"])["user"]
    cluster = _named(whole["clusters"], names["cluster"])["cluster"]
    return dict(user), dict(cluster)


def _named(entries: Any, name: str) -> Any:
    return next((entry for entry in list(entries) if entry["name"] == name), None)


def _refuse_what_is_elsewhere(part: str, fields: dict[str, Any]) -> None:
    for field in _ELSEWHERE[part]:
        if fields.get(field):
            words = f"the kubeconfig's {part} has `{field}`, which is not followed from a Secret"
            raise AccessUnusable(f"{words}: {_INSTEAD}")


def _only(fields: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: fields[name] for name in names if fields.get(name) is not None}


def default_namespace(
    *,
    kubeconfig: str | None = None,
    context: str | None = None,
    environment: Mapping[str, str] = os.environ,
    service_account: Path = SERVICE_ACCOUNT,
) -> str:
    """Give the namespace of objects that name none, as `kubectl` has it: "default" if in doubt.

    It is the context's, in the places where `load_access` looks, or the Pod's own.
    """
    named = kubeconfig or environment.get("KUBECONFIG") or ""
    if not named and not context and environment.get(_IN_CLUSTER):
        try:
            own = (service_account / "namespace").read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            return _DEFAULT_NAMESPACE
        return own or _DEFAULT_NAMESPACE
    paths = named or _DEFAULT_KUBECONFIG
    if not _any_file(paths):  # the library would warn of it, beside whatever we say
        return _DEFAULT_NAMESPACE
    try:
        contexts, current = list_kube_config_contexts(paths)
    except (ConfigException, yaml.YAMLError, *_BROKEN_CONFIGURATION):
        return _DEFAULT_NAMESPACE
    chosen = [each for each in contexts if each.get("name") == context] if context else [current]
    namespace = ((chosen[0] or {}).get("context") or {}).get("namespace") if chosen else None
    return namespace if isinstance(namespace, str) and namespace else _DEFAULT_NAMESPACE


def _load_service_account(folder: Path, environment: Mapping[str, str]) -> Configuration:
    configuration = Configuration()
    try:
        load_incluster_config(  # type: ignore[no-untyped-call]
            client_configuration=configuration,
            token_filename=str(folder / "token"),
            cert_filename=str(folder / "ca.crt"),
            environ=environment,
        )
    except (ConfigException, OSError) as error:
        raise AccessUnusable(
            f"the Pod's service account cannot be used: {error}"
            " Mount its token (automountServiceAccountToken), or give --kubeconfig."
        ) from error
    return configuration


async def _load_kubeconfig(paths: str, context: str | None) -> Configuration:
    if not _any_file(paths):
        raise AccessUnusable(f"there is no kubeconfig at {paths}: give --kubeconfig FILE")
    configuration = Configuration()
    try:
        await load_kube_config(
            config_file=paths, context=context, client_configuration=configuration
        )
    except yaml.YAMLError as error:
        raise AccessUnusable(f"kubeconfig {paths} is not YAML") from error
    except ConfigException as error:
        raise AccessUnusable(_config_words(paths, context, str(error))) from error
    except _BROKEN_CONFIGURATION as error:
        words = f"kubeconfig {paths} cannot be used ({type(error).__name__}): check its contexts"
        raise AccessUnusable(words) from error
    return configuration


def _any_file(paths: str) -> bool:
    return any(Path(path).expanduser().is_file() for path in paths.split(os.pathsep) if path)


def _config_words(paths: str, context: str | None, words: str) -> str:
    said = scrub(_EMBEDDED.sub("{…}", words))
    which = f" with context {context}" if context else ""
    return f"kubeconfig {paths}{which} cannot be used: {said}"
