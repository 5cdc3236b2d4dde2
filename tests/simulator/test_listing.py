"""Lists: order, pages, selectors, versions."""

import pytest

from adapters.simulator.worlds import World
from tests.simulator.building import (
    JOBS,
    NODES,
    delete,
    get,
    job_body,
    names,
    post,
    summary,
    warmup_body,
    world_of,
)

ALL_JOBS = "/apis/batch/v1/jobs"


def world_with_jobs(count: int) -> World:
    """Jobs j0, j1, … that no controller touches; every other one is marked."""
    world = world_of()
    for index in range(count):
        marks = {"name": f"j{index}", **({"odd": "1"} if index % 2 else {})}
        post(world, JOBS, job_body(f"j{index}", marks=marks, managedBy="example.com/nobody"))
    return world


def test_a_list_says_which_version_it_shows() -> None:
    """The list's own version is the cluster's newest, not that of its objects."""
    world = world_with_jobs(2)
    world.add_namespace("other")
    listed = get(world, JOBS).body
    assert listed["kind"] == "JobList"
    assert listed["metadata"] == {"resourceVersion": str(world.cluster.storage.version)}


def test_built_in_kinds_are_not_named_in_each_item() -> None:
    """As on a real server: items of built-in kinds have no kind, those of custom ones have."""
    world = world_with_jobs(1)
    world.apply(warmup_body("w"))
    assert "kind" not in get(world, ALL_JOBS).body["items"][0]
    warmups = get(world, "/apis/model.aibrix.ai/v1alpha1/modelwarmups").body
    assert warmups["items"][0]["kind"] == "ModelWarmup"


def test_a_list_is_of_one_namespace_or_of_all() -> None:
    """A namespace that does not exist has an empty list, not an error."""
    world = world_with_jobs(1)
    world.add_namespace("other")
    post(world, JOBS.replace("models", "other"), {**job_body("k"), "metadata": {"name": "k"}})
    assert names(get(world, ALL_JOBS)) == ["j0", "k"]
    assert names(get(world, JOBS)) == ["j0"]
    assert names(get(world, JOBS.replace("models", "nowhere"))) == []


def test_selectors_select() -> None:
    """By label and by field, and a selector that cannot be read is 400."""
    world = world_with_jobs(4)
    assert names(get(world, JOBS, labelSelector="odd")) == ["j1", "j3"]
    assert names(get(world, JOBS, labelSelector="!odd,name in (j0, j1)")) == ["j0"]
    assert names(get(world, JOBS, fieldSelector="metadata.name=j2")) == ["j2"]
    assert summary(get(world, JOBS, labelSelector="a b")) == (400, "BadRequest")
    assert summary(get(world, JOBS, fieldSelector="spec.x=1")) == (400, "BadRequest")


def test_pages_together_are_the_list_of_the_first_page() -> None:
    """What is created or deleted between two pages shows in none of them."""
    world = world_with_jobs(5)
    first = get(world, JOBS, limit="2")
    assert names(first) == ["j0", "j1"]
    assert first.body["metadata"]["remainingItemCount"] == 3
    delete(world, f"{JOBS}/j4", propagationPolicy="Background")
    post(world, JOBS, job_body("j25"))
    second = get(world, JOBS, limit="2", **{"continue": first.body["metadata"]["continue"]})
    third = get(world, JOBS, limit="2", **{"continue": second.body["metadata"]["continue"]})
    assert (names(second), names(third)) == (["j2", "j3"], ["j4"])
    assert "continue" not in third.body["metadata"]
    versions = {page.body["metadata"]["resourceVersion"] for page in (first, second, third)}
    assert len(versions) == 1


def test_selected_pages_do_not_count_what_remains() -> None:
    """A server that filters does not know how many will be left."""
    page = get(world_with_jobs(6), JOBS, limit="2", labelSelector="odd")
    assert names(page) == ["j1", "j3"]
    assert "remainingItemCount" not in page.body["metadata"]
    assert "continue" in page.body["metadata"]


def test_a_selected_page_may_promise_more_than_there_is() -> None:
    """A server does not look whether what remains is selected; by name it knows."""
    world = world_with_jobs(4)
    chosen = {"labelSelector": "name in (j0,j1)", "limit": "2"}
    first = get(world, JOBS, **chosen)
    assert names(first) == ["j0", "j1"]
    more = get(world, JOBS, **chosen, **{"continue": first.body["metadata"]["continue"]})
    assert (names(more), "continue" in more.body["metadata"]) == ([], False)
    named = get(world, JOBS, fieldSelector="metadata.name=j0", limit="1")
    assert (names(named), "continue" in named.body["metadata"]) == (["j0"], False)


def test_lists_of_custom_objects_say_that_nothing_remains() -> None:
    """Their metadata has an empty continue; that of built-in kinds has none."""
    world = world_with_jobs(1)
    warmups = get(world, "/apis/model.aibrix.ai/v1alpha1/modelwarmups")
    assert warmups.body["metadata"]["continue"] == ""
    assert "continue" not in get(world, JOBS).body["metadata"]


def test_a_page_that_comes_too_late_is_gone() -> None:
    """After compaction a continue token is 410 Expired, a made-up one 400."""
    world = world_with_jobs(3)
    token = get(world, JOBS, limit="2").body["metadata"]["continue"]
    post(world, JOBS, job_body("late"))
    world.cluster.compact()
    assert summary(get(world, JOBS, limit="2", **{"continue": token})) == (410, "Expired")
    assert summary(get(world, JOBS, limit="2", **{"continue": "made-up"})) == (400, "BadRequest")


def test_a_list_at_an_exact_version_shows_the_past() -> None:
    """Until it is compacted; then it is 410."""
    world = world_with_jobs(1)
    past = str(world.cluster.storage.version)
    post(world, JOBS, job_body("later"))
    exact = {"resourceVersion": past, "resourceVersionMatch": "Exact"}
    listed = get(world, JOBS, **exact)
    assert names(listed) == ["j0"]
    assert listed.body["metadata"]["resourceVersion"] == past
    assert names(get(world, JOBS, resourceVersion=past)) == ["j0", "later"]
    world.cluster.compact()
    assert summary(get(world, JOBS, **exact)) == (410, "Expired")


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"resourceVersion": "99999999"}, 504),
        ({"resourceVersion": "new"}, 400),
        ({"limit": "many"}, 400),
        ({"resourceVersionMatch": "Exact"}, 422),
        ({"resourceVersion": "1", "resourceVersionMatch": "Nearly"}, 422),
        ({"resourceVersion": "0"}, 200),
    ],
)
def test_senseless_queries_are_refused(query: dict[str, str], code: int) -> None:
    """A future version is 504, what is no number 400, a match without sense 422."""
    assert get(world_with_jobs(1), JOBS, **query).code == code


def test_a_stale_list_shows_the_past_as_if_it_were_the_present() -> None:
    """The fault of a lagging cache; a version that is demanded is never undercut."""
    world = world_of("n1")
    past = world.cluster.storage.version
    world.add_node("n2")
    world.api.faults.list_version = past
    stale = get(world, NODES)
    assert names(stale) == ["n1"]
    assert stale.body["metadata"]["resourceVersion"] == str(past)
    assert names(get(world, NODES, resourceVersion=str(past + 1))) == ["n1", "n2"]
    world.api.faults.clear()
    assert names(get(world, NODES)) == ["n1", "n2"]
