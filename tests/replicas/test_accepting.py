"""Accepting: to which cluster a replica is pinned, whatever its stored spec looks like."""

from typing import Any

import pytest

from tests.replicas.builders import DEPLOYMENT, ReplicaScene, spec_of

NAMES_ONE = {"clusterName": "one", "engines": []}
NAMES_NONE = [{"clusterName": 7, "engines": []}, {"engines": []}, ["one"], "one", None]


def test_a_spec_that_cannot_work_pins_to_the_cluster_that_it_names() -> None:
    """Once it is mended and names another one, that is told, and nothing is composed there."""
    scene = ReplicaScene("one", "two")
    scene.replica(spec=NAMES_ONE)
    assert scene.mr.cluster_name == "one"
    scene.replica(spec=spec_of(cache="", cluster="two"), generation=2)
    scene.carry_out()
    assert scene.condition("SpecChanged")[:2] == ("True", "EditIgnored")
    assert scene.there(DEPLOYMENT, "ic/two") is None


@pytest.mark.parametrize("spec", NAMES_NONE)
def test_a_spec_that_names_no_cluster_pins_to_none(spec: Any) -> None:
    """Whatever stands there instead, the first spec that names a cluster is followed."""
    scene = ReplicaScene("one", "two")
    scene.replica(spec=spec)
    assert scene.mr.cluster_name == ""
    assert scene.condition("ModelAccepted")[:2] == ("False", "InvalidSpec")
    scene.replica(spec=spec_of(cache="", cluster="two"), generation=2)
    scene.carry_out()
    assert scene.condition("SpecChanged") == ("", "", "")
    assert scene.there(DEPLOYMENT, "ic/two") is not None


@pytest.mark.parametrize("spec", [NAMES_ONE, *NAMES_NONE])
def test_a_spec_that_can_be_read_no_more_leads_to_no_other_cluster(spec: Any) -> None:
    """What it names is not looked at: no cluster is said to be not followed."""
    scene = ReplicaScene()
    scene.replica(spec=spec_of(cache=""))
    scene.serve()
    scene.replica(spec=spec, generation=2)
    assert scene.condition("SpecChanged") == ("", "", "")
    assert scene.mr.cluster_name == "one"
