"""Revisions: the short digest of what a warmup's Jobs do."""

from hashlib import sha256
from typing import Any

import pytest

from machines.quantities import canonical
from machines.revisions import revision
from machines.specs import parse

IMAGE = {"image": "busybox", "command": ["true"], "imagePullPolicy": "IfNotPresent"}
INIT = {"name": "i", "image": "busybox"}
OTHER = {"name": "o", "image": "busybox"}
TARGETS = [{"nodes": {"names": ["a"]}}]


def of(**fields: Any) -> str:
    """The revision of a spec with these fields."""
    parsed = parse({"targets": TARGETS, **fields})
    assert parsed.spec is not None, parsed.faults
    return revision(parsed.spec)


def of_images(*images: dict[str, Any], **preload: Any) -> str:
    """The revision of an image-only spec."""
    return of(imagePreload={"images": list(images), **preload})


def resource_env(divisor: str) -> dict[str, Any]:
    """An environment variable that holds a limit of the container, in units of a quantity."""
    field = {"resource": "limits.memory", "divisor": divisor}
    return {"name": "MEMORY", "valueFrom": {"resourceFieldRef": field}}


def claiming(storage: str) -> dict[str, Any]:
    """A volume of its own claim, of this size."""
    requests = {"resources": {"requests": {"storage": storage}}}
    return {"volumeClaimTemplate": {"spec": requests}}


def of_limit(memory: Any) -> str:
    """The revision of a spec whose custom container has this memory limit."""
    container = {"name": "c", "image": "busybox", "resources": {"limits": {"memory": memory}}}
    return of(custom={"containers": [container]})


def test_the_known_value() -> None:
    """The original's published revision of `busybox` running `true` is ours as well."""
    assert of_images(IMAGE) == "ef7e2d9085ee"


def test_no_pull_policy_is_if_not_present() -> None:
    """An omitted or empty pull policy is hashed as the policy that it acts as."""
    bare = {"image": "busybox", "command": ["true"]}
    assert of_images(bare) == of_images({**bare, "imagePullPolicy": ""}) == of_images(IMAGE)


@pytest.mark.parametrize(
    "changed",
    [
        {"image": "busybox:1"},
        {"command": ["false"]},
        {"args": ["x"]},
        {"imagePullPolicy": "Always"},
    ],
)
def test_what_the_jobs_do_is_part_of_it(changed: dict[str, Any]) -> None:
    """Image, command, arguments and pull policy each make another revision."""
    assert of_images({**IMAGE, **changed}) != of_images(IMAGE)


def test_the_order_of_images_is_no_part_of_it() -> None:
    """The same images in another order are the same work."""
    other = {"image": "alpine", "command": ["true"]}
    assert of_images(IMAGE, other) == of_images(other, IMAGE)


def test_pull_secrets_are_part_of_it() -> None:
    """Another pull secret may pull another image under the same name."""
    assert of_images(IMAGE, pullSecrets=[{"name": "s"}]) != of_images(IMAGE)


def test_targets_and_policies_are_no_part_of_it() -> None:
    """More nodes, or other limits, leave the running Jobs of a warmup what they are [W18]"""
    images = {"images": [IMAGE]}
    policies = {"parallelism": 3, "retryLimit": 0, "jobTimeoutSeconds": 5}
    changed = of(targets=[{"nodes": {"names": ["b"]}}], imagePreload=images, policies=policies)
    assert changed == of_images(IMAGE)


@pytest.mark.parametrize("same", [1073741824, "1073741824", "1024Mi", "1048576Ki", "1.0Gi"])
def test_a_quantity_has_many_notations(same: Any) -> None:
    """A client that rewrites `1Gi` does not change what is run [W19]"""
    assert of_limit(same) == of_limit("1Gi")


def test_another_quantity_is_another_revision() -> None:
    """Two amounts that differ make two revisions."""
    assert of_limit("2Gi") != of_limit("1Gi")


def test_separators_in_values_collide_with_nothing() -> None:
    """Values that hold the original's separators are hashed in a form that keeps them apart."""
    joined = {**IMAGE, "command": ["a\x00b"]}
    split = {**IMAGE, "command": ["a", "b"]}
    assert of_images(joined) != of_images(split)


def test_every_character_can_be_hashed() -> None:
    """No text is too strange for a revision, lone surrogates included."""
    assert len(of_images({**IMAGE, "args": ["\ud800", "é", "\U0001f600"]})) == 12


