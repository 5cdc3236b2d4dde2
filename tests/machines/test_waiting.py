"""Waiting: a named node that is not there, or may not be warmed, is waited for, and not forever."""

import pytest

from engine.instants import clock_time
from machines import labels
from machines.intents import CreateJob
from machines.node_jobs import NodeJobState
from tests.machines.builders import Scene, naming, seconds, selecting, spec_of


def test_an_absent_name_waits_visibly() -> None:
    """A named node that does not exist is Pending, says so, and until when [W39] [W87]"""
    scene = Scene()
    scene.warmup(spec_of(naming("a")))
    assert (scene.phase, scene.status["desiredNodes"], scene.status["failedNodes"]) == (
        "Pending", 1, 0,
    )  # fmt: skip
    detail = scene.detail("a")
    assert (detail["phase"], detail["reason"]) == ("Pending", "NodeNotFound")
    assert detail["message"] == "node a does not exist; waits for it until 00:05:00Z"
    progressing = scene.condition("Progressing")
    assert (progressing["status"], progressing["reason"]) == ("True", "WaitingForTargets")
    assert progressing["message"] == "waits for 1 node: a (NodeNotFound)"


def test_a_node_that_joins_is_what_was_waited_for() -> None:
    """The node that bears the name takes its place and gets its Job [W39] [W88]"""
    scene = Scene()
    scene.warmup(spec_of(naming("a")))
    scene.wait(299)
    scene.node("a")
    assert (scene.creating(), scene.status["desiredNodes"], scene.phase) == (["a"], 1, "Running")
    scene.wait(600)
    assert scene.target("a").state is NodeJobState.PENDING


def test_nobody_comes() -> None:
    """After 300 seconds an absent name has failed, and says what it waited for [W96]"""
    scene = Scene()
    scene.warmup(spec_of(naming("a")))
    scene.wait(299)
    assert scene.status["failedNodes"] == 0
    scene.wait(1)
    assert scene.detail("a")["phase"] == "Failed"
    assert scene.detail("a")["reason"] == "NodeNotFound"
    assert scene.detail("a")["message"] == "node a does not exist"
    scene.resolve()
    assert scene.phase == "Failed"


@pytest.mark.parametrize(
    ("text", "wait"),
    [("5", 5), ("0" * 30 + "5", 5), ("x", 300), ("-1", 300), ("", 300), ("0", 0)],
)
def test_how_long_is_for_the_user_to_say(text: str, wait: int) -> None:
    """The annotation says how long; what is no number there is as if it were not."""
    scene = Scene()
    scene.warmup(spec_of(naming("a")), wait=text)
    assert scene.target("a").deadline == scene.clock + seconds(wait)


@pytest.mark.parametrize("wait", ["0", "5", "20", "100", ""])
def test_how_long_may_be_said_again_while_it_waits(wait: str) -> None:
    """A wait that is changed counts from its beginning, as if it had been said from the start."""
    scene = Scene()
    scene.warmup(spec_of(naming("a")), wait="60")
    end = scene.clock + seconds(int(wait or 300))
    scene.wait(10)
    scene.warmup(spec_of(naming("a")), wait=wait)
    assert scene.target("a").deadline == end
    if end > scene.clock:
        assert scene.detail("a")["message"].endswith(f"until {clock_time(end)}")
        scene.wait((end - scene.clock) / seconds(1) - 1)
        assert scene.detail("a")["phase"] == "Pending"
    scene.wait(1)
    assert (scene.detail("a")["phase"], scene.detail("a")["reason"]) == ("Failed", "NodeNotFound")


def test_an_endless_wait_ends_in_a_year() -> None:
    """No number in the annotation is too large to be worked with."""
    scene = Scene()
    scene.warmup(spec_of(naming("a")), wait="9" * 6000)
    assert scene.target("a").deadline == scene.clock + seconds(365 * 24 * 3600)


