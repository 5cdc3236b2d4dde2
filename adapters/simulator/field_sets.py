"""Sets of fields: which an object has, which differ between two, and an object without some.

A field is a path of elements, each as `fieldsV1` writes it: `f:spec` for a member, `k:{"name":"x"}`
for an item of a list that is told apart by keys, `v:"x"` for one that stands for itself.
"""

import json
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from adapters.simulator.merge_keys import KEY_DEFAULTS, Shape
from adapters.simulator.storage import Manifest

Path = tuple[str, ...]
Fields = frozenset[Path]

NOTHING: Any = object()  # what is not there
_ITSELF = "."


class FieldsMalformed(Exception):
    """An object, or a set of fields, that cannot be read; the text says where and why."""


class Difference(NamedTuple):
    """In which fields a new object differs from an old one."""

    added: Fields
    modified: Fields
    removed: Fields

    @property
    def written(self) -> Fields:
        """The fields that got a value."""
        return self.added | self.modified


def fields_of(value: Any, shape: Shape) -> Fields:
    """Give the fields that an object has. Raises FieldsMalformed for items with the same keys."""
    faults: list[str] = []
    found = frozenset(_fields(value, shape, (), faults))
    if faults:
        words = faults[0] if len(faults) == 1 else "\n  ".join(("errors:", *faults))
        raise FieldsMalformed(words)
    return found


def _fields(value: Any, shape: Shape, path: Path, faults: list[str]) -> Iterator[Path]:
    if isinstance(value, dict) and not shape.whole:
        for name, part in value.items():
            within = (*path, f"f:{name}")
            if part is None or part == {}:
                yield within
            else:
                yield from _fields(part, shape.of_member(name), within, faults)
    elif isinstance(value, list) and (shape.keys or shape.texts):
        seen = set()
        for element, item in items_by_element(value, shape, path):
            if element in seen:
                faults.append(_duplicate(path, element))
                continue
            seen.add(element)
            within = (*path, element)
            yield within
            if shape.keys:
                yield from _fields(item, shape.of_item, within, faults)
    else:
        yield path


def items_by_element(items: Iterable[Any], shape: Shape, path: Path = ()) -> list[tuple[str, Any]]:
    """Give the items of a list, each with the element that tells it apart."""
    if shape.texts:
        return [(f"v:{json.dumps(item)}", item) for item in items]
    return [(_element(item, shape.keys, path), item) for item in items]


def _element(item: Any, keys: tuple[str, ...], path: Path) -> str:
    if not isinstance(item, dict):
        raise FieldsMalformed(f"{shown(path)}: items must be maps")
    values = {key: item.get(key, KEY_DEFAULTS.get(key, NOTHING)) for key in sorted(keys)}
    for key, value in values.items():
        if value is NOTHING:
            raise FieldsMalformed(
                f"{shown(path)}: element 0: associative list with keys has an element that omits "
                f'key field "{key}" (and doesn\'t have default value)'
            )
    return f"k:{json.dumps(values, separators=(',', ':'))}"


def _duplicate(path: Path, element: str) -> str:
    kind = "keys" if element.startswith("k:") else "value"
    said = "duplicate entries for key" if kind == "keys" else "set element"
    return f"{shown(path)}: {said} {_shown_element(element)}"


def compared(old: Any, new: Any, shape: Shape) -> Difference:
    """Say in which fields `new` differs from `old`."""
    found: tuple[set[Path], set[Path], set[Path]] = (set(), set(), set())
    _compare(old, new, shape, (), found)
    return Difference(*map(frozenset, found))


def _compare(
    old: Any, new: Any, shape: Shape, path: Path, found: tuple[set[Path], set[Path], set[Path]]
) -> None:
    if old is new or (old is not NOTHING and new is not NOTHING and old == new):
        return
    pairs = _pairs(old, new, shape)
    for element, before, after, within in pairs or ():
        _compare(before, after, within, (*path, element), found)
    added, modified, removed = found
    if old is NOTHING:
        added.add(path)
    elif new is NOTHING:
        removed.add(path)
    elif pairs is None:
        modified.add(path)


