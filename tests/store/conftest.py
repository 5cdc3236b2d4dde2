"""Lets pytest explain the asserts of the conformance suite, which are in no test file."""

import pytest

pytest.register_assert_rewrite(
    "tests.store.suite_appending",
    "tests.store.suite_copying",
    "tests.store.suite_following",
    "tests.store.suite_keeping",
    "tests.store.suite_opening",
    "tests.store.suite_racing",
)
