"""Virtual time and drawn chance."""

import pytest

from adapters.simulator.clock import SECOND, Agenda, Chance, Span, instant, timestamp


def test_what_is_due_first_runs_first_and_ties_keep_their_order() -> None:
    """Actions run by instant, then in the order in which they were put down."""
    agenda, ran = Agenda(0), list[str]()
    for at, name in ((20, "late"), (10, "early"), (10, "second")):
        agenda.put(at, name, lambda name=name: ran.append(name))  # type: ignore[misc]
    agenda.run_until(15)
    assert (ran, agenda.now, agenda.next_at()) == (["early", "second"], 15, 20)
    agenda.run_until(20)
    assert (ran, agenda.next_at()) == (["early", "second", "late"], None)


def test_one_key_stands_once_at_its_earliest_instant() -> None:
    """A later wish under the same key is swallowed, an earlier one moves it forward."""
    agenda, ran = Agenda(0), list[int]()
    for at in (30, 50, 20):
        agenda.put(at, "key", lambda at=at: ran.append(at))  # type: ignore[misc]
    agenda.run_until(100)
    assert ran == [20]


def test_an_action_may_put_down_the_next_one() -> None:
    """What an action puts down within the time that runs is run as well, at its own instant."""
    agenda, seen = Agenda(0), list[int]()

    def again() -> None:
        seen.append(agenda.now)
        if agenda.now < 30:
            agenda.put(agenda.now + 10, "again", again)

    agenda.put(10, "again", again)
    agenda.run_until(100)
    assert (seen, agenda.now) == ([10, 20, 30], 100)


def test_the_past_is_now_and_time_never_goes_back() -> None:
    """What should have happened already happens at once; running to the past changes nothing."""
    agenda, seen = Agenda(100), list[int]()
    agenda.put(50, "key", lambda: seen.append(agenda.now))
    agenda.run_until(100)
    agenda.run_until(10)
    assert (seen, agenda.now) == ([100], 100)


def test_what_is_dropped_does_not_run() -> None:
    """A dropped key leaves nothing due."""
    agenda = Agenda(0)
    agenda.put(10, "key", lambda: pytest.fail("dropped"))
    agenda.drop("key")
    agenda.run_until(20)
    assert agenda.next_at() is None


def test_draws_depend_on_the_seed_and_on_what_they_are_for() -> None:
    """The same seed and parts give the same value, whatever was drawn before; others differ."""
    one, two, other = Chance(7), Chance(7), Chance(8)
    one.number("something", "else")
    span = Span(10, 10**9)
    drawn = one.between(span, "run", "uid-1")
    assert drawn == two.between(span, "run", "uid-1")
    assert len({drawn, other.between(span, "run", "uid-1"), one.between(span, "run", "uid-2")}) == 3
    assert {one.between(Span(3, 4), index) for index in range(50)} == {3, 4}
    assert all(0 <= one.fraction(index) < 1 for index in range(50))


def test_uids_look_like_random_uuids_and_do_not_repeat() -> None:
    """Each count gives another uid of version 4."""
    chance = Chance(1)
    uids = {chance.uid(count) for count in range(1000)}
    assert len(uids) == 1000
    for uid in uids:
        parts = uid.split("-")
        assert [len(part) for part in parts] == [8, 4, 4, 4, 12]
        assert parts[2].startswith("4")
        assert parts[3][0] in "89ab"


def test_times_are_written_as_kubernetes_writes_them() -> None:
    """Whole seconds in UTC; what is written reads back, fractions too."""
    assert timestamp(1_767_225_600 * SECOND + 999) == "2026-01-01T00:00:00Z"
    assert instant("2026-01-01T00:00:00Z") == 1_767_225_600 * SECOND
    assert instant("2026-01-01T00:00:00.250000Z") == 1_767_225_600 * SECOND + SECOND // 4