def _pairs(old: Any, new: Any, shape: Shape) -> list[tuple[str, Any, Any, Shape]] | None:
    """Give the parts of two values that are compared one by one; None to compare them whole."""
    before, after = (None if value is NOTHING else value for value in (old, new))
    if shape.whole or not (before or after):
        return None
    if all(value is None or isinstance(value, dict) for value in (before, after)):
        was, now = before or {}, after or {}
        names = {**was, **now}
        return [
            (f"f:{name}", was.get(name, NOTHING), now.get(name, NOTHING), shape.of_member(name))
            for name in names
        ]
    listed = all(value is None or isinstance(value, list) for value in (before, after))
    if not listed or not (shape.keys or shape.texts):
        return None
    sides = [items_by_element(value or (), shape) for value in (before, after)]
    was, now = (dict(side) for side in sides)
    if len(was) != len(sides[0]) or len(now) != len(sides[1]):
        return None  # items that have the same keys: a plain update lets them in
    elements = {**was, **now}
    return [(key, was.get(key, NOTHING), now.get(key, NOTHING), shape.of_item) for key in elements]


def without(value: Any, gone: AbstractSet[Path], shape: Shape) -> Any:
    """Give `value` without some fields; what is empty for lack of them becomes null."""
    tree = _tree(gone)
    return _without(value, tree, shape) if tree else value


def _without(value: Any, tree: Manifest, shape: Shape) -> Any:
    if isinstance(value, dict) and not shape.whole:
        kept = {}
        for name, part in value.items():
            branch = tree.get(f"f:{name}", {})
            if _ITSELF not in branch:
                within = shape.of_member(name)
                kept[name] = _without(part, branch, within) if branch else part
        return kept or (None if value else value)
    if isinstance(value, list) and (shape.keys or shape.texts):
        items = []
        for element, item in items_by_element(value, shape):
            branch = tree.get(element, {})
            if _ITSELF not in branch:
                items.append(_without(item, branch, shape.of_item) if branch else item)
        return items or (None if value else value)
    return value


def without_nulls(value: Any) -> Any:
    """Give a value without the members that are null."""
    if isinstance(value, list):
        return [without_nulls(part) for part in value]
    if not isinstance(value, dict):
        return value
    return {name: without_nulls(part) for name, part in value.items() if part is not None}


def _tree(fields: Iterable[Path]) -> Manifest:
    """Nest fields as `fieldsV1` does, with a mark on each that is in the set itself."""
    tree: Manifest = {}
    for path in fields:
        branch = tree
        for element in path:
            branch = branch.setdefault(element, {})
        branch[_ITSELF] = {}
    return tree


def encoded(fields: Fields) -> Manifest:
    """Write fields as `fieldsV1`: the mark is only on those that hold others of the set."""

    def tidied(branch: Manifest) -> Manifest:
        if branch.keys() == {_ITSELF}:
            return {}
        return {
            element: tidied(branch[element]) if element != _ITSELF else {} for element in branch
        }

    return tidied(_tree(sorted(fields)))


def decoded_fields(written: Any, path: Path = ()) -> Iterator[Path]:
    """Read `fieldsV1`. Raises FieldsMalformed."""
    if not isinstance(written, dict):
        raise FieldsMalformed("fieldsV1 is not an object")
    if path and (not written or _ITSELF in written):
        yield path
    for element, within in written.items():
        if element != _ITSELF:
            yield from decoded_fields(within, (*path, element))


def in_order(path: Path) -> tuple[tuple[bool, str], ...]:
    """Give what sorts fields as a server does: what ends at a place before what goes on there."""
    last = len(path) - 1
    return tuple((index < last, element) for index, element in enumerate(path))


def with_holders(fields: Fields) -> Fields:
    """Give fields with the members that hold them."""
    holders = {
        path[:length]
        for path in fields
        for length in range(1, len(path))
        if path[length - 1].startswith("f:")
    }
    return fields | holders


def shown(path: Path) -> str:
    """Write a field as messages do: `.spec.containers[name="x"].image`."""
    return "".join(map(_shown_element, path))


def _shown_element(element: str) -> str:
    kind, text = element[:2], element[2:]
    if kind == "f:":
        return f".{text}"
    if kind == "v:":
        return f"[={text}]"
    keys = json.loads(text)
    return "[" + ",".join(f"{key}={json.dumps(value)}" for key, value in keys.items()) + "]"
