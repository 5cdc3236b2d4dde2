"""The vault: keeps the values of Secrets that warmlog reads, so that nothing else ever has them.

`discretion` puts it in front of an API server. A Secret that comes by leaves its values here and
goes on with their digests alone, and words go on without any value that the vault has ever held,
however it is written. Nothing here is logged, shown or stored.
"""

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Protocol
from urllib.parse import quote

import yaml

from adapters.kubernetes.fields import mapping, mappings, text, texts
from adapters.kubernetes.parsing import TOO_DEEP
from machines import labels
from machines.steadying import ELLIPSIS

DIGESTS = "digests"  # what a Secret has in the place of `data` when it has passed the vault
_DIGEST_LENGTH = 16  # hexadecimal characters
_SHORTEST = 4  # characters; what is shorter stands in too many words that hold no secret
_LONG_LINE = 16  # characters of a line of a private key
_MOST_LINES = 256  # of a value that are looked at one by one
_MOST_PAST = 4096  # forms of values that are no Secret's any more
_WORDS = frozenset({"message", "note"})  # fields in which somebody speaks
_CREDENTIALS = ("token", "password", "client-key-data")  # of a kubeconfig's user


class Tokens(Protocol):
    """Where a token is had from at the moment at which it is written into a cluster."""

    def base64_of(self, namespace: str, name: str, key: str, digest: str) -> str | None:
        """Give the value of a Secret's key as its `data` has it; None unless the digest is it."""
        ...


class _Named(NamedTuple):
    cluster: str
    namespace: str
    name: str


class SecretVault:
    """Values of Secrets by cluster, namespace and name, in memory alone."""

    def __init__(self, key: bytes) -> None:
        """Digest under `key`, which is made once and kept in the store, and never leaves it."""
        self._key = key
        self._values: dict[_Named, dict[str, str]] = {}
        self._current: dict[_Named, frozenset[str]] = {}
        self._past: dict[str, None] = {}
        self._forms: tuple[str, ...] = ()  # longest first, so that no part of one is left

    def __repr__(self) -> str:
        """Show nothing of what is in it."""
        return f"SecretVault({len(self._values)} Secrets)"

    @property
    def is_empty(self) -> bool:
        """Say that there is nothing to strike out of anything."""
        return not self._forms

    def keep(self, cluster: str, raw: Any) -> Any:
        """Take the values out of a raw Secret; give what may go on, with digests in their place."""
        secret = mapping(raw)
        metadata = mapping(secret.get("metadata"))
        data = dict(texts(secret.get("data")))
        named = _Named(cluster, text(metadata.get("namespace")), text(metadata.get("name")))
        if named.name and self._values.get(named) != data:
            self._retire(named)
            self._values[named] = data
            self._current[named] = frozenset(form for one in data.values() for form in _forms(one))
            self._arrange()
        rest = {name: secret[name] for name in secret if name not in {"data", "stringData"}}
        rest[DIGESTS] = {key: self.digest(value) for key, value in data.items()}
        if metadata:
            rest["metadata"] = _without_words(metadata)
        return rest

    def forget(self, cluster: str, namespace: str, name: str) -> None:
        """Give a Secret's values to nobody any more; they are struck out of words as before."""
        self._retire(_Named(cluster, namespace, name))
        self._arrange()

    def digest(self, encoded: str) -> str:
        """Give the digest of a value (in base64) under the key; empty of one that is empty."""
        value = _decoded(encoded)
        if not value.strip():
            return ""
        return hmac.new(self._key, value, hashlib.sha256).hexdigest()[:_DIGEST_LENGTH]

    def tokens(self, cluster: str) -> Tokens:
        """Give access to the values of one cluster's Secrets."""
        return _ClusterTokens(self, cluster)

    def base64_of(self, cluster: str, namespace: str, name: str, key: str) -> str | None:
        """Give a value as the Secret's `data` has it; None when there is none."""
        return self._values.get(_Named(cluster, namespace, name), {}).get(key)

    def text_of(self, cluster: str, namespace: str, name: str, key: str) -> str | None:
        """Give a value as a text, such as a kubeconfig; None when there is none."""
        encoded = self.base64_of(cluster, namespace, name, key)
        return None if encoded is None else _decoded(encoded).decode("utf-8", "replace")

    def scrub(self, words: str) -> str:
        """Strike every value that was ever held out of `words`, however it is written."""
        for form in self._forms:
            if form in words:
                words = words.replace(form, ELLIPSIS)
        return words

    def strike(self, value: Any) -> Any:
        """Give a JSON value in which no words hold a secret."""
        try:
            return _struck(value, self)
        except RecursionError:
            return TOO_DEEP  # nobody could read it either

    def _retire(self, named: _Named) -> None:
        self._values.pop(named, None)
        for form in sorted(self._current.pop(named, ())):
            self._past.pop(form, None)
            self._past[form] = None
        while len(self._past) > _MOST_PAST:
            del self._past[next(iter(self._past))]

    def _arrange(self) -> None:
        every = set(self._past).union(*self._current.values())
        self._forms = tuple(sorted(every, key=lambda form: (-len(form), form)))


