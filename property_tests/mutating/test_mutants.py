"""The mutants are what they say, are put into running code, and their list is kept true."""

from functools import cache

import pytest

from machines.node_jobs import NODE_JOBS, NodeJobState, NodeJobTrigger
from machines.suspending import follow_suspension
from property_tests.mutating.applying import apply, gather
from property_tests.mutating.checking_types import refusals
from property_tests.mutating.forking import forked
from property_tests.mutating.judging import judge_all
from property_tests.mutating.modules import MODULES, TABLES, source_of
from property_tests.mutating.mutants import Mutant, all_mutants, mutants_of
from property_tests.mutating.reaching import Reach, Tried
from property_tests.mutating.surviving import listed
from property_tests.mutating.trials import Trial
from property_tests.mutating.watching import SEEN, TRUE, pairs_changed, told_by, watched

pytestmark = pytest.mark.prove

SOURCE = '''"""Doc."""
LIMIT = 3
ROWS = (("a", 1), ("b", 2), ("c", 3))


def f(a: int, b: int) -> bool:
    """Doc."""
    if a < b and not b:
        a += 1
        return False
    a = max(a, 1)
    match b:
        case 1:
            a = 2
    return a > 0 or b == 0
'''


@cache
def everyone() -> tuple[Mutant, ...]:
    """All mutants, once."""
    return tuple(all_mutants())


def changes(source: str, *, wide: bool) -> set[str]:
    """What is done to a source, in words: its branches, or what is done only when asked for."""
    found = mutants_of("some.py", source)
    return {f"{one.old} → {one.new}" for one in found if one.wide == wide}


def test_each_sort_of_change_is_made() -> None:
    """Branches are conditions, their parts and early returns; all else is asked for."""
    branches = {
        "a < b and not b → True",
        "a < b and not b → False",
        "a < b → True",
        "not b → True",
        "return False → pass",
        "False → True",
        "a > 0 or b == 0 → True",
        "a > 0 or b == 0 → False",
        "a > 0 → False",
        "b == 0 → False",
        "1 → 1 if False",
    }
    others = {
        "3 → 4",
        '("a", 1),  → ',
        ', ("c", 3) → ',
        "a < b → a <= b",
        "a = max(a, 1) → pass",
        "max → min",
        "a > 0 → a >= 0",
    }
    assert changes(SOURCE, wide=False) == branches
    assert others <= changes(SOURCE, wide=True)


def test_a_row_is_no_less_than_a_branch() -> None:
    """In a machine's module each row changes, and so does where a dispatch leads to."""
    path = "machines/node_jobs.py"
    assert not any(one.wide for one in mutants_of(path, source_of(path)) if not one.function)
    leads = "ROWS = {'a': f, 'b': g}\nWORDS = {'a': 'x', 'b': 'y'}\n"
    usual = [one.old for one in mutants_of("some.py", leads) if not one.wide]
    assert usual == ["'a': f, ", ", 'b': g"]


def test_every_module_has_mutants() -> None:
    """No module that folds or decides is without any, and each row of each table has its own."""
    counted: dict[str, int] = {}
    for one in everyone():
        counted[one.path] = counted.get(one.path, 0) + 1
    assert set(counted) == set(MODULES)
    for path in TABLES:
        rows = source_of(path).count("Move(")
        changed = [one for one in mutants_of(path, source_of(path)) if one.old.startswith("_S.")]
        assert len(changed) >= rows


def answer_of(mutant: Mutant) -> object:
    """Apply a mutant, and tell what its function says then, and what its table."""
    source = source_of(mutant.path)
    apply(mutant.path, source, mutant.applied(source))
    moved = NODE_JOBS.next(NodeJobState.PENDING, NodeJobTrigger.JOB_FOUND)
    return moved, follow_suspension.__code__.co_code


@pytest.mark.parametrize("path", ["machines/node_jobs.py", "machines/suspending.py"])
def test_a_mutant_changes_the_running_code(path: str) -> None:
    """Put into a process, it is what runs there, and here nothing is changed."""
    gather()
    mutants = mutants_of(path, source_of(path))
    told = [answer for _, answer in forked(mutants, answer_of, 1)]
    assert None not in told
    assert len({str(one) for one in told}) > 1


def test_listed_survivors_exist() -> None:
    """Each entry of `survivors.toml` speaks of mutants that there are, and gives its reason."""
    entries = listed()
    assert [one for one in entries if not any(map(one.is_of, everyone()))] == []
    assert [one for one in entries if not one.reason] == []


def test_what_the_types_refuse_is_no_program() -> None:
    """A guard that only the type checker wants is refused when it is left out; others are not."""
    path = "machines/replicas/deciding.py"
    guards = [one for one in everyone() if one.path == path and one.old == "place is None"]
    refused = refusals(guards)
    assert [one.new for one in guards if one in refused] == ["False"]


def test_a_mutant_waits_for_what_would_show_it() -> None:
    """Of an `and` an operand that is left out shows where it is false; of rows the pairs count."""
    found = {one.new: told_by(one) for one in mutants_of("some.py", "def f(a, b):\n  x = a or b\n")}
    assert found == {"(b)": ((19, 20), TRUE), "(a)": ((24, 25), SEEN)}
    rows = [one for one in everyone() if one.path == "machines/node_jobs.py"]
    hopeless = next(one for one in rows if one.old.startswith("Move(_T.HOPELESS"))
    assert pairs_changed(hopeless) == [("Hydrating", "hopeless")]


def test_an_entry_that_is_left_out_shows_where_it_led_to() -> None:
    """Of a table that leads to functions an entry matters once its function would have run."""
    path = "machines/folding_timers.py"
    [marks] = [one for one in everyone() if one.path == path and '"marks"' in one.old]
    [module] = watched([marks])
    [place] = module.places
    assert source_of(path).encode()[slice(*place)].decode().startswith("restore_job(")


def fails_by_word() -> None:
    """A case that fails as pytest says it, which is no Exception."""
    pytest.fail("it did not raise")


def test_a_case_that_fails_by_pytests_own_word_kills() -> None:
    """Not its process dies of it, but the mutant, by the name of the case."""
    gather()
    [mutant, *_] = mutants_of("machines/suspending.py", source_of("machines/suspending.py"))
    case = Trial("tests.machines.test_x", "hand-written", fails_by_word, "x")
    reach = Reach([case], [Tried(0, 0.01, b"", "")], [])
    [(_, verdict)] = judge_all([mutant], reach, 1, apart=False)
    assert (verdict.killer, verdict.by_case) == (case.name, True)


def stands() -> None:
    """A case that holds whatever is changed."""


def test_a_mutant_is_not_given_up_while_there_is_patience() -> None:
    """One that nothing notices has stood all its trials, or the verdict says that it has not."""
    gather()
    [mutant, *_] = mutants_of("machines/suspending.py", source_of("machines/suspending.py"))
    cases = [Trial(f"case {one}", "hand-written", stands, f"{one}", f"{one}") for one in range(3)]
    reach = Reach(cases, [Tried(number, 0.01, b"", "") for number in range(3)], [])
    for patience, stood, given_up in ((0, 0, True), (10, 3, False)):
        [(_, verdict)] = judge_all([mutant], reach, 1, apart=False, patience=patience)
        assert (verdict.reached, verdict.stood, verdict.given_up) == (3, stood, given_up)