def test_custom_makes_another_revision() -> None:
    """Custom fragments are part of what the Jobs do; an empty `custom` is none."""
    images = {"images": [IMAGE]}
    assert of(imagePreload=images, custom={}) == of_images(IMAGE)
    custom = {"containers": [{"name": "c", "image": "busybox"}]}
    assert of(imagePreload=images, custom=custom) != of_images(IMAGE)


CONTAINER = {"name": "c", "image": "busybox"}


def of_custom(**custom: Any) -> str:
    """The revision of a spec with these custom lists and no image."""
    return of(custom={"containers": [CONTAINER], **custom})


def test_the_form_with_custom() -> None:
    """With custom it is the sha256 of canonical JSON, in which 1536Mi is an exact number."""
    limits = {"memory": "1536Mi", "cpu": "100m"}
    custom = {"containers": [{**CONTAINER, "resources": {"limits": limits}}]}
    images = {"images": [IMAGE], "pullSecrets": [{"name": "b"}, {"name": "a"}]}
    text = (
        '{"custom":{"containers":[{"image":"busybox","name":"c",'
        '"resources":{"limits":{"cpu":"1/10","memory":"1610612736"}}}]},'
        '"images":[["busybox",["true"],[],"IfNotPresent"]],"pullSecrets":["a","b"]}'
    )
    assert of(imagePreload=images, custom=custom) == sha256(text.encode()).hexdigest()[:12]


def test_the_form_with_control_characters() -> None:
    """A value with a control character is hashed in the same form, without custom."""
    text = '{"custom":null,"images":[["busybox",["a\\tb"],[],"IfNotPresent"]],"pullSecrets":[]}'
    revised = of_images({**IMAGE, "command": ["a\tb"]})
    assert revised == sha256(text.encode()).hexdigest()[:12]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            {"volumes": [{"name": "v", "emptyDir": {"sizeLimit": "1Gi"}}]},
            {"volumes": [{"name": "v", "emptyDir": {"sizeLimit": "1024Mi"}}]},
        ),
        (
            {"initContainers": [{**CONTAINER, "name": "i", "env": [resource_env("1Mi")]}]},
            {"initContainers": [{**CONTAINER, "name": "i", "env": [resource_env("1024Ki")]}]},
        ),
        (
            {"volumes": [{"name": "v", "ephemeral": claiming("1Ti")}]},
            {"volumes": [{"name": "v", "ephemeral": claiming("1024Gi")}]},
        ),
        ({"volumes": [], "initContainers": None}, {}),
        (
            {"volumes": [{"name": "v", "emptyDir": {}}]},
            {"volumes": [{"emptyDir": {}, "name": "v"}]},
        ),
    ],
)
def test_what_is_the_same_work(first: dict[str, Any], second: dict[str, Any]) -> None:
    """Notations of quantities wherever they stand, order of keys and empty lists are no part."""
    assert of_custom(**first) == of_custom(**second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"initContainers": [INIT, OTHER]}, {"initContainers": [OTHER, INIT]}),
        ({"containers": [INIT, OTHER]}, {"containers": [OTHER, INIT]}),
        ({"imagePullSecrets": [{"name": "a"}]}, {}),
        ({"initContainers": [INIT]}, {"containers": [CONTAINER, INIT]}),
        (
            {"containers": [{**CONTAINER, "env": [{"name": "A", "value": "1Gi"}]}]},
            {"containers": [{**CONTAINER, "env": [{"name": "A", "value": "1024Mi"}]}]},
        ),
    ],
)
def test_what_is_other_work(first: dict[str, Any], second: dict[str, Any]) -> None:
    """The order of containers, their secrets, and texts that only look like quantities are part."""
    assert of_custom(**first) != of_custom(**second)


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("100m", "1/10"),
        ("0.1", "1/10"),
        ("1e3", "1000"),
        ("1k", "1000"),
        ("1E", "1000000000000000000"),
        ("1Ei", "1152921504606846976"),
        ("-5", "-5"),
        (".5", "1/2"),
        ("1n", "1/1000000000"),
    ],
)
def test_quantities_are_exact(text: str, amount: str) -> None:
    """Every suffix and the exponent form give the exact amount."""
    assert canonical(text) == amount


@pytest.mark.parametrize("text", ["", "x", "1 Gi", "1GiB", "--1", "1e9999", "9" * 5000, "1\n"])
def test_what_is_no_quantity_stays_as_it_is(text: str) -> None:
    """A text that is no quantity, or one that no machine has room for, is left alone."""
    assert canonical(text) == text
