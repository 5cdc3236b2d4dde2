"""The conformance suite on the log in memory, as far as it is about the port's own rules.

Each test of the suite is either bound here or left out by name, with the reason.
"""

import pytest

from adapters.store.memory_logs import MemoryLog
from tests.store.suite import LogSuite
from tests.store.suite_appending import Appending
from tests.store.suite_following import Following

_OPENS = "opens the same place a second time: a log in memory has none"
_TRANSACTS = "works on a database's own transactions"

LEFT_OUT = {
    "test_reopening": _OPENS,
    "test_every_character": _OPENS,
    "test_failure_in_mid_batch": _TRANSACTS,
    "test_cancelled_append": "an append in memory is over at once: nothing can be cancelled in it",
    "test_keys_differ": "the key is made of the id, so that simulated runs are repeatable",
    "test_own_appends_at_once": _OPENS,
    "test_appends_of_others": _OPENS,
    "test_closing_ends_followers": "the log survives the controllers that close it",
    "test_closing_while_reading": "no connection is held that could be let go",
}
ELSEWHERE = ("Racing", "Opening", "Keeping", "Copying")  # processes, files, tables: durability


class TestMemoryLog:
    """A log in memory."""

    @pytest.fixture
    def log(self) -> MemoryLog:
        """Give a new log."""
        return MemoryLog("log")

    test_order = Appending.test_order
    test_ranges = Appending.test_ranges
    test_identity = Appending.test_identity
    test_every_character_in_names = Appending.test_every_character_in_names
    test_large_payloads = Appending.test_large_payloads
    test_unstorable_text = Appending.test_unstorable_text
    test_misplaced_rows = Appending.test_misplaced_rows
    test_position_taken = Appending.test_position_taken
    test_repeated_batch = Appending.test_repeated_batch
    test_repeated_batch_that_differs = Appending.test_repeated_batch_that_differs
    test_empty_batch = Appending.test_empty_batch
    test_epochs = Appending.test_epochs
    test_unopened_epoch = Appending.test_unopened_epoch
    test_clock_gone_back = Appending.test_clock_gone_back
    test_drafts_keep_their_fields = Appending.test_drafts_keep_their_fields
    test_several_followers = Following.test_several_followers


def names(cls: type) -> set[str]:
    """The tests that a class itself holds."""
    return {name for name in vars(cls) if name.startswith("test_")}


def test_every_rule_is_bound_or_left_out_with_a_reason() -> None:
    """A test that is added to the suite's rules has to be decided upon here."""
    bound = names(TestMemoryLog)
    assert bound | LEFT_OUT.keys() == names(Appending) | names(Following)
    assert not bound & LEFT_OUT.keys()
    mixins = {base.__name__ for base in LogSuite.__bases__}
    assert mixins - {"Appending", "Following"} == set(ELSEWHERE)


async def test_keys_are_the_logs_own() -> None:
    """Two logs have two keys of 32 bytes, and each gives its own every time."""
    one, other = MemoryLog("one"), MemoryLog("other")
    assert await one.secret_key() == await one.secret_key() != await other.secret_key()
    assert len(await one.secret_key()) == 32
