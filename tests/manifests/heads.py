"""Metadata of a ModelWarmup that a server takes, and that it does not take; unknown fields."""

from typing import Any

from tests.crds.manifests import IMAGE, Json, spec

GOOD_METADATA: dict[str, Json] = {
    "a name to be made": {"generateName": "warm-"},
    "long names": {"name": "a" * 253, "namespace": "default"},
    "dots": {"name": "a.b-c"},
    "labels": {"name": "a", "labels": {"e.f/G": "H.i_j", "k": ""}},
    "annotations": {"name": "a", "annotations": {"EXAMPLE.com/x": "any \n thing", "b": ""}},
    "null": {"name": "a", "labels": None, "annotations": None, "namespace": None},
}

# What is wrong -> the metadata, and the field that has to be named.
BAD_METADATA: dict[str, tuple[Any, str]] = {
    "empty": ({}, "metadata.name"),
    "none": (None, "metadata.name"),
    "an empty name": ({"name": ""}, "metadata.name"),
    "a name that is a number": ({"name": 7}, "metadata.name"),
    "a name that is none": ({"name": "a_b"}, "metadata.name"),
    "a name that is too long": ({"name": "a" * 254}, "metadata.name"),
    "a beginning of names that is none": ({"generateName": "A-"}, "metadata.generateName"),
    "a namespace that is none": ({"name": "a", "namespace": "a.b"}, "metadata.namespace"),
    "a namespace that is a number": ({"name": "a", "namespace": 1}, "metadata.namespace"),
    "a label that is a flag": ({"name": "a", "labels": {"b": True}}, "metadata.labels.b"),
    "a label with a space": ({"name": "a", "labels": {"b": "c d"}}, "metadata.labels.b"),
    "a key with a space": ({"name": "a", "labels": {"b c": "d"}}, "metadata.labels.b c"),
    "a key in upper case": ({"name": "a", "labels": {"B.c/d": ""}}, "metadata.labels.B.c/d"),
    "labels in a list": ({"name": "a", "labels": ["b"]}, "metadata.labels"),
    "an annotation that is a flag": (
        {"name": "a", "annotations": {"b": True}},
        "metadata.annotations.b",
    ),
    "an annotation that is null": (
        {"name": "a", "annotations": {"b": {}}},
        "metadata.annotations.b",
    ),
    "an annotation's key": ({"name": "a", "annotations": {"-": "b"}}, "metadata.annotations.-"),
    "an unknown field": ({"name": "a", "nameSpace": "b"}, "metadata.nameSpace"),
    "a list": (["a"], "metadata"),
}

# Spec -> the field that it does not have, and what is said of it.
UNKNOWN_FIELDS: list[tuple[Json, str, str]] = [
    (spec(policy={}), "spec.policy", "did you mean policies?"),
    (spec(parallelism=1), "spec.parallelism", "it belongs at spec.policies.parallelism"),
    (spec(images=[]), "spec.images", "it belongs at spec.imagePreload.images"),
    (spec(policies={"zzz": 1}), "spec.policies.zzz", "only parallelism, jobTimeoutSeconds"),
    (
        spec(imagePreload={"images": [{**IMAGE, "pullpolicy": "x"}]}),
        "spec.imagePreload.images[0].pullpolicy",
        "did you mean imagePullPolicy?",
    ),
]
