"""Faults of old are found: each by a story of a few deeds, which holds without the fault."""

import re
from typing import NamedTuple

import pytest

from property_tests.invariants import INVARIANTS
from property_tests.mutating.applying import gather
from property_tests.mutating.faults_of_old import FAULTS, STORIES, Fault
from property_tests.mutating.forking import forked
from property_tests.mutating.putting_back import MOST_STEPS, switch
from property_tests.playing.performing import try_out
from property_tests.playing.quieting import be_quiet
from property_tests.playing.saving import load
from tests.pages import read_page

SENTENCES = {one.name: one.sentence for one in INVARIANTS}


class Seen(NamedTuple):
    """What a story breaks without a fault, and with it."""

    without: str
    sentence: str


def try_both(fault: Fault) -> Seen:
    """Play the story of a fault, put the fault into this process, and play it again."""
    be_quiet()
    story = load(fault.path)
    without = try_out(story).breach
    switch(fault, on=True)
    sentence = try_out(story).breach
    return Seen(without.words if without else "", sentence.kind if sentence else "")


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_it_is_found_by_its_story(fault: Fault) -> None:
    """The story breaks the sentence that the fault is about, and breaks none without the fault."""
    gather()
    ((_, seen),) = forked([fault], try_both, 1)
    assert seen == Seen("", SENTENCES[fault.sentence])


def test_there_are_nine() -> None:
    """Each fault that the search was asked to find is in the catalogue, with a story of its own."""
    assert len({fault.name for fault in FAULTS}) == 9
    assert {fault.path for fault in FAULTS} == set(STORIES.glob("*.json"))


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_its_story_is_short_enough_to_be_followed(fault: Fault) -> None:
    """A story has at most fifteen deeds."""
    assert len(load(fault.path).deeds) <= MOST_STEPS


def test_the_page_tells_of_each() -> None:
    """docs/correctness.md has a row for each, with its story, the steps of it, and its sentence."""
    rows = re.findall(r"^\| (.+?) \| `(\w+)`: .+? \| (\d+) \| `(\w+)` \|$",
                      read_page("correctness.md"), re.MULTILINE)  # fmt: skip
    assert rows == [
        (one.name, one.story, str(len(load(one.path).deeds)), one.sentence) for one in FAULTS
    ]
