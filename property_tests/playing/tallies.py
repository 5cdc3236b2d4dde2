"""Tallies: what many worlds came to, counted; tallies add up."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from property_tests.playing.drawing import LEAST_ROWS
from property_tests.playing.performing import Played
from property_tests.playing.worlds import SHARES


@dataclass
class Tally:
    """What some worlds came to."""

    worlds: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SHARES, 0))
    short_worlds: int = 0  # of fewer rows than was aimed at
    rows: int = 0
    deeds: int = 0
    simulated_seconds: float = 0
    cpu_seconds: float = 0
    shapes: set[int] = field(default_factory=set)
    features: dict[int, set[str]] = field(default_factory=dict)  # by seed, where they are news
    broken: dict[int, str] = field(default_factory=dict)  # the kind of breach by seed
    # MiB that a process has had at most: after its first worlds, and now.
    memory: dict[int, tuple[int, int]] = field(default_factory=dict)

    @property
    def world_count(self) -> int:
        """How many worlds there were."""
        return sum(self.worlds.values())

    @property
    def reached(self) -> set[str]:
        """All features that any of the worlds reached."""
        return set[str]().union(*self.features.values())

    def count(self, seed: int, played: Played) -> None:
        """Add a world."""
        rows = len(played.rows)
        self.worlds[played.story.world] += 1
        self.short_worlds += rows < LEAST_ROWS
        self.rows += rows
        self.deeds += len(played.story.deeds)
        self.simulated_seconds += played.simulated_nanoseconds / 1e9
        self.shapes |= played.coverage.shapes
        if played.coverage.features - self.reached:
            self.features[seed] = played.coverage.features
        if played.breach is not None:
            self.broken[seed] = played.breach.kind

    def note_memory(self, process: int, mebibytes: int) -> None:
        """Take in the most memory that a process has had so far."""
        first, newest = self.memory.get(process, (mebibytes, mebibytes))
        self.memory[process] = first, max(newest, mebibytes)

    def add(self, other: "Tally") -> None:
        """Add what other worlds came to."""
        for sort, count in other.worlds.items():
            self.worlds[sort] += count
        self.short_worlds += other.short_worlds
        self.rows += other.rows
        self.deeds += other.deeds
        self.simulated_seconds += other.simulated_seconds
        self.cpu_seconds += other.cpu_seconds
        self.shapes |= other.shapes
        self.broken |= other.broken
        for process, (_, mebibytes) in other.memory.items():
            self.note_memory(process, mebibytes)
        for seed, features in other.features.items():
            if features - self.reached:
                self.features[seed] = features

    def lines(self, wall_seconds: float) -> Iterable[str]:
        """Tell it in a few lines."""
        worlds, minutes = self.world_count, self.cpu_seconds / 60
        sorts = ", ".join(f"{count:,} of {sort}" for sort, count in self.worlds.items())
        years = self.simulated_seconds / 86_400
        yield f"worlds          {worlds:,} ({sorts})"
        yield f"speed           {worlds / max(minutes, 1e-9):,.0f} worlds a minute and core"
        yield f"rows            {self.rows:,}, {self.rows / max(worlds, 1):,.0f} a world"
        yield f"short worlds    {self.short_worlds:,} have fewer than {LEAST_ROWS} rows"
        yield f"deeds           {self.deeds:,}"
        yield f"states          {len(self.shapes):,} that differ in more than names"
        yield f"features        {len(self.reached):,} reached: rows, moves, reasons"
        ratio = self.simulated_seconds / max(wall_seconds, 1e-9)
        yield f"simulated time  {years:,.1f} days in {wall_seconds:,.0f} s, {ratio:,.0f} times real"
        for first, newest in self.memory.values():
            yield f"memory          {newest:,} MiB of a worker at most, {first:,} at its beginning"
        yield f"broken          {len(self.broken):,}"
