"""Specs, good and bad: what is accepted, what is named, and what becomes of it."""

import copy
import json

from hypothesis import given
from hypothesis import strategies as st

from engine.events import Subject
from machines.intents import CreateJob
from machines.job_bodies import job_body
from machines.revisions import revision
from machines.specs import parse
from tests.crds.drawing import ANYTHING, Planted, bad_specs, good_specs
from tests.crds.manifests import Json

WARMUP = Subject("ModelWarmup", "ns", "mw", "mw-uid")


@given(good_specs())
def test_what_is_made_of_good_parts_is_accepted(spec: Json) -> None:
    """A spec that can work has no fault, and reading it changes nothing in it."""
    before = copy.deepcopy(spec)
    assert parse(spec).faults == ()
    assert spec == before


@given(bad_specs())
def test_every_planted_fault_is_found(planted: Planted) -> None:
    """All that is wrong is named, each field once, and nothing that is right."""
    faults = [fault.field for fault in parse(planted.spec).faults]
    assert sorted(faults) == sorted(planted.fields)


@given(good_specs())
def test_a_job_holds_what_was_asked_for(spec: Json) -> None:
    """Images first, in their order, then custom fragments untouched; secrets once each."""
    read = parse(spec).spec
    assert read is not None
    digest = revision(read)
    intent = CreateJob("mw-uid", "ns", "mw-1", "node-uid", "node-a", digest, "")
    pod = job_body(read, WARMUP, "pool", intent)["spec"]["template"]["spec"]
    preload, custom = spec["imagePreload"], spec.get("custom") or {}
    count = len(preload["images"])
    assert [each["name"] for each in pod["containers"][:count]] == [
        f"image-{index}" for index in range(count)
    ]
    assert [each["command"] for each in pod["containers"][:count]] == [
        each["command"] for each in preload["images"]
    ]
    assert pod["containers"][count:] == (custom.get("containers") or [])
    assert pod.get("initContainers", []) == (custom.get("initContainers") or [])
    assert pod.get("volumes", []) == (custom.get("volumes") or [])
    wanted = [*preload["pullSecrets"], *(custom.get("imagePullSecrets") or [])]
    names = [each["name"] for each in pod.get("imagePullSecrets", [])]
    assert names == list(dict.fromkeys(each["name"] for each in wanted))


@given(good_specs())
def test_a_revision_is_of_the_work_alone(spec: Json) -> None:
    """Targets, policies and mode are no part of it, and the order of keys is none."""
    other = {
        **json.loads(json.dumps(spec, sort_keys=True)),
        "targets": [{"nodes": {"names": ["other"]}}],
        "policies": {"parallelism": 3},
        "mode": "Once",
    }
    first, second = parse(spec).spec, parse(other).spec
    assert first is not None
    assert second is not None
    assert revision(first) == revision(second)


@given(ANYTHING | st.dictionaries(st.sampled_from(["targets", "custom", "policies"]), ANYTHING))
def test_nothing_is_too_wrong_to_be_read(value: object) -> None:
    """Whatever a spec holds, it is a fault or taken, and reading it never fails."""
    parsed = parse(value)
    assert (parsed.spec is None) == bool(parsed.faults)
