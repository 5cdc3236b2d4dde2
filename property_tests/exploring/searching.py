"""Searching: all states of a world, breadth first, each once, and whether each comes to rest."""

from array import array
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from property_tests.exploring.cores import Cores, Restart
from property_tests.exploring.worlds import Game, Move

Progress = Callable[[int, int], None]  # told of states found and looked at


class Way(NamedTuple):
    """A shortest way to a state, and what is wrong there."""

    moves: tuple[Move, ...]
    broken: tuple[str, ...]


class Explored(NamedTuple):
    """What a search has found."""

    states: int
    transitions: int
    depth: int  # moves to the farthest state
    cores: int  # states of the core among them
    resting: int  # states in which nothing is left to happen but faults
    endless: int  # states from which it can go on for ever without a fault
    wrong: Way | None  # the first that was found, if any


class Search:
    """A search in one world."""

    def __init__(self, game: Game[Any], cores: Cores) -> None:
        """Begin with its opening."""
        self._game = game
        self._cores = cores
        self._numbers: dict[tuple[int, Any], int] = {}
        self._places: list[tuple[int, Any]] = []
        self._parents = array("q")
        self._choices = array("q")
        self._depths = array("q")
        # The moves that are no faults, from state to state: those of state n end at `_ends[n]`.
        self._targets = array("q")
        self._ends = array("q")
        self._transitions = 0
        self._find((cores.told(0, (Restart(), *game.listed())).core, game.opening()), -1, 0)

    def run(self, progress: Progress | None = None) -> Explored:
        """Look at every state, or until something is wrong."""
        number = 0
        while number < len(self._places):
            wrong = self._look(number)
            if wrong is not None:
                return self._explored(wrong, number)
            number += 1
            if progress is not None and not number % 10_000:
                progress(len(self._places), number)
        endless = self._endless()
        wrong = self._way(endless[0], ("it can go on for ever from here",)) if endless else None
        return self._explored(wrong, number, len(endless))

    def _look(self, number: int) -> Way | None:
        """Find what may come after a state; give what is wrong with it."""
        core, world = self._places[number]
        heard = self._cores.heard(core)
        broken = tuple(self._game.broken(heard, world))
        if broken:
            return self._way(number, broken)
        resting = True
        for choice, move in enumerate(self._game.moves(heard, world)):
            self._transitions += 1
            outcome = self._cores.told(core, move.told) if move.told else None
            if outcome is not None and outcome.broken:
                return self._way(number, outcome.broken, move)
            after = (outcome.core if outcome is not None else core), move.world
            found = self._find(after, number, choice)
            if not move.fault:
                resting = False
                self._targets.append(found)
        self._ends.append(len(self._targets))
        broken = tuple(self._game.unsettled(heard, world)) if resting else ()
        return self._way(number, broken) if broken else None

    def _find(self, place: tuple[int, Any], parent: int, choice: int) -> int:
        number = self._numbers.get(place)
        if number is None:
            number = self._numbers[place] = len(self._places)
            self._places.append(place)
            self._parents.append(parent)
            self._choices.append(choice)
            self._depths.append(self._depths[parent] + 1 if parent >= 0 else 0)
        return number

    def _way(self, number: int, broken: tuple[str, ...], last: Move | None = None) -> Way:
        moves = [last] if last is not None else []
        while self._parents[number] >= 0:
            choice, number = self._choices[number], self._parents[number]
            core, world = self._places[number]
            every = list(self._game.moves(self._cores.heard(core), world))
            moves.append(every[choice])
        return Way(tuple(reversed(moves)), broken)

    def _explored(self, wrong: Way | None, looked_at: int, endless: int = 0) -> Explored:
        resting = sum(1 for number in range(looked_at) if not self._left(number))
        return Explored(
            len(self._places), self._transitions, max(self._depths), len(self._cores),
            resting, endless, wrong,
        )  # fmt: skip

    def _left(self, number: int) -> int:
        """Give how many moves a state has that are no faults."""
        if number >= len(self._ends):
            return 0
        return self._ends[number] - (self._ends[number - 1] if number else 0)

    def _after(self, number: int) -> Iterator[int]:
        start = self._ends[number - 1] if number else 0
        yield from self._targets[start : self._ends[number]]

    def _endless(self) -> list[int]:
        """Give the states from which moves without a fault need never end.

        Taken away are those that rest, then those all of whose moves lead to what was taken away;
        each state that is left has a move to another one that is.
        """
        left = array("q", (self._left(number) for number in range(len(self._places))))
        before: list[list[int]] = [[] for _ in self._places]
        for number in range(len(self._places)):
            for after in self._after(number):
                before[after].append(number)
        resting = [number for number, moves in enumerate(left) if not moves]
        while resting:
            for number in before[resting.pop()]:
                left[number] -= 1
                if not left[number]:
                    resting.append(number)
        return [number for number, moves in enumerate(left) if moves]
