"""Messages: what an entry says it waits for, or how it failed, in one sentence with names.

An entry that is Ready says nothing while its cluster is seen. Whatever else is said stands in this
order, joined by `; `, and what does not apply says nothing:

| what                                             | Pending | Hydrating | Ready | Failed |
|--------------------------------------------------|---------|-----------|-------|--------|
| that it is left as it is, as somebody asks, and  | 1       | 1         | 1     | 1      |
| why the cluster is not seen, and nothing else    |         |           |       |        |
| the fault of the spec, and nothing else          | 2       | 2         |       | 2      |
| who still uses what is to go, and nothing else   | 3       | 3         | 3     | 3      |
| the same cluster as another, and nothing else    | 4       | 4         |       | 4      |
| the Secret and its key, while the token lacks    | 5       | 5         |       | 5      |
| why the cluster is not seen now                  | 6       | 6         | 6     | 6      |
| what is in the way there: namespace, owner,      | 7       | 7         |       |        |
| storage class, the API server's refusal          |         |           |       |        |
| the claim, its node, its Events, its Pod         | 8       |           |       |        |
| repo, revision, claim, the Pod, the last failure |         | 8         |       |        |
| the Job, its attempts, their words, the next try |         |           |       | 8      |

What is in the way hides the claim, and so does a lacking token: a claim that waits for its first
consumer can never bind while no Job can be made. Times are instants, never ages.
"""

from collections.abc import Callable

from engine.instants import SECOND, rfc3339
from machines.caches.blocking import SAME_CLUSTER
from machines.caches.entries import EntryState
from machines.caches.healing import node_key
from machines.caches.obstacles import (
    NAMED,
    QUOTED,
    blindness,
    class_trouble,
    hindrance,
    is_let_be,
    later_refusals,
    leaving_words,
    let_be_words,
    quoted,
    refusal_words,
    still,
    token_trouble,
)
from machines.caches.sights import Sight, job_events, lost_node, sight_of, waiting_pod
from machines.caches.sources import words as source_words
from machines.caches.states import NO_NODE, Cache, Entry
from machines.causes import FAILED_CREATE
from machines.messages import MESSAGE_LENGTH, cut
from machines.states import State

LATCH = "Latch PersistentVolumeClaim"


class Messages:
    """The messages of a cache's entries, each worked out once, while nothing changes."""

    def __init__(self, state: State, cache: Cache) -> None:
        """Begin with none."""
        self._state, self._cache = state, cache
        self._told: dict[str, str] = {}

    def of(self, entry: Entry) -> str:
        """Give the message of one entry."""
        told = self._told.get(entry.cluster)
        if told is None:
            told = self._told[entry.cluster] = entry_message(self._state, self._cache, entry)
        return told


def entry_message(state: State, cache: Cache, entry: Entry) -> str:
    """Give the message of one entry; "" exactly when it is Ready, selected, and seen."""
    sight = sight_of(state, cache, entry)
    blind = blindness(sight)
    if is_let_be(sight):
        return _joined([let_be_words(sight, blind), blind])
    if cache.faults and entry.state is not EntryState.READY:
        return cut(fault_words(cache))
    if not entry.selected:
        return _joined([leaving_words(sight), blind, *later_refusals(sight)])
    if entry.state is EntryState.READY:
        kept = f"{sight.claim_words} is published as it was known last"
        return _joined([blind, kept]) if blind else ""
    if sight.block.reason == SAME_CLUSTER:
        return cut(f"{sight.block.words}: the model is staged under that name")
    return _joined([token_trouble(sight), blind, *_own(sight, blind)], _next_try(sight))


def fault_words(cache: Cache) -> str:
    """Name the first field that cannot work, and say how many more there are."""
    more = len(cache.faults) - 1
    return f"{cache.faults[0]}{f' (and {more} more)' if more else ''}"


def failure_words(sight: Sight) -> str:
    """Say how hydration failed last: the Job, its attempts, the container's words, the Job's."""
    failure = sight.entry.failure
    times = f"{failure.attempts} attempt{'' if failure.attempts == 1 else 's'}"
    job = f"Job {sight.namespace}/{failure.job_name or sight.job_name}"
    told = dict.fromkeys(filter(None, (quoted(failure.said), quoted(failure.job_said))))
    how = f"after {times}" if failure.attempts else "before any attempt ended"
    return f"{job} failed {how}{''.join(f'{mark}{one}' for mark, one in _marked(told))}"


def _marked(told: dict[str, None]) -> list[tuple[str, str]]:
    return list(zip((": ", "; "), told, strict=False))


def _own(sight: Sight, blind: str) -> list[str]:
    """Say what the entry itself waits for, or how it failed."""
    state = sight.entry.state
    if blind:
        known = sight.claim is not None or state is EntryState.FAILED
        told = state is EntryState.FAILED or not token_trouble(sight)
        own = _OWN[state](sight) if known and told else []
        return [f"known last: {own[0]}", *own[1:]] if own else []
    if state is EntryState.FAILED:
        return _failed(sight)
    in_the_way = hindrance(sight)
    if token_trouble(sight):
        return [in_the_way]
    if in_the_way and state is EntryState.HYDRATING:
        return [f"{_wanted(sight)}: {in_the_way}"]
    return [in_the_way] if in_the_way else _OWN[state](sight)


