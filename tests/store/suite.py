"""The conformance suite: what holds for a log in any database, to be bound to each.

A subclass gives the fixtures `location` and `other_location`, each an empty place of its own.
"""

from collections.abc import AsyncIterator

import pytest

from adapters.store.databases import SqlLog
from adapters.store.opening import open_log
from tests.store.suite_appending import Appending
from tests.store.suite_copying import Copying
from tests.store.suite_following import Following
from tests.store.suite_keeping import Keeping
from tests.store.suite_opening import Opening
from tests.store.suite_racing import Racing


class LogSuite(Appending, Following, Racing, Opening, Keeping, Copying):
    """Everything that is asked of a store, on two empty places."""

    @pytest.fixture
    def location(self) -> str:
        """Give a place where no log is yet."""
        raise NotImplementedError

    @pytest.fixture
    def other_location(self) -> str:
        """Give another one."""
        raise NotImplementedError

    @pytest.fixture
    async def log(self, location: str) -> AsyncIterator[SqlLog]:
        """Give a new log, closed afterwards."""
        async with await open_log(location, create=True) as log:
            yield log
