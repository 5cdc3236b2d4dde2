"""Settling: every replica that an event may have moved is brought to where its facts put it."""

from engine.events import Event
from machines.awaiting import ease
from machines.caches.finding import CLAIM
from machines.caches.indexing import bearer_key
from machines.caches.states import SILENCE, Said
from machines.caches.stirring import stir
from machines.replicas.asking import follow_engine_questions
from machines.replicas.drifting import follow_owned
from machines.replicas.indexing import namespace_of, unindex_replica
from machines.replicas.leaving import has_left, is_abandoned, is_leaving
from machines.replicas.moving import move_replica
from machines.replicas.obstacles import staying_words
from machines.replicas.placing import home_is_known, known_place, served_of
from machines.replicas.showing import show_replica
from machines.replicas.states import Replica
from machines.replicas.timing import drop_waits, follow_waits
from machines.replicas.using import ANY, claims_of
from machines.replicas.wishes import APPLY, DELETE, Wish
from machines.replicas.wishing import wishes
from machines.states import State

CLUSTER_GONE = "ClusterGone"
ABANDONED = "Abandoned"


def settle_replicas(state: State, event: Event) -> None:
    """Bring the stirred replicas to rest; they are to be decided anew."""
    for uid in state.stirred_replicas:
        replica = state.replicas.get(uid)
        if replica is None:
            continue
        _settle(state, replica, event)
        _follow_claims(state, replica, event)
        if _is_over(state, replica):
            _forget(state, replica)
            continue
        state.dirty[uid] = event.seq
        if replica.told:
            show_replica(state, replica, event)
    state.stirred_replicas.clear()


def _settle(state: State, replica: Replica, event: Event) -> None:
    if home_is_known(state, replica):
        replica.told = True
        replica.left = _left(state, replica)
        move_replica(state, replica, event)
        _drop_engines(replica)
    follow_waits(state, replica)
    if _ease(state, replica):
        follow_waits(state, replica)
    follow_engine_questions(state, replica)
    follow_owned(state, replica)
    if _is_told(state, replica):
        replica.todo = tuple(wish.what for wish in wishes(state, replica))


def _follow_claims(state: State, replica: Replica, event: Event) -> None:
    """Have those caches looked at whose claims a replica holds on to since now, or no more.

    A claim that is let go of may soon be nobody's: its Pods are on their way.
    """
    claims = () if replica.gone else tuple(sorted(claims_of(state, replica)))
    changed = set(claims) ^ set(replica.claims)
    replica.claims = claims
    namespace = namespace_of(state, replica)
    for claim in sorted(changed):
        found = state.bearers.get(bearer_key(CLAIM, namespace, claim), ())
        for uid in state.caches if claim == ANY else found:
            entry = state.caches[uid].entries.get(replica.cluster_name)
            if entry is not None and not entry.selected and claim not in claims:
                entry.left_at = event.at
            stir(state, uid, (replica.cluster_name,))


def _left(state: State, replica: Replica) -> Said:
    """Say what stays behind, when its cluster is gone while it goes, or somebody asks for that."""
    if not (replica.composed or replica.had):
        return SILENCE
    if is_abandoned(replica):
        return Said(ABANDONED, staying_words(state, replica))
    if is_leaving(replica) and served_of(state, replica) is None:
        return Said(CLUSTER_GONE, staying_words(state, replica))
    return SILENCE


def _drop_engines(replica: Replica) -> None:
    """Forget engines that the spec has no more, and of which no apply is under way.

    What was kept last stays with the replica.
    """
    if replica.spec is None:
        return
    names = {engine.name for engine in replica.spec.engines}
    replica.engines = {
        name: engine
        for name, engine in replica.engines.items()
        if name in names or engine.applying is not None
    }


def _ease(state: State, replica: Replica) -> bool:
    """Forget refusals and answers of what is not wanted any more, or is seen now; say if any."""
    if not (replica.refusals or replica.made or replica.repairs) or not _is_told(state, replica):
        return False
    wanted = {wish.what: wish for wish in wishes(state, replica)}
    eased = ease(state, replica, wanted, [_before(wish) for wish in wanted.values()])
    over = [what for what, due in replica.repairs.items() if due <= state.now]
    for what in over:
        del replica.repairs[what]
    return eased


def _before(wish: Wish) -> str:
    """Give the apply whose refusal is why an object is deleted first, to be applied anew."""
    return wish._replace(verb=APPLY).what if wish.verb == DELETE else wish.what


def _is_told(state: State, replica: Replica) -> bool:
    known = known_place(state, replica) is not None or is_leaving(replica)
    return known and home_is_known(state, replica)


def _is_over(state: State, replica: Replica) -> bool:
    """Say whether a replica that is gone has nothing left to be cleared away."""
    if not replica.gone or replica.open:
        return False
    return is_abandoned(replica) or has_left(state, replica)


def _forget(state: State, replica: Replica) -> None:
    uid = replica.subject.uid
    drop_waits(state, replica)
    unindex_replica(state, replica)
    state.replicas.pop(uid, None)
    state.dirty.pop(uid, None)
    state.asking_replicas.pop(uid, None)
