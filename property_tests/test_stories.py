"""Stories: the same seed is the same story and log, it survives JSON, shrinks, and is saved."""

import hashlib
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from adapters.store.row_lines import event_line
from property_tests.playing.breaking import Broken
from property_tests.playing.choices import (
    NotAChoice,
    apart,
    many,
    one_of,
    record,
    together,
    whole,
)
from property_tests.playing.deeds import deeds_of
from property_tests.playing.drawing import draw_and_play
from property_tests.playing.performing import Played, play, try_out
from property_tests.playing.saving import load, save
from property_tests.playing.searching import searched
from property_tests.playing.shrinking import shrink_played
from property_tests.playing.stories import Step, Story, from_json, to_json
from property_tests.playing.telling_worlds import TellingWorld
from property_tests.playing.worlds import WORLDS
from property_tests.warmup_worlds import WarmupWorlds, Wish
from tests.repository import ROOT

SEEDS = {"warmups": 3, "caches": 2, "replicas": 1}
SMALL = 40  # rows: these tests are about stories, not about what happens in them
WISH = {"targets": "both", "parallelism": 2, "retry": 1, "wait": "20"}
# Of all this only the second ModelWarmup and a machine on which everything fails are needed.
BROKEN = Story(
    "warmups",
    None,
    {"seed": 9, "kinds": ["succeeds", "fails"], "wish": WISH},
    (
        Step("work_on", {"seconds": 5}),
        Step("cordon", {"name": "n0", "closed": True}),
        Step("apply_warmup", {"index": 1, "wish": WISH}),
        Step("crash", {}),
    ),
)


def digest(played: Played) -> str:
    """Digest the rows of a world's logs, as they would be exported."""
    return hashlib.sha256(b"".join(map(event_line, played.rows))).hexdigest()


def digests() -> list[str]:
    """Digest a small world of each sort."""
    return [digest(drawn(sort)) for sort in SEEDS]


@cache
def drawn(sort: str) -> Played:
    """A small world of a sort, made up from a seed."""
    return draw_and_play(SEEDS[sort], world=sort, least_rows=SMALL)


def no_second_job_fails(world: TellingWorld) -> None:
    """A planted sentence, which a story with two ModelWarmups and a failing machine breaks."""
    for row in world.all_logs[-1].rows:
        if row.type == "JobSeen" and "/w1-" in row.subject and '"outcome":"Failed"' in row.data:
            raise Broken("no Job of the second ModelWarmup fails", row.subject)


def test_a_seed_gives_the_same_bytes_whatever_the_hashes_are() -> None:
    """The same seed gives the same rows in another process, with another hash seed."""
    words = "from property_tests import test_stories; print(*test_stories.digests())"
    done = subprocess.run(
        [sys.executable, "-c", words],
        env=os.environ | {"PYTHONHASHSEED": "77", "PYTHONPATH": str(ROOT)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1].split() == digests()


@pytest.mark.parametrize("sort", WORLDS)
def test_a_story_survives_json(sort: str) -> None:
    """A story written and read again is the same story, and gives the same log."""
    again = from_json(to_json(drawn(sort).story))
    assert again == drawn(sort).story
    assert digest(play(again)) == digest(drawn(sort))


def test_an_older_story_still_plays() -> None:
    """A deed that has taken on an argument since is played with the simplest value of it."""
    older = Story("warmups", None, {"kinds": ["fails"]}, (Step("cordon", {"name": "n0"}),))
    known = play(older).story
    plain = {"targets": "both", "parallelism": 1, "retry": 0, "wait": ""}
    assert known.opening == {"seed": 0, "kinds": ["fails"], "wish": plain}
    assert known.deeds == (Step("cordon", {"name": "n0", "closed": False}),)


def test_a_planted_bug_shrinks_to_a_short_story() -> None:
    """What is not needed to break a sentence goes, and what stays is as plain as it can be."""
    shrunk = shrink_played(try_out(BROKEN, no_second_job_fails), no_second_job_fails)
    assert shrunk.breach is not None
    assert shrunk.breach.kind == "no Job of the second ModelWarmup fails"
    plain = {"targets": "both", "parallelism": 1, "retry": 0, "wait": ""}
    assert shrunk.story.opening == {"seed": 0, "kinds": ["fails"], "wish": plain}
    assert shrunk.story.deeds == (Step("apply_warmup", {"index": 1, "wish": plain}),)


def test_a_saved_story_breaks_the_same_way_again(tmp_path: Path) -> None:
    """A story from a file breaks as it did; its words name its steps, the sentence, the command."""
    broken = try_out(BROKEN, no_second_job_fails)
    words = save(broken, tmp_path, "found")
    again = try_out(load(tmp_path / "found.json"), no_second_job_fails)
    assert again.breach == broken.breach is not None
    assert digest(again) == digest(broken)
    lines = (tmp_path / "found.jsonl").read_bytes().splitlines(keepends=True)
    assert lines[1:] == [event_line(row) for row in broken.rows]
    assert "  0. A few machines are there" in words
    assert "  4. The controller dies" in words
    assert "Broken: no Job of the second ModelWarmup fails\n" in words
    assert f"python -m property_tests.playing {tmp_path / 'found.json'}" in words


def test_a_story_that_holds_raises_nothing_and_a_broken_one_its_sentence() -> None:
    """`play` gives what held, and raises what did not."""
    assert play(BROKEN).breach is None
    with pytest.raises(Broken, match="no Job of the second"):
        play(BROKEN, no_second_job_fails)


def test_what_hypothesis_finds_is_saved_as_a_story(tmp_path: Path) -> None:
    """The last story that Hypothesis played and that broke is in the files."""

    class Planted(WarmupWorlds):
        def judge(self) -> None:
            raise Broken("nothing holds")

    found = searched("warmups", tmp_path, Planted)
    few = settings(max_examples=3, stateful_step_count=4, phases=[Phase.generate], database=None)
    with pytest.raises(Broken, match="nothing holds"):
        run_state_machine_as_test(found, settings=few)
    (place,) = tmp_path.glob("*.json")
    assert try_out(load(place)).breach is None
    assert place.with_suffix(".jsonl").exists()


@pytest.mark.parametrize("sort", WORLDS)
def test_every_deed_says_what_it_does(sort: str) -> None:
    """A story can be told in plain words: each deed has a sentence of its own."""
    words = [deed.words for name, deed in deeds_of(WORLDS[sort]).items() if name != "begin"]
    assert all(one.endswith(".") for one in words)


def test_values_are_written_read_and_made_simpler() -> None:
    """What a choice offers goes to JSON and back, and what is simpler is offered, too."""
    wish = record(Wish, targets=one_of("all", "few"), parallelism=whole(1, 9), retry=whole(0, 1),
                  wait=one_of("", "0"))  # fmt: skip
    choice = many(together(wish, apart(whole(0, 1), seeded=whole(0, 7))), 1, 3)
    value = [(Wish("few", 5, 1, "0"), 7), (Wish("all", 1, 0, ""), 0)]
    plain = choice.plain(value)
    assert plain[0] == [{"targets": "few", "parallelism": 5, "retry": 1, "wait": "0"}, 7]
    assert choice.read(plain) == value
    simpler = list(choice.simpler(value))
    assert simpler[:2] == [value[1:], value[:1]]
    assert [(Wish("few", 3, 1, "0"), 7), value[1]] in simpler
    assert all(choice.read(choice.plain(one)) == one for one in simpler)
    with pytest.raises(NotAChoice, match="'some' is none of"):
        wish.read(plain[0][0] | {"targets": "some"})
