"""Whatever happens in a world, its log shows the same without its names."""

import pytest

from adapters.cli.redacting import redacted
from property_tests.playing.drawing import draw_and_play
from property_tests.playing.worlds import WORLDS
from property_tests.running import run


@pytest.mark.parametrize("sort", WORLDS)
def test_redacted_logs_show_the_same(sort: str) -> None:
    """No Problem is raised: every object makes the same steps at the same times."""
    for log in draw_and_play(2, world=sort).world.all_logs:
        assert run(redacted(log)) is not log
