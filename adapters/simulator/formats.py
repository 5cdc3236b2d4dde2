"""The formats that names and labels must have, in the words of a real server."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from adapters.simulator.answers import Cause

_LABEL_LIMIT = 63
_NAME_LIMIT = 253

_STANDARD_FINALIZERS = frozenset(("kubernetes", "foregroundDeletion", "orphan"))

_DNS_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_DNS_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_QUALIFIED = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")

_SUBDOMAIN_WORDS = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
_LABEL_WORDS = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
_VALUE_WORDS = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  "
    "or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
_KEY_WORDS = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
    "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
_TOO_LONG = "must be no more than {} bytes"


def invalid_value(value: str, words: str) -> str:
    """Say that a text is not what it should be."""
    return f"Invalid value: {json.dumps(value, ensure_ascii=False)}: {words}"


def invalid_name(name: str, path: str) -> Iterator[Cause]:
    """Say what is wrong with an object's name."""
    if not name:
        words = "Required value: name or generateName is required"
        yield Cause(path, words, "FieldValueRequired")
        return
    if len(name) > _NAME_LIMIT:
        yield Cause(path, invalid_value(name, _TOO_LONG.format(_NAME_LIMIT)))
    if not _DNS_SUBDOMAIN.fullmatch(name):
        yield Cause(path, invalid_value(name, _SUBDOMAIN_WORDS))


def invalid_label_name(name: str, path: str) -> Iterator[Cause]:
    """Say what is wrong with a name that must be one label of a DNS name."""
    if not name:
        yield Cause(path, "Required value", "FieldValueRequired")
        return
    if len(name) > _LABEL_LIMIT:
        yield Cause(path, invalid_value(name, _TOO_LONG.format(_LABEL_LIMIT)))
    if not _DNS_LABEL.fullmatch(name):
        yield Cause(path, invalid_value(name, _LABEL_WORDS))


def invalid_labels(labels: Mapping[str, Any], path: str) -> Iterator[Cause]:
    """Say what is wrong with labels: their keys and their values."""
    for key, value in labels.items():
        prefix, slash, name = key.rpartition("/")
        if not _QUALIFIED.fullmatch(name) or (slash and not _DNS_SUBDOMAIN.fullmatch(prefix)):
            yield Cause(path, invalid_value(key, _KEY_WORDS))
        if len(value) > _LABEL_LIMIT:
            yield Cause(path, invalid_value(value, _TOO_LONG.format(_LABEL_LIMIT)))
        if value and not _QUALIFIED.fullmatch(value):
            yield Cause(path, invalid_value(value, _VALUE_WORDS))


def invalid_annotations(annotations: Mapping[str, Any], path: str) -> Iterator[Cause]:
    """Say what is wrong with the keys of annotations."""
    for key in annotations:
        prefix, slash, name = key.lower().rpartition("/")
        if not _QUALIFIED.fullmatch(name) or (slash and not _DNS_SUBDOMAIN.fullmatch(prefix)):
            yield Cause(path, invalid_value(key, _KEY_WORDS))


def invalid_owners(owners: Iterable[Mapping[str, Any]], path: str) -> Iterator[Cause]:
    """Say what references to owners lack."""
    for owner in owners:
        for field in ("apiVersion", "kind", "name", "uid"):
            if not owner.get(field):
                yield Cause(f"{path}.{field}", invalid_value("", "must not be empty"))


def invalid_finalizers(finalizers: Iterable[str], path: str, *, known: bool) -> Iterator[Cause]:
    """Say what is wrong with finalizers; `known`: one without a prefix must be Kubernetes' own."""
    for index, finalizer in enumerate(finalizers):
        prefix, slash, name = finalizer.rpartition("/")
        if not _QUALIFIED.fullmatch(name) or (slash and not _DNS_SUBDOMAIN.fullmatch(prefix)):
            yield Cause(path, invalid_value(finalizer, _KEY_WORDS))
        elif known and not slash and finalizer not in _STANDARD_FINALIZERS:
            words = "name is neither a standard finalizer name nor is it fully qualified"
            yield Cause(f"{path}[{index}]", invalid_value(finalizer, words))
