"""The simulated API server: Secrets, and watching one of them."""

import base64
from typing import Any

from adapters.simulator.resources import SECRET, path_of
from tests.simulator.building import (
    TEAM,
    causes,
    delete,
    get,
    merge,
    names,
    patch,
    post,
    summary,
    told,
    watch,
    world_of,
)
from tests.simulator.cases_storage import OTHER, TOKEN, secret

SECRETS = path_of(SECRET, TEAM)


def test_text_becomes_data() -> None:
    """What is given as text is kept as base64, and wins over data of the same key."""
    item = post(world_of(), SECRETS, secret("s", stringData={"HF_TOKEN": "text", "x": ""})).body
    data = {key: base64.b64decode(value).decode() for key, value in item["data"].items()}
    assert (data, item["type"]) == ({"HF_TOKEN": "text", "x": ""}, "Opaque")
    assert "stringData" not in item


def test_data_must_be_base64() -> None:
    """At creation 400, in a patch 422 without naming a field of the Secret."""
    world = world_of()
    assert summary(post(world, SECRETS, secret("s", data={"k": "not base64"})))[0] == 400
    post(world, SECRETS, secret("s"))
    assert causes(merge(world, f"{SECRETS}/s", {"data": {"k": "?"}})) == [
        ("FieldValueInvalid", "patch")
    ]
    bad_key = post(world, SECRETS, secret("t", data={"a b": TOKEN}))
    assert causes(bad_key) == [("FieldValueInvalid", "data[a b]")]


def test_a_secret_is_not_of_another_type_later() -> None:
    """And one that says so never changes at all."""
    world = world_of()
    post(world, SECRETS, secret("s"))
    changed = merge(world, f"{SECRETS}/s", {"type": "example.com/other"})
    assert causes(changed) == [("FieldValueInvalid", "type")]
    replaced = {"op": "replace", "path": "/data/HF_TOKEN", "value": OTHER}
    assert patch(world, f"{SECRETS}/s", replaced).body["data"] == {"HF_TOKEN": OTHER}
    merge(world, f"{SECRETS}/s", {"immutable": True})
    refused = patch(world, f"{SECRETS}/s", {**replaced, "value": TOKEN})
    assert causes(refused) == [("FieldValueForbidden", "data")]


def test_one_secret_is_listed_and_watched_by_its_name() -> None:
    """Whatever becomes of the others, nothing of them is told."""
    world = world_of()
    by_name: dict[str, Any] = {"fieldSelector": "metadata.name=s"}
    cursor = watch(world, SECRETS, **by_name)
    for name in ("other", "s"):
        post(world, SECRETS, secret(name))
        merge(world, f"{SECRETS}/{name}", {"data": {"HF_TOKEN": OTHER}})
    assert names(get(world, SECRETS, **by_name)) == ["s"]
    assert names(get(world, SECRETS, fieldSelector="type=Opaque")) == ["other", "s"]
    delete(world, f"{SECRETS}/other")
    delete(world, f"{SECRETS}/s")
    assert told(cursor) == [("ADDED", "s"), ("MODIFIED", "s"), ("DELETED", "s")]
