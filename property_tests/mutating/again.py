"""Again: what honest code wrote in this process, and what of it must come again.

A log that is replayed must give the same statuses, the same decisions wherever it decided, and the
same of what else a running controller asks (`reading_off`);
what is told again must become the same rows; a story that is played again must leave the same rows
and requests. A mutant that does otherwise is reached there, and matters.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from engine.canonical_json import dumps
from engine.events import Event
from engine.verifying import Verification
from machines.contents import Content
from machines.domain import WARMLOG, Warmlog
from machines.states import State
from property_tests.cache_chaos import CacheChaos
from property_tests.chaos import Chaos
from property_tests.continuing.continuations import Continuation, drawn
from property_tests.continuing.continuations import play as go_on
from property_tests.continuing.crashing import Crash, ends, wrong
from property_tests.continuing.judging import begun, broken
from property_tests.continuing.recordings import Recording, recordings
from property_tests.continuing.recordings import recorded as continued
from property_tests.making import LogInTheMaking
from property_tests.mutating.reading_off import answers
from property_tests.mutating.trials import Differs, Trial
from property_tests.playing.corpora import read_corpus
from property_tests.playing.drawing import draw_and_play
from property_tests.playing.performing import Played, play
from property_tests.playing.quieting import be_quiet
from property_tests.playing.stories import Story, from_json
from property_tests.replica_chaos import ReplicaChaos

LOGS, TOLD, CONTINUED, CRASHED, WORLDS = "logs", "told again", "continued", "crashed", "worlds"
CHAOS: dict[str, type[Any]] = {
    "test_core": Chaos, "test_caches": CacheChaos, "test_replicas": ReplicaChaos,
}  # fmt: skip
EXERCISING = Path(__file__).parents[1] / "exercising"
# Worlds in which conditions came out as they did in no other one.
SEEDS = (
    4000, 4001, 4002, 4004, 4006, 4008, 4009, 4013, 4017, 4026, 4027, 4034, 4038, 4047, 4049, 4056,
    4059, 4060, 4063, 4064, 4066, 4069,
)  # fmt: skip
SEEDS_OF = {
    "replicas": (10003, 10011, 10012, 10016, 10018, 10019),
    "warmups": (10001, 10017, 10034),
    "caches": (10005, 10012),
}
STATUSES = 12  # of a log, evenly: so often all statuses are compared
CONTINUATIONS = 60  # of each recording
CONTINUED_WORLDS = 8  # whose logs are continued, too
CRASHES = 12  # of each recording


class Log(NamedTuple):
    """A log, every status at some of its positions, and what else is asked after each row."""

    log_id: str
    rows: tuple[Event, ...]
    contents: tuple[Content, ...]
    statuses: dict[int, str]
    answers: list[int]  # what a running controller asks, after each row


class _Read(Warmlog):
    """The domain, of a log whose rows have been read."""

    def __init__(self, contents: Sequence[Content]) -> None:
        """Take them."""
        self._contents = contents

    def fold(self, state: State, event: Event) -> State:
        """Fold a row."""
        return self.fold_read(state, event, self._contents[event.seq - 1])


def recorded(log_id: str, rows: Sequence[Event]) -> Log:
    """Note what comes of a log: to be done by honest code."""
    contents = tuple(map(WARMLOG.read, rows))
    verification, statuses = Verification(_Read(contents), log_id), dict[int, str]()
    asked: list[int] = []
    wanted = {len(rows) - len(rows) * part // STATUSES for part in range(STATUSES)}
    for event in rows:
        verification.take(event)
        asked.append(answers(verification.state))
        if event.seq in wanted:
            statuses[event.seq] = _shown(verification.state)
    return Log(log_id, tuple(rows), contents, statuses, asked)


def replay(log: Log) -> None:
    """Fold a log, decide again wherever it decided, and ask again. Raises Differs."""
    try:
        _replay(log)
    except Exception as error:
        raise Differs(repr(error)) from error


def _replay(log: Log) -> None:
    verification = Verification(_Read(log.contents), log.log_id)
    for event, asked in zip(log.rows, log.answers, strict=True):
        _same(None, verification.take(event))
        _same(asked, answers(verification.state))
        if event.seq in log.statuses:
            _same(log.statuses[event.seq], _shown(verification.state))
    _same(None, verification.end())


def _shown(state: State) -> str:
    return dumps([[*one.subject, one.status] for one in WARMLOG.project(state)])


def _same(had: object, has: object) -> None:
    if had != has:
        raise Differs(f"{has}"[:200])


def tell(sort: type[LogInTheMaking], actions: Sequence[Any], rows: Sequence[Event]) -> None:
    """Tell a story of chaos again. Raises Differs when its rows are others."""
    try:
        _same(rows, told(sort, actions))
    except Exception as error:
        raise Differs(repr(error)[:200]) from error


def told(sort: type[LogInTheMaking], actions: Sequence[Any]) -> list[Event]:
    """Give the rows that a story of chaos makes."""
    chaos: Any = sort()
    for action in actions:
        chaos.take(action)
    rows: list[Event] = chaos.rows
    return rows


def trials(
    stories: Mapping[str, Sequence[Sequence[Any]]], made: Iterable[tuple[str, list[Event]]]
) -> Iterator[Trial]:
    """Give them all; `stories` are those of chaos, by the module that tells them, `made` logs."""
    logs = [(name, recorded("log", rows)) for name, rows in made]
    for room, drawn_stories in stories.items():
        for number, actions in enumerate(drawn_stories):
            name, rows = f"{room} {number}", told(CHAOS[room], actions)
            logs.append((name, recorded("chaos", rows)))
            play_again = partial(tell, CHAOS[room], actions, rows)
            yield Trial(f"{TOLD} {name}", TOLD, play_again, f"{TOLD} {name}", only_again=True)
    for recording in recordings():
        logs.append((recording.name, recorded(recording.log_id, _events(recording))))
        yield from _continuations(recording, CONTINUATIONS)
        yield from _crashes(recording)
    for number, (name, played) in enumerate(_played()):
        found = [(f"{name}-{number}", log) for number, log in enumerate(_logs(played))]
        logs += found
        if number < CONTINUED_WORLDS:
            yield from _continued_worlds(found)
        again = partial(play_story, played.story, left_by(played))
        yield Trial(f"{WORLDS} {name}", WORLDS, again, f"{WORLDS} {name}")
    for name, log in logs:
        told_name = f"{LOGS} {name}"
        yield Trial(told_name, LOGS, partial(replay, log), told_name, only_again=True)


def _events(recording: Recording) -> list[Event]:
    return [row.event for row in recording.rows]


def _logs(played: Played) -> Iterator[Log]:
    evidence = played.world.witness.evidence
    for log_id, rows in zip(evidence.log_ids, evidence.logs, strict=True):
        if len(rows) > 1:
            yield recorded(log_id, rows)


def _played() -> Iterator[tuple[str, Played]]:
    """Play the told worlds and those of the corpus."""
    be_quiet()
    for path in sorted(EXERCISING.glob("*.json")):
        yield path.stem, play(from_json(path.read_text()))
    for seed in (*read_corpus(), *SEEDS):
        yield str(seed), draw_and_play(seed)
    for sort, seeds in SEEDS_OF.items():
        for seed in seeds:
            yield f"{sort}-{seed}", draw_and_play(seed, world=sort)


def left_by(played: Played) -> tuple[list[Event], list[Any]]:
    """Give what a story leaves: all rows, and all requests."""
    sent = [(one.cluster, one.request) for one in played.world.witness.evidence.sent]
    return played.rows, sent


def play_story(story: Story, left: tuple[list[Event], list[Any]]) -> None:
    """Play a story again: every sentence must hold, and it must leave the same. Raises Differs."""
    _same(left, left_by(play(story)))


def _continued_worlds(logs: list[tuple[str, Log]]) -> Iterator[Trial]:
    for name, log in logs:
        prepared = continued(name, log.log_id, log.rows)
        if prepared.positions:
            yield from _continuations(prepared, min(CONTINUATIONS, len(log.rows)))


def _continuations(recording: Recording, count: int) -> Iterator[Trial]:
    random = Random(recording.name)
    for _ in range(count):
        continuation = drawn(random, recording)
        rows, wrong_already = _gone_on(recording, continuation)
        if wrong_already:
            continue  # what a backup brought back is another world's
        again = partial(continue_, recording, continuation, rows)
        name = f"{CONTINUED} {continuation}"
        yield Trial(name, CONTINUED, again, name)


def _gone_on(recording: Recording, continuation: Continuation) -> tuple[list[Event], list[str]]:
    before = begun(recording.states[continuation.position])
    run = go_on(recording, continuation, judged=True)
    rows = list(run.rows)
    return rows, [*run.broken, *broken(run.state, before)]


def continue_(recording: Recording, continuation: Continuation, rows: list[Event]) -> None:
    """Let a recording go on: every law must hold, and the rows be the same. Raises Differs."""
    made, found = _gone_on(recording, continuation)
    assert not found, found[0]
    _same(rows, made)


def _crashes(recording: Recording) -> Iterator[Trial]:
    parts = (len(recording.rows) * (part + 1) // (CRASHES + 1) for part in range(CRASHES))
    for part, position in enumerate(sorted({max(1, position) for position in parts})):
        crash = Crash(recording.name, position, landed=part % 2 == 0)
        name = f"{CRASHED} {crash}"
        yield Trial(name, CRASHED, partial(crash_at, recording, crash), name)


def crash_at(recording: Recording, crash: Crash) -> None:
    """Crash, and go on: every law must hold, and all come out as it had."""
    state = WARMLOG.initial(recording.log_id)
    for row in recording.rows[: crash.position]:
        state = WARMLOG.fold_read(state, row.event, row.content)
    found = wrong(recording, crash, state, ends(recording))
    assert not found, found[0]
