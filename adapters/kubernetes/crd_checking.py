"""Checking the served CRD: a status field that its schema lacks is pruned without a word.

Paths are relative to the status, with `[]` for the items of a list: `targets[].phase`.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from adapters.kubernetes.answers import FORBIDDEN, NOT_FOUND, status_words
from adapters.kubernetes.fields import mapping, mappings
from adapters.kubernetes.kinds import MODEL_WARMUP, Kind
from adapters.ports import Api, ApiUnanswered, Request
from machines import labels

_CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_MEND = "apply this version's CRD with `kubectl apply -k crds/`"
_NAMED = 5  # missing fields that are named; the others are counted


async def check_crd(
    api: Api, status_paths: Iterable[str], *, timeout_seconds: float, kind: Kind = MODEL_WARMUP
) -> str:
    """Say in one sentence what the served CRD lacks and how to mend it; empty when nothing.

    That it could not be read is such a sentence too. Raises nothing.
    """
    request = Request("GET", f"{_CRDS}/{kind.resource}")
    try:
        response = await api.send(request, timeout_seconds=timeout_seconds)
    except ApiUnanswered as error:
        return f"The CRD {kind.resource} could not be read ({error}); it is read again at a start."
    if response.code == NOT_FOUND:
        return f"Cluster {api.cluster} has no CRD {kind.resource}: {_MEND}."
    if response.code == FORBIDDEN:
        return (
            f"warmlog may not read the CRD {kind.resource} and cannot tell whether it is up to"
            " date: apply its roles with `kubectl apply -k deploy/`."
        )
    if not response.ok:
        words = status_words(response)
        return f"The CRD {kind.resource} could not be read ({words}); it is read again at a start."
    return _lacking(kind, response.body, status_paths)


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
