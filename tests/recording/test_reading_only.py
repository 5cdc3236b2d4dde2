"""A recorder can ask a cluster for what it holds, and for nothing else."""

import pytest

from adapters.kubernetes.probing import DRY_RUN, NotHarmless
from adapters.ports import Request
from adapters.recording.reading_only import ReadOnlyApi
from tests.running.fakes import WatchedApi
from tests.running.stories import pool_world

JOBS = "/apis/batch/v1/jobs"


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "get"])
async def test_what_is_no_read_never_leaves(method: str) -> None:
    """It is refused before it is sent, whatever it is, a dry run too."""
    api = WatchedApi(pool_world().api)
    for query in ((), (DRY_RUN,)):
        with pytest.raises(NotHarmless, match=f"{method} {JOBS} is no read"):
            await ReadOnlyApi(api).send(Request(method, JOBS, query), timeout_seconds=1)
    assert api.requests == []


async def test_reads_pass() -> None:
    """A list is answered as ever."""
    api = WatchedApi(pool_world().api)
    answer = await ReadOnlyApi(api).send(Request("GET", JOBS), timeout_seconds=1)
    assert answer.ok
    assert [request.method for request in api.requests] == ["GET"]
