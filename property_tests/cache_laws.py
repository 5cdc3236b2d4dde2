"""What must hold of caches whatever happens: each a sentence and a predicate over the state.

`ALWAYS` holds of every state. `BETWEEN` holds of a state and the one that an event made of it.
`DECIDED` holds of every decision and the state in which it was made.
"""

from collections.abc import Callable, Iterator

from engine.events import Event
from machines.caches.asking import claim_questions, release_questions
from machines.caches.changes import ChangeKind, what_of
from machines.caches.entries import EntryState
from machines.caches.finding import CLAIM, JOB, NAMESPACE, Site, live_pods, site_of
from machines.caches.indexing import entries_on, reindex
from machines.caches.owning import Ownership, is_ours, ownership
from machines.caches.selecting import home_is_known, is_abandoned, is_known, is_leaving
from machines.caches.states import Cache, Entry
from machines.caches.tokens import copy_digest, token_of
from machines.caches.twins import index_twins
from machines.intents import CacheIntent, Change, Create, Delete
from machines.states import SECRET, State, copy_state


def entries(state: State) -> Iterator[tuple[Cache, Entry]]:
    """Give every entry with its cache."""
    for cache in state.caches.values():
        for entry in cache.entries.values():
            yield cache, entry


def ready_means_staged(state: State) -> bool:
    """Ready is only what bears the latch of its very claim, or what our own status told."""
    return all(
        entry.recovered
        or (bool(entry.claim_uid) and entry.latch == f"{entry.claim_uid}/{cache.fingerprint}")
        for cache, entry in entries(state)
        if entry.state is EntryState.READY
    )


def everything_waited_for_has_its_timer(state: State) -> bool:
    """Whoever waits for an instant is woken at it, and nobody else is."""
    wanted = {
        (due, uid, what) for uid, cache in state.caches.items() for what, due in cache.waits.items()
    }
    return set(state.timers) == wanted and state.timers == sorted(state.timers)


def what_is_open_is_known(state: State) -> bool:
    """Each open decision is open in one place, and in no place twice."""
    held = [seq for _, entry in entries(state) for seq in entry.open.values()]
    held += [seq for cache in state.caches.values() for seq in cache.open.values()]
    return len(held) == len(set(held)) and set(held) <= state.open.keys()


def only_what_is_not_selected_is_retained(state: State) -> bool:
    """An entry that is selected is not retained, and has not left."""
    return not any(
        entry.selected and (entry.retained or entry.left_at) for _, entry in entries(state)
    )


def the_index_agrees(state: State) -> bool:
    """The index of names is what a computation from scratch gives."""
    copied = copy_state(state)
    reindex(copied)
    return {key: sorted(uids) for key, uids in copied.bearers.items()} == {
        key: sorted(uids) for key, uids in state.bearers.items()
    }


def the_twins_agree(state: State) -> bool:
    """Which InferenceClusters are one is what a computation from scratch gives."""
    copied = copy_state(state)
    index_twins(copied)
    return {uid: set(names) for uid, names in copied.twins.items()} == {
        uid: set(names) for uid, names in state.twins.items()
    }


def only_entries_with_questions_ask(state: State) -> bool:
    """A cache is among those that ask exactly when one of its entries does."""
    return state.asking.keys() == {
        cache.subject.uid for cache, entry in entries(state) if entry.asks
    }


def nobody_asks_in_vain(state: State) -> bool:
    """Only caches that exist in the log have questions, and each question is of a known object."""
    questions = [*claim_questions(state), *release_questions(state)]
    return state.asking.keys() <= state.caches.keys() and all(
        one.subject.uid in state.clusters[one.cluster].objects[one.subject.kind]
        for one in questions
    )


def entries_are_in_order(state: State) -> bool:
    """Entries stand by name, each under its own, and of clusters that exist."""
    return all(
        list(cache.entries) == sorted(cache.entries)
        and all(
            entry.cluster == name and name in state.served for name, entry in cache.entries.items()
        )
        for cache in state.caches.values()
    )


def no_entry_ignores_anything(state: State) -> bool:
    """Facts may put an entry into any state from any other: none of them is ignored."""
    return not any(entry.ignored for _, entry in entries(state))


ALWAYS: tuple[Callable[[State], bool], ...] = (
    no_entry_ignores_anything,
    ready_means_staged,
    everything_waited_for_has_its_timer,
    what_is_open_is_known,
    only_what_is_not_selected_is_retained,
    the_index_agrees,
    the_twins_agree,
    only_entries_with_questions_ask,
    nobody_asks_in_vain,
    entries_are_in_order,
)


