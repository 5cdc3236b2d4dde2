"""Planning: what is read off a state in which a ModelWarmup was supposed."""

from typing import Any

import pytest

from engine.canonical_json import dumps
from engine.events import Subject
from machines import labels
from machines.job_names import UNKNOWN_UID
from machines.levels import NamespaceLevel, WarmupLevel
from machines.observations import Listed, Seen
from machines.planning import Plan, example, plan
from machines.states import WARMUP_KINDS, copy_state
from machines.supposing import Standing, Supposed, on_lists, on_recording
from tests.machines.builders import CLUSTER, NAMESPACE, Scene, naming, selecting, spec_of


def seen(spec: Any, uid: str = UNKNOWN_UID, name: str = "mw", **notes: str) -> Seen:
    """A ModelWarmup as a file has it, or as a server holds it under a uid."""
    level = WarmupLevel(1, dumps(spec), tuple(sorted(notes.items())))
    return Seen(CLUSTER, Subject("ModelWarmup", NAMESPACE, name, uid), "1", level)


def lists(scene: Scene) -> list[Listed]:
    """Everything but ModelWarmups, as a server lists it."""
    return [scene.listed(kind) for kind in WARMUP_KINDS if kind != "ModelWarmup"]


def supposed(scene: Scene, wanted: Seen, existing: Seen | None = None) -> Supposed:
    """Suppose it in what the scene's cluster lists now."""
    return on_lists(lists(scene), wanted, existing, scene.clock)


def read(found: Supposed) -> Plan:
    """Read off what would be done."""
    assert found.warmup.spec is not None
    return plan(found.state, found.warmup, found.warmup.spec)


def test_a_recorded_cluster_and_a_listed_one_give_the_same_plan() -> None:
    """Whether the nodes come from a log or from lists makes no difference."""
    scene = Scene()
    scene.nodes("a", "b", "c")
    scene.node("shunned", cordoned=True)
    scene.node("outside", enabled=None)
    wanted = seen(spec_of(selecting(), naming("absent"), parallelism=2))
    live = read(supposed(scene, wanted))
    recorded = read(on_recording(copy_state(scene.state), wanted))
    assert recorded == live
    assert [(node.name, node.first) for node in live.nodes] == [
        ("a", True),
        ("b", True),
        ("c", False),
        ("shunned", False),
    ]
    assert [each.name for each in live.waiting] == ["absent"]
    assert [each.name for each in live.skipped] == ["outside"]


def test_supposing_leaves_the_recorded_state_alone_when_copied() -> None:
    """A plan on a copy of a state changes nothing of it."""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting()))
    before = repr(scene.state)
    on_recording(copy_state(scene.state), seen(spec_of(naming("a")), name="other"))
    assert repr(scene.state) == before


def test_more_nodes_than_a_warmup_may_have_are_counted() -> None:
    """With 1,001 nodes nothing is done, and how many there are is said."""
    scene = Scene()
    scene.nodes(*(f"n{number:04}" for number in range(1001)))
    scene.node("outside", enabled=None)
    told = read(supposed(scene, seen(spec_of(selecting()))))
    assert told.headline == (
        "ends at once as Failed, TargetLimitExceeded, and no Job is made: 1001 nodes are wanted,"
        " and 1000 may be"
    )
    assert told.advice == ("split it into ModelWarmups of at most 1000 nodes each",)
    assert not any(node.first for node in told.nodes)


def test_exactly_the_limit_is_planned() -> None:
    """With 1,000 nodes all of them get a Job."""
    scene = Scene()
    scene.nodes(*(f"n{number:04}" for number in range(1000)))
    assert read(supposed(scene, seen(spec_of(selecting())))).headline == (
        "1000 nodes get a Job, 8 at first"
    )


@pytest.mark.parametrize("missing", ["Node", "Namespace"])
def test_nothing_is_concluded_of_what_could_not_be_read(missing: str) -> None:
    """Without nodes or the namespace no node is a target, and none is called absent."""
    scene = Scene()
    scene.nodes("a")
    known = [each for each in lists(scene) if each.kind != missing]
    found = on_lists(known, seen(spec_of(naming("a", "b"))), None, scene.clock)
    told = read(found)
    assert told.headline == f"which nodes get a Job is not known, for want of {missing}"
    assert (told.nodes, told.waiting, told.skipped, told.advice) == ((), (), (), ())
    shown = example(found.state, found.warmup, told)
    assert shown is not None
    assert (shown.intent.node_name, shown.gets_it) == ("a", False)


