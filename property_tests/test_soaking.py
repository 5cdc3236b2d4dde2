"""The soak: many worlds in a time, what came of them, and the stories that are kept."""

from pathlib import Path

import pytest

from property_tests.playing.corpora import fewest, read_corpus, write_corpus
from property_tests.playing.drawing import draw_and_play
from property_tests.playing.performing import play
from property_tests.playing.saving import load
from property_tests.playing.soaking import Soak
from property_tests.playing.tallies import Tally

KEPT = Path(__file__).parent / "playing" / "stories"
CORPUS = 4  # seeds of the corpus that a quick run plays, those that reach most


def test_what_broke_once_holds() -> None:
    """Each story that found a bug is played to its end, and nothing is broken."""
    for place in sorted(KEPT.glob("*.json")):
        play(load(place))


@pytest.mark.parametrize("seed", read_corpus()[:CORPUS])
def test_the_corpus_holds(seed: int) -> None:
    """The seeds that reach most break nothing."""
    assert draw_and_play(seed).breach is None


def break_all(seeds: list[int]) -> Tally:
    """Stands for a worker whose worlds are all broken, in one of two ways."""
    tally = Tally(shapes=set(seeds), features={seeds[0]: {"a feature"}})
    tally.worlds["caches"] = len(seeds)
    tally.broken = {seed: f"sentence {seed % 2}" for seed in seeds}
    return tally


def tell_seed(seed: int, folder: Path) -> str:
    """Stands for a worker that shrinks what broke."""
    return f"the story of a seed that is {'odd' if seed % 2 else 'even'}"


def test_a_soak_tells_one_story_of_each_kind_of_breach(tmp_path: Path) -> None:
    """Worlds are played until the time is over; however many break alike, one story is told."""
    soak = Soak(0.2, 1, 10**9, tmp_path, break_all, tell_seed)
    soak.run()
    assert soak.tally.world_count == len(soak.tally.broken) > 0
    assert {len(soak.tally.broken), len(soak.tally.shapes)} == {soak.tally.world_count}
    words = soak.summary()
    assert words.count("the story of a seed that is odd") == 1
    assert words.count("the story of a seed that is even") == 1
    assert (tmp_path / "summary.txt").read_text() == words + "\n"
    assert len(read_corpus(tmp_path / "corpus.json")) == 1


def test_a_tally_counts_a_world() -> None:
    """What was played is counted: its sort, rows, deeds, time, shapes, and what it reached."""
    tally, played = Tally(), draw_and_play(10, least_rows=40)
    tally.count(10, played)
    assert tally.worlds == {"warmups": 1, "caches": 0, "replicas": 0}
    assert tally.rows == len(played.rows) >= 40
    assert tally.deeds == len(played.story.deeds)
    assert tally.simulated_seconds > 0
    assert tally.shapes == played.coverage.shapes
    assert tally.features == {10: played.coverage.features}
    assert {"row NodeSeen", "target Pending → Hydrating"} <= tally.reached


def test_tallies_add_up() -> None:
    """What two workers counted is the sum, and a seed without news is not kept."""
    whole, part = Tally(), Tally()
    whole.features, whole.shapes, whole.rows = {1: {"a", "b"}}, {7, 8}, 200
    part.features, part.shapes, part.rows = {2: {"b"}, 3: {"b", "c"}}, {8, 9}, 300
    part.broken = {3: "a sentence"}
    whole.note_memory(1, 90)
    part.note_memory(1, 95)
    part.note_memory(2, 80)
    whole.add(part)
    assert whole.memory == {1: (90, 95), 2: (80, 80)}
    assert whole.features == {1: {"a", "b"}, 3: {"b", "c"}}
    assert (whole.shapes, whole.rows, whole.broken) == ({7, 8, 9}, 500, {3: "a sentence"})


def test_the_corpus_is_no_larger_than_it_has_to_be(tmp_path: Path) -> None:
    """Few seeds reach all that many reach, the one that adds most first; a file keeps them."""
    seeds = fewest({1: {"a"}, 2: {"a", "b", "c"}, 3: {"c", "d"}, 4: {"d"}})
    assert seeds == [2, 3]
    write_corpus(seeds, tmp_path / "corpus.json")
    assert read_corpus(tmp_path / "corpus.json") == [2, 3]
    assert read_corpus(tmp_path / "none.json") == []
