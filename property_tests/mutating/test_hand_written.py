"""Cases that people wrote of the pure core are trials, and the logs of their scenes are, too."""

from machines.node_jobs import NODE_JOBS
from property_tests.mutating.hand_written import Made, trials_of


def test_each_case_is_a_trial_and_its_log_is_told() -> None:
    """What a case's scene wrote is whole, from its first row on; each case plays again."""
    made: list[Made] = []
    found = list(trials_of("tests.machines.test_twins", made))
    assert found
    assert made
    for one in found[:3]:
        one.play()
    assert {rows[0].seq for _, rows in made} == {1}


def test_cases_with_many_arguments_are_each_a_trial() -> None:
    """A parametrized test gives as many trials as it has cases, those with an id included."""
    pairs = [
        one
        for one in trials_of("tests.engine.test_machine_tables", [])
        if "test_every_pair_through_both" in one.name
    ]
    assert len(pairs) > len(NODE_JOBS.states) * len(NODE_JOBS.triggers)


def test_each_test_of_a_module_has_its_own_turns() -> None:
    """No test keeps another one of its module from being tried."""
    found = list(trials_of("tests.machines.test_twins", []))
    assert {one.test for one in found} == {one.name.rpartition(" ")[0] for one in found}
    assert len({one.test for one in found}) > 1


def test_what_asks_for_a_fixture_or_runs_aside_is_no_case() -> None:
    """A coroutine is left alone, and so is a test that wants what only pytest can give."""
    names = {one.name for one in trials_of("tests.engine.test_replaying", [])}
    assert not any("test_to_the_end" in one for one in names)


def test_what_draws_its_examples_is_no_case() -> None:
    """A property test is tried with examples of its own, that stay the same."""
    names = {one.name for one in trials_of("tests.engine.test_canonical_json", [])}
    assert not any("test_a_value_comes_back" in one for one in names)
