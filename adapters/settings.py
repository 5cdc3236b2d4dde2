"""The settings of `warmlog run`, checked once, where they come in."""

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field
from pydantic.dataclasses import dataclass

from adapters.hydration_options import (
    checked_environment,
    checked_image,
    checked_resources,
    checked_tolerations,
)
from adapters.store.locations import Kind, parse_location
from engine.canonical_json import dumps
from engine.errors import LogUnreadable
from machines.caches.hydration_settings import DEFAULT_IMAGE, HydrationSettings
from machines.caches.settings import (
    DEFAULT_HEAL_SECONDS,
    DEFAULT_RETRY_SECONDS,
    LONGEST_RETRY_SECONDS,
    CachingSettings,
)

DEFAULT_LOG = "sqlite:///warmlog.db"
DEFAULT_LISTEN = "127.0.0.1:8080"
DEFAULT_CLUSTER = "local"
DEFAULT_LEASE_NAME = "warmlog"
DEFAULT_NAMESPACE = "warmlog-system"
DEFAULT_LEASE_SECONDS = 30
DEFAULT_TIMEOUT_SECONDS = 10.0

_OWN_NAMESPACE_FILE = Path("/var/run/secrets/kubernetes.io/serviceaccount/namespace")
_IN_CLUSTER = "KUBERNETES_SERVICE_HOST"
_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?")
_LARGEST_PORT = 65535


class LogFormat(StrEnum):
    """How the controller's own messages are written."""

    JSON = "json"
    CONSOLE = "console"


class Address(NamedTuple):
    """Where to listen. Port 0 takes any that is free."""

    host: str
    port: int

    def __str__(self) -> str:
        """Give HOST:PORT, with brackets round an IPv6 address."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


def parse_address(value: Any) -> Any:
    """Read HOST:PORT; what is no text is left for pydantic to judge. Raises ValueError."""
    if not isinstance(value, str):
        return value
    host, colon, port = value.rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        colon = ""
    if not colon or not host or not (port.isascii() and port.isdigit()):
        msg = f"{value!r} is not HOST:PORT; write 127.0.0.1:8080 or [::1]:8080"
        raise ValueError(msg)
    if int(port) > _LARGEST_PORT:
        msg = f"{port} is no port; the largest is {_LARGEST_PORT}"
        raise ValueError(msg)
    return Address(host, int(port))


def _check_log(text: str) -> str:
    try:
        kind = parse_location(text).kind
    except LogUnreadable as error:
        raise ValueError(str(error)) from error
    if kind in {Kind.JSON_LINES, Kind.CONTROLLER}:
        msg = "a controller writes a database; give a database URL or a SQLite file"
        raise ValueError(msg)
    return text


def _check_cluster(text: str) -> str:
    if not _LABEL.fullmatch(text):
        msg = f"{text!r} is no name: lower-case letters, digits and hyphens, 63 at most"
        raise ValueError(msg)
    return text


def _check_lease(text: str) -> str:
    if not _NAME.fullmatch(text):
        msg = f"{text!r} is no Kubernetes name: lower-case letters, digits, hyphens and dots"
        raise ValueError(msg)
    return text


def _check_namespace(text: str) -> str:
    return text and _check_cluster(text)


Namespace = Annotated[str, AfterValidator(_check_namespace)]  # "" is none
Environment = Annotated[tuple[tuple[str, str], ...], BeforeValidator(checked_environment)]


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class RunSettings:
    """What `warmlog run` was told. Raises pydantic.ValidationError, which names the field."""

    log: Annotated[str, AfterValidator(_check_log)] = DEFAULT_LOG
    listen: Annotated[Address, BeforeValidator(parse_address)] = Field(
        default=DEFAULT_LISTEN, validate_default=True
    )
    kubeconfig: str | None = None  # None: KUBECONFIG, the service account, or ~/.kube/config
    context: str | None = None
    cluster_name: Annotated[str, AfterValidator(_check_cluster)] = DEFAULT_CLUSTER
    use_lease: bool = True
    lease_namespace: Annotated[str, AfterValidator(_check_cluster)] = DEFAULT_NAMESPACE
    lease_name: Annotated[str, AfterValidator(_check_lease)] = DEFAULT_LEASE_NAME
    lease_duration_seconds: Annotated[int, Field(ge=3, le=3600)] = DEFAULT_LEASE_SECONDS
    log_format: LogFormat = LogFormat.CONSOLE
    request_timeout_seconds: Annotated[float, Field(ge=0.1, le=300)] = DEFAULT_TIMEOUT_SECONDS
    own_namespace: Annotated[str, AfterValidator(_check_cluster)] = DEFAULT_NAMESPACE
    cluster_secret_namespace: Namespace = ""
    workload_namespace: Namespace = ""
    heal_seconds: Annotated[int, Field(ge=1, le=86_400)] = DEFAULT_HEAL_SECONDS
    retry_seconds: Annotated[int, Field(ge=1, le=LONGEST_RETRY_SECONDS)] = DEFAULT_RETRY_SECONDS
    hydration_image: Annotated[str, AfterValidator(checked_image)] = DEFAULT_IMAGE
    hydration_resources: Annotated[str, AfterValidator(checked_resources)] = "{}"
    hydration_tolerations: Annotated[str, AfterValidator(checked_tolerations)] = "[]"
    hydration_env: Environment = ()

    def caching(self) -> CachingSettings:
        """Give what of this decides about caches, and so stands in the log."""
        return CachingSettings(
            secret_namespace=self.cluster_secret_namespace,
            own_namespace=self.own_namespace,
            workload_namespace=self.workload_namespace,
            heal_seconds=self.heal_seconds,
            retry_seconds=self.retry_seconds,
            hydration=HydrationSettings(
                self.hydration_image,
                self.hydration_resources,
                self.hydration_tolerations,
                self.hydration_env,
            ),
            replicas=True,
        )

    def digest(self) -> str:
        """Give the sha256 hex of all settings but where the log lies, for `SessionStarted`."""
        told = {name: value for name, value in asdict(self).items() if name != "log"}
        told["listen"] = str(self.listen)
        told["log_format"] = self.log_format.value
        return settings_digest(told)


def settings_digest(settings: Mapping[str, Any]) -> str:
    """Give the sha256 hex of settings that are plain JSON values."""
    return hashlib.sha256(dumps(dict(settings)).encode("ascii")).hexdigest()


def own_namespace(
    environment: Mapping[str, str] = os.environ, file: Path = _OWN_NAMESPACE_FILE
) -> str:
    """Give the namespace this process runs in, or `warmlog-system` outside a cluster."""
    if not environment.get(_IN_CLUSTER):
        return DEFAULT_NAMESPACE
    try:
        return file.read_text(encoding="ascii").strip() or DEFAULT_NAMESPACE
    except (OSError, UnicodeDecodeError):
        return DEFAULT_NAMESPACE
