"""Perturbing: in which ways a recorded log may go on otherwise than it did.

Those of Sieve (an intermediate state skipped, a stale one told again, one never observed) and what
else clusters, networks and crashes do. Each takes the story that would be told on, and two numbers
of any size, which choose where and how much; so any pair of numbers is a perturbation that can be
played, and a smaller number is an earlier or a smaller one.
"""

from collections.abc import Callable, Iterator
from functools import partial

from machines.domain import WARMLOG
from machines.ingesting import next_deadline
from machines.observations import Answer, Deleted, Reachability, Refused, Unknown
from machines.states import Known
from property_tests.continuing.recordings import ANSWERS, REST, Recording
from property_tests.continuing.telling import Run, Told, listing

Story = list[Told]
Perturbation = Callable[[Recording, list[int], int, int], Story]

REFUSALS = (
    Refused(403, "Forbidden", "exceeded quota"),
    Refused(422, "Invalid", "spec.x: wrong", field=True),
    Refused(409, "AlreadyExists", "exists"),
    Refused(409, "NameTaken", "exists"),
    Refused(409, "JobNameConflict", "Job j is somebody else's"),
    Refused(403, "Forbidden", "namespace is terminating", terminating=True),
    Refused(500, "InternalError", "etcdserver: leader changed"),
)
_FEW = 8  # facts behind which one comes late
_MANY = 24  # facts during which a cluster does not answer


def nothing(recording: Recording, facts: list[int], one: int, two: int) -> Story:
    """All goes on as it was recorded."""
    return [*facts]


def unobserved(recording: Recording, facts: list[int], one: int, two: int) -> Story:
    """A fact is never told."""
    place = _nth(facts, one)
    return [*facts[:place], *facts[place + 1 :]]


def stopped(recording: Recording, facts: list[int], one: int, two: int) -> Story:
    """After a fact nothing more is told: what holds at an end has to hold on the way there."""
    return [*facts[: _nth(facts, one) + 1]]


def skipped(recording: Recording, facts: list[int], one: int, two: int) -> Story:
    """A level of an object is not seen, only the next one of it."""
    subjects = [_subject(recording, fact) for fact in facts]
    followed = [n for n, who in enumerate(subjects) if who and who in subjects[n + 1 :]]
    place = followed[one % len(followed)] if followed else _nth(facts, one)
    return [*facts[:place], *facts[place + 1 :]]


def doubled(recording: Recording, facts: list[int], one: int, two: int) -> Story:
    """A fact is told once more, a little later."""
    place = _nth(facts, one)
    again = place + 1 + two % _FEW
    return [*facts[:again], facts[place], *facts[again:]]


def stale(recording: Recording, facts: list[int], one: int, two: int) -> Story:
    """A fact from before the position is told again."""
    before = facts[0] if facts else len(recording.rows)
    past = [n for n in range(before) if not WARMLOG.is_decision(recording.rows[n].event.type)]
    again = [n for n in past if recording.rows[n].event.type != "SessionStarted"]
    place = _nth(facts, one)
    return [*facts[:place], *again[two % len(again) :][:1], *facts[place:]] if again else [*facts]


def delayed(recording: Recording, facts: list[int], one: int, two: int) -> Story:
    """A fact comes late, behind those of other objects."""
    place = _nth(facts, one)
    late, until = _subject(recording, facts[place]), place + 1
    for fact in facts[place + 1 :][: 1 + two % _FEW]:
        if late and _subject(recording, fact) == late:
            break
        until += 1
    return [*facts[:place], *facts[place + 1 : until], facts[place], *facts[until:]]


def swapped(recording: Recording, facts: list[int], one: int, two: int) -> Story:
    """A fact and the next one of another object come the other way round."""
    place = _nth(facts, one)
    mine = _subject(recording, facts[place])
    for other in range(place + 1, len(facts)):
        if facts[other] != REST and _subject(recording, facts[other]) != mine:
            between = facts[place + 1 : other]
            swap = [facts[other], *between, facts[place]]
            return [*facts[:place], *swap, *facts[other + 1 :]]
    return [*facts]


def deleted(recording: Recording, facts: list[int], one: int, two: int) -> Story:
    """Somebody deletes an object that is known."""
    return _with(facts, one, partial(_delete, which=two))


def unlisted(recording: Recording, facts: list[int], one: int, two: int) -> Story:
    """A list comes that does not hold an object which is known."""
    return _with(facts, one, partial(_list_without, which=two))


def unanswered(recording: Recording, facts: list[int], one: int, two: int) -> Story:
    """No answer comes to a request; what became of it is found out later."""
    return _answered(recording, facts, one, two % _FEW, Unknown("timed out"))


