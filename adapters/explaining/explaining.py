"""Explaining: one object of a log at one moment."""

from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from adapters.explaining.errors import Misasked, NotHeld
from adapters.explaining.explained import Explained
from adapters.explaining.places import Place
from adapters.explaining.references import Reference, near_names, nearest_of
from adapters.explaining.things import the_thing
from adapters.store.sifting import Part, Sift
from adapters.texts import moment
from engine.events import Event, Subject
from engine.logs import EventReader, LogIdentity
from engine.replaying import END, Moment
from machines.caches.explaining import CacheExplanation
from machines.chronicles import Change, Chronicle, Told
from machines.domain import WARMLOG
from machines.explaining import Explanation, node_views
from machines.explaining_things import explain_thing, owners_of
from machines.histories import History, Line
from machines.kinds import CACHE, REPLICA
from machines.states import State
from machines.things import KINDS, Watcher


class Question(NamedTuple):
    """What is asked."""

    reference: Reference
    only: str | None = None  # of a ModelWarmup this node, of anything else this InferenceCluster
    cluster: str | None = None  # the object's, where the log knows several

    def wants(self, subject: Subject) -> bool:
        """Say whether the answer needs the history of an object: its own, or of a cache of it."""
        kind, namespace, _ = self.reference
        of_cache = (subject.kind, subject.namespace) == (CACHE, namespace)
        return subject[:3] == self.reference or (kind == REPLICA and of_cache)


class Explainer:
    """Explains any object of a log while that is folded, at the row that was folded last."""

    def __init__(self, identity: LogIdentity, chronicle: Chronicle | None = None) -> None:
        """Explain objects of the log `identity`: all, or those that the chronicle wants."""
        self.identity = identity
        self.chronicle = chronicle or Chronicle()
        self.state = WARMLOG.initial(identity.log_id)
        self.last: Event | None = None

    def fold(self, event: Event) -> tuple[Change, ...]:
        """Fold the next row; give the objects, and the parts of them, that it says something of."""
        self.state = WARMLOG.fold(self.state, event)
        self.last = event
        changes = self.chronicle.note(event, self.state)
        WARMLOG.rest(self.state)  # nothing is decided here, so that nothing has to be remembered
        return changes

    def explain(self, told: Told, only: str | None = None) -> Explained | None:
        """Explain an object, or `only` this node or InferenceCluster of it; None if it is gone."""
        found = self.chronicle.explain(self.state, told, only)
        return None if found is None else Explained(found, self.place, only)

    @property
    def place(self) -> Place:
        """Say where in the log this is."""
        last, by = self.last, self.chronicle.recorders.words
        return Place(self.identity, last.seq if last else 0, last.at if last else None, by)


async def explain_object(
    reader: EventReader,
    question: Question,
    bound: Moment = END,
    *,
    log: str = "",
    sift: Sift | None = None,
) -> Explained:
    """Explain an object of a log at a moment; `log` is what people call the log.

    What is deleted is explained as it was just before that. `sift` gives the rows that can matter
    to it, which say the same. Raises Misasked, NotHeld, and what the reader raises.
    """
    if question.reference.kind in KINDS:
        return await _explain_thing(reader, question, bound, log)
    explainer, told = await _the_one_at(reader, question, bound, log, sift)
    if told.gone is None:
        return _answer(explainer, question, told)
    last = Moment(position=told.gone.position - 1)
    before = await _folded_part(await _part_of(question, last, sift), question)
    before = before or await _folded(reader, question.wants, last)
    as_it_was = before.chronicle.history(told.subject.uid)
    if as_it_was is None:
        raise NotHeld(_deleted(question.reference, told.gone))
    return _answer(before, question, as_it_was)._replace(gone=told.gone)


async def _the_one_at(
    reader: EventReader, question: Question, bound: Moment, log: str, sift: Sift | None
) -> tuple[Explainer, Told]:
    """Fold up to a moment, and give what was collected and the history that is meant."""
    explainer = await _folded_part(await _part_of(question, bound, sift), question)
    if explainer is not None:
        with suppress(NotHeld):  # the whole says which there are
            return explainer, _the_one(explainer, question, log)
    explainer = await _folded(reader, question.wants, bound)
    return explainer, _the_one(explainer, question, log)


async def _part_of(question: Question, bound: Moment, sift: Sift | None) -> Part | None:
    return None if sift is None else await sift(question.reference, bound)