def test_the_example_is_the_first_job() -> None:
    """It has the body that the controller would send: owner, node, pool."""
    scene = Scene()
    scene.nodes("b", "a")
    found = supposed(scene, seen(spec_of(selecting())))
    shown = example(found.state, found.warmup, read(found))
    assert shown is not None
    assert (shown.intent.node_name, shown.gets_it) == ("a", True)
    metadata = shown.body["metadata"]
    assert metadata["annotations"][labels.TARGET_NODE_UID] == "uid-a"
    assert metadata["ownerReferences"][0]["uid"] == UNKNOWN_UID


def test_an_equal_spec_is_the_same_object() -> None:
    """What exists keeps its uid; annotations of the file are added to its own."""
    scene = Scene()
    scene.nodes("a")
    old = seen(spec_of(selecting()), "real", **{"warmlog.dev/x": "1"})
    new = seen(spec_of(selecting()), **{labels.TARGET_WAIT_SECONDS: "7"})
    found = supposed(scene, new, old)
    assert (found.standing, found.warmup.subject.uid) == (Standing.SAME, "real")
    assert dict(found.warmup.level.annotations) == {
        "warmlog.dev/x": "1",
        labels.TARGET_WAIT_SECONDS: "7",
    }
    assert read(found).wait_seconds == 7


def test_a_default_written_out_means_the_same() -> None:
    """A spec that is only written otherwise is told apart from another spec."""
    scene = Scene()
    old = seen(spec_of(selecting()), "real")
    alike = seen(spec_of(selecting(), parallelism=8))
    assert supposed(scene, alike, old).standing is Standing.ALIKE
    other = supposed(scene, seen(spec_of(selecting(), parallelism=9)), old)
    assert (other.standing, other.warmup.subject.uid) == (Standing.OTHER, UNKNOWN_UID)


def test_a_recorded_one_with_another_spec_is_supposed_gone() -> None:
    """The plan is that of a new object: what the old one did does not count."""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting()))
    scene.finish("a")
    found = on_recording(copy_state(scene.state), seen(spec_of(naming("a"))))
    assert found.standing is Standing.OTHER
    assert [(node.name, node.first) for node in read(found).nodes] == [("a", True)]


def test_a_recorded_one_with_its_own_spec_goes_on() -> None:
    """Nodes that have an outcome keep it, and the others keep their deadlines."""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting(), naming("late"), parallelism=1))
    deadline = scene.target("late").deadline
    scene.finish("a")
    scene.clock += 5
    found = on_recording(
        copy_state(scene.state), seen(spec_of(selecting(), naming("late"), parallelism=1))
    )
    told = read(found)
    assert {node.name: node.state.value for node in told.nodes} == {"a": "Ready", "b": "Pending"}
    assert told.waiting[0].deadline == deadline


def test_a_recording_that_was_not_listed_again_is_planned_with_what_was_known() -> None:
    """Right after a start nothing is listed yet; nodes known before are targets all the same."""
    scene = Scene()
    scene.nodes("a")
    scene.restart(synced=False)
    told = read(on_recording(copy_state(scene.state), seen(spec_of(selecting()))))
    assert told.headline == "1 node gets a Job, 1 at first"


def test_nothing_that_matches_is_told_with_the_reason() -> None:
    """No node of the pool matches: what would match outside is named."""
    scene = Scene()
    scene.node("outside", pool="other", marks={"gpu": "h100"})
    told = read(supposed(scene, seen(spec_of(selecting(gpu="h100")))))
    assert told.headline.startswith("no node gets a Job now: no node matches spec.targets within")
    assert told.skipped[0].why == f"its label {labels.POOL} is 'other', the namespace's is 'p'"
    assert told.advice[-1].startswith("label the skipped nodes if they should be warmed")


def test_annotations_of_the_file_count_for_a_recorded_one() -> None:
    """One that a log knows is planned with the annotations that it would have afterwards."""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting(), parallelism=1))
    scene.finish("a")
    new = seen(spec_of(selecting(), parallelism=1), **{labels.SUSPEND: "true"})
    told = read(on_recording(copy_state(scene.state), new))
    assert told.headline == "is suspended: 1 node would get a Job once it is not"


def test_a_namespace_of_the_file_counts_for_a_recorded_cluster() -> None:
    """The pool that a namespace would be put into is the one that is planned with."""
    scene = Scene()
    scene.node("a")
    scene.node("b", pool="other")
    subject = Subject("Namespace", "", NAMESPACE, "ns-uid")
    moved = Seen(CLUSTER, subject, "1", NamespaceLevel("other"))
    spec = spec_of(selecting(**{labels.ENABLED: "true"}))
    told = read(on_recording(copy_state(scene.state), seen(spec), moved))
    assert (told.pool, [node.name for node in told.nodes]) == ("other", ["b"])