def test_no_wait_at_all() -> None:
    """With a wait of 0 an absent name fails at once, and the others go on."""
    scene = Scene()
    scene.node("b")
    scene.warmup(spec_of(naming("a", "b")), wait="0")
    scene.wait(0)
    assert (scene.detail("a")["phase"], scene.creating()) == ("Failed", ["b"])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"enabled": None}, f'its label {labels.ENABLED} is not "true"'),
        ({"pool": "q"}, f"its label {labels.POOL} is 'q', the namespace's is 'p'"),
        ({"marks": {labels.CONTROL_PLANE[0]: ""}}, "it is a control-plane node"),
    ],
)
def test_a_name_outside_the_boundary_waits(changes: dict[str, object], words: str) -> None:
    """A named node that may not be warmed is waited for, and told why [W12] [W40]"""
    scene = Scene()
    scene.node("a", **changes)
    scene.warmup(spec_of(naming("a")), wait="10")
    detail = scene.detail("a")
    assert (detail["phase"], detail["reason"]) == ("Pending", "NodeNotAuthorized")
    assert detail["message"] == f"node a may not be warmed: {words}; waits for it until 00:00:10Z"
    scene.wait(10)
    assert scene.detail("a")["phase"] == "Failed"
    assert scene.decided(CreateJob) == []


@pytest.mark.parametrize("last", ["node", "namespace"])
def test_labelled_a_moment_later(last: str) -> None:
    """A ModelWarmup that was applied before the labels were set works once they are [W40]"""
    scene = Scene(pool="")
    scene.node("a", enabled=None)
    scene.warmup(spec_of(naming("a")))
    assert scene.phase == "Pending"
    if last == "node":
        scene.namespace("p")
    scene.node("a")
    if last == "namespace":
        assert scene.detail("a")["reason"] == "NodeNotAuthorized"
        scene.namespace("p")
    assert (scene.phase, scene.creating()) == ("Running", ["a"])


def test_why_it_waits_may_change() -> None:
    """A name that was absent and is refused now says so, and its deadline stays."""
    scene = Scene()
    scene.warmup(spec_of(naming("a")))
    deadline = scene.target("a").deadline
    scene.wait(10)
    scene.node("a", enabled=None)
    target = scene.target("a")
    assert (target.words.reason, target.deadline) == ("NodeNotAuthorized", deadline)


def test_waiting_names_do_not_stall_the_others() -> None:
    """A name that waits holds no slot."""
    scene = Scene()
    scene.nodes("b", "c")
    scene.warmup(spec_of(naming("a", "b", "c"), parallelism=1))
    assert scene.creating() == ["b"]
    scene.finish("b")
    assert scene.creating() == ["c"]
    assert scene.phase == "Running"


def test_a_name_that_waits_keeps_the_warmup_open() -> None:
    """While a name waits nothing is terminal, though all others have ended [W91]"""
    scene = Scene()
    scene.node("b")
    scene.warmup(spec_of(naming("a", "b")))
    scene.finish("b")
    assert (scene.phase, scene.state.open) == ("Running", {})
    scene.wait(300)
    scene.resolve()
    assert scene.phase == "Degraded"


def test_the_first_few_names_are_told() -> None:
    """Of many names that wait the first three are told, and how many more there are."""
    scene = Scene()
    scene.warmup(spec_of(naming("d", "c", "b", "a", "e")))
    message = scene.condition("Progressing")["message"]
    assert message == (
        "waits for 5 nodes: a (NodeNotFound), b (NodeNotFound), c (NodeNotFound) and 2 more"
    )


def test_a_machine_that_comes_after_its_name_failed() -> None:
    """A name that failed stays failed; the machine that bears it then is one more target."""
    scene = Scene()
    scene.node("b")
    scene.warmup(spec_of(naming("a", "b")), wait="5")
    scene.wait(5)
    scene.node("a")
    assert (scene.status["desiredNodes"], scene.status["failedNodes"]) == (3, 1)
    assert scene.creating() == ["b", "a"]