def _pending(sight: Sight) -> list[str]:
    claim = sight.claim
    if claim is None:
        return [f"waiting for {sight.claim_words} to be created"]
    if claim.deleting:
        made_anew = "is being deleted, and is made anew once it is gone"
        return [f"{sight.claim_words} {made_anew}", _users(sight), still(sight)]
    if claim.phase == "Lost":
        volume = f" {claim.volume}" if claim.volume else ""
        lost = f"{sight.claim_words} has lost its volume{volume}"
        return [lost, quoted(sight.entry.claim_events)]
    waits = f"waiting for {sight.claim_words} to bind"
    return [waits, class_trouble(sight), _node_words(sight), quoted(sight.entry.claim_events),
            *_pod_words(sight), _left_words(sight), *later_refusals(sight)]  # fmt: skip


def _node_words(sight: Sight) -> str:
    """Name the node that the scheduler chose for the claim, and what becomes of it if it is gone.

    Only while the claim is unbound: a bound one is where its volume is, whatever was chosen.
    """
    entry = sight.entry
    name = entry.chosen.node_name or (sight.claim.selected_node if sight.claim else "")
    if not name:
        return ""
    chose = f"the scheduler chose node {name}"
    if entry.chosen == NO_NODE or not entry.chosen.gone_at:
        return chose
    gone = f"{chose}, which is gone since {rfc3339(entry.chosen.gone_at)}"
    if node_key(entry.chosen) in entry.healed:
        return f"{gone}: the choice was taken back, so that another node is chosen"
    due = entry.chosen.gone_at + sight.state.caching.heal_seconds * SECOND
    return f"{gone}: at {rfc3339(due)} the choice is taken back, so that another node is chosen"


def _pod_words(sight: Sight) -> list[str]:
    """Say what the Job's newest Pod waits for, or why it has none."""
    pod, said_of_job = waiting_pod(sight), job_events(sight)
    lost = lost_node(sight)
    if lost:
        return [f"the Pod of {sight.job_words} is on node {lost}, which is gone"]
    if pod is not None:
        said = f"{pod.reason}: {pod.message}" if pod.message else pod.reason
        return [f"the Pod of {sight.job_words} waits: {cut(said, QUOTED)}"]
    events = quoted(said_of_job)
    if not events or sight.job is None:
        return []
    no_pod = all(pod.ended for pod in sight.pods) and said_of_job.reason == FAILED_CREATE
    what = f"no Pod can be made for {sight.job_words}" if no_pod else f"{sight.job_words} waits"
    return [f"{what}: {events}"]


def _hydrating(sight: Sight) -> list[str]:
    source = source_words(sight.cache.spec) if sight.cache.spec else "the model"
    if sight.staged:
        refusal = sight.entry.refusals.get(LATCH)
        why = [refusal_words(sight, LATCH, refusal)] if refusal else []
        whole = f"{source} is whole in {sight.claim_words}"
        return [f"{whole}: it is published once that is written onto the claim", *why]
    parts = [_wanted(sight)]
    if sight.fits and sight.job is not None and not sight.job.deleting and not sight.job.ended:
        parts = [f"downloading {source} into {sight.claim_words}", *_pod_words(sight)]
        if sight.job.failed_attempts:
            times = sight.job.failed_attempts
            parts.append(f"{times} attempt{'' if times == 1 else 's'} of it failed")
    elif sight.job is not None:
        parts.append(f"an earlier {sight.job_words} is to go first")
    parts.append(_left_words(sight))
    failure = sight.entry.failure
    if failure.tries and failure.claim_uid == sight.entry.claim_uid:
        parts.append(f"before, {failure_words(sight)}")
    return [*parts, *later_refusals(sight), _resize_words(sight)]


def _left_words(sight: Sight) -> str:
    """Name the Pods of a Job that is gone: two would write into one volume."""
    if not sight.left:
        return ""
    pods = f"Pod{'s' if len(sight.left) > 1 else ''} {', '.join(sight.left[:NAMED])}"
    return f"{pods} of an earlier {sight.job_words} must end before the next can begin"


def _failed(sight: Sight) -> list[str]:
    if not sight.entry.failure.tries:
        return ["it failed before this log began: only its status tells"]
    return [failure_words(sight)]


def _next_try(sight: Sight) -> str:
    due = sight.entry.failure.due if sight.entry.state is EntryState.FAILED else 0
    return f"tried again at {rfc3339(due)}" if due else ""


def _wanted(sight: Sight) -> str:
    source = source_words(sight.cache.spec) if sight.cache.spec else "the model"
    return f"waiting to download {source} into {sight.claim_words}"


def _users(sight: Sight) -> str:
    users = sight.entry.users or ()
    return f"mounted by Pod {', '.join(users[:NAMED])}" if users else ""


def _resize_words(sight: Sight) -> str:
    resizing = sight.claim.resizing if sight.claim else ""
    return f"its size does not follow: {cut(resizing, QUOTED)}" if resizing else ""


def _joined(parts: list[str], tail: str = "") -> str:
    """Join what says something within the bound; the tail is never cut."""
    *first, last = list(filter(None, parts)) or [""]
    text = "; ".join([*(part.removesuffix(".") for part in first), last])
    if not tail:
        return cut(text)
    return f"{cut(text, MESSAGE_LENGTH - len(tail) - 2)}; {tail}" if text else tail


_OWN: dict[EntryState, Callable[[Sight], list[str]]] = {
    EntryState.PENDING: _pending,
    EntryState.HYDRATING: _hydrating,
    EntryState.FAILED: _failed,
}
