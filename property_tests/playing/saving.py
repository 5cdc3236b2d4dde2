"""Saving: a story and the log that it led to, in files that play and replay it again."""

from pathlib import Path
from typing import NamedTuple

from adapters.store.copying import export_file
from adapters.store.memory_logs import MemoryLog
from property_tests.playing.breaking import Breach
from property_tests.playing.performing import Played
from property_tests.playing.stories import Story, from_json, to_json
from property_tests.playing.telling import tell_story
from property_tests.running import run

FOLDER = Path("out/stories")
WIDTH, MOST_LINES = 400, 8  # of what is told of a breach


class Saved(NamedTuple):
    """Where a story is."""

    story: Path  # as JSON
    log: Path  # as `warmlog export` writes it


def save(played: Played, folder: Path = FOLDER, name: str = "") -> str:
    """Write a story and the newest log of its world; give the words to print about it."""
    name = name or f"{played.story.world}-{played.story.seed}"
    saved = save_story(played.story, played.world.all_logs[-1], folder, name)
    return words_of(played.story, played.breach, saved)


def save_story(story: Story, log: MemoryLog, folder: Path, name: str) -> Saved:
    """Write a story as NAME.json, and a log of it as NAME.jsonl."""
    folder.mkdir(parents=True, exist_ok=True)
    saved = Saved(folder / f"{name}.json", folder / f"{name}.jsonl")
    saved.story.write_text(to_json(story))
    run(export_file(log, saved.log))
    return saved


def words_of(story: Story, breach: Breach | None, saved: Saved) -> str:
    """Tell a story that was saved, how it broke, and how it is played again."""
    origin = "found by Hypothesis" if story.seed is None else f"seed {story.seed}"
    return "\n".join([
        f"A story of {story.world}, {origin}:",
        tell_story(story),
        "It holds." if breach is None else f"Broken: {_brief(breach.words)}",
        f"Play it again: python -m property_tests.playing {saved.story}",
        f"Read its log:  warmlog replay {saved.log}",
    ])  # fmt: skip


def _brief(words: str) -> str:
    """Cut long findings: all that is in them is in the log as well."""
    lines = words.splitlines()
    return "\n".join(line[:WIDTH] + "…" * (len(line) > WIDTH) for line in lines[:MOST_LINES])


def load(path: Path) -> Story:
    """Read a story that was saved."""
    return from_json(path.read_text())
