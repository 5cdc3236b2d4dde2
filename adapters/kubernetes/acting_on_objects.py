"""Carrying out what was decided for a cache: create, change or delete one object by name and uid.

What belongs to a ModelCache on a cluster is of several kinds, and one way of acting serves all.
"""

from adapters.ports import Api, ApiUnanswered
from machines.intents import CacheIntent, Effect
from machines.observations import Answer, Observation

Acted = tuple[tuple[Observation, ...], Answer]


async def perform_on_object(
    effect: Effect, intent: CacheIntent, api: Api, *, timeout_seconds: float
) -> Acted:
    """Carry out `effect`; raises ApiUnanswered when no answer came."""
    raise ApiUnanswered(f"{intent} {effect.seq} {api.cluster} {timeout_seconds}: nothing acts yet")


async def look_up_object(
    effect: Effect, intent: CacheIntent, api: Api, *, timeout_seconds: float
) -> Acted:
    """Say whether an intent landed; raises ApiUnanswered when no answer came."""
    raise ApiUnanswered(f"{intent} {effect.seq} {api.cluster} {timeout_seconds}: nothing acts yet")
