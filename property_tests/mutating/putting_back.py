"""Putting back: each fault of old is put into the code, and a search must find it again.

What it finds is shrunk to a story of a few steps, which is printed: python -m
property_tests.mutating.putting_back. Ends with 1 when a fault is not found, or not plainly.
"""

import argparse
import sys
from pathlib import Path
from typing import NamedTuple

from property_tests.mutating.applying import apply, gather
from property_tests.mutating.faults_of_old import FAULTS, Fault, edited
from property_tests.mutating.forking import forked
from property_tests.mutating.modules import source_of
from property_tests.playing.drawing import draw_and_play
from property_tests.playing.performing import try_out
from property_tests.playing.quieting import be_quiet
from property_tests.playing.saving import save
from property_tests.playing.shrinking import shrink_played
from property_tests.playing.stories import Story

MOST_STEPS = 15
SEEDS = 150  # stories of each sort of world that are played in search of a fault
LEAST_ROWS = 60
MOST_PLAYS = 300  # of one story, while it is shrunk
FOLDER = Path("out/faults")


class Found(NamedTuple):
    """What a search found."""

    steps: int  # of the shortest story
    words: str  # the story, and the sentence that it breaks; "" when nothing was found
    stories: int  # that were played until one broke


def find(fault: Fault) -> Found:
    """Put a fault into this process, and search for a story that breaks with it only."""
    be_quiet()
    switch(fault, on=True)
    for seed in range(SEEDS):
        played = draw_and_play(
            seed, world=fault.world, least_rows=LEAST_ROWS, opening=fault.opening, among=fault.among
        )
        if played.breach is not None and not _breaks_without(fault, played.story):
            _say(f"{fault.name}: {played.breach.kind} ({seed + 1} stories)")
            short = shrink_played(played, most_plays=MOST_PLAYS)
            words = save(short, FOLDER, fault.story)
            return Found(len(short.story.deeds), words, seed + 1)
    return Found(0, "", SEEDS)


def switch(fault: Fault, *, on: bool) -> None:
    """Put a fault into this process, or take it out again."""
    for path, text in edited(fault).items():
        apply(path, *((source_of(path), text) if on else (text, source_of(path))))


def _breaks_without(fault: Fault, story: Story) -> bool:
    switch(fault, on=False)
    breach = try_out(story).breach
    switch(fault, on=True)
    return breach is not None


def is_caught(found: Found | None) -> bool:
    """Say whether a fault was found, with a story that a person can follow."""
    return found is not None and bool(found.words) and found.steps <= MOST_STEPS


def main() -> int:
    """Search for each."""
    parser = argparse.ArgumentParser(prog="python -m property_tests.mutating.putting_back")
    parser.add_argument("--only", default="", help="faults whose names hold this text")
    parser.add_argument("--workers", type=int, default=2, help="processes at a time")
    options = parser.parse_args()
    gather()
    wanted = [fault for fault in FAULTS if options.only in fault.name]
    caught = 0
    for fault, found in forked(wanted, find, options.workers):
        caught += is_caught(found)
        told = found.words if found and found.words else "NOT FOUND"
        count = f"{found.steps} steps, after {found.stories} stories" if found else "died"
        _say(f"== {fault.name}: {count}\n{fault.why}\n{told}\n")
    _say(f"{caught} of {len(wanted)} faults found with {MOST_STEPS} steps at most")
    return 0 if caught == len(wanted) else 1


def _say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
