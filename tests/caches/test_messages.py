"""Messages of entries that are Ready or Failed, not seen, or on their way out."""

import pytest

from machines.caches.entries import EntryState
from machines.caches.states import Refusal, Said
from machines.messages import MESSAGE_LENGTH
from tests.caches.pictures import (
    CLAIM,
    FAILURE,
    JOB,
    LATER,
    NOON,
    THERE,
    Picture,
    spec_of,
)


def gated() -> Picture:
    """A picture whose ModelCache needs a token."""
    return Picture(spec=spec_of(secret=True))


def test_a_failed_entry_tells_its_failure_and_the_lacking_token() -> None:
    """A failed entry whose token went carries both, and ends in the time of the next try [C45]"""
    picture = gated()
    picture.token(OTHER="d")
    picture.claim("Bound")
    picture.entry.state, picture.entry.failure = EntryState.FAILED, FAILURE
    assert picture.message == (
        "Secret ml-team/hf has no key HF_TOKEN; "
        f"Job {THERE}/{JOB} failed after 4 attempts: Error: No space left on device; "
        "BackoffLimitExceeded: Job has reached the specified backoff limit; "
        "tried again at 2026-01-01T12:01:00Z"
    )


def test_a_failed_entry() -> None:
    """Failed names the Job, its attempts, the container's words and the Job's [C9] [C29] [C52]"""
    picture = Picture()
    picture.claim("Bound")
    picture.entry.state, picture.entry.failure = EntryState.FAILED, FAILURE
    assert picture.message == (
        f"Job {THERE}/{JOB} failed after 4 attempts: Error: No space left on device; "
        "BackoffLimitExceeded: Job has reached the specified backoff limit; "
        "tried again at 2026-01-01T12:01:00Z"
    )


def test_the_next_try_is_never_cut() -> None:
    """However long the words, a Failed message ends in the time of the next try, within bounds."""
    picture = Picture(spec=spec_of(secret=True))
    picture.claim("Bound")
    said = Said("Error", "x" * 5000)
    picture.entry.failure = FAILURE._replace(said=said, job_said=Said("Y", "y" * 5000))
    picture.entry.state = EntryState.FAILED
    picture.east.reachable, picture.east.words = False, "z" * 5000
    assert picture.message.endswith("; tried again at 2026-01-01T12:01:00Z")
    assert len(picture.message) <= MESSAGE_LENGTH


def test_ready_says_nothing() -> None:
    """A Ready entry on a cluster that is seen has no message, whatever became of its token."""
    picture = gated()
    picture.ready()
    assert not picture.message
    picture.entry.failure = FAILURE
    assert not picture.message


@pytest.mark.parametrize("state", list(EntryState))
def test_unreachable(state: EntryState) -> None:
    """Every entry of a cluster that does not answer says so, with the words and since when."""
    picture = Picture()
    picture.ready()
    picture.entry.state, picture.entry.failure = state, FAILURE
    picture.east.reachable, picture.east.words, picture.east.changed_at = False, "timeout", NOON
    silence = "cluster east does not answer since 2026-01-01T12:00:00Z: timeout; "
    assert picture.message.startswith(silence)
    told = picture.message.removeprefix(silence)
    assert f"claim {THERE}/{CLAIM}" in told or told.startswith(f"known last: Job {THERE}/{JOB}")


def test_a_fault_of_the_spec_is_told_alone() -> None:
    """A spec that can never work names the first field, and how many more are wrong."""
    picture = Picture(spec=spec_of(repo="../x", sizeGiB=0))
    picture.entry.state = EntryState.FAILED
    assert picture.message.startswith("spec.huggingFace.repo: ")
    assert picture.message.endswith(" (and 1 more)")


@pytest.mark.parametrize(
    ("ended", "words"),
    [
        ((), ""),
        (("a",), "; Pod a has ended and still mounts it: it goes once that Pod is deleted"),
        (("a", "b"), "; Pods a, b have ended and still mount it: it goes once they are deleted"),
    ],
)
def test_a_claim_that_goes_names_the_ended_pods_that_it_waits_for(
    ended: tuple[str, ...], words: str
) -> None:
    """Kubernetes keeps a claim that is being deleted while a Pod that had a node mounts it."""
    picture = Picture()
    picture.ready()
    picture.entry.selected, picture.entry.users, picture.entry.ended_users = False, (), ended
    going = f"cluster east is not selected any more; claim {THERE}/{CLAIM} is being let go"
    assert picture.message == going
    picture.claim(deleting=True)
    assert picture.message == going + words
    picture.entry.selected = True
    picture.entry.state = EntryState.PENDING
    anew = f"claim {THERE}/{CLAIM} is being deleted, and is made anew once it is gone"
    assert picture.message == anew + words


@pytest.mark.parametrize(
    ("users", "words"),
    [
        (None, f"whether a Pod mounts claim {THERE}/{CLAIM} is not known yet"),
        ((), f"claim {THERE}/{CLAIM} is being let go"),
        (("a",), f"claim {THERE}/{CLAIM} is kept for Pod a"),
        (("a", "b", "c", "d"), f"claim {THERE}/{CLAIM} is kept for Pods a, b, c and 1 more"),
    ],
)
def test_what_is_kept_names_who_uses_it(users: tuple[str, ...] | None, words: str) -> None:
    """An entry that is wanted no more says why it is still there, and for whom."""
    picture = Picture()
    picture.ready()
    picture.entry.selected, picture.entry.users = False, users
    assert picture.message == f"cluster east is not selected any more; {words}"
    picture.cache.level = picture.cache.level._replace(deleting=True)
    assert picture.message == f"the ModelCache is being deleted; {words}"


def test_a_refused_delete_is_told() -> None:
    """What is to go and may not be deleted says so in the API server's words."""
    picture = Picture()
    picture.ready()
    picture.entry.selected, picture.entry.users = False, ()
    refusal = Refusal("Forbidden", "no delete", 1, LATER)
    picture.entry.refusals["delete PersistentVolumeClaim"] = refusal
    assert picture.message.endswith(
        f"the API server refused to delete claim {THERE}/{CLAIM}: Forbidden: no delete; "
        "tried again at 2026-01-01T12:01:00Z"
    )
