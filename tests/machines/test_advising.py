"""Advising: every reason that is given has an advice, and no advice leads nowhere."""

import ast
import re
from pathlib import Path

from machines import advising
from machines.advising import BY_REASON, advice, nearest
from machines.conditions import ON_THE_WAY
from machines.states import Words

MACHINES = Path(advising.__file__).parent
# Reasons that nobody has to act upon: how a thing ended well, or that nothing is wrong.
NOTHING_WRONG = ON_THE_WAY | {
    "ImagePreloadSucceeded", "JobsCreated", "JobsRunning", "NotActive", "PolicyCapped",
    "SpecAccepted", "WarmupSucceeded",
}  # fmt: skip


def given_reasons() -> set[str]:
    """Every reason that a module of machines/ writes out as the first of its `Words`."""
    found = set()
    for path in MACHINES.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Call(
                    func=ast.Name(id="Words"), args=[ast.Constant(value=str(reason)), *_]
                ):
                    found.add(reason)
    return found


def test_every_reason_has_an_advice() -> None:
    """A reason that the state machines give is advised upon, or asks for nothing."""
    reasons = given_reasons()
    assert "NodeNotFound" in reasons
    assert reasons - set(BY_REASON) - NOTHING_WRONG - {"JobBeingCreated"} == set()


def test_names_are_filled_in() -> None:
    """No advice shows a placeholder, whatever the reason."""
    for reason in [*BY_REASON, "NeverHeardOf"]:
        told = advice(reason, namespace="ns", name="warm", node="n-1", job="job-1")
        assert not re.search(r"[{}]", told), told
        assert not told.endswith("."), told


def test_a_cordoned_node_is_to_be_uncordoned() -> None:
    """The words of a cordon lead to `kubectl uncordon`; other words of a scheduler do not."""
    cordoned = Words("Unschedulable", "no node is available: node(s) were unschedulable")
    for words in (cordoned, Words("NodeUnschedulable", "node is cordoned")):
        told = advice(nearest(words), namespace="ns", name="warm", node="n-1")
        assert told == "`kubectl uncordon n-1`"
    assert nearest(Words("Unschedulable", "no node is available: Insufficient cpu")) == (
        "Unschedulable"
    )


def test_a_reason_that_is_not_known_says_where_to_look() -> None:
    """Any other reason leads to the Job when there is one, else to the ModelWarmup."""
    with_job = advice("Odd", namespace="ns", name="warm", job="job-1")
    assert with_job == "see `kubectl -n ns describe job/job-1`"
    assert advice("Odd", namespace="ns", name="warm") == (
        "see `kubectl -n ns describe modelwarmup warm`"
    )
