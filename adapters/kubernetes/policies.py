"""The admission policy of ModelWarmups: what their schema cannot say.

Some rules cost more than a schema may spend, others speak of fields that the schema leaves without
a type. They stand in a ValidatingAdmissionPolicy, which is asked when an object is created and at
no other time. Its messages begin with the paths of the fields. The controller asks the same of
every object (`machines/specs.py`), so a cluster without the policy only hears of it later.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from machines.fragments import (
    CONTAINER_FIELDS,
    MOUNT_PLACES,
    NOT_IN_INIT_CONTAINERS,
    OBJECT,
    OBJECTS,
)
from machines.labels import GROUP, VERSION
from machines.spec_parts import MAX_ENTRIES
from machines.syntaxes import DNS_SUBDOMAIN, LABEL_KEY

NAME = "modelwarmups.warmlog.dev"


class Check(NamedTuple):
    """Something about each entry of a list of the spec."""

    name: str
    entries: str  # the list, below spec
    faulty: str  # CEL: the faulty fields of the entry `e`, as a list of what follows its path
    words: str  # what is wrong, after the paths


def _texts(values: Iterable[str]) -> str:
    return str(list(values))  # CEL writes lists of texts as Python does


def _when(bad: str, field: str) -> str:
    """CEL: this one field, if it is bad."""
    return f"({bad}) ? ['.{field}'] : []"


def _fields_where(fields: Iterable[str], bad: str) -> str:
    """CEL: those of the fields `f` of the entry that it has and for which `bad` holds."""
    return f"{_texts(fields)}.filter(f, f in e && ({bad})).map(f, '.' + f)"


def _of_type(kind: str) -> list[str]:
    return [name for name, each in CONTAINER_FIELDS.items() if each == kind]


_SELECTOR = "has(e.nodeSelector) && has(e.nodeSelector.{0}) && e.nodeSelector.{0}.exists({1})"
_NO_PREFIX = f"indexOf('/') > {DNS_SUBDOMAIN.longest}"

_TARGET_CHECKS = (
    Check(
        "badLabels",
        "targets",
        _when(
            _SELECTOR.format(
                "matchLabels",
                f"k, size(k) > {LABEL_KEY.longest} || k.{_NO_PREFIX} || "
                f"!k.matches(r'^{LABEL_KEY.pattern}$')",
            ),
            "nodeSelector.matchLabels",
        ),
        "must have keys that a label can have",
    ),
    Check(
        "badKeys",
        "targets",
        _when(
            _SELECTOR.format("matchExpressions", f"r, r.key.{_NO_PREFIX}"),
            "nodeSelector.matchExpressions",
        ),
        "must have keys that a label can have",
    ),
    Check(
        "missingValues",
        "targets",
        _when(
            _SELECTOR.format(
                "matchExpressions",
                "r, r.operator in ['In', 'NotIn'] && !(has(r.values) && size(r.values) > 0)",
            ),
            "nodeSelector.matchExpressions",
        ),
        "must have values with In and NotIn, which compare the label with them",
    ),
    Check(
        "needlessValues",
        "targets",
        _when(
            _SELECTOR.format(
                "matchExpressions",
                "r, !(r.operator in ['In', 'NotIn']) && has(r.values) && size(r.values) > 0",
            ),
            "nodeSelector.matchExpressions",
        ),
        "must have no values with Exists and DoesNotExist, which look at none",
    ),
)


def _container_checks(kind: str) -> Iterable[Check]:
    """What every custom container of one kind has to be like."""
    entries = f"custom.{kind}"
    mounts = "f, f in e && e[f].exists(m, type(m) == map && ({}))"
    names = mounts.format("!('name' in m) || !(m.name in variables.volumeNames)")
    # A look for each place over all of them is what a native function can afford.
    places = (
        "f, f in e && [e[f].map(m, type(m) == map && variables.mountPlaces[f] in m ? "
        "m[variables.mountPlaces[f]] : '')].exists(places, places.exists(p, "
        "type(p) != string || p == '' || places.indexOf(p) != places.lastIndexOf(p)))"
    )
    yield Check(
        f"{kind}Objects",
        entries,
        _fields_where(_of_type(OBJECT), "type(e[f]) != map"),
        "must be an object",
    )
    yield Check(
        f"{kind}Lists",
        entries,
        _fields_where(_of_type(OBJECTS), "e[f].exists(o, type(o) != map)"),
        "must be a list of objects",
    )
    yield Check(
        f"{kind}Mounts",
        entries,
        f"{_texts(MOUNT_PLACES)}.filter({names}).map(f, '.' + f)",
        "must each name one of spec.custom.volumes",
    )
    yield Check(
        f"{kind}Places",
        entries,
        f"{_texts(MOUNT_PLACES)}.filter({places}).map(f, '.' + f)",
        f"must each have a {' or '.join(MOUNT_PLACES.values())} of its own",
    )


_CHECKS = (
    *_TARGET_CHECKS,
    *_container_checks("initContainers"),
    Check(
        "initContainersHooks",
        "custom.initContainers",
        _fields_where(NOT_IN_INIT_CONTAINERS, "true"),
        "must not be set for an init container",
    ),
    *_container_checks("containers"),
    Check(
        "volumeSources",
        "custom.volumes",
        "e.filter(f, f != 'name' && type(e[f]) != map).map(f, '.' + f)",
        "must be an object",
    ),
)


def _variable(check: Check) -> dict[str, str]:
    """What breaks a check: for every entry of the list, in its order, the faulty fields."""
    entries = f"variables.{check.entries.rpartition('.')[2]}"
    return {"name": check.name, "expression": f"{entries}.map(e, {check.faulty})"}


def _validation(check: Check) -> dict[str, str]:
    found = f"variables.{check.name}"
    # CEL has no index of its own.
    broken = f"variables.places.filter(i, i < size({found}) && size({found}[i]) > 0)"
    path = f"'spec.{check.entries}[' + string(i) + ']'"
    paths = f"{broken}.map(i, {found}[i].map(f, {path} + f).join(', ')).join(', ')"
    return {
        "expression": f"{found}.all(f, size(f) == 0)",
        "message": f"a field in an entry of spec.{check.entries} {check.words}",
        "messageExpression": f"{paths} + ' {check.words}'",
        "reason": "Invalid",
    }


def _custom_list(name: str) -> dict[str, str]:
    there = f"has(object.spec.custom) && has(object.spec.custom.{name})"
    return {"name": name, "expression": f"dyn({there} ? object.spec.custom.{name} : [])"}


_POLICY: dict[str, Any] = {
    "apiVersion": "admissionregistration.k8s.io/v1",
    "kind": "ValidatingAdmissionPolicy",
    "metadata": {"name": NAME},
    "spec": {
        # A manifest so large that looking at it costs too much is left to the controller.
        "failurePolicy": "Ignore",
        "matchConstraints": {
            "resourceRules": [
                {
                    "apiGroups": [GROUP],
                    "apiVersions": [VERSION],
                    "operations": ["CREATE"],
                    "resources": ["modelwarmups"],
                }
            ]
        },
        "variables": [
            {"name": "places", "expression": f"[{', '.join(map(str, range(MAX_ENTRIES)))}]"},
            {"name": "mountPlaces", "expression": repr(MOUNT_PLACES)},
            {"name": "targets", "expression": "dyn(object.spec.targets)"},
            *(_custom_list(name) for name in ("initContainers", "containers", "volumes")),
            {"name": "volumeNames", "expression": "variables.volumes.map(v, v.name)"},
            *(_variable(check) for check in _CHECKS),
        ],
        "validations": [_validation(check) for check in _CHECKS],
    },
}

_BINDING: dict[str, Any] = {
    "apiVersion": "admissionregistration.k8s.io/v1",
    "kind": "ValidatingAdmissionPolicyBinding",
    "metadata": {"name": NAME},
    "spec": {"policyName": NAME, "validationActions": ["Deny"]},
}

WARMUP_POLICY = (_POLICY, _BINDING)
