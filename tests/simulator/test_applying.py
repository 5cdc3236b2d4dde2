"""Server-side apply in the simulator: what is merged, what goes, who owns what, what is refused."""

from typing import Any

import pytest

from adapters.ports import Response
from adapters.simulator.resources import DEPLOYMENT, LEADER_WORKER_SET, path_of
from adapters.simulator.storage import Manifest
from adapters.simulator.worlds import World
from tests.simulator.building import (
    TEAM,
    get,
    pass_time,
    patch,
    post,
    summary,
    told,
    watch,
    world_of,
)
from tests.simulator.cases import operation
from tests.simulator.cases_applying import apply, container, deployment, gang, update, variable

DEPLOYMENTS = path_of(DEPLOYMENT, TEAM)
ENGINE = f"{DEPLOYMENTS}/a"


@pytest.fixture
def world() -> World:
    """A cluster with one namespace."""
    return world_of()


def applied(world: World, body: Manifest, manager: str = "warmlog", **how: Any) -> Response:
    """Apply a Deployment under its name."""
    path = f"{DEPLOYMENTS}/{body['metadata']['name']}"
    return world.api.handle(apply(path, body, manager, **how))


def env_of(response: Response) -> list[str]:
    """The names of the variables of an engine, in order."""
    (engine,) = response.body["spec"]["template"]["spec"]["containers"]
    return [each["name"] for each in engine.get("env") or ()]


def managers(item: Manifest) -> list[tuple[str, str, str]]:
    """Who owns anything of an object: manager, operation, subresource."""
    return [
        (entry["manager"], entry["operation"], entry.get("subresource", ""))
        for entry in item["metadata"]["managedFields"]
    ]


def fields_of(item: Manifest, manager: str) -> Manifest:
    """What a manager owns."""
    (found,) = [
        entry["fieldsV1"]
        for entry in item["metadata"]["managedFields"]
        if entry["manager"] == manager
    ]
    fields: Manifest = found
    return fields


def test_applying_creates_and_then_changes_nothing(world: World) -> None:
    """The second time is no new version, however late, and no watch hears of it."""
    made = applied(world, deployment("a"))
    assert made.code == 201
    assert managers(made.body) == [("warmlog", "Apply", "")]
    pass_time(world, 60)
    before, cursor = get(world, ENGINE).body, watch(world, DEPLOYMENTS)
    again = applied(world, deployment("a"), force=False)
    assert (again.code, again.body) == (200, before)
    assert told(cursor) == []


def test_what_is_applied_no_more_goes(world: World) -> None:
    """A variable goes, a number falls back to its default; lists follow the order applied last."""
    three = [variable("A"), variable("B"), variable("C")]
    applied(world, deployment("a", replicas=3, containers=[container(env=three)]))
    left = [variable("C"), variable("A")]
    changed = applied(world, deployment("a", replicas=None, containers=[container(env=left)]))
    assert env_of(changed) == ["C", "A"]
    assert changed.body["spec"]["replicas"] == 1
    assert changed.body["metadata"]["generation"] == 2


def test_what_another_owns_too_stays(world: World) -> None:
    """Leaving a field out gives up our part in it, no more."""
    applied(world, deployment("a", replicas=3))
    body = {**deployment("a"), "spec": {"replicas": 3}}
    assert applied(world, body, "other", force=False).ok
    kept = applied(world, deployment("a", replicas=None))
    assert kept.body["spec"]["replicas"] == 3
    assert fields_of(kept.body, "other") == {
        "f:metadata": {"f:annotations": {"f:note": {}}},
        "f:spec": {"f:replicas": {}},
    }


