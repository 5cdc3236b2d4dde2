"""Answering: what was decided for a replica, and what became of it."""

from engine.events import Event
from engine.instants import SECOND
from machines.awaiting import accepted
from machines.backoffs import retry_seconds
from machines.caches.answering import AGAIN_SECONDS, SEEN_SECONDS
from machines.caches.changes import ChangeKind
from machines.caches.states import Refusal
from machines.intents import Apply, Change, ObjectIntent
from machines.observations import Absent, Answer, Refused, Unknown
from machines.replicas.drifting import applied_of
from machines.replicas.kinds import WORKLOADS
from machines.replicas.mounting import effective_mount, offer_of
from machines.replicas.names import workload_name
from machines.replicas.states import Engine, Replica
from machines.replicas.stirring import stir_replica
from machines.replicas.wishes import what_of
from machines.states import OpenIntent, State

REPAIR_SECONDS = 60  # between two times that an object which somebody edits is put right


def fold_replica_intent(state: State, event: Event, intent: ObjectIntent) -> None:
    """Something was decided for a replica: it is open until its answer."""
    replica = state.replicas[intent.owner_uid]
    state.open[event.seq] = OpenIntent(event.seq, event.cluster, replica.subject, intent)
    what = what_of(intent)
    replica.open[what] = event.seq
    replica.made.pop(what, None)
    stir_replica(state, replica.subject.uid)
    if not isinstance(intent, Apply):
        return
    replica.had = True
    noted = replica.owned.get(intent.uid)
    if noted is not None and noted.applied == intent.digest:
        replica.repairs[what] = event.at + REPAIR_SECONDS * SECOND
    engine = engine_of(replica, intent)
    if engine:
        mount = effective_mount(replica, engine, offer_of(state, replica)) or ""
        before = replica.engines.get(engine, Engine())
        replica.engines[engine] = before._replace(applying=mount)


def fold_replica_answer(state: State, event: Event, intent: ObjectIntent, answer: Answer) -> None:
    """What was decided for a replica has its answer."""
    seq = event.cause or 0
    opened, replica = state.open[seq], state.replicas.get(intent.owner_uid)
    stir_replica(state, intent.owner_uid)
    if isinstance(answer, Unknown):
        state.open[seq] = opened._replace(uncertain=True, unanswered=answer.words)
        return
    del state.open[seq]
    if replica is None:
        return
    what = what_of(intent)
    replica.open.pop(what, None)
    if isinstance(answer, Refused):
        _refused(replica, what, intent, answer, event)
    elif isinstance(answer, Absent) and not _is_seen(state, replica, opened, intent):
        replica.made[what] = accepted(state, opened.cluster, intent, AGAIN_SECONDS)
        _end_apply(replica, intent)
    else:
        replica.refusals.pop(what, None)
        if not _is_seen(state, replica, opened, intent):
            replica.made[what] = accepted(state, opened.cluster, intent, SEEN_SECONDS)
        _done(replica, intent)


def engine_of(replica: Replica, intent: Apply) -> str:
    """Give the engine whose workload is applied; "" when it is no workload, or none's."""
    if intent.kind not in WORKLOADS:
        return ""
    engines = replica.spec.engines if replica.spec else ()
    for name in dict.fromkeys([*replica.engines, *(engine.name for engine in engines)]):
        if workload_name(replica.subject.name, name) == intent.name:
            return name
    return ""


def _refused(
    replica: Replica, what: str, intent: ObjectIntent, refused: Refused, event: Event
) -> None:
    old = replica.refusals.get(what)
    times = old.times + 1 if old else 1
    due = event.at + retry_seconds(times) * SECOND
    replica.refusals[what] = Refusal(refused.reason, refused.words, times, due)
    _end_apply(replica, intent)


def _end_apply(replica: Replica, intent: ObjectIntent) -> None:
    """An apply came to nothing: what was kept is kept, and an engine never composed is none."""
    engine = engine_of(replica, intent) if isinstance(intent, Apply) else ""
    before = replica.engines.get(engine)
    if before is None:
        return
    if before.running:
        replica.engines[engine] = before._replace(applying=None)
    else:
        del replica.engines[engine]


def _done(replica: Replica, intent: ObjectIntent) -> None:
    if isinstance(intent, Change):
        replica.held = intent.change == ChangeKind.HOLD
    if not isinstance(intent, Apply):
        return
    noted = replica.owned.get(intent.uid)
    if noted is not None and noted.applied != intent.digest:
        del replica.owned[intent.uid]
    engine = engine_of(replica, intent)
    before = replica.engines.get(engine)
    if before is not None:
        kept = before.kept if before.applying is None else before.applying
        replica.engines[engine] = Engine(running=True, kept=kept)
        replica.kept, replica.composed = kept, True


def _is_seen(state: State, replica: Replica, opened: OpenIntent, intent: ObjectIntent) -> bool:
    """Say whether what was applied is known to be there: nothing has to be waited for then.

    It may be so although a look-up did not find it: then it was carried out after that.

    Of a repair that cannot be told, as the object bore the same digest before.
    """
    noted = replica.owned.get(intent.uid) if isinstance(intent, Apply) else None
    if not isinstance(intent, Apply) or noted is None or noted.applied == intent.digest:
        return False
    known = state.known(opened.cluster, intent.kind, intent.uid)
    return known is not None and applied_of(known) == intent.digest
