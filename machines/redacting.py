"""Redacting: the rows of a log with every name, value and word replaced that tells whose it is.

Kinds, phases, reasons, counts, times, uids and the structure of specs stay, so that the log shows
the same phases. What the code computes out of names and specs (the names of Jobs and claims, a
warmup's revision, a cache's fingerprint) becomes what it computes out of the redacted ones.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from engine.canonical_json import dumps, loads, loads_or_none
from engine.events import Event, Subject
from machines.caches.child_names import (
    claim_name,
    hydration_job_name,
    token_secret_name,
    workload_namespace,
)
from machines.caches.sources import fingerprint
from machines.caches.specs import parse_cache
from machines.pseudonyms import Pseudonyms
from machines.replicas.composing import Part, parts_of
from machines.replicas.kinds import COMPOSED
from machines.replicas.mounting import offer_of
from machines.replicas.part_names import part_names
from machines.replicas.placing import place_of
from machines.replicas.specs import parse_replica
from machines.replicas.states import Replica
from machines.revisions import revision
from machines.specs import parse
from machines.states import State

_CAMEL_CASE = re.compile(r"[A-Z][A-Za-z0-9]*")
# Fields that hold a word of an API where they hold one in CamelCase.
_WORDED = frozenset({
    "bindingMode", "change", "effect", "imagePullPolicy", "kind", "mode", "operator", "outcome",
    "phase", "policy", "reason", "ready", "restartPolicy", "role", "source", "stack", "state",
    "status", "type",
})  # fmt: skip
_PROSE = frozenset({"message", "words"})
_LABELS = frozenset({"labels", "matchLabels", "annotations", "nodeSelector", "keys"})
_SELECTORS = frozenset({"matchLabels", "matchExpressions"})
_KEPT = frozenset({
    "apiVersion", "code_digest", "controllerUid", "jobUid",
    "job_uid", "nodeUid", "node_uid", "owner_uid", "settings_digest", "uid", "version",
    "warmupUid", "warmup_uid", "created", "lastTransitionTime", "recorder", "capacity", "requested",
})  # fmt: skip


class Redaction:
    """Redacts the rows of one log under one key.

    All of them are related first, then compared, then learnt, before the first is redacted: a Job
    may be listed before the ModelWarmup that its name is made of, a workload be there before the
    log begins, and words speak of what comes later.
    """

    def __init__(self, key: bytes) -> None:
        """Begin with nothing learnt; `key` must not be known to whoever reads the result."""
        self._pseudonyms = Pseudonyms(key)

    def relate(self, event: Event) -> None:
        """Take in the uid of a row, and what its names and spec are computed into, if they are."""
        subject = Subject.parse(event.subject)
        self._pseudonyms.relate(subject.uid, subject.uid)
        if event.type not in _LEARNT:
            return
        redacted = self._redacted(loads(event.data))
        old = loads_or_none(loads(event.data)["level"].get("spec", ""))
        new = loads_or_none(redacted["level"].get("spec", ""))
        for name, pseudonym in _LEARNT[event.type](subject, self._subject(subject), old, new):
            self._pseudonyms.relate(name, pseudonym)

    def compare(self, whole: State, shown: State, event: Event) -> None:
        """Take in what of digests a row is about, before it is folded.

        `whole` is the state so far, `shown` that of the redacted rows. What a ModelReplica is
        composed of bears the digest of what was applied, which holds its names and its spec.
        """
        for uid in _replicas_of(whole, event):
            before, after = whole.replicas.get(uid), shown.replicas.get(uid)
            if before is None or after is None:
                continue
            made = {(part.kind, part.name): part.digest for part in _parts(shown, after)}
            for part in _parts(whole, before):
                digest = made.get((part.kind, self._pseudonyms.name(part.name)))
                if digest is not None:
                    self._pseudonyms.relate(part.digest, digest)

    def learn(self, event: Event) -> None:
        """Take in the names in a row."""
        self.redact(event)

    def redact(self, event: Event) -> Event:
        """Give the row as it may be shown."""
        return event._replace(
            cluster=self._cluster(event.cluster),
            subject=str(self._subject(Subject.parse(event.subject))),
            data=dumps(self._redacted(loads(event.data))),
        )

    def _subject(self, subject: Subject) -> Subject:
        name, value = self._pseudonyms.name, self._pseudonyms.value
        return subject._replace(namespace=name(subject.namespace), name=value(subject.name))

    def _cluster(self, name: str) -> str:
        of, slash, rest = name.partition("/")
        return f"{of}/{self._pseudonyms.name(rest)}" if slash else self._pseudonyms.name(name)

    def _redacted(self, value: Any, field: str = "") -> Any:
        if isinstance(value, dict):
            return {self._key(key, field): self._redacted(one, key) for key, one in value.items()}
        if isinstance(value, list):
            return [self._redacted(one, field) for one in value]
        return self._text(value, field) if isinstance(value, str) else value

    def _key(self, key: str, field: str) -> str:
        given = field in _LABELS and key not in _SELECTORS
        return self._pseudonyms.value(key) if given else key

    def _text(self, text: str, field: str) -> str:
        if field in _KEPT or (field in _WORDED and _CAMEL_CASE.fullmatch(text)):
            return text
        if field == "kind":  # of a kind that is listed by one name: Secret/default/token
            kind, slash, name = text.partition("/")
            return f"{kind}{slash}{self._pseudonyms.value(name)}"
        if field in _PROSE:
            return self._pseudonyms.prose(text)
        if text[:1] in {"{", "["}:
            inner = loads_or_none(text)
            if inner is not None:
                return dumps(self._redacted(inner, field))
        return self._pseudonyms.value(text)


def _replicas_of(state: State, event: Event) -> Iterable[str]:
    """Give the uids of the ModelReplicas whose digests a row may hold."""
    if event.type == "ApplyIntended":
        return (loads(event.data)["owner_uid"],)
    if event.subject.partition("/")[0] not in COMPOSED or event.type == "Gone":
        return ()
    owner = loads(event.data).get("level", {}).get("owner")
    return owner[-1:] if owner else state.replicas


def _parts(state: State, replica: Replica) -> list[Part]:
    place = place_of(state, replica)
    return parts_of(replica, place, offer_of(state, replica)) if place is not None else []


Related = Iterator[tuple[str, str]]


def _of_warmup(old: Subject, new: Subject, spec: Any, redacted: Any) -> Related:
    before, after = parse(spec).spec, parse(redacted).spec
    if before is not None and after is not None:
        yield revision(before), revision(after)


def _of_cache(old: Subject, new: Subject, spec: Any, redacted: Any) -> Related:
    before, after = parse_cache(spec).spec, parse_cache(redacted).spec
    if before is not None and after is not None:
        yield fingerprint(before), fingerprint(after)
    yield workload_namespace(old.namespace), workload_namespace(new.namespace)
    for name_of in (claim_name, hydration_job_name, token_secret_name):
        yield name_of(old.namespace, old.name), name_of(new.namespace, new.name)


def _of_replica(old: Subject, new: Subject, spec: Any, redacted: Any) -> Related:
    yield workload_namespace(old.namespace), workload_namespace(new.namespace)
    before, after = parse_replica(spec).spec, parse_replica(redacted).spec
    if before is None or after is None:
        return
    pairs = zip(part_names(old.name, before), part_names(new.name, after), strict=True)
    yield from ((one[1], other[1]) for one, other in pairs)


_LEARNT = {
    "ModelWarmupSeen": _of_warmup,
    "ModelCacheSeen": _of_cache,
    "ModelReplicaSeen": _of_replica,
}
