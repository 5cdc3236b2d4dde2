"""Judging by a schema: what a value has that the API server would refuse for its type or bounds.

Only as much of OpenAPI is known as the schemas of our own definitions use. A field that holds null
counts as left out, as it does for the API server; fields that a schema does not have are for
another check.
"""

from collections.abc import Iterator
from typing import Any

from adapters.kubernetes.schemas_pods import Schema
from adapters.manifests.documents import child, item
from machines.faults import Fault


def schema_faults(value: Any, schema: Schema, path: str) -> Iterator[Fault]:
    """Give every fault of a value, each at the innermost field that is wrong."""
    words = _refusal(value, schema)
    if words:
        yield Fault(path, words)
        return
    if isinstance(value, list):
        for index, each in enumerate(value):
            yield from schema_faults(each, schema.get("items", {}), item(path, index))
    if isinstance(value, dict):
        for name in schema.get("required", ()):
            if value.get(name) is None:
                yield Fault(child(path, name), "must be given")
        for name, inner in schema.get("properties", {}).items():
            if value.get(name) is not None:
                yield from schema_faults(value[name], inner, child(path, name))


def _refusal(value: Any, schema: Schema) -> str:
    wanted = schema.get("type")
    if wanted is not None and not _IS_A[wanted](value):
        return f"must be {_NOUNS[wanted]}"
    if "enum" in schema and value not in schema["enum"]:
        *others, last = map(str, schema["enum"])
        return f"must be {', '.join(others)} or {last}" if others else f"must be {last}"
    if isinstance(value, str):
        return _length_refusal(value, schema)
    return ""


def _length_refusal(value: str, schema: Schema) -> str:
    if len(value) < schema.get("minLength", 0):
        return "must not be empty"
    most = schema.get("maxLength")
    if most is not None and len(value) > most:
        return f"must be at most {most} characters long"
    return ""


_IS_A = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
}
_NOUNS = {"object": "an object", "array": "a list", "string": "a string"}
