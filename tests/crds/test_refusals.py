"""The tables of good and bad specs against the rules of the controller."""

import pytest

from machines.intents import CreateJob
from machines.specs import parse
from tests.crds.manifests import GOOD
from tests.crds.refusals import BAD
from tests.machines.builders import Scene


@pytest.mark.parametrize("case", GOOD)
def test_good_specs_are_understood(case: str) -> None:
    """What the server accepts can be worked with."""
    assert parse(GOOD[case]).faults == ()


@pytest.mark.parametrize("case", BAD)
def test_bad_specs_are_named(case: str) -> None:
    """What the server refuses is refused here as well, by the one field that is wrong."""
    [fault] = parse(BAD[case].spec).faults
    assert fault.field == BAD[case].field
    assert fault.words


@pytest.mark.parametrize("case", BAD)
def test_a_stored_bad_spec_ends_before_any_job(case: str) -> None:
    """Where no admission stood in its way, it fails at once, and its status names the field."""
    scene = Scene()
    scene.node("node-a")
    scene.warmup(BAD[case].spec)
    assert (scene.phase, scene.decided(CreateJob)) == ("Failed", [])
    valid = scene.condition("Valid")
    assert (valid["status"], valid["reason"]) == ("False", "InvalidSpec")
    assert f"{BAD[case].field}: " in valid["message"]