def unknown_moves_nothing(before: State, event: Event, after: State) -> bool:
    """An entry of a cluster that is not known moves only by its own spec or its own status."""
    for uid, old in before.caches.items():
        new = after.caches.get(uid)
        for name, entry in old.entries.items():
            left = new.entries.get(name) if new else None
            if new is None or left is None or left.state is entry.state or new.spec is None:
                continue
            site = site_of(after, new, left)
            known = home_is_known(after, new) and site is not None and is_known(site.cluster)
            reborn = event.type == "InferenceClusterSeen"
            if not known and not reborn and event.type != "Recovered":
                return False
    return True


def positions_never_go_back(before: State, event: Event, after: State) -> bool:
    """A status's position grows, and is that of an event that was folded."""
    return all(
        before.caches[uid].position <= cache.position <= event.seq
        for uid, cache in after.caches.items()
        if uid in before.caches
    )


BETWEEN: tuple[Callable[[State, Event, State], bool], ...] = (
    unknown_moves_nothing,
    positions_never_go_back,
)


def _place(
    state: State, cluster: str, intent: CacheIntent
) -> tuple[Cache, Entry | None, Site | None]:
    cache = state.caches[intent.owner_uid]
    if intent.kind == cache.subject.kind:
        return cache, None, None
    entry = entries_on(state, cache, cluster)[0]
    return cache, entry, site_of(state, cache, entry)


def decided_on_what_is_known(state: State, cluster: str, intent: CacheIntent) -> bool:
    """Nothing is decided about a cluster that was not listed whole, or does not answer."""
    cache, entry, site = _place(state, cluster, intent)
    there = entry is None or (site is not None and is_known(site.cluster))
    return home_is_known(state, cache) and there


def one_of_a_kind_at_a_time(state: State, cluster: str, intent: CacheIntent) -> bool:
    """Nothing is decided again before its answer."""
    cache, entry, _ = _place(state, cluster, intent)
    return what_of(intent) not in (entry.open if entry else cache.open)


def held_before_anything_is_made(state: State, cluster: str, intent: CacheIntent) -> bool:
    """Nothing is created or changed there before the finalizer is on, nor when it is unwanted."""
    cache, entry, _ = _place(state, cluster, intent)
    if entry is None or isinstance(intent, Delete):
        return True
    return cache.held and entry.selected and not is_leaving(cache) and not is_abandoned(cache)


def one_job_at_a_time(state: State, cluster: str, intent: CacheIntent) -> bool:
    """A Job is made only where none is, and no Pod of the one before may still write."""
    _, entry, site = _place(state, cluster, intent)
    if not isinstance(intent, Create) or intent.kind != JOB or site is None or entry is None:
        return True
    return site.job is None and not live_pods(site.cluster, entry.job_uid)


def jobs_have_their_token(state: State, cluster: str, intent: CacheIntent) -> bool:
    """A Job that needs a token is made when the copy holds the very value of the source."""
    cache, _, site = _place(state, cluster, intent)
    token = token_of(state, cache)
    if not isinstance(intent, Create) or intent.kind != JOB or site is None or not token.needed:
        return True
    return token.usable and copy_digest(cache, site) == token.digest


def claims_in_use_are_kept(state: State, cluster: str, intent: CacheIntent) -> bool:
    """A claim is deleted only where it is not wanted, and known to be mounted by nobody."""
    _, entry, _ = _place(state, cluster, intent)
    if not isinstance(intent, Delete) or intent.kind != CLAIM or entry is None:
        return True
    return not entry.selected and entry.users == ()


def only_ours_is_touched(state: State, cluster: str, intent: CacheIntent) -> bool:
    """Only what is ours is changed or deleted, but for a Job that the original left."""
    cache, _, site = _place(state, cluster, intent)
    if isinstance(intent, Create) or site is None or intent.kind in (NAMESPACE, "HydrationPod"):
        return True
    known = {CLAIM: site.claim, JOB: site.job, SECRET: site.secret}[intent.kind]
    if known is None or known.subject.uid != intent.uid:
        return False
    own = isinstance(intent, Change) and intent.change == ChangeKind.OWN
    left = intent.kind == JOB and ownership(state, cache, known) is Ownership.OPEN
    return own or left or is_ours(state, cache, known)


def let_go_when_nothing_is_left(state: State, cluster: str, intent: CacheIntent) -> bool:
    """The finalizer goes when nothing is left anywhere, or somebody asks for it."""
    cache, _, _ = _place(state, cluster, intent)
    if not isinstance(intent, Change) or intent.change != ChangeKind.RELEASE:
        return True
    return is_abandoned(cache) or (cache.level.deleting and not cache.entries)


DECIDED: tuple[Callable[[State, str, CacheIntent], bool], ...] = (
    decided_on_what_is_known,
    one_of_a_kind_at_a_time,
    held_before_anything_is_made,
    one_job_at_a_time,
    jobs_have_their_token,
    claims_in_use_are_kept,
    only_ours_is_touched,
    let_go_when_nothing_is_left,
)