class _ClusterTokens:
    def __init__(self, vault: SecretVault, cluster: str) -> None:
        self._vault = vault
        self._cluster = cluster

    def base64_of(self, namespace: str, name: str, key: str, digest: str) -> str | None:
        value = self._vault.base64_of(self._cluster, namespace, name, key)
        return value if value and self._vault.digest(value) == digest else None


def _without_words(metadata: dict[str, Any]) -> dict[str, Any]:
    """Hide annotations that are not ours: `kubectl apply` keeps the whole object in one."""
    rest = {name: value for name, value in metadata.items() if name != "managedFields"}
    notes = metadata.get("annotations")
    if isinstance(notes, dict):
        rest["annotations"] = {
            key: value if key.startswith(labels.OURS) else "" for key, value in notes.items()
        }
    return rest


def _struck(value: Any, vault: SecretVault) -> Any:
    """Strike secrets out of words. Nothing else is touched: a value may be any word at all."""
    if isinstance(value, dict):
        return {
            name: vault.scrub(inner)
            if name in _WORDS and isinstance(inner, str)
            else _struck(inner, vault)
            for name, inner in value.items()
        }
    if isinstance(value, list):
        return [_struck(inner, vault) for inner in value]
    return value


def _decoded(encoded: str) -> bytes:
    try:
        return base64.b64decode(encoded)
    except (binascii.Error, ValueError):
        return encoded.encode("utf-8", "surrogatepass")


def _forms(encoded: str) -> Iterator[str]:
    """Give the ways in which a value may stand in words."""
    said = _decoded(encoded).decode("utf-8", "replace")
    for value in (said, *_lines_of_keys(said), *_credentials(said)):
        for one in {value, value.strip()}:
            data = one.encode("utf-8", "surrogatepass")
            escaped = json.dumps(one, ensure_ascii=False)[1:-1]
            inner = base64.b64encode(data).decode().rstrip("=")
            for form in (one, escaped, inner, quote(data, safe="")):
                if len(form) >= _SHORTEST:
                    yield form


def _lines_of_keys(value: str) -> Iterable[str]:
    if "PRIVATE KEY" not in value:
        return ()
    lines = [line.strip() for line in value.splitlines()[:_MOST_LINES]]
    return [line for line in lines if len(line) >= _LONG_LINE and not line.startswith("---")]


def _credentials(value: str) -> Iterator[str]:
    """Give what lets somebody in of a kubeconfig, or nothing of what is none."""
    if "users" not in value:
        return
    try:
        users = mappings(mapping(yaml.safe_load(value)).get("users"))
    except (yaml.YAMLError, RecursionError, ValueError):
        return
    for user in users:
        inside = mapping(user.get("user"))
        for field in _CREDENTIALS:
            secret = text(inside.get(field))
            if secret:
                yield secret
        key = _decoded(text(inside.get("client-key-data"))).decode("utf-8", "replace")
        yield from _lines_of_keys(key)
        for more in texts(mapping(inside.get("auth-provider")).get("config")):
            yield more[1]
        for variable in mappings(mapping(inside.get("exec")).get("env")):
            yield text(variable.get("value"))
