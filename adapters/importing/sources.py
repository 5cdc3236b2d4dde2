"""Sources: the files that material lies in, each of one cluster, read twice from their beginning.

Standard input is kept in a nameless file for that, which nobody else can open.
"""

import hashlib
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from os import SEEK_END
from pathlib import Path
from typing import IO, BinaryIO, NamedTuple, Self
from uuid import UUID

from adapters.importing.documents import Document, split
from adapters.importing.reading_lines import LineReader, Watch, head_of
from adapters.importing.sights import Raw
from adapters.importing.telling_audits import is_audit
from adapters.kubernetes.fields import mapping, mappings, text
from adapters.kubernetes.vaults import SecretVault
from adapters.store.mistaking import LOG, YAML
from engine.errors import LogUnreadable
from machines.caches.reaching import REMOTE

STDIN = "-"
_NAMED = re.compile(r"([a-z0-9][a-z0-9./-]*)=(.+)", re.DOTALL)
_AUDIT = re.compile(rb'"apiVersion"\s*:\s*"audit\.k8s\.io/')
_SECRET = re.compile(rb'"(?:kind"\s*:\s*"Secret(?:List)?|resource"\s*:\s*"secrets)"')
_SQLITE = b"SQLite format 3\0"
_LOOKED_AT = 1 << 16  # bytes at the beginning of a file that tell what it is


class Named(NamedTuple):
    """A source as a person names it: `PATH`, or `NAME=PATH` of another cluster's."""

    name: str
    path: str


def parse_source(given: str) -> Named:
    """Read `NAME=PATH` or `PATH`; a file whose own name has an equals sign is a path."""
    found = _NAMED.fullmatch(given)
    if found is None or Path(given).exists():
        return Named("", given)
    return Named(found[1], found[2])


def clusters_of(sources: Sequence[Named], home: str | None) -> list[str]:
    """Give the name in the log of each source's cluster.

    Home is the cluster with the ModelWarmups and ModelCaches: the one that is named so, else that
    of the first source. Another name is that of an InferenceCluster.
    """
    unnamed = any(not source.name for source in sources)
    name = home or ("local" if unnamed else sources[0].name)
    return [
        name
        if source.name in {"", name}
        else source.name
        if source.name.startswith(REMOTE)
        else f"{REMOTE}{source.name}"
        for source in sources
    ]


def is_material(path: str) -> bool:
    """Say whether a file holds foreign material, by its beginning: not a log of warmlog's own."""
    if path == STDIN:
        return True
    if is_log(path):
        return False
    lines = (_head(path) or b"").split(b"\n")
    return any(line.lstrip(b"\xef\xbb\xbf \t").startswith((b"{", b"[")) for line in lines)


def is_log(path: str) -> bool:
    """Say whether a file is a log of warmlog's own, or a URL, by its beginning."""
    return "://" in path or (_head(path) or b"").startswith((_SQLITE, LOG))


def looks_like_yaml(path: str) -> bool:
    """Say whether a file begins as objects do in YAML."""
    return YAML.search(_head(path) or b"") is not None


def _head(path: str) -> bytes | None:
    """Give the beginning of a file; None of one that cannot be read, whose opening says why."""
    try:
        with Path(path).open("rb") as file:
            return head_of(file, _LOOKED_AT)
    except OSError:
        return None


class Source:
    """One open source."""

    def __init__(self, name: str, cluster: str, file: IO[bytes], watch: Watch) -> None:
        """Read `file`, which is of `cluster`, and which people call `name`."""
        self.name = name
        self.cluster = cluster
        self.lines = LineReader(file, watch)
        self.size_bytes = file.seek(0, SEEK_END)


class Sources:
    """All sources of one import, open while the context lasts."""

    def __init__(
        self, given: Sequence[Named], clusters: Sequence[str], watch: Watch = lambda _: None
    ) -> None:
        """Prepare to open what was `given`, each of its cluster; `watch` is told of bytes read."""
        self._watch = watch
        self._given = tuple(zip(given, clusters, strict=True))
        self._stack = ExitStack()
        self.opened: tuple[Source, ...] = ()

    def __enter__(self) -> Self:
        """Open them. Raises LogUnreadable."""
        with ExitStack() as stack:
            self.opened = tuple(
                Source(named.path, cluster, stack.enter_context(_opened(named.path)), self._watch)
                for named, cluster in self._given
            )
            self._stack = stack.pop_all()
        return self

    @property
    def to_read_bytes(self) -> int:
        """Say how much is to be read, for the survey and for the rows."""
        return 2 * sum(source.size_bytes for source in self.opened)

    def __exit__(self, *_: object) -> None:
        """Close them."""
        self._stack.close()

    def survey(self, said: str = "") -> "Survey":
        """Read everything once: what it is, and the secrets that must not get any further.

        What is `said` about the material makes another log of it.
        """
        digest = hashlib.sha256(said.encode())
        audits, secrets = [], False
        for source in self.opened:
            inner, audit = hashlib.sha256(), False
            for line in source.lines:
                inner.update(line)
                audit = audit or _AUDIT.search(line) is not None
                secrets = secrets or _SECRET.search(line) is not None
            digest.update(source.cluster.encode() + b"\0" + inner.digest())
            audits.append(audit)
        key = hashlib.sha256(b"warmlog import\0" + digest.digest()).digest()
        vault = SecretVault(key)
        if secrets:
            self._keep_secrets(vault)
        log_id = UUID(bytes=digest.digest()[:16], version=5)
        return Survey(str(log_id), "audit" if all(audits) else "kubectl", vault)

    def _keep_secrets(self, vault: SecretVault) -> None:
        for source in self.opened:
            for found in split(source.lines):
                if isinstance(found, Document):
                    for raw in _secrets_in(found.value):
                        vault.keep(source.cluster, raw)


class Survey(NamedTuple):
    """What a first reading gave."""

    log_id: str
    recorder: str
    vault: SecretVault


def _opened(path: str) -> IO[bytes]:
    try:
        if path == STDIN:
            return _spooled(sys.stdin.buffer)
        return Path(path).open("rb")
    except OSError as error:
        msg = f"{path} cannot be read: {error.strerror}. Check the path."
        raise LogUnreadable(msg) from error


def _spooled(stream: BinaryIO) -> IO[bytes]:
    spool = tempfile.TemporaryFile()  # noqa: SIM115 -- whoever asked for it closes it
    shutil.copyfileobj(stream, spool)
    return spool


def _secrets_in(value: object) -> Iterator[Raw]:
    """Give the Secrets that a document holds, however deep it wraps them."""
    if isinstance(value, list):
        for each in value:
            yield from _secrets_in(each)
        return
    document = mapping(value)
    if document.get("kind") == "Secret":
        yield document
    listed = text(document.get("kind")) == "SecretList"
    for each in mappings(document.get("items")):
        if listed:
            yield each
        else:
            yield from _secrets_in(each)
    if is_audit(document):
        yield from _secrets_in(document.get("requestObject"))
        yield from _secrets_in(document.get("responseObject"))
    elif "object" in document:
        yield from _secrets_in(document["object"])
