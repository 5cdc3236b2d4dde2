"""The rules in CEL that a schema can have here: those forms that warmlog's definitions use.

A rule of another form is never broken. What they look like is in adapters/kubernetes/rules.py.
"""

import re
from collections.abc import Iterator
from typing import Any

from adapters.simulator.answers import Cause
from adapters.simulator.schema_values import joined
from adapters.simulator.storage import Manifest

UNCHANGED = "self == oldSelf"
_GROWING = "self >= oldSelf"
_RULES = "x-kubernetes-validations"
# Has a field the same value as before, where empty is as good as not there:
_STAYS = ") == (has(oldSelf."
# Only when there was no value before:
_AT_FIRST = "oldSelf.hasValue() || "
_TEXT = re.compile(r"self\.matches\(r'(.+?)'\)(?: && !self\.endsWith\('([^']*)'\))?")
_NEEDED = re.compile(r"!has\(self\.(\w+)\) \|\| self\.\1 != '(\w+)' \|\| has\(self\.(\w+)\)")


def broken_rules(value: Any, schema: Manifest, path: str = "", old: Any = None) -> Iterator[Cause]:
    """Say which rules a value breaks; `old` is what it was before, None for nothing."""
    if value is None or value == old:
        return
    for rule in schema.get(_RULES) or ():
        if _is_broken(rule, value, old):
            yield _refused_by(rule, path)
    if not isinstance(value, dict):
        return
    before = old if isinstance(old, dict) else {}
    for name, within in (schema.get("properties") or {}).items():
        yield from broken_rules(value.get(name), within, joined(path, name), before.get(name))


def ruled(schema: Manifest) -> Manifest:
    """Give what `broken_rules` looks at of a schema: rules, and the ways to them."""
    parts = ((name, ruled(part)) for name, part in (schema.get("properties") or {}).items())
    properties = {name: part for name, part in parts if part}
    rules = {_RULES: schema[_RULES]} if schema.get(_RULES) else {}
    return {**rules, **({"properties": properties} if properties else {})}


def _is_broken(rule: Manifest, value: Any, old: Any) -> bool:
    text: str = rule["rule"]
    if text.startswith(_AT_FIRST):
        holds = text.removeprefix(_AT_FIRST).removeprefix("(").removesuffix(")")
        return old is None and _is_broken_at_first(holds, value)
    if old is None or "oldSelf" not in text:
        return False
    if text == UNCHANGED:
        return bool(value != old)
    if text == _GROWING:
        return bool(value < old)
    if "fieldPath" in rule and _STAYS in text:
        return (_found(value, rule["fieldPath"]) or "") != (_found(old, rule["fieldPath"]) or "")
    return False


def _is_broken_at_first(text: str, value: Any) -> bool:
    found = _TEXT.fullmatch(text)
    if found is not None:
        pattern, ending = found.groups()
        bad_end = bool(ending) and value.endswith(ending)
        return bad_end or re.search(pattern, value) is None
    found = _NEEDED.fullmatch(text)
    if found is not None:
        field, choice, needed = found.groups()
        return value.get(field) == choice and needed not in value
    return False


def _found(value: Any, field_path: str) -> Any:
    for part in field_path.strip(".").split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _refused_by(rule: Manifest, path: str) -> Cause:
    reason, words = rule.get("reason", "FieldValueInvalid"), rule["message"]
    begin = {"FieldValueForbidden": "Forbidden", "FieldValueRequired": "Required value"}
    said = begin.get(reason, 'Invalid value: "object"')
    return Cause(f"{path}{rule.get('fieldPath', '')}", f"{said}: {words}", reason)
