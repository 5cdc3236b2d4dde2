"""Composing: the events of one YAML document become values, as they do for kubectl.

Recursion and the growth of aliases are bounded, so that no document can exhaust the process.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, NoReturn

import yaml

from adapters.manifests.documents import (
    NOWHERE,
    Document,
    Misreading,
    Position,
    Unreadable,
    child,
    item,
)
from adapters.manifests.scalars import PREFIX, resolve

MAX_DEPTH = 100
# go-yaml refuses what aliases blow up to more than 400,000 values; so do we, a little earlier.
MAX_ALIASED_VALUES = 100_000


@dataclass(slots=True, eq=False)
class _Node:
    """A value as it stands in the text; an alias has its target."""

    kind: type[yaml.Event]
    at: Position
    text: str = ""
    tag: str | None = None
    is_plain: bool = False
    children: "list[_Node]" = field(default_factory=list)  # of a mapping: key, value, key, …
    target: "_Node | None" = None


def compose(events: Iterator[yaml.Event], first_line: int = 1) -> Document | None:
    """Give the next document of the events; None where nothing stands.

    `first_line` is the line of the file on which the text of these events begins.
    Raises Unreadable.
    """
    tree = _Tree(events, first_line)
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            root = tree.node(next(events), 1)
            next(events)  # its end
            return _Values().document(root)
    return None


class _Tree:
    """Builds nodes of events."""

    def __init__(self, events: Iterator[yaml.Event], first_line: int) -> None:
        self._events = events
        self._first_line = first_line
        self._anchors: dict[str, _Node] = {}

    def node(self, event: yaml.Event, depth: int) -> _Node:
        """Give the node that begins with `event`."""
        at = self._place(event)
        if depth > MAX_DEPTH:
            raise Unreadable(at, f"is nested too deeply: more than {MAX_DEPTH} levels")
        anchor = (event.anchor if isinstance(event, yaml.NodeEvent) else None) or ""
        if isinstance(event, yaml.AliasEvent):
            target = self._anchors.get(anchor)
            if target is None:
                raise Unreadable(at, f"*{anchor} is an alias of nothing before it")
            return _Node(type(event), at, anchor, target=target)
        node = _Node(type(event), at)
        if anchor:
            self._anchors[anchor] = node
        if isinstance(event, yaml.ScalarEvent):
            node.text, node.tag, node.is_plain = event.value, event.tag, event.implicit[0]
            return node
        while not isinstance(inner := next(self._events), yaml.CollectionEndEvent):
            node.children.append(self.node(inner, depth + 1))
        return node

    def _place(self, event: yaml.Event) -> Position:
        mark = event.start_mark
        if mark is None:
            return NOWHERE
        return Position(mark.line + self._first_line, mark.column + 1)


class _Values:
    """Gives the values of nodes, noting where each stands."""

    def __init__(self) -> None:
        self._positions: dict[str, Position] = {}
        self._plain: dict[str, str] = {}
        self._misreadings: list[Misreading] = []
        self._open: set[int] = set()  # aliases that are being followed
        self._aliased = 0

    def document(self, root: _Node) -> Document:
        """Give the whole document."""
        self._positions[""] = root.at
        value = self._value(root, "", 1)
        return Document(value, self._positions, self._plain, tuple(self._misreadings))

    def _value(self, node: _Node, path: str, depth: int) -> Any:
        self._count(node, path)
        _bound(node, path, depth)
        if node.target is not None:
            return self._alias(node, path, depth)
        if node.kind is yaml.ScalarEvent:
            return self._scalar(node, path)
        if node.kind is yaml.SequenceStartEvent:
            return [self._item(each, path, at, depth) for at, each in enumerate(node.children)]
        fields: dict[str, Any] = {}
        self._fill(node, fields, path, depth)
        return fields

    def _alias(self, node: _Node, path: str, depth: int) -> Any:
        target = self._followed(node, path)
        try:
            return self._value(target, path, depth)
        finally:
            self._open.discard(id(target))

    def _followed(self, node: _Node, path: str) -> _Node:
        target = node.target
        if target is None or id(target) in self._open:
            raise Unreadable(node.at, f"*{node.text} stands inside of what it names", path)
        self._open.add(id(target))
        self._count(node, path)
        return target

    def _count(self, node: _Node, path: str) -> None:
        """Bound what comes out of aliases: a few lines of them can stand for billions of values."""
        if self._open:
            self._aliased += 1
        if self._aliased > MAX_ALIASED_VALUES:
            raise Unreadable(node.at, "its aliases stand for too many values", path)

    def _item(self, node: _Node, path: str, index: int, depth: int) -> Any:
        inner = item(path, index)
        self._place(path, inner, node)
        return self._value(node, inner, depth + 1)

    def _place(self, path: str, inner: str, node: _Node) -> None:
        if inner != path:
            self._positions[inner] = node.at

    def _scalar(self, node: _Node, path: str) -> Any:
        try:
            value = resolve(node.text, node.tag, plain=node.is_plain)
        except ValueError as error:
            return self._misread(node.at, path, str(error))
        if isinstance(value, float) and not isfinite(value):
            return self._misread(
                node.at, path, f"{node.text} is a number that JSON has no word for"
            )
        if not isinstance(value, str):
            self._plain[path] = node.text
        return value

    def _misread(self, at: Position, path: str, words: str) -> None:
        self._misreadings.append(Misreading(at, path, words))

    def _fill(self, node: _Node, fields: dict[str, Any], path: str, depth: int) -> None:
        """Put the fields of a mapping into `fields`; of equal ones the last, as kubectl does."""
        own: dict[str, Position] = {}
        for key_node, value_node in zip(node.children[::2], node.children[1::2], strict=True):
            if _is_merge(key_node):
                self._merge(value_node, fields, path, depth)
                continue
            key = self._key(key_node, path)
            inner = child(path, key)
            if key in own:
                words = f"stands twice: line {own[key].line} has it already"
                self._misreadings.append(Misreading(key_node.at, inner, words, is_twice=True))
            else:
                own[key] = key_node.at
            self._place(path, inner, key_node)
            fields[key] = self._value(value_node, inner, depth + 1)

    def _merge(self, node: _Node, fields: dict[str, Any], path: str, depth: int) -> None:
        """Put other mappings' fields into `fields`: of `<<`, a mapping or a list of mappings."""
        _bound(node, path, depth)
        if node.kind is yaml.SequenceStartEvent:
            for each in reversed(node.children):
                self._merge_one(each, fields, path, depth)
        else:
            self._merge_one(node, fields, path, depth)

    def _merge_one(self, node: _Node, fields: dict[str, Any], path: str, depth: int) -> None:
        source = node if node.target is None else self._followed(node, path)
        if source.kind is not yaml.MappingStartEvent:
            raise Unreadable(node.at, "<< takes a mapping, or a list of mappings", path)
        try:
            self._fill(source, fields, path, depth + 1)
        finally:
            self._open.discard(id(source))

    def _key(self, node: _Node, path: str) -> str:
        """Give a key as JSON has it: a text."""
        target = node if node.target is None else node.target
        if target.kind is not yaml.ScalarEvent:
            raise Unreadable(node.at, "the name of a field must be a text", path)
        key = self._scalar(target, path)
        self._plain.pop(path, None)
        match key:
            case str():
                return key
            case bool():
                return "true" if key else "false"
            case int():
                return str(key)
            case float():
                return f"{key:g}"
        return _refused(node, path)


def _bound(node: _Node, path: str, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise Unreadable(node.at, f"is nested too deeply: more than {MAX_DEPTH} levels", path)


def _refused(node: _Node, path: str) -> NoReturn:
    raise Unreadable(node.at, f"{node.text or 'null'!r} cannot be the name of a field", path)


def _is_merge(node: _Node) -> bool:
    return (
        node.kind is yaml.ScalarEvent
        and node.text == "<<"
        and (node.is_plain or node.tag == f"{PREFIX}merge")
    )
