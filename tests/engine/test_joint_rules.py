"""Joint rules: a parent's state as a fixed point of what its children are."""

import itertools
from collections.abc import Iterator
from enum import StrEnum

import pytest

from engine.joint_rules import JointRule, compile_rules
from engine.machine_tables import Move, compile_table
from machines.warmups import WARMUPS_JOINTLY, Children, WarmupState


class Door(StrEnum):
    """States of a toy."""

    SHUT = "shut"
    AJAR = "ajar"
    OPEN = "open"


class Hand(StrEnum):
    """Triggers of a toy."""

    PUSH = "push"
    PULL = "pull"


MOVES: list[Move[Door, Hand]] = [
    Move(Hand.PUSH, (Door.SHUT,), Door.AJAR, "a little"),
    Move(Hand.PUSH, (Door.AJAR,), Door.OPEN, "more"),
    Move(Hand.PUSH, (Door.OPEN,), Door.OPEN, "no more"),
    Move(Hand.PULL, (Door.AJAR, Door.OPEN), Door.SHUT, "back"),
]
TABLE = compile_table("door", Door, Hand, Door.SHUT, MOVES)
NONE: list[JointRule[Hand, int]] = []
PUSH: JointRule[Hand, int] = JointRule(Hand.PUSH, lambda pushes: pushes > 0, "somebody pushes")
PULL: JointRule[Hand, int] = JointRule(Hand.PULL, lambda pushes: pushes > 1, "somebody pulls")


def test_until_nothing_moves() -> None:
    """Rules fire again after each move, through as many states as it takes."""
    assert compile_rules(TABLE, [PUSH]).settle(Door.SHUT, 1) is Door.OPEN


def test_nothing_holds() -> None:
    """A parent whose rules do not hold stays where it is."""
    assert compile_rules(TABLE, [PUSH]).settle(Door.AJAR, 0) is Door.AJAR


def test_no_rules_at_all() -> None:
    """Without rules nothing moves."""
    assert compile_rules(TABLE, NONE).settle(Door.AJAR, 9) is Door.AJAR


def test_the_first_rule_wins() -> None:
    """Of two rules that hold the one that stands first fires."""
    assert compile_rules(TABLE, [PULL]).settle(Door.OPEN, 2) is Door.SHUT
    with pytest.raises(RuntimeError):
        compile_rules(TABLE, [PULL, PUSH]).settle(Door.SHUT, 2)


def test_rules_that_chase_each_other() -> None:
    """Rules that never come to rest are a fault of the declaration, and say whose."""
    with pytest.raises(RuntimeError, match="door: the joint rules do not come to rest"):
        compile_rules(TABLE, [PULL, PUSH]).settle(Door.OPEN, 2)


def test_a_move_to_the_same_state_is_none() -> None:
    """A rule whose trigger leads back to where the parent is does not keep it moving."""
    assert compile_rules(TABLE, [PUSH]).settle(Door.OPEN, 1) is Door.OPEN


def every_mixture() -> Iterator[Children]:
    """Children of every mixture: of each class none or one, and each flag set or not."""
    for counts in itertools.product((0, 1), repeat=5):
        for flags in itertools.product((False, True), repeat=3):
            yield Children(counts[0], counts[1], counts[2], counts[3], counts[4], *flags)


def test_ends_are_not_left_by_any_rule() -> None:
    """Whatever the children are, no rule moves a terminal ModelWarmup."""
    for state in (WarmupState.READY, WarmupState.DEGRADED, WarmupState.FAILED):
        for children in every_mixture():
            assert WARMUPS_JOINTLY.settle(state, children) is state


def test_the_rules_of_a_warmup_always_rest() -> None:
    """There are no children, however mixed, for which the rules chase each other."""
    for children in every_mixture():
        once = WARMUPS_JOINTLY.settle(WarmupState.PENDING, children)
        assert WARMUPS_JOINTLY.settle(once, children) is once
        assert WARMUPS_JOINTLY.settle(WarmupState.HYDRATING, children) is once
