"""Lasting: which objects of a log can still matter at a moment, as far as their rows' ends tell.

A log grows, and what there is does not: most of its objects have come and gone. What an object
that is there comes to does not depend on what was over before. Of ModelWarmups each goes by itself
(`concerning`), so only those that are there matter, with what is theirs. ModelCaches and
ModelReplicas may have to do with each other within a namespace, and with whatever was on clusters
while they were there: there everything matters that was not over when the first one came that is
there now, and so it does where people have put what names such an owner. An owner that is gone is
not over before what it left behind is.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from engine.events import Event, Subject
from machines.caches.child_names import claim_name, hydration_job_name
from machines.concerning import OWNED, OWNERS, fixed_namespaces, workload_namespaces
from machines.contents import KIND_BY_TYPE
from machines.intents import INTENT_BY_TYPE
from machines.kinds import CACHE, WARMUP

GONE = "Gone"
SEEN = tuple(KIND_BY_TYPE)  # types of the rows that show an object
ASKED = tuple(INTENT_BY_TYPE)  # and that ask for something, and that end the asking
ANSWERED = ("IntentDone", "IntentRefused", "IntentAbsent")
_BACK_IN_TIME = "ClusterRolledBack"
_LONGEST = 50  # of what is left of an owner's name, at least, in the names of what it has
TELLING = ("SessionStarted", _BACK_IN_TIME)  # types of the rows that tell how spans are to be taken


class Span(NamedTuple):
    """Where the rows about a subject begin and end."""

    subject: str
    first: int  # seq
    last: int
    is_over: bool  # it was not seen again after it had gone, on whichever cluster
    is_asking: bool = False  # something that was asked for it has no answer


class Home(NamedTuple):
    """A namespace in which something was seen that names an owner of another one, or of its own."""

    namespace: str
    owner_namespace: str


class Lasting(NamedTuple):
    """Subjects that matter: ModelWarmups, whose Jobs and Pods do too; and all others that do."""

    warmups: frozenset[str]
    others: frozenset[str]


def lasting(spans: Iterable[Span], told: Iterable[Event], homes: Iterable[Home] = ()) -> Lasting:
    """Tell what matters where these spans end, out of those of ModelWarmups, owners and owned.

    `told` are all rows of the types `TELLING`, in order; `homes` those of all that is owned.
    """
    rows = list(told)
    fixed = fixed_namespaces(rows)
    # What was over may have come again after that: of such a log nothing is left out for its age.
    is_sure = all(row.type != _BACK_IN_TIME for row in rows)
    pairs = [(Subject.parse(span.subject), span) for span in spans]
    begun = _begun(pairs, fixed, homes)
    # Elsewhere is what people have put there: it matters as if it were of the oldest.
    oldest = min(begun.values(), default=None)
    others, past = set[str](), list[tuple[Subject, Span]]()
    for subject, span in pairs:
        if subject.kind in OWNERS or subject.kind in OWNED:
            since = begun.get(subject.namespace, oldest)
            if since is not None and not (is_sure and span.is_over and span.last < since):
                others.add(span.subject)
            elif since is not None and subject.kind in OWNERS:
                past.append((subject, span))
    if past:
        others |= _outlived(past, others, _Left(pairs, fixed))
    return Lasting(
        frozenset(
            span.subject for subject, span in pairs if subject.kind == WARMUP and not span.is_over
        ),
        frozenset(others),
    )


def _begun(
    pairs: Iterable[tuple[Subject, Span]], fixed: frozenset[str], homes: Iterable[Home]
) -> Mapping[str, int]:
    """Tell by namespace when the first owner came that is there now and may have something there.

    Namespaces of which no owner is there are left out.
    """
    begun: dict[str, int] = {}
    for subject, span in pairs:
        if subject.kind in OWNERS and not span.is_over:
            for name in (subject.namespace, *workload_namespaces(subject.namespace, fixed)):
                begun[name] = min(begun.get(name, span.first), span.first)
    own = dict(begun)
    for home in homes:
        if home.namespace in begun and home.owner_namespace in own:
            begun[home.namespace] = min(begun[home.namespace], own[home.owner_namespace])
    return begun


def _outlived(
    past: Iterable[tuple[Subject, Span]], others: AbstractSet[str], left: "_Left"
) -> set[str]:
    """Give the owners that are not over, though they are gone, and what they have.

    Something that they left, and that matters, went after them, or an answer is still to come.
    """
    found = set[str]()
    for subject, span in past:
        theirs = left.of(subject, span)
        later = (one.subject for one in theirs if not one.is_over or one.last > span.last)
        if span.is_asking or not others.isdisjoint(later):
            found |= {span.subject, *(one.subject for one in theirs)}
    return found


class _Left:
    """What owners have, or had, on clusters, found by their names."""

    def __init__(self, pairs: Iterable[tuple[Subject, Span]], fixed: frozenset[str]) -> None:
        self._fixed = fixed
        self._spans: dict[str, list[Span]] = {}
        for subject, span in pairs:
            if subject.kind in OWNED:
                key = f"{subject.namespace}/{subject.name}-"
                self._spans.setdefault(key, []).append(span)
        self._keys = sorted(self._spans)

    def of(self, owner: Subject, span: Span) -> list[Span]:
        """Give what came before an owner had gone, and may have its names from it."""
        return [
            one
            for place in workload_namespaces(owner.namespace, self._fixed)
            for name in _names(owner)
            for key in self._beginning(f"{place}/{name}")
            for one in self._spans[key]
            if one.first <= span.last
        ]

    def _beginning(self, text: str) -> Iterator[str]:
        for at in range(bisect_left(self._keys, text), len(self._keys)):
            if not self._keys[at].startswith(text):
                return
            yield self._keys[at]


def _names(owner: Subject) -> tuple[str, ...]:
    """Give how the names of what an owner has begin, each ended by a dash."""
    if owner.kind == CACHE:
        place = owner.namespace, owner.name
        return f"{claim_name(*place)}-", f"{hydration_job_name(*place)}-"
    return (f"{owner.name}-"[:_LONGEST],)