def test_an_autoscaler_owns_the_replicas_that_it_set(world: World) -> None:
    """Ours are refused then, unless we force them; without them the value stays."""
    applied(world, deployment("a", replicas=1))
    assert world.api.handle(update(f"{ENGINE}/scale", {"spec": {"replicas": 5}}, "hpa")).ok
    refused = applied(world, deployment("a", replicas=1), force=False)
    assert summary(refused) == (409, "Conflict")
    assert refused.body["message"] == (
        'Apply failed with 1 conflict: conflict with "hpa" with subresource "scale" using apps/v1: '
        ".spec.replicas"
    )
    beside = applied(world, deployment("a", replicas=None), force=False)
    assert beside.body["spec"]["replicas"] == 5
    assert managers(beside.body) == [("warmlog", "Apply", ""), ("hpa", "Update", "scale")]
    forced = applied(world, deployment("a", replicas=2))
    assert forced.body["spec"]["replicas"] == 2
    assert managers(forced.body) == [("warmlog", "Apply", "")]


def test_taking_entries_over_lets_fields_go(world: World) -> None:
    """What `kubectl create` made is ours once its entry is, and only then can we take away."""
    post(world, DEPLOYMENTS, deployment("a"), fieldManager="kubectl-create")
    bare = deployment("a", containers=[container(env=[])])
    assert env_of(applied(world, bare)) == ["HF_HUB_CACHE", "USER"]
    post(world, DEPLOYMENTS, deployment("b"), fieldManager="kubectl-create")
    entry = "/metadata/managedFields/0"
    rewritten = patch(
        world,
        f"{DEPLOYMENTS}/b",
        operation("replace", f"{entry}/manager", value="warmlog"),
        operation("replace", f"{entry}/operation", value="Apply"),
    )
    assert managers(rewritten.body) == [("warmlog", "Apply", "")]
    assert env_of(applied(world, deployment("b", containers=[container(env=[])]))) == []


def test_an_apply_for_an_older_version_is_refused(world: World) -> None:
    """The resourceVersion in the body is a precondition."""
    made = applied(world, deployment("a"))
    version = made.body["metadata"]["resourceVersion"]

    def at_version(replicas: int) -> Response:
        body = deployment("a", replicas=replicas)
        body["metadata"]["resourceVersion"] = version
        return applied(world, body)

    assert at_version(3).ok
    assert summary(at_version(4)) == (409, "Conflict")
    assert get(world, ENGINE).body["spec"]["replicas"] == 3


def test_items_with_the_same_key_are_refused(world: World) -> None:
    """The server's own words, which name the list."""
    twice = [variable("A"), variable("A", "2")]
    refused = applied(world, deployment("a", containers=[container(env=twice)]))
    assert refused.code == 500
    assert refused.body["message"].endswith(
        '.containers[name="engine"].env: duplicate entries for key [name="A"]'
    )


def test_a_kind_that_is_not_installed_is_not_there(world: World) -> None:
    """LeaderWorkerSets come with their definition, and go with it."""
    path = path_of(LEADER_WORKER_SET, TEAM)
    for request in (apply(f"{path}/a", gang("a")), apply(path, {})._replace(method="GET")):
        refused = world.api.handle(request)
        assert refused.code == 404
        assert refused.body["message"] == "404 page not found"
    assert watch(world, path).take()[0]["object"]["message"] == "404 page not found"
    world.serve(LEADER_WORKER_SET.kind)
    assert world.api.handle(apply(f"{path}/a", gang("a"))).code == 201
    cursor = watch(world, path)
    world.stop_serving(LEADER_WORKER_SET.kind)
    assert told(cursor) == [("DELETED", "a")]
    assert cursor.ended
    assert get(world, f"{path}/a").code == 404


def test_replicas_that_were_scaled_to_none_are_nobodys(world: World) -> None:
    """A Scale of none shows none, and scaling up from there makes nobody the owner, either."""
    applied(world, deployment("a", replicas=2))
    for count in (0, 5):
        assert world.api.handle(update(f"{ENGINE}/scale", {"spec": {"replicas": count}}, "hpa")).ok
        item = get(world, ENGINE).body
        assert item["spec"]["replicas"] == count
        assert managers(item) == [("warmlog", "Apply", "")]
        assert "f:replicas" not in fields_of(item, "warmlog")["f:spec"]
