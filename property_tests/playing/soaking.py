"""Soaking: as many worlds as fit into a time, on all cores; `make soak` runs it.

The corpus is played first, then seed after seed. Of each kind of breach the first story is shrunk
and saved. On a terminal a line shows how far it is; at the end stands a summary.
"""

import gc
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from property_tests.playing.corpora import fewest, read_corpus, write_corpus
from property_tests.playing.drawing import draw_and_play
from property_tests.playing.quieting import be_quiet
from property_tests.playing.saving import save
from property_tests.playing.shrinking import shrink_played
from property_tests.playing.tallies import Tally

TASK_WORLDS = 5  # seeds that a worker plays between two reports
SHRINKING_PLAYS = 300  # of one story
MOST_KINDS = 8  # of breaches that are shrunk: more say that something is wrong with all
FOLDER = Path("out/soak")
# How often garbage is looked for, as Python counts; between tasks it is looked for anyway.
SELDOM = (2_000_000, 50, 1000)
SOMETIMES = (100_000, 5, 5)


def play_seeds(seeds: list[int]) -> Tally:
    """Play the worlds of some seeds, and throw away what is left of them."""
    tally, began = Tally(), os.times().user
    for seed in seeds:
        tally.count(seed, draw_and_play(seed))
    gc.collect()
    tally.cpu_seconds = os.times().user - began
    tally.note_memory(os.getpid(), getrusage(RUSAGE_SELF).ru_maxrss // 1024)
    return tally


def shrink_seed(seed: int, folder: Path) -> str:
    """Shrink the story of a seed that broke, and save it; give the words."""
    gc.set_threshold(*SOMETIMES)  # many worlds are played until it is done
    played = draw_and_play(seed)
    save(played, folder)  # as it was drawn, in case that nobody waits for the rest
    words = save(shrink_played(played, most_plays=SHRINKING_PLAYS), folder)
    gc.set_threshold(*SELDOM)
    return words


@dataclass
class Soak:
    """One run."""

    duration_seconds: float
    workers: int = field(default_factory=lambda: os.cpu_count() or 1)
    first_seed: int = 0
    folder: Path = FOLDER
    play: Callable[[list[int]], Tally] = play_seeds  # in a worker, as is `shrink`
    shrink: Callable[[int, Path], str] = shrink_seed
    tally: Tally = field(default_factory=Tally)
    stories: dict[str, str] = field(default_factory=dict)  # words by kind of breach
    wall_seconds: float = 0

    def run(self) -> None:
        """Play until the time is over."""
        began = time.monotonic()
        end = began + self.duration_seconds
        with ProcessPoolExecutor(self.workers, initializer=_prepare) as pool, _progress() as bar:
            line = bar.add_task("", total=self.duration_seconds)
            tasks = _tasks(self.first_seed)
            playing: set[Future[Tally]] = set()
            shrinking: dict[Future[str], str] = {}
            while playing or shrinking or time.monotonic() < end:
                while len(playing) <= self.workers and time.monotonic() < end:
                    playing.add(pool.submit(self.play, next(tasks)))
                running: set[Future[Any]] = {*playing, *shrinking}
                done, _ = wait(running, 1, FIRST_COMPLETED)
                for one in [one for one in playing if one in done]:
                    playing.remove(one)
                    shrinking |= self._count(one.result(), pool, set(shrinking.values()))
                for words in [one for one in shrinking if one in done]:
                    self.stories[shrinking.pop(words)] = words.result()
                self.wall_seconds = time.monotonic() - began
                bar.update(line, completed=self.wall_seconds, description=self._line())
        self._keep()

    def summary(self) -> str:
        """Tell how it went."""
        last = self.first_seed + max(self.tally.world_count - len(read_corpus()), 0)
        seeds = f"seeds           the corpus, and {self.first_seed} to about {last}"
        lines = [seeds, *self.tally.lines(self.wall_seconds)]
        return "\n".join([*(f"\n{words}\n" for words in self.stories.values()), *lines])

    def _count(
        self, tally: Tally, pool: ProcessPoolExecutor, known: set[str]
    ) -> dict[Future[str], str]:
        self.tally.add(tally)
        begun: dict[Future[str], str] = {}
        for seed, kind in tally.broken.items():
            known = known | {*self.stories, *begun.values()}
            if kind not in known and len(known) < MOST_KINDS:
                begun[pool.submit(self.shrink, seed, self.folder)] = kind
        return begun

    def _line(self) -> str:
        worlds, broken = self.tally.world_count, len(self.tally.broken)
        most = max((newest for _, newest in self.tally.memory.values()), default=0)
        found = f"{worlds:,} worlds, {len(self.tally.shapes):,} states, {broken:,} broken"
        return f"{found}, {most} MiB a worker"

    def _keep(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        write_corpus(fewest(self.tally.features), self.folder / "corpus.json")
        (self.folder / "summary.txt").write_text(self.summary() + "\n")


def _prepare() -> None:
    """Prepare a worker: what is loaded stays, and a world is garbage only as a whole.

    So nothing is looked for in the middle of one: each task ends with a collection, and holds a few
    worlds, of which no more is left than of one that is played.
    """
    be_quiet()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*SELDOM)


def _tasks(first_seed: int) -> Iterator[list[int]]:
    corpus = read_corpus()
    for at in range(0, len(corpus), TASK_WORLDS):
        yield corpus[at : at + TASK_WORLDS]
    for start in count(first_seed, TASK_WORLDS):
        yield list(range(start, start + TASK_WORLDS))


def _progress() -> Progress:
    console = Console(stderr=True)
    columns = (BarColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    return Progress(*columns, console=console, disable=not console.is_terminal, transient=True)
