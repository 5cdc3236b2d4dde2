"""Supporting: what warmlog, or a cluster, has no way to run is told, and nothing is made of it."""

from tests.replicas.builders import DEPLOYMENT, GANG, SERVICE, engine, member, spec_of
from tests.replicas.serving import ServingScene


def refused(scene: ServingScene) -> str:
    """The words by which the replica is not supported, with nothing made for it."""
    scene.carry_out()
    assert scene.condition("ModelAccepted")[:2] == ("False", "Unsupported")
    assert scene.there(SERVICE) is None
    return scene.condition("Supported")[2]


def test_an_engine_without_a_container() -> None:
    """The field is named, and the engine, also when others could be run."""
    scene = ServingScene()
    empty = {"name": "empty", "copies": 1, "members": [member(template={})]}
    scene.replica(spec=spec_of(engine(), empty, cache=""))
    words = refused(scene)
    assert "spec.engines[1].members[0].template.spec.containers has no container" in words
    assert "engine empty" in words


def test_a_gang_on_a_cluster_with_dynamo() -> None:
    """Several nodes of one engine would be a Grove gang there; one node is run as elsewhere."""
    scene = ServingScene(GANG)
    scene.dynamo()
    scene.replica(spec=scene.spec(cache=""))
    assert "Grove gang" in refused(scene)
    plain = ServingScene()
    plain.dynamo()
    plain.replica(spec=plain.spec(cache=""))
    plain.carry_out()
    assert plain.there(DEPLOYMENT) is not None
