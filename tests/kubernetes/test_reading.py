"""Reading one object afresh: it is there, it is gone for sure, or the answer does not tell."""

import pytest

from adapters.kubernetes.reading import read_one
from adapters.kubernetes.reflecting import ReadRefused
from adapters.ports import ApiUnanswered, Response
from engine.events import Subject
from machines.levels import JobLevel
from tests.kubernetes import objects
from tests.kubernetes.fakes import Answer, ScriptedApi, refused
from tests.kubernetes.intents import BROKEN, ELSEWHERE, NOT_FOUND

SUBJECT = Subject("Job", "default", "warm-1", objects.JOB_UID)


async def test_it_is_as_it_is_now() -> None:
    """An object that lost our label is seen without it."""
    raw = objects.job(version="77")
    del raw["metadata"]["labels"]
    api = ScriptedApi(Response(200, raw))
    seen = await read_one(api, SUBJECT, timeout_seconds=3)
    assert seen is not None
    assert (seen.subject, seen.version) == (SUBJECT, "77")
    assert isinstance(seen.level, JobLevel)
    assert (seen.level.warmup_uid, seen.level.controller_uid) == ("", objects.WARMUP_UID)
    assert (api.requests[0].path, api.timeouts) == (
        "/apis/batch/v1/namespaces/default/jobs/warm-1", [3],
    )  # fmt: skip


@pytest.mark.parametrize("answer", [NOT_FOUND, Response(200, objects.job(uid="another"))])
async def test_it_is_gone(answer: Answer) -> None:
    """A 404 that names it, or another object under its name, says that it is no more."""
    assert await read_one(ScriptedApi(answer), SUBJECT, timeout_seconds=3) is None


@pytest.mark.parametrize(
    "answer",
    [*ELSEWHERE, refused(403, "Forbidden", "jobs"), refused(500), Response(200, {"metadata": {}})],
)
async def test_it_is_not_known(answer: Answer) -> None:
    """Any other answer tells nothing: a proxy's 404, a refusal, an object without a uid."""
    with pytest.raises(ReadRefused):
        await read_one(ScriptedApi(answer), SUBJECT, timeout_seconds=3)


async def test_nobody_answers() -> None:
    """A broken connection tells nothing either."""
    with pytest.raises(ApiUnanswered):
        await read_one(ScriptedApi(BROKEN), SUBJECT, timeout_seconds=3)
