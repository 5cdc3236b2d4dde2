"""Searching: all states of a world, breadth first, each once, and whether each comes to rest."""

from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from property_tests.exploring.cores import Cores, Heard, Restart
from property_tests.exploring.reducing import Turn, reduced
from property_tests.exploring.requesting import overtaken, wants
from property_tests.exploring.worlds import Game, Move

Progress = Callable[[int, int], None]  # told of states found and looked at
Turns = Callable[[Game[Any], Heard, Any], Iterator[Turn]]  # as `reduced`


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


class Place(NamedTuple):
    """A state of the whole: its core by number, and its world."""

    core: int
    world: Any


class Step(NamedTuple):
    """A turn from one place to another, and what breaks on the way."""

    turn: Turn
    place: Place
    broken: tuple[str, ...]


class Search:
    """A search in one world."""

    def __init__(self, game: Game[Any], cores: Cores, turns: Turns = reduced) -> None:
        """Begin with its opening."""
        self._game = game
        self._cores = cores
        self._turns = turns
        self._numbers: dict[Place, int] = {}
        self._places: list[Place] = []
        self._parents = array("q")
        self._choices = array("q")
        self._depths = array("q")
        # The moves that are no faults, from state to state: those of state n end at `_ends[n]`.
        self._targets = array("q")
        self._ends = array("q")
        self._transitions = 0
        self._resting: list[int] = []
        begun = cores.told(0, (Restart(), *game.listed())).core
        self._find(Place(begun, game.opening()), -1, 0)

    def run(self, progress: Progress | None = None) -> Explored:
        """Look at every state, or until something is wrong."""
        number = 0
        while number < len(self._places):
            wrong = self._look(number)
            if wrong is not None:
                return self._explored(wrong)
            number += 1
            if progress is not None and not number % 10_000:
                progress(len(self._places), number)
        endless = self._endless()
        wrong = self._way(endless[0], ("it can go on for ever from here",)) if endless else None
        return self._explored(wrong, len(endless))

    def resting(self) -> Iterator[Place]:
        """Give the places in which nothing is left to happen but faults."""
        return (self._places[number] for number in self._resting)

    def places(self) -> Sequence[Place]:
        """Give all places that were found."""
        return self._places

    def _look(self, number: int) -> Way | None:
        """Find what may come after a state; give what is wrong with it."""
        place = self._places[number]
        heard = self._cores.heard(place.core)
        broken = tuple(self._game.broken(heard, place.world))
        if broken:
            return self._way(number, broken)
        resting = True
        for choice, step in enumerate(self._steps(place)):
            self._transitions += 1
            if step.broken:
                return self._way(number, step.broken, step.turn.moves)
            found = self._find(step.place, number, choice)
            if not step.turn.fault:
                resting = False
                self._targets.append(found)
        self._ends.append(len(self._targets))
        if not resting:
            return None
        self._resting.append(number)
        broken = tuple(self._game.unsettled(heard, place.world))
        return self._way(number, broken) if broken else None

    def _steps(self, place: Place) -> Iterator[Step]:
        game, cores = self._game, self._cores
        heard = cores.heard(place.core)
        for turn in self._turns(game, heard, place.world):
            broken: tuple[str, ...] = ()
            for move in turn.moves[:-1]:
                broken += tuple(game.broken(heard, move.world))
            if not turn.told:
                yield Step(turn, Place(place.core, turn.world), broken)
                continue
            core, breaks = cores.told(place.core, turn.told)
            after = cores.heard(core)
            if turn.unless is None or not wants(after, turn.unless):
                for world in overtaken(game, heard, after, turn.world):
                    yield Step(turn, Place(core, world), broken + breaks)

    def _find(self, place: Place, parent: int, choice: int) -> int:
        number = self._numbers.get(place)
        if number is None:
            number = self._numbers[place] = len(self._places)
            self._places.append(place)
            self._parents.append(parent)
            self._choices.append(choice)
            self._depths.append(self._depths[parent] + 1 if parent >= 0 else 0)
        return number

    def _way(self, number: int, broken: tuple[str, ...], last: tuple[Move, ...] = ()) -> Way:
        moves = list(reversed(last))
        while self._parents[number] >= 0:
            choice, number = self._choices[number], self._parents[number]
            step = list(self._steps(self._places[number]))[choice]
            moves += reversed(step.turn.moves)
        return Way(tuple(reversed(moves)), broken)

    def _explored(self, wrong: Way | None, endless: int = 0) -> Explored:
        resting = len(self._resting)
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
