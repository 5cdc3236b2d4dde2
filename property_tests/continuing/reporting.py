"""Reporting: what came of recordings; a module of its own, so that a new process can find it."""

import time
from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from property_tests.continuing.continuations import drawn, judge
from property_tests.continuing.crashing import crashes, ends, wrong
from property_tests.continuing.recordings import Recording, recording


class Report(NamedTuple):
    """What came of one recording."""

    rows: int
    crashes: int
    continuations: int
    rate: float  # continuations a second of CPU time
    failures: list[str]  # each with the line that plays it again


def all_explored(names: Sequence[str], seconds: float, seed: int) -> dict[str, Report]:
    """Explore recordings one after the other; what one leaves of its time is for those after it."""
    prepared = [recording(name) for name in names]
    begun, reports = time.process_time(), dict[str, Report]()
    for left, one in zip(range(len(prepared), 0, -1), prepared, strict=True):
        seconds_left = seconds - (time.process_time() - begun)
        reports[one.name] = explored(one, seconds_left / left, Random(seed))
    return reports


def explored(recording: Recording, seconds: float, random: Random) -> Report:
    """Crash a recording everywhere, and let it go on otherwise until its time is over."""
    begun, failures, counts = time.process_time(), list[str](), Counter[str]()
    came_to = ends(recording)
    for crash, state in crashes(recording):
        counts["crashes"] += 1
        failures += (f"{crash}: {one}" for one in wrong(recording, crash, state, came_to))
    crashed = time.process_time()
    while counts["continuations"] < 1 or time.process_time() < begun + seconds:
        continuation = drawn(random, recording)
        counts["continuations"] += 1
        failures += (f"{continuation}: {one}" for one in judge(recording, continuation))
    rate = counts["continuations"] / (time.process_time() - crashed)
    done = counts["crashes"], counts["continuations"]
    return Report(len(recording.rows), *done, rate, failures)
