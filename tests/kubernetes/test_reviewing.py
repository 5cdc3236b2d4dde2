"""Reviewing: whose a token is and what they may see, asked of the API server and held shortly."""

from typing import Any

from adapters.http.guarding import OK, Verdict
from adapters.kubernetes.reviewing import HELD_SECONDS, MOST_HELD, ApiReviews
from adapters.ports import ApiUnanswered, Response
from tests.kubernetes.fakes import Answer, ScriptedApi

TOKEN = "hush-hush"
USER = {"username": "system:serviceaccount:ml-team:viewer", "groups": ["g"], "uid": "u-1"}


class Clock:
    """Seconds that are set."""

    def __init__(self) -> None:
        """Begin at a moment."""
        self.now = 100.0

    def __call__(self) -> float:
        """Give the moment."""
        return self.now


def status(**told: Any) -> Response:
    """What the server makes of a review."""
    return Response(201, {"status": told})


KNOWN, UNKNOWN = status(authenticated=True, user=USER), status(authenticated=False)
MAY, MAY_NOT = status(allowed=True), status(allowed=False, reason="no")


def reviews(*answers: Answer) -> tuple[ApiReviews, ScriptedApi, Clock]:
    """Give reviews by a server that answers this."""
    api, clock = ScriptedApi(*answers), Clock()
    return ApiReviews(api, clock, timeout_seconds=3), api, clock


async def test_who_may_get_the_path_is_let_in() -> None:
    """The token goes into a TokenReview, and whom that names into a SubjectAccessReview."""
    judge, api, _ = reviews(KNOWN, MAY)
    assert await judge.review(TOKEN, "/explain") == Verdict(OK)
    tokens, access = api.requests
    assert (tokens.method, tokens.path) == ("POST", "/apis/authentication.k8s.io/v1/tokenreviews")
    assert tokens.body["spec"] == {"token": TOKEN}
    assert access.path == "/apis/authorization.k8s.io/v1/subjectaccessreviews"
    assert access.body["spec"] == {
        "user": USER["username"], "groups": ["g"], "uid": "u-1",
        "nonResourceAttributes": {"path": "/explain", "verb": "get"},
    }  # fmt: skip
    assert api.timeouts == [3, 3]


async def test_who_may_not_is_told_what_to_grant() -> None:
    """403 names the caller and the command that lets them in, and never the token."""
    judge, _, _ = reviews(KNOWN, MAY_NOT)
    verdict = await judge.review(TOKEN, "/explain")
    assert verdict.code == 403
    assert "--clusterrole=warmlog-viewer --serviceaccount=ml-team:viewer" in verdict.words
    assert TOKEN not in verdict.words


async def test_a_token_that_nobody_knows() -> None:
    """401, and nothing else is asked."""
    judge, api, _ = reviews(UNKNOWN)
    verdict = await judge.review(TOKEN, "/explain")
    assert verdict.code == 401
    assert "expired" in verdict.words
    assert len(api.requests) == 1


async def test_a_verdict_stands_for_a_short_while() -> None:
    """Within seconds the same bearer and path are not asked about again; other paths are."""
    judge, api, clock = reviews(KNOWN, MAY, KNOWN, MAY_NOT, UNKNOWN)
    for _ in range(3):
        assert (await judge.review(TOKEN, "/explain")).code == OK
    assert len(api.requests) == 2
    assert (await judge.review(TOKEN, "/")).code == 403
    clock.now += HELD_SECONDS
    assert (await judge.review(TOKEN, "/explain")).code == 401


async def test_no_more_verdicts_are_held_than_a_bound() -> None:
    """However many tokens come, what is held of them is bounded: the oldest is asked again."""
    judge, api, _ = reviews(*[UNKNOWN] * (MOST_HELD + 2))
    for number in range(MOST_HELD + 1):
        await judge.review(f"token-{number}", "/explain")
    await judge.review(f"token-{MOST_HELD}", "/explain")
    assert len(api.requests) == MOST_HELD + 1
    await judge.review("token-0", "/explain")
    assert len(api.requests) == MOST_HELD + 2


async def test_no_answer_is_no_verdict() -> None:
    """503 while the server does not answer, or does not let warmlog ask; and asked again then."""
    refused = Response(403, {"kind": "Status", "message": "tokenreviews is forbidden"})
    judge, _, _ = reviews(ApiUnanswered("timed out"), refused, KNOWN, refused, KNOWN, MAY)
    told = [await judge.review(TOKEN, "/explain") for _ in range(4)]
    assert [verdict.code for verdict in told] == [503, 503, 503, 200]
    assert "timed out" in told[0].words
    assert "let it create TokenReviews" in told[1].words
    assert "let it create SubjectAccessReviews" in told[2].words
