"""The phase that a ModelWarmup must have, by what is true of its nodes: written by hand.

This table is taken from the published contract, not from the machines, and imports nothing of
them: it is what they are compared with. A phase depends on which sorts of nodes there are, never on
how many of each, or on which of them changed last.
"""

from enum import StrEnum
from typing import NamedTuple


class Node(StrEnum):
    """What can be true of one node that a ModelWarmup asks for."""

    SUCCEEDED = "its Job was Complete"
    FAILED = "its Job was Failed"
    REFUSED_FOR_GOOD = "the API server will never accept its Job"
    NEVER_CAME = "it was named, and did not exist until its wait was over"
    RUNNING = "its Job has not ended"
    NEXT = "it has no Job yet and could have one"
    REFUSED_FOR_NOW = "the API server refuses its Job for now"
    AWAITED = "it was named and does not exist yet"
    LEFT = "it was selected and left before its Job ended"


class Row(NamedTuple):
    """A phase, and the reason of the condition that tells it."""

    phase: str
    reason: str
    says: str


WELL = frozenset({Node.SUCCEEDED})
BADLY = frozenset({Node.FAILED, Node.REFUSED_FOR_GOOD, Node.NEVER_CAME})
AT_WORK = frozenset({Node.RUNNING, Node.NEXT, Node.REFUSED_FOR_NOW})

NOTHING = Row("Pending", "NoTargetsResolved", "nothing is asked for that is there")
WAITING = Row("Pending", "WaitingForTargets", "all that is asked for is waited for")
GOES_ON = Row("Running", "JobsRunning", "some node has a Job, or could have one, or is waited for")
LOOKS_AGAIN = Row("Running", "JobsRunning", "all have ended; the cluster is looked at once more")
SUCCEEDED = Row("Succeeded", "ImagePreloadSucceeded", "every node succeeded")
DEGRADED = Row("Degraded", "NodeFailed", "some nodes succeeded, and some did not")
FAILED = Row("Failed", "NodeFailed", "no node succeeded")


def expected(nodes: frozenset[Node], *, looked: bool) -> Row:
    """Give what must be shown; `looked` says that a fresh look has found nothing new."""
    there = nodes - {Node.LEFT}
    if not there:
        return NOTHING
    if there == {Node.AWAITED}:
        return WAITING
    if there & (AT_WORK | {Node.AWAITED}):
        return GOES_ON
    if not looked:
        return LOOKS_AGAIN
    if there <= WELL:
        return SUCCEEDED
    return DEGRADED if there & WELL else FAILED


# The same by example, so that neither the rules above nor the machines can be wrong unseen.
EXAMPLES: tuple[tuple[tuple[Node, ...], Row], ...] = (
    ((), NOTHING),
    ((Node.LEFT,), NOTHING),
    ((Node.LEFT, Node.LEFT), NOTHING),
    ((Node.AWAITED,), WAITING),
    ((Node.AWAITED, Node.LEFT), WAITING),
    ((Node.NEXT,), GOES_ON),
    ((Node.RUNNING,), GOES_ON),
    ((Node.REFUSED_FOR_NOW,), GOES_ON),
    ((Node.AWAITED, Node.NEXT), GOES_ON),
    ((Node.AWAITED, Node.RUNNING), GOES_ON),
    ((Node.AWAITED, Node.SUCCEEDED), GOES_ON),
    ((Node.AWAITED, Node.FAILED), GOES_ON),
    ((Node.FAILED, Node.RUNNING), GOES_ON),
    ((Node.FAILED, Node.NEXT), GOES_ON),
    ((Node.SUCCEEDED, Node.RUNNING), GOES_ON),
    ((Node.SUCCEEDED, Node.REFUSED_FOR_NOW), GOES_ON),
    ((Node.SUCCEEDED, Node.FAILED, Node.NEXT), GOES_ON),
    ((Node.SUCCEEDED,), SUCCEEDED),
    ((Node.SUCCEEDED, Node.SUCCEEDED), SUCCEEDED),
    ((Node.SUCCEEDED, Node.LEFT), SUCCEEDED),
    ((Node.FAILED,), FAILED),
    ((Node.FAILED, Node.FAILED), FAILED),
    ((Node.FAILED, Node.LEFT), FAILED),
    ((Node.NEVER_CAME,), FAILED),
    ((Node.REFUSED_FOR_GOOD,), FAILED),
    ((Node.NEVER_CAME, Node.FAILED, Node.REFUSED_FOR_GOOD), FAILED),
    ((Node.SUCCEEDED, Node.FAILED), DEGRADED),
    ((Node.SUCCEEDED, Node.NEVER_CAME), DEGRADED),
    ((Node.SUCCEEDED, Node.REFUSED_FOR_GOOD), DEGRADED),
    ((Node.SUCCEEDED, Node.SUCCEEDED, Node.FAILED, Node.LEFT), DEGRADED),
)
