"""Holding: why nothing is composed of a replica now, or why what runs is left as it is.

    InvalidSpec        the spec can never work; the field is named
    Unsupported        something in it has no way to run, or none on its cluster
    WaitingForCluster  its cluster does not exist, does not answer, or cannot be read
    WaitingForCache    nothing of it runs, and its cache has no mount for it: the entry's words

The first that holds counts. A replica that runs waits for no cache, and is never taken away.
"""

from typing import NamedTuple

from machines.replicas.mounting import Offer, offer_of, offer_words
from machines.replicas.placing import cluster_trouble
from machines.replicas.states import Replica
from machines.replicas.supporting import unsupported_words
from machines.replicas.using import ANY, claims_of
from machines.states import State

INVALID = "InvalidSpec"
NO_CLUSTER = "WaitingForCluster"
UNSUPPORTED = "Unsupported"
NO_CACHE = "WaitingForCache"


class Hold(NamedTuple):
    """Why nothing is composed now: a reason in one word, and words (`hold_words`)."""

    reason: str
    words: str = ""
    offer: Offer | None = None  # the cache's, which says why it has no mount


def hold_of(state: State, replica: Replica) -> Hold | None:
    """Say what is in the way of composing a replica; None when nothing is."""
    if replica.spec is None:
        return Hold(INVALID, "; ".join(map(str, replica.faults)) or "the spec cannot be read")
    unsupported = unsupported_words(state, replica)
    if unsupported:
        return Hold(UNSUPPORTED, unsupported)
    trouble = cluster_trouble(state, replica)
    if trouble:
        return Hold(NO_CLUSTER, trouble)
    offer = offer_of(state, replica)
    if offer is not None and not offer.mount and not (replica.composed and offer.known):
        return Hold(NO_CACHE, offer=offer)
    return None


def hold_words(state: State, hold: Hold) -> str:
    """Say why nothing is composed now; asked for far less often than whether anything is."""
    return hold.words if hold.offer is None else offer_words(state, hold.offer)


def kept_words(state: State, replica: Replica) -> str:
    """Say what a running replica goes on with while its cache offers nothing; "" when it does."""
    offer = offer_of(state, replica) if replica.composed else None
    if offer is None or not offer.known or offer.mount:
        return ""
    claims = sorted(claims_of(state, replica) - {ANY})
    kept = f"keeps the mount of claim {' and '.join(claims)}" if claims else "runs without a mount"
    return f"{kept}: {offer_words(state, offer)}"


def is_half_composed(state: State, replica: Replica) -> bool:
    """Say whether what was composed of a held replica is to go: none of its engines ever was.

    Its cache began to offer nothing between its Service and its engines.
    """
    offer = offer_of(state, replica)
    under_way = any(engine.applying is not None for engine in replica.engines.values())
    return offer is not None and offer.known and not replica.composed and not under_way
