"""Lasting: which objects of a log can still matter at a moment, as far as their rows' ends tell.

A log grows, and what there is does not: most of its objects have come and gone. What an object
that is there comes to does not depend on what was over before. Of ModelWarmups each goes by itself
(`concerning`), so only those that are there matter, with what is theirs. ModelCaches and
ModelReplicas may have to do with each other within a namespace, and with whatever was on clusters
while they were there: there everything matters that was not over when the first one came that is
there now.
"""

from collections.abc import Iterable
from typing import NamedTuple

from engine.events import Event, Subject
from machines.concerning import OWNED, OWNERS, WARMUP, workload_namespaces
from machines.contents import KIND_BY_TYPE

GONE = "Gone"
SEEN = tuple(KIND_BY_TYPE)  # types of the rows that show an object
_BACK_IN_TIME = "ClusterRolledBack"
TELLING = ("SessionStarted", _BACK_IN_TIME)  # types of the rows that tell how spans are to be taken


class Span(NamedTuple):
    """Where the rows about a subject begin and end."""

    subject: str
    first: int  # seq
    last: int
    is_over: bool  # it was not seen again after it had gone


class Lasting(NamedTuple):
    """Subjects that matter: ModelWarmups, whose Jobs and Pods do too; and all others that do."""

    warmups: frozenset[str]
    others: frozenset[str]


def lasting(spans: Iterable[Span], told: Iterable[Event]) -> Lasting:
    """Tell what matters where these spans end, out of those of ModelWarmups, owners and owned.

    `told` are all rows of the types `TELLING`, in order.
    """
    rows = list(told)
    # What was over may have come again after that: of such a log nothing is left out for its age.
    is_sure = all(row.type != _BACK_IN_TIME for row in rows)
    pairs = [(Subject.parse(span.subject), span) for span in spans]
    begun: dict[str, int] = {}  # by namespace: when the first owner came that is there now
    for subject, span in pairs:
        if subject.kind in OWNERS and not span.is_over:
            for name in (subject.namespace, *workload_namespaces(subject.namespace, rows)):
                begun[name] = min(begun.get(name, span.first), span.first)
    # Elsewhere is what people have put there: it matters as if it were of the oldest.
    oldest = min(begun.values(), default=None)
    others = set[str]()
    for subject, span in pairs:
        if subject.kind in OWNERS or subject.kind in OWNED:
            since = begun.get(subject.namespace, oldest)
            if since is not None and not (is_sure and span.is_over and span.last < since):
                others.add(span.subject)
    return Lasting(
        frozenset(
            span.subject for subject, span in pairs if subject.kind == WARMUP and not span.is_over
        ),
        frozenset(others),
    )
