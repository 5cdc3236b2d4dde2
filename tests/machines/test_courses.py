"""Courses: what became of each object, step by step."""

from engine.comparing import Step, partings
from machines.courses import Recorder
from machines.domain import WARMLOG
from tests.recordings.reading import reader


async def courses_of(name: str) -> dict[str, dict[str, list[Step]]]:
    """What the objects of a recording went through."""
    state, recorder = WARMLOG.initial(name), Recorder()
    async for batch in reader(name).read():
        for event in batch:
            state = WARMLOG.fold(state, event)
            recorder.take(state, event)
    return recorder.courses()


def values(steps: list[Step]) -> list[str]:
    """Without their positions."""
    return [step.value for step in steps]


async def test_a_warmup_and_each_of_its_nodes() -> None:
    """Also nodes that are Succeeded, which no status lists; a failure has its reason."""
    course = (await courses_of("containers_fail"))["ModelWarmup/default/runtime-image-warmup"]
    assert values(course["phase"]) == ["Pending", "Running", "Degraded"]
    assert values(course["node gpu-a"]) == ["Pending", "Running", "Succeeded"]
    assert values(course["node gpu-c"])[-1] == "Failed: BackoffLimitExceeded"


async def test_a_node_that_leaves_has_left() -> None:
    """A withdrawn node is no part of its warmup any more."""
    course = (await courses_of("nodes_come_and_go"))["ModelWarmup/default/runtime-image-warmup"]
    assert "left" in values(course["node gpu-b"])


async def test_a_cache_and_a_replica() -> None:
    """An entry's mount comes with its being Ready; a replica has its stage and its mount."""
    courses = await courses_of("demo_replicas")
    entry = values(courses["ModelCache/default/qwen-small"]["cluster home"])
    assert entry[-1].startswith("Ready: modelcache-default-qwen-small-")
    replica = courses["ModelReplica/default/qwen-small-home"]
    assert values(replica["stage"])[:3] == ["Waiting", "Deploying", "Serving"]
    assert "modelcache-default-qwen-small-" in replica["mount"][0].value


def test_courses_part_where_values_do() -> None:
    """Positions may differ; one that goes no further parts from one that does."""
    left = {"x": {"phase": [Step(1, "A"), Step(5, "B")]}}
    assert partings(left, {"x": {"phase": [Step(2, "A"), Step(3, "B")]}}) == []
    [found] = partings(left, {"x": {"phase": [Step(2, "A")]}})
    assert (found.before, found.left, found.right, found.position) == ("A", Step(5, "B"), None, 5)
