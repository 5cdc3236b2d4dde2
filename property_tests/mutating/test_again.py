"""What is done again is compared, with what else a controller asks; focused stories are kept."""

import pytest

from property_tests.actions import BEGINNING
from property_tests.mutating.again import CHAOS, recorded, replay, told
from property_tests.mutating.focusing import LENGTH, focused
from property_tests.mutating.trials import Differs


def test_a_replay_tells_when_another_answer_is_given_after_some_row() -> None:
    """A log is replayed to the same answers; with another one noted for its last row it differs."""
    log = recorded("chaos", told(CHAOS["test_core"], BEGINNING))
    replay(log)
    other = [*log.answers[:-1], log.answers[-1] + 1]
    with pytest.raises(Differs):
        replay(log._replace(answers=other))


def test_a_focused_story_is_made_of_others_and_by_its_seed_alone() -> None:
    """The same seed gives the same story, which goes on from one of those it is made of."""
    stories = [list(BEGINNING), list(BEGINNING[:3])]
    story = focused(stories, 7)
    assert story == focused(stories, 7) != focused(stories, 8)
    assert any(story[:-LENGTH] == one for one in stories)
    assert set(story) <= set(BEGINNING)
