"""Messages about a token that lacks, or of which nothing is known."""

from collections.abc import Callable

import pytest

from machines.caches.entries import EntryState
from machines.caches.reaching import scope_key
from machines.levels import NamespaceLevel
from tests.caches.pictures import (
    HOME,
    NAMESPACE,
    NODE,
    SECRET,
    THERE,
    Picture,
    spec_of,
)


def gated() -> Picture:
    """A picture whose ModelCache needs a token."""
    return Picture(spec=spec_of(secret=True))


def no_secret() -> Picture:
    """The Secret is not there."""
    return gated()


def no_key() -> Picture:
    """The Secret lacks the key."""
    picture = gated()
    picture.token(OTHER="d")
    return picture


def empty_key() -> Picture:
    """The Secret has nothing under the key."""
    picture = gated()
    picture.token(HF_TOKEN="")
    return picture


def unread_secret() -> Picture:
    """The Secret may not be read."""
    picture = gated()
    picture.state.clusters[HOME].unread[scope_key(NAMESPACE, SECRET)] = "forbidden"
    return picture


def secret_not_read_yet() -> Picture:
    """The Secret was never listed."""
    picture = gated()
    del picture.state.clusters[HOME].listed[scope_key(NAMESPACE, SECRET)]
    return picture


TOKENS = [
    (no_secret, "Secret ml-team/hf does not exist: its key HF_TOKEN is to hold the token"),
    (no_key, "Secret ml-team/hf has no key HF_TOKEN"),
    (empty_key, "Secret ml-team/hf has an empty value under its key HF_TOKEN"),
    (unread_secret, "Secret ml-team/hf with key HF_TOKEN cannot be read: forbidden"),
    (secret_not_read_yet, "Secret ml-team/hf with key HF_TOKEN was not read yet"),
]


@pytest.mark.parametrize(("draw", "message"), TOKENS)
def test_a_lacking_token_wins(draw: Callable[[], Picture], message: str) -> None:
    """Without its token nothing that waits is told, and unknown is not missing [C5] [C10]"""
    picture = draw()
    picture.claim()
    picture.entry.chosen = NODE
    assert picture.message == message
    picture.claim("Bound")
    picture.entry.state = EntryState.HYDRATING
    assert picture.message == message


def test_an_unknown_token_stops_nothing_that_runs() -> None:
    """While a Job works, a Secret that cannot be read is no trouble; one without the key is."""
    picture = unread_secret()
    picture.hydrating()
    assert picture.message.startswith("downloading org/model at v1")
    picture.state.clusters[HOME].unread.clear()
    picture.token(OTHER="d")
    assert picture.message == "Secret ml-team/hf has no key HF_TOKEN"


def test_a_lacking_token_does_not_hide_other_obstacles() -> None:
    """What is in the way of everything is told beside the token that lacks."""
    picture = no_key()
    picture.put(picture.east.name, "Namespace", "", THERE, NamespaceLevel(terminating=True))
    assert picture.message == (
        f"Secret ml-team/hf has no key HF_TOKEN; namespace {THERE} of cluster east is being deleted"
    )
