"""Pacing: when a refused create is tried again, be it one or a thousand.

A few refused nodes are each tried after 1, 2, 4 … 60 seconds. More than TURNS of them take turns,
so that a quota that lasts costs a try every two seconds, and not a thousand a minute, in requests
and in rows. The first that is taken again has all others tried at once: what was wrong is mended.
"""

from engine.events import Event
from engine.instants import SECOND
from machines.backoffs import LONGEST_SECONDS, retry_seconds
from machines.indexing import disarm, put_target
from machines.messages import described
from machines.states import State, Warmup

TURNS = 32  # refused nodes of one ModelWarmup that are tried within LONGEST_SECONDS


def try_again_at(warmup: Warmup, refusals: int, at: int) -> int:
    """Give the instant of the next try after so many refusals of one node, in nanoseconds."""
    crowd = len(warmup.refused)
    turn = crowd * LONGEST_SECONDS // TURNS if crowd > TURNS else 0
    return at + max(retry_seconds(refusals), turn) * SECOND


def try_all_now(state: State, warmup: Warmup, event: Event) -> None:
    """One that was refused is taken: whoever waits for its turn need not wait any longer."""
    soon = event.at + LONGEST_SECONDS * SECOND
    for key in list(warmup.refused):
        target = warmup.targets[key]
        if target.retry_at > soon:
            disarm(state, target.retry_at, warmup.subject.uid, f"retry:{key}")
            hurried = target._replace(retry_at=0)
            put_target(state, warmup, described(state, warmup, hurried), event)
