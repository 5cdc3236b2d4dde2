"""Stepping: facts in, decisions out, all stamped at once."""

from engine.stepping import Cursor, step
from tests.engine.toys import TICK, Count, Toy

START = Cursor(10, 9, 2, 100)


def test_facts_then_decisions() -> None:
    """The rows of a step are its facts and then what they decided, in gap-free order."""
    state, made = step(Toy(), Count("log"), START, [TICK] * 7, 150)
    assert [row.type for row in made.events] == ["Tick"] * 7 + ["Ring"] * 2
    assert [row.seq for row in made.events] == list(range(11, 20))
    assert {(row.epoch, row.at) for row in made.events} == {(2, 150)}
    assert (state.ticks, state.rung, state.rested) == (7, 2, 1)


def test_decisions_name_the_last_fact() -> None:
    """A decision's `seen` is the last fact of its own batch; facts have none."""
    _, made = step(Toy(), Count("log"), START, [TICK] * 4, 150)
    assert [row.seen for row in made.events] == [None, None, None, None, 14]


def test_without_facts_the_last_one_before() -> None:
    """A step without facts decides on the last fact that was folded before it."""
    _, made = step(Toy(), Count("log", ticks=3), START, [], 150)
    assert [(row.type, row.seen) for row in made.events] == [("Ring", 9)]
    assert made.cursor == Cursor(11, 9, 2, 150)


def test_a_clock_that_went_back() -> None:
    """Rows are never earlier than the last one: the later of clock and log is their instant."""
    _, made = step(Toy(), Count("log"), START, [TICK], 50)
    assert [row.at for row in made.events] == [100]


def test_where_the_writer_stands() -> None:
    """The cursor is at the last row, and knows the last fact among them."""
    _, made = step(Toy(), Count("log"), START, [TICK] * 3, 150)
    assert made.cursor == Cursor(14, 13, 2, 150)


def test_nothing_in_nothing_out() -> None:
    """A step with nothing to say leaves the writer where it was, its instant included."""
    state, made = step(Toy(), Count("log"), START, [], 150)
    assert (made.events, made.cursor, state.ticks) == ((), START, 0)


def test_facts_are_taken_one_by_one() -> None:
    """A lazy source of facts sees each fact folded before it is asked for the next."""
    state = Count("log")
    seen = []

    def source() -> object:
        for _ in range(3):
            seen.append(state.ticks)
            yield TICK

    step(Toy(), state, START, source(), 150)  # type: ignore[arg-type]  # a generator is iterable
    assert seen == [0, 1, 2]
