"""Reducing: of all orders in which the same comes about, one is enough.

What runs in a cluster looks at its objects alone, and sends news to the end of a line; the
controller hears what stands first in one. So a move of the cluster and one of the controller after
it may change places, and leave the same world and the same core, unless the controller hears the
very news that the move has sent. Where both have a part, as when a list is taken, nothing changes
places. A request that is carried out is a move of the cluster to whatever the controller does next,
but to hear its answer, and to want it no more. A crash is the controller's: what is sent to a line
that it forgets is forgotten, before as after, what is listed then shows both, and a request that it
has open may still be carried out.

So each story is as good as one in which every move of a cluster comes as late as it can: after it
comes another one, or a move of both, or its own news are heard, which then stand alone in their
line. Only such stories are told: a `Turn` is what a cluster does, and what it does it for. They
tell the core the same in the same order, and their clusters go through the same worlds; and as a
cluster comes to be no sooner than it must, a sentence that the core says of it is judged when it
is least true. Places within a turn are judged, but not kept.

Where nothing of both can come next and each line holds something, what the cluster does now can
neither be heard next nor matter: it comes later.

The only bound is one that a world names itself: how many news there may be in a line (`farthest`).
Where there is one, what would send another waits until something was heard.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from machines.intents import Intent
from property_tests.exploring.cores import Heard
from property_tests.exploring.requesting import looked_up
from property_tests.exploring.worlds import Game, Move, Side

_CLUSTER, _BOTH = Side.CLUSTER, Side.BOTH


class Turn(NamedTuple):
    """Moves that come one after the other; the core hears of the last one only."""

    moves: tuple[Move, ...]
    world: Any  # as they leave it
    unless: tuple[str, Intent] | None = None  # it only comes if this is not wanted afterwards

    @property
    def told(self) -> Any:
        """What the core hears."""
        return self.moves[-1].told

    @property
    def fault(self) -> bool:
        """Say whether it need not ever happen."""
        return any(move.fault for move in self.moves)


class _Run(NamedTuple):
    """Where a cluster has come to by itself."""

    moves: tuple[Move, ...]
    world: Any
    line: int = -1  # the one at whose end the news of the last move are
    asked: tuple[str, Intent] | None = None  # the request that the last move has carried out


def reduced(game: Game[Any], heard: Heard, world: Any) -> Iterator[Turn]:
    """Give the turns that may come next in such a story."""
    runs = [_Run((), world)]
    met = {world}
    while runs:
        run = runs.pop()
        every = list(game.moves(heard, run.world))
        lines = game.unheard(run.world)
        if all(lines) and all(move.side is not _BOTH for move in every):
            every = [move for move in every if move.side is not _CLUSTER]
        for move in every:
            turn = (*run.moves, move)
            if move.told or not (move.side is _CLUSTER or move.asked):
                yield from _ending(run, turn, lines)
                continue
            after = game.unheard(move.world)
            if after != lines and max(after) > game.farthest:
                continue
            line = _line(lines, after)
            worlds = looked_up(game, heard, run.world, move.world)
            ahead = _Run(turn, next(worlds), line, move.asked)
            if (ahead.world, line, move.asked) not in met:
                met.add((ahead.world, line, move.asked))
                runs.append(ahead)
            yield from (Turn(turn, one) for one in worlds)


def _ending(run: _Run, turn: tuple[Move, ...], lines: tuple[int, ...]) -> Iterator[Turn]:
    """Give the turn that a move ends, if it may come after what the cluster did last."""
    move = turn[-1]
    own = move.line >= 0 and move.line == run.line and lines[move.line] == 1
    answered = run.asked is not None and move.answers == run.asked
    if not run.moves or move.side is _BOTH or own or answered:
        yield Turn(turn, move.world)
    elif run.asked is not None:
        yield Turn(turn, move.world, run.asked)


def _line(before: tuple[int, ...], after: tuple[int, ...]) -> int:
    for line, (fewer, more) in enumerate(zip(before, after, strict=True)):
        if more > fewer:
            return line
    return -1


def every_turn(game: Game[Any], heard: Heard, world: Any) -> Iterator[Turn]:
    """Give each move as a turn: for comparison."""
    for move in game.moves(heard, world):
        worlds = iter([move.world]) if move.told else looked_up(game, heard, world, move.world)
        yield from (Turn((move,), one) for one in worlds)
