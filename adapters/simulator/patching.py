"""JSON patch (RFC 6902) and JSON merge patch (RFC 7396), copying only what they change.

What a patch leaves alone is shared between the old and the new document, so that a status patch
costs nothing for the spec, and comparing old and new is quick.
"""

from typing import Any


class PatchMalformed(Exception):
    """Not a patch at all."""


class PatchFailed(Exception):
    """A patch that does not fit the document: a failed test, a path that is not there."""


def merge_patched(document: Any, patch: Any) -> Any:
    """Give `document` with `patch` merged in; null removes."""
    if not isinstance(patch, dict):
        return patch
    result = dict(document) if isinstance(document, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merge_patched(result.get(name), value)
    return result


def json_patched(document: Any, patch: Any) -> Any:
    """Give `document` with the operations of `patch` applied, all of them or none."""
    if not isinstance(patch, list):
        raise PatchMalformed("a JSON patch is a list of operations")
    for operation in patch:
        document = _applied(document, operation)
    return document


def _applied(document: Any, operation: Any) -> Any:
    if not isinstance(operation, dict):
        raise PatchMalformed("an operation is an object")
    if not isinstance(operation.get("path"), str):
        raise PatchFailed("an operation needs a path")
    path = _parts(operation["path"])
    match operation.get("op"):
        case "test":
            if not _same(_found_or_none(document, path), operation.get("value")):
                raise PatchFailed(f"testing value {operation['path']} failed")
            return document
        case "add":
            return _with(document, path, operation.get("value"), insert=True)
        case "replace":
            # As on a real server, a member that is not there is put there; an element is not.
            return _with(document, path, operation.get("value"), insert=False)
        case "remove":
            return _without(document, path)
        case "copy":
            value = _found(document, _parts(operation.get("from", "")))
            return _with(document, path, value, insert=True)
        case "move":
            origin = _parts(operation.get("from", ""))
            value = _found(document, origin)
            return _with(_without(document, origin), path, value, insert=True)
        case other:
            raise PatchFailed(f"unexpected kind: {other}")


def _parts(path: str) -> list[str]:
    if path and not path.startswith("/"):
        raise PatchFailed(f"path {path!r} does not begin with a slash")
    return [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]]


def _index(items: list[Any], part: str, limit: int) -> int:
    if not part.isdecimal() or int(part) >= limit:
        raise PatchFailed(f"no element {part!r} in a list of {len(items)}")
    return int(part)


def _child(document: Any, part: str) -> Any:
    if isinstance(document, dict) and part in document:
        return document[part]
    if isinstance(document, list):
        return document[_index(document, part, len(document))]
    raise PatchFailed(f"nothing at {part!r}")


def _found(document: Any, path: list[str]) -> Any:
    for part in path:
        document = _child(document, part)
    return document


def _found_or_none(document: Any, path: list[str]) -> Any:
    """Find what a test is about; a member that is not there is null."""
    if not path:
        return document
    holder = _found(document, path[:-1])
    if isinstance(holder, dict):
        return holder.get(path[-1])
    return _child(holder, path[-1])


def _same(one: Any, other: Any) -> bool:
    """Compare as JSON does: neither is true equal to 1, nor 1 to 1.0."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_same(one[name], other[name]) for name in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)


def _with(document: Any, path: list[str], value: Any, *, insert: bool) -> Any:
    """Copy the containers along `path` and put `value` at its end."""
    if not path:
        raise PatchFailed("the whole document cannot be replaced")
    part, *rest = path
    if rest:
        value = _with(_child(document, part), rest, value, insert=insert)
        insert = False
    if isinstance(document, dict):
        return {**document, part: value}
    if not isinstance(document, list):
        raise PatchFailed(f"nothing can be put at {part!r}")
    items = list(document)
    if not insert:
        items[_index(items, part, len(items))] = value
    elif part == "-":
        items.append(value)
    else:
        items.insert(_index(items, part, len(items) + 1), value)
    return items


def _without(document: Any, path: list[str]) -> Any:
    """Copy the containers along `path` and leave its end out."""
    if not path:
        raise PatchFailed("the whole document cannot be removed")
    part, *rest = path
    child = _child(document, part)
    if rest:
        return _with(document, [part], _without(child, rest), insert=False)
    if isinstance(document, dict):
        return {name: value for name, value in document.items() if name != part}
    items = list(document)
    del items[_index(items, part, len(items))]
    return items
