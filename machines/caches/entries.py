"""The cache-entry machine: one ModelCache on one cluster, from "wanted there" to its mount.

One instance exists per cache UID and InferenceCluster. It models what is known of the model's
bytes on that cluster: of the claim that holds them, and of the Job that writes them.

States
    Pending    the claim is not there, or not bound: nothing can be written
    Hydrating  the claim is bound, and what is in it is not known to be whole
    Ready      the model is whole in this very claim: the mount is published
    Failed     the Job gave up, and its next try is not due yet; or the spec can never work

Invariants
    Ready holds on a latch {claim UID, fingerprint} that was written onto the claim before: neither
    another claim of the same name nor another content ever inherits it.
    A failed Job never beats a latch that still holds, nor a claim that is lost or goes: nothing
    is tried again there.
    A cluster that does not answer, or was not listed, moves nothing: what was known stays.
    A trigger that is not in the table changes nothing and is recorded as ignored.
"""

from enum import StrEnum

from engine.machine_tables import Move, compile_table


class EntryState(StrEnum):
    """Where one cache stands on one cluster."""

    PENDING = "Pending"
    HYDRATING = "Hydrating"
    READY = "Ready"
    FAILED = "Failed"


class EntryTrigger(StrEnum):
    """What the facts of one cluster, taken together, say of one cache; the first that holds."""

    SPEC_REFUSED = "spec_refused"
    STAGED = "staged"
    HYDRATION_FAILED = "hydration_failed"
    CLAIM_BOUND = "claim_bound"
    CLAIM_UNBOUND = "claim_unbound"


_S = EntryState
_T = EntryTrigger

ENTRY_MOVES: tuple[Move[EntryState, EntryTrigger], ...] = (
    Move(
        _T.SPEC_REFUSED,
        (_S.PENDING, _S.HYDRATING, _S.READY),
        _S.FAILED,
        "the spec can never work",
    ),
    Move(
        _T.STAGED,
        (_S.PENDING, _S.HYDRATING, _S.FAILED),
        _S.READY,
        "the latch on the bound claim names its UID and the fingerprint",
    ),
    Move(
        _T.HYDRATION_FAILED,
        (_S.PENDING, _S.HYDRATING, _S.READY),
        _S.FAILED,
        "the Job of this claim is Failed, and the next try is not due",
    ),
    Move(
        _T.CLAIM_BOUND,
        (_S.PENDING, _S.READY, _S.FAILED),
        _S.HYDRATING,
        "the claim is bound, and what is in it is not known to be whole",
    ),
    Move(
        _T.CLAIM_UNBOUND,
        (_S.HYDRATING, _S.READY, _S.FAILED),
        _S.PENDING,
        "there is no claim, or it is not bound, or it is lost",
    ),
)

ENTRIES = compile_table("cache entry", _S, _T, _S.PENDING, ENTRY_MOVES)

PUBLISHED_ENTRY_PHASES = tuple(state.value for state in EntryState)
