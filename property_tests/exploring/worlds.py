"""Worlds: what surrounds a core in a search, as values: a move makes a new one.

A world keeps the objects of its clusters, the news of them that the controller has not heard yet,
and the requests and answers that are on their way.
"""

from collections.abc import Iterator
from enum import Enum
from typing import Any, NamedTuple, Protocol, TypeVar

from machines.intents import Intent
from machines.observations import Answer, Observation
from machines.states import State
from property_tests.exploring.cores import Heard, Opened, Told


class Order(NamedTuple):
    """A request on its way: what it is to do, and what it makes of the object, if it makes any."""

    cluster: str
    intent: Intent
    made: Any = None


class Reply(NamedTuple):
    """An answer on its way back, with what was seen on the way."""

    cluster: str
    intent: Intent
    seen: tuple[Observation, ...]
    answer: Answer


class Budget(NamedTuple):
    """How many faults there may still be."""

    crashes: int = 0
    failures: int = 0  # of what runs in the cluster, and deeds of people
    losses: int = 0  # of answers


class Wires(NamedTuple):
    """What is between the controller and the API servers. None of it is told in an order."""

    sent: tuple[Order, ...] = ()  # no longer wanted since
    replies: tuple[Reply, ...] = ()
    late: tuple[Order, ...] = ()  # sent, and nobody waits for the answer any more


class Surroundings(Protocol):
    """What every world is made of, beside its objects."""

    @property
    def wires(self) -> Wires:
        """What is on its way."""

    @property
    def budget(self) -> Budget:
        """What may still go wrong."""

    def _replace(self, **changes: Any) -> Any: ...


World = TypeVar("World", bound=Surroundings)


class Side(Enum):
    """Who has a part in a move (`reducing`)."""

    CLUSTER = 1  # what runs there, or a person: it looks at objects, and sends news
    CONTROLLER = 2  # it hears or forgets: it looks at no object, and makes none
    BOTH = 3


class Move(NamedTuple):
    """One thing that may happen next."""

    words: str
    world: Any  # as it leaves it
    told: Told = ()  # what the controller hears of it
    fault: bool = False  # it need not ever happen: a crash, a failure, a person's deed
    side: Side = Side.BOTH
    line: int = -1  # the one whose first news are heard
    asked: tuple[str, Intent] | None = None  # the request that is carried out
    answers: tuple[str, Intent] | None = None  # the request whose answer arrives


def bounded(farthest: int) -> str:
    """Say how many news may wait, if that is bounded."""
    return "" if farthest == ANY else f", watches at most {farthest} news behind"


class Served(NamedTuple):
    """What a request does: the world after it, what was seen on the way, and the answer."""

    world: Any
    seen: tuple[Observation, ...]
    answer: Answer


class Server(Protocol[World]):
    """The API servers of a world."""

    def order(self, opened: Opened) -> Order:
        """Give the request of a decision."""

    def carry_out(self, world: World, order: Order) -> Served:
        """Do what a request says, with what is there now."""

    def look_up(self, world: World, order: Order) -> Served:
        """Find out whether it was done; the world stays."""

    def is_soon_over(self, order: Order) -> bool:
        """Say whether it is done before a crash, or makes nothing."""

    def words(self, order: Order) -> str:
        """Say what it is to do."""

    def asked_about(self, world: World, reply: Reply) -> World:
        """Ask about what an answer shows and a list since then did not (`SettlingBook`)."""


ANY = 10**6  # so many news never wait


class Game(Server[World], Protocol[World]):
    """A small world: how it begins, what may happen in it, and what must hold there."""

    name: str
    sentence: str  # what it is, for people
    farthest: int  # how many news may wait in a line before anything else happens in a cluster

    def opening(self) -> World:
        """Give the world before the controller has started."""

    def listed(self) -> tuple[Observation, ...]:
        """Give the lists of all kinds in which nothing ever changes."""

    def view(self, state: State) -> Any:
        """Give what the world looks at of a core, beside its decisions."""

    def moves(self, heard: Heard, world: World) -> Iterator[Move]:
        """Give all that may happen next."""

    def unheard(self, world: World) -> tuple[int, ...]:
        """Give how many news wait in each line in which they are heard in order."""

    def broken(self, heard: Heard, world: World) -> Iterator[str]:
        """Give what does not hold of the clusters and should, whatever happens next."""

    def unsettled(self, heard: Heard, world: World) -> Iterator[str]:
        """Give what is not as it should be although nothing is left to happen but faults."""