async def _folded_part(part: Part | None, question: Question) -> Explainer | None:
    """Fold what can matter, and look from where the whole ends; None without a part."""
    if part is None:
        return None
    explainer = await _folded(part.reader, question.wants, part.moment)
    explainer.last = part.last
    return explainer


async def _explain_thing(
    reader: EventReader, question: Question, bound: Moment, log: str
) -> Explained:
    """Explain what is no object of warmlog's: find whose it is, then have those explain it."""
    reference, watcher = question.reference, Watcher(*question.reference)
    first = await _folded(reader, lambda _: False, bound, watcher)
    clusters = tuple(filter(None, (question.only, question.cluster)))
    where = _holds_no(first, reference, log)
    thing = the_thing(watcher, first.state, reference, clusters, where)
    owners = owners_of(first.state, thing)
    second = await _folded(reader, lambda subject: subject.uid in owners, bound)
    told = explain_thing(second.state, thing, second.chronicle)
    return Explained(told, second.place)


async def _folded(
    reader: EventReader,
    wants: Callable[[Subject], bool],
    bound: Moment,
    watcher: Watcher | None = None,
) -> Explainer:
    """Fold up to the moment, collecting what the answer needs."""
    explainer = Explainer(await reader.identify(), Chronicle(wants))
    async for batch in reader.read(until=bound.position):
        for event in batch:
            if bound.at is not None and event.at > bound.at:
                return explainer
            explainer.fold(event)
            if watcher is not None:
                watcher.note(event, explainer.state)
    return explainer


def _holds_no(explainer: Explainer, reference: Reference, log: str) -> str:
    last = explainer.last
    where = f"at position {last.seq}" if last is not None else "at its beginning"
    return f"The log {f'{log} ' if log else ''}holds no {reference} {where}"


def _answer(explainer: Explainer, question: Question, told: Told) -> Explained:
    found = explainer.explain(told, question.only)
    if found is None:
        raise NotHeld(_deleted(question.reference, told.gone))
    _check_part(found, question, told, explainer.state)
    return found


def _the_one(explainer: Explainer, question: Question, log: str) -> Told:
    """Give the history that is meant: of the living one, else of the one that lived last."""
    reference, cluster = question.reference, question.cluster
    found = [
        each for each in explainer.chronicle.found(*reference) if cluster in {None, each.cluster}
    ]
    living = [each for each in found if each.gone is None]
    clusters = sorted({each.cluster for each in living or found})
    if len(clusters) > 1:
        raise Misasked(f"{reference} is in clusters {', '.join(clusters)}: say --cluster.")
    if not found:
        lists = f": `warmlog replay {log}` lists what it holds" if log else ""
        near = near_names(
            reference, (Reference(*met) for met in explainer.chronicle.met), cutoff=0.8
        )
        raise NotHeld(
            f"{_holds_no(explainer, reference, log)}{f', but {near}' if near else ''}{lists}."
        )
    return (living or found)[-1]


def _check_part(found: Explained, question: Question, told: Told, state: State) -> None:
    """Raise NotHeld if the object has nothing to do with the part that is asked about."""
    reference, only, it = question.reference, question.only, found.told
    if only is None:
        return
    if isinstance(it, Explanation) and isinstance(told, History):
        if not it.nodes and not it.skipped:
            near = nearest_of(
                only, (each.name for each in node_views(state.warmups[it.subject.uid]))
            )
            raise NotHeld(_no_node(reference, told, only, near))
    elif isinstance(it, CacheExplanation) and not it.entries:
        entries = state.caches[it.subject.uid].entries
        known = f"it is on {', '.join(sorted(entries))}" if entries else "it is on none"
        raise NotHeld(f"{reference} is not staged to cluster {only}: {known}.")


def _no_node(reference: Reference, history: History, node: str, near: str) -> str:
    left = history.left.get(node)
    if left is None:
        others = f", but with {near}" if near else ""
        return f"{reference} has nothing to do with node {node}{others}."
    return (
        f"Node {node} left {reference} before it had an outcome, at position {left.seq}, "
        f"{moment(left.at)}: say --at {left.seq - 1} to see it before that."
    )


def _deleted(reference: Reference, gone: Line | None) -> str:
    if gone is None:
        return f"{reference} is deleted."
    return (
        f"{reference} was deleted at position {gone.position}, {moment(gone.at)}: "
        f"say --at {gone.position - 1} to see it before that."
    )