def test_a_name_with_an_outcome_never_waits_again() -> None:
    """Once a machine of the name has its outcome, the name asks for nothing more."""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(naming("a", "b")))
    scene.finish("a")
    scene.node_gone("a")
    assert (scene.status["desiredNodes"], scene.status["succeededNodes"]) == (2, 1)
    assert scene.mw.targets.keys() == {"uid-a", "uid-b"}


def test_nothing_selected() -> None:
    """A selector that matches nothing is Pending, without a deadline, and says so [W22] [W93]"""
    scene = Scene()
    scene.warmup(spec_of(selecting()))
    assert (scene.phase, scene.status["desiredNodes"]) == ("Pending", 0)
    progressing = scene.condition("Progressing")
    assert (progressing["status"], progressing["reason"]) == ("True", "NoTargetsResolved")
    assert progressing["message"] == "no node matches spec.targets"
    assert (scene.state.timers, scene.state.open) == ([], {})
    scene.wait(10**6)
    assert scene.phase == "Pending"


def test_a_selector_is_a_filter() -> None:
    """What it matches outside the boundary is counted as skipped, and fails nothing [W12] [W41]"""
    scene = Scene()
    scene.node("a")
    scene.node("b", pool="q", marks={"os": "linux"})
    scene.node("c", marks={"os": "linux", labels.CONTROL_PLANE[0]: ""})
    scene.node("d", marks={"os": "linux"}, enabled=None)
    scene.warmup(spec_of(selecting(os="linux"), naming("a")))
    assert (scene.status["desiredNodes"], scene.status["skippedNodes"]) == (1, 3)
    scene.node("d", marks={"os": "linux"})
    scene.node_gone("b")
    assert (scene.status["desiredNodes"], scene.status["skippedNodes"]) == (2, 1)


def test_all_skipped_is_told() -> None:
    """A selector that matches only outside the boundary says that there was something."""
    scene = Scene()
    scene.node("a", enabled=None)
    scene.warmup(spec_of(selecting()))
    assert scene.condition("Progressing")["message"] == (
        "no node matches spec.targets within the boundary;"
        " 1 node would match outside it (pool, opt-in)"
    )


def test_a_namespace_without_a_pool_is_told() -> None:
    """Where the namespace's label is what lacks, that is said, and labelling it mends all."""
    scene = Scene(pool="")
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    assert scene.condition("Progressing")["message"] == (
        "namespace ns has no label resource-pool.aibrix.ai/name; 1 node would match"
    )
    scene.namespace()
    assert scene.status["desiredNodes"] == 1


def test_named_and_selected_is_named() -> None:
    """A node that is both is demanded: outside the boundary it waits and is not skipped."""
    scene = Scene()
    scene.node("a", enabled=None)
    scene.warmup(spec_of(selecting(), naming("a")))
    assert (scene.status["desiredNodes"], scene.status["skippedNodes"]) == (1, 0)
    assert scene.detail("a")["reason"] == "NodeNotAuthorized"


def test_sources_are_told() -> None:
    """A detail says which entry asked first, and how many did."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(naming("z"), selecting(), naming("a")))
    detail = scene.detail("a")
    assert (detail["source"], detail["sourceCount"]) == ("target[1]", 2)
    assert scene.detail("z")["source"] == "target[0]"


def test_a_new_node_joins_while_it_runs() -> None:
    """A node that is created, or labelled, while the warmup is not done gets its Job."""
    scene = Scene()
    scene.node("a")
    scene.node("b", enabled=None)
    scene.warmup(spec_of(selecting()))
    scene.node("c")
    scene.node("b")
    assert scene.creating() == ["a", "c", "b"]


def test_a_list_begins_no_wait_anew() -> None:
    """A name waits on from when it began to, however often its cluster is listed."""
    scene = Scene()
    scene.nodes("a")
    scene.warmup(spec_of(naming("z")), wait="60")
    scene.wait(30)
    scene.restart()
    scene.wait(29)
    assert scene.detail("z")["phase"] == "Pending"
    scene.wait(1)
    assert scene.detail("z")["phase"] == "Failed"