def refused(recording: Recording, facts: list[int], one: int, two: int) -> Story:
    """The API server says no, and to the same request later what it had said."""
    return _answered(recording, facts, one, _FEW, REFUSALS[two % len(REFUSALS)])


def crashed(recording: Recording, facts: list[int], one: int, two: int) -> Story:
    """The controller crashes, starts anew, and lists everything again."""
    return _with(facts, one, restart)


def cut_off(recording: Recording, facts: list[int], one: int, two: int) -> Story:
    """A cluster does not answer for a while: what happens there is seen afterwards."""
    place = _nth(facts, one)
    cluster = recording.rows[facts[place]].event.cluster if facts[place] != REST else ""
    if not cluster:
        return [*facts]
    until = place + 1 + two % _MANY
    during = facts[place:until]
    missed = [n for n in during if n != REST and recording.rows[n].event.cluster == cluster]
    others = [n for n in during if n not in missed]
    lost = partial(_reach, cluster=cluster, reachable=False)
    found = partial(_reach, cluster=cluster, reachable=True)
    return [*facts[:place], lost, REST, *others, found, *missed, REST, *facts[until:]]


def later(recording: Recording, facts: list[int], one: int, two: int) -> Story:
    """Everything takes so long that what is waited for comes to its time first."""
    return _with(facts, one, wait)


PERTURBATIONS: dict[str, Perturbation] = {
    one.__name__: one
    for one in (
        nothing, unobserved, stopped, skipped, doubled, stale, delayed, swapped, deleted, unlisted,
        unanswered, refused, crashed, cut_off, later,
    )
}  # fmt: skip


def restart(run: Run) -> None:
    """Begin another session, and list all that was listed in the one before."""
    clusters = run.state.clusters
    listed = [(name, kind) for name, cluster in clusters.items() for kind in cluster.synced]
    run.restart(run.recording.session(run.begun_at))
    run.rest()
    run.observe(listing(run.state, name, kind) for name, kind in listed)
    run.rest()


def wait(run: Run, most: int | None = None) -> None:
    """Let time pass to the next deadline, unless it is too far; all that is told comes later."""
    due = next_deadline(run.state)
    if due is not None and due > run.clock and (most is None or due <= run.clock + most):
        run.later += due - run.clock
        run.clock = due


def _nth(facts: list[int], one: int) -> int:
    """Give the place of the nth fact, rests not counted."""
    places = [place for place, fact in enumerate(facts) if fact != REST]
    return places[one % len(places)]


def _subject(recording: Recording, fact: int) -> tuple[str, str] | None:
    """Say which object a fact is about; None of what is about none, or about a decision."""
    if fact == REST or recording.rows[fact].key is not None:
        return None
    event, content = recording.rows[fact].event, recording.rows[fact].content
    return (event.cluster, event.subject) if content.subject.uid else None


def _with(facts: list[int], one: int, deed: Callable[[Run], None]) -> Story:
    place = _nth(facts, one)
    return [*facts[:place], deed, REST, *facts[place:]]


def _answered(recording: Recording, facts: list[int], one: int, two: int, answer: Answer) -> Story:
    """Answer otherwise first; the recorded answer comes so many facts later."""
    places = [n for n, fact in enumerate(facts) if fact != REST and _is_answer(recording, fact)]
    if not places:
        return [*facts]
    place = places[one % len(places)]
    row, until = recording.rows[facts[place]], place + 1 + two
    deed = partial(_answer, row=facts[place], answer=answer)
    assert row.key is not None
    return [*facts[:place], deed, *facts[place + 1 : until], facts[place], *facts[until:]]


def _is_answer(recording: Recording, fact: int) -> bool:
    row = recording.rows[fact]
    return row.key is not None and row.event.type in ANSWERS


def _answer(run: Run, row: int, answer: Answer) -> None:
    told = run.recording.rows[row]
    run.clock = max(run.clock, told.event.at + run.later)
    run.answer(told, answer)


def _objects(run: Run) -> Iterator[tuple[str, Known]]:
    for name, cluster in run.state.clusters.items():
        for known in cluster.objects.values():
            yield from ((name, one) for one in known.values())


def _delete(run: Run, which: int) -> None:
    there = list(_objects(run))
    if there:
        cluster, known = there[which % len(there)]
        run.observe([Deleted(cluster, known.subject, str(known.version + 1))])


def _list_without(run: Run, which: int) -> None:
    there = list(_objects(run))
    if there:
        cluster, known = there[which % len(there)]
        subject = known.subject
        run.observe([listing(run.state, cluster, subject.kind, without=subject.uid)])


def _reach(run: Run, cluster: str, *, reachable: bool) -> None:
    words = "" if reachable else "no route to host"
    run.observe([Reachability(cluster, reachable, words)])
