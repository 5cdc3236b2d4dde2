"""The mutants are what they say, are put into running code, and their list is kept true."""

from functools import cache

import pytest

from machines.node_jobs import NODE_JOBS, NodeJobState, NodeJobTrigger
from machines.suspending import follow_suspension
from property_tests.mutating.applying import apply, gather
from property_tests.mutating.forking import forked
from property_tests.mutating.modules import MODULES, TABLES, source_of
from property_tests.mutating.mutants import Mutant, all_mutants, mutants_of
from property_tests.mutating.surviving import key_of, listed

SOURCE = '''"""Doc."""
LIMIT = 3
ROWS = (("a", 1), ("b", 2), ("c", 3))


def f(a: int, b: int) -> bool:
    """Doc."""
    if a < b and not b:
        return False
    a = max(a, 1)
    return a > 0 or b == 0
'''


@cache
def everyone() -> tuple[Mutant, ...]:
    """All mutants, once."""
    return tuple(all_mutants())


def changes(source: str) -> set[str]:
    """What is done to a source, in words."""
    return {f"{one.old} → {one.new}" for one in mutants_of("some.py", source)}


def test_each_sort_of_change_is_made() -> None:
    """Conditions, their parts and bounds, numbers, statements, early returns and rows change."""
    found = changes(SOURCE)
    assert {
        "3 → 4",
        '("a", 1),  → ',
        ', ("c", 3) → ',
        "a < b and not b → True",
        "a < b and not b → False",
        "a < b → True",
        "a < b → a <= b",
        "return False → pass",
        "False → True",
        "a = max(a, 1) → pass",
        "max → min",
        "a > 0 or b == 0 → True",
        "a > 0 → False",
        "a > 0 → a >= 0",
    } <= found


def test_every_module_has_mutants() -> None:
    """No module that folds or decides is without any, and each row of each table has its own."""
    counted: dict[str, int] = {}
    for one in everyone():
        counted[one.path] = counted.get(one.path, 0) + 1
    assert set(counted) == set(MODULES)
    for path in TABLES:
        rows = source_of(path).count("Move(")
        assert sum(one.old.startswith("_S.") for one in mutants_of(path, source_of(path))) >= rows


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
    """Each entry of `survivors.toml` is a mutant that there is, and gives its reason."""
    there = {key_of(one) for one in everyone()}
    entries = listed()
    assert [one for key, one in entries.items() if key not in there] == []
    assert [one for one in entries.values() if not one.reason] == []
