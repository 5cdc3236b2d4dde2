"""Progressing: what a ModelWarmup that has not ended does or waits for, as a whole.

Which nodes it is about is added where it is shown: these words change only with what is counted of
the whole, so `showing` can tell by them whether a status has changed.
"""

from machines.labels import POOL, SUSPEND
from machines.node_jobs import NodeJobState
from machines.selecting import demanded_names
from machines.states import NOTHING, Warmup, Words
from machines.warmups import TERMINAL, WarmupState

# Before all kinds that it is about were listed: what was not listed is unknown, and not absent.
_NOT_LOOKED_FOR = "which nodes it wants is not known: not every kind was listed yet"

_GOING = "no node was looked for before it was being deleted"


def progress(warmup: Warmup) -> Words:
    """Give the reason and the words; nothing for a warmup that has ended."""
    count = warmup.counts.get
    if warmup.state in TERMINAL:
        return NOTHING
    if warmup.blocked:
        return Words("NamespaceUnavailable", warmup.blocked)
    if warmup.suspended_at:
        return Words("Suspended", f'no Job is created while annotation {SUSPEND} is "true"')
    if warmup.state is WarmupState.PENDING:
        waiting = count("waiting", 0)
        if waiting:
            return Words("WaitingForTargets", f"waits for {nodes(waiting)}")
        return Words("NoTargetsResolved", _nothing_resolved(warmup))
    ready, failed = count(NodeJobState.READY, 0), count(NodeJobState.FAILED, 0)
    active = count(NodeJobState.HYDRATING, 0)
    queued = count("startable", 0) + count("waiting", 0)
    text = f"{ready} succeeded, {failed} failed, {active} running, {queued} waiting"
    if warmup.undeleted:
        text += f"; {next(iter(warmup.undeleted.values()))}"
    if warmup.resolve_words:
        text += f"; the last look at the cluster is refused: {warmup.resolve_words}"
    return Words("JobsRunning", text)


def is_unresolved(warmup: Warmup) -> bool:
    """Say whether a warmup is Pending for want of any look at the cluster: nothing is known."""
    return progress(warmup).message == _NOT_LOOKED_FOR


def nodes(count: int) -> str:
    """Give a number of nodes in words."""
    return f"{count} node" if count == 1 else f"{count} nodes"


def _nothing_resolved(warmup: Warmup) -> str:
    if not warmup.resolved_once:
        return _GOING if warmup.level.deleting else _NOT_LOOKED_FOR
    if not warmup.pooled:
        matched = f"; {nodes(len(warmup.skipped))} would match" if warmup.skipped else ""
        return f"namespace {warmup.subject.namespace} has no label {POOL}{matched}"
    if warmup.spec is not None and demanded_names(warmup.spec.targets):
        text = "no named node is a target any more"
    else:
        text = "no node matches spec.targets"
    if warmup.skipped:
        skipped = nodes(len(warmup.skipped))
        text += f" within the boundary; {skipped} would match outside it (pool, opt-in)"
    return text
