"""Checking the served CRD: a status field that its schema lacks is pruned without a word.

Paths are relative to the status, with `[]` for the items of a list: `targets[].phase`.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from adapters.kubernetes.answers import FORBIDDEN, NOT_FOUND, status_words
from adapters.kubernetes.fields import mapping, mappings, text
from adapters.kubernetes.kinds import HOME_KINDS, MODEL_REPLICA, MODEL_WARMUP, Kind
from adapters.ports import Api, ApiUnanswered, Request
from machines import labels

_CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_MEND = "apply this version's CRD with `kubectl apply -k crds/`"
_CROSSPLANE = "CompositeResourceDefinition"
_NAMED = 5  # missing fields that are named; the others are counted


class Unserved(NamedTuple):
    """Why a kind is not to be served here."""

    words: str
    certain: bool  # that nobody here can have its objects, rather than that it was not told


class _Read(NamedTuple):
    """A CRD, or a sentence that says why it cannot be had."""

    crd: Any
    trouble: str = ""
    is_missing: bool = False  # the server says that there is none


async def check_crd(
    api: Api, status_paths: Iterable[str], *, timeout_seconds: float, kind: Kind = MODEL_WARMUP
) -> str:
    """Say in one sentence what the served CRD lacks and how to mend it; empty when nothing.

    That it could not be read is such a sentence too. Raises nothing.
    """
    crd, trouble, _ = await _read_crd(api, kind, timeout_seconds)
    return trouble or _lacking(kind, crd, status_paths)


async def compare_crd(
    api: Api, status_paths: Iterable[str], *, timeout_seconds: float, kind: Kind
) -> str | None:
    """Say in one sentence what the served CRD lacks, empty when nothing; None when it is not told.

    That is while nobody can read it, while there is none, and while it is another controller's:
    `caches_served` has the words for that. Raises nothing.
    """
    crd, trouble, _ = await _read_crd(api, kind, timeout_seconds)
    if trouble or _made_by_another(kind, crd):
        return None
    return _lacking(kind, crd, status_paths)


async def _read_crd(api: Api, kind: Kind, timeout_seconds: float) -> _Read:
    request = Request("GET", f"{_CRDS}/{kind.resource}")
    again = "it is read again at a start."
    try:
        response = await api.send(request, timeout_seconds=timeout_seconds)
    except ApiUnanswered as error:
        return _Read(None, f"The CRD {kind.resource} could not be read ({error}); {again}")
    if response.code == NOT_FOUND:
        words = f"Cluster {api.cluster} has no CRD {kind.resource}: {_MEND}."
        return _Read(None, words, is_missing=True)
    if response.code == FORBIDDEN:
        return _Read(
            None,
            f"warmlog may not read the CRD {kind.resource} and cannot tell whether it is up to"
            " date: apply its roles with `kubectl apply -k deploy/`.",
        )
    if not response.ok:
        words = status_words(response)
        return _Read(None, f"The CRD {kind.resource} could not be read ({words}); {again}")
    return _Read(response.body)


async def caches_served(api: Api, *, timeout_seconds: float) -> str:
    """Say in one sentence why ModelCaches are not to be served here; empty when they are.

    CRDs that another controller made are let alone; those that cannot be read may be such. Raises
    nothing.
    """
    unserved = await caches_unserved(api, timeout_seconds=timeout_seconds)
    return unserved.words if unserved is not None else ""


async def caches_unserved(api: Api, *, timeout_seconds: float) -> Unserved | None:
    """Say why ModelCaches are not to be served here, as `caches_served` does; None: they are."""
    for kind in HOME_KINDS:
        crd, trouble, is_missing = await _read_crd(api, kind, timeout_seconds)
        told = _lacking(kind, crd, ()) or _made_by_another(kind, crd) if not trouble else ""
        if trouble or told:
            words = f"ModelCaches and InferenceClusters are not served: {trouble or told}"
            return Unserved(words, is_missing or bool(told))
    return None


async def replicas_unserved(api: Api, *, timeout_seconds: float) -> Unserved | None:
    """Say why ModelReplicas are not to be served here; None when they are. Raises nothing.

    It is asked where ModelCaches are served, which they need. As with those, a CRD that another
    controller made is let alone, and one that cannot be read may be such.
    """
    kind = MODEL_REPLICA
    crd, trouble, is_missing = await _read_crd(api, kind, timeout_seconds)
    told = _lacking(kind, crd, ()) or _made_by_another(kind, crd) if not trouble else ""
    words = trouble or told
    if not words:
        return None
    return Unserved(f"ModelReplicas are not served: {words}", is_missing or bool(told))


def _made_by_another(kind: Kind, crd: Any) -> str:
    for owner in mappings(mapping(mapping(crd).get("metadata")).get("ownerReferences")):
        if owner.get("kind") == _CROSSPLANE:
            return (
                f"the CRD {kind.resource} belongs to {_CROSSPLANE} {text(owner.get('name'))},"
                " and so to Modelplane's own controller. Remove that, then"
                f" {_MEND}."
            )
    return ""


def missing_paths(crd: Any, version: str, status_paths: Iterable[str]) -> tuple[str, ...]:
    """Give the paths that the schema of a CRD's `version` does not keep, in order."""
    schema = mapping(_version_of(crd, version).get("schema")).get("openAPIV3Schema")
    status = mapping(mapping(mapping(schema).get("properties")).get("status"))
    return tuple(path for path in status_paths if not _keeps(status, path.split(".")))


def paths_of(status: Any) -> tuple[str, ...]:
    """Give the paths of all fields in a status, sorted: what its projection writes."""
    return tuple(sorted(set(_paths(status, ""))))


def _lacking(kind: Kind, crd: Any, status_paths: Iterable[str]) -> str:
    if not _version_of(crd, labels.VERSION):
        return f"The CRD {kind.resource} does not serve {labels.VERSION}: {_MEND}."
    if "status" not in mapping(_version_of(crd, labels.VERSION).get("subresources")):
        return f"The CRD {kind.resource} has no status subresource: {_MEND}."
    missing = missing_paths(crd, labels.VERSION, status_paths)
    if not missing:
        return ""
    named = ", ".join(f"status.{path}" for path in missing[:_NAMED])
    more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
    return f"The served CRD {kind.resource} drops {named}{more}: {_MEND}."


def _version_of(crd: Any, version: str) -> dict[str, Any]:
    for one in mappings(mapping(mapping(crd).get("spec")).get("versions")):
        if one.get("name") == version and one.get("served") is True:
            return one
    return {}


def _keeps(schema: dict[str, Any], parts: list[str]) -> bool:
    """Say whether a field at `parts` below `schema` is stored and not pruned."""
    for part in parts:
        name = part.removesuffix("[]")
        inner = mapping(schema.get("properties")).get(name)
        if inner is None:
            inner = schema.get("additionalProperties")
        if inner is None or inner is False:
            return schema.get("x-kubernetes-preserve-unknown-fields") is True
        schema = mapping(inner)
        if part.endswith("[]"):
            schema = mapping(schema.get("items"))
    return True


def _paths(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from _paths(inner, f"{path}.{name}" if path else name)
    elif isinstance(value, list | tuple) and value:
        for item in value:
            yield from _paths(item, f"{path}[]")
    elif path:
        yield path
