"""Advising: every cause has something to type or to wait for, with the names of the case."""

import re

import pytest

from machines.caches.advising import BY_CAUSE, entry_advice
from machines.caches.causes import entry_cause
from machines.caches.entries import EntryState
from machines.caches.sights import sight_of
from machines.caches.states import Said
from tests.caches.pictures import FAILURE, Picture, spec_of
from tests.caches.test_hydrating_messages import HYDRATING
from tests.caches.test_pending_messages import PENDING

DRAWN = [draw for draw, _ in (*PENDING, *HYDRATING)]


@pytest.mark.parametrize("draw", DRAWN)
def test_every_picture_has_advice(draw: object) -> None:
    """Whatever an entry waits for, there is an advice whose every name is filled in."""
    assert callable(draw)
    picture = draw()
    told = entry_advice(sight_of(picture.state, picture.cache, picture.entry))
    assert told
    assert not re.search(r"\{[a-z]+\}", told)


def test_causes_have_advice_of_their_own() -> None:
    """Every cause that the pictures show is in the table, or is a Pod's own reason."""
    shown = set()
    for draw in DRAWN:
        picture = draw()
        shown.add(entry_cause(sight_of(picture.state, picture.cache, picture.entry)).reason)
    assert shown - BY_CAUSE.keys() == {"CreateContainerConfigError"}


def test_a_full_disk() -> None:
    """When there was no space left, the advice is to make more room, and how [C52]"""
    picture = Picture()
    picture.claim("Bound")
    picture.entry.state, picture.entry.failure = EntryState.FAILED, FAILURE
    told = entry_advice(sight_of(picture.state, picture.cache, picture.entry))
    assert '{"spec":{"huggingFace":{"sizeGiB":N}}}' in told
    assert "annotate modelcache qwen warmlog.dev/retry" in told
    picture.entry.failure = FAILURE._replace(said=Said("Error", "401"))
    told = entry_advice(sight_of(picture.state, picture.cache, picture.entry))
    assert "sizeGiB" not in told


def test_a_missing_token() -> None:
    """Without its token the command that makes the Secret is given."""
    picture = Picture(spec=spec_of(secret=True))
    told = entry_advice(sight_of(picture.state, picture.cache, picture.entry))
    assert told.startswith("`kubectl -n ml-team create secret generic hf --from-literal=HF_TOKEN=")
