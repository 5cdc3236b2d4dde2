"""The clock of a running controller: never back, and never standing still."""

from adapters.running.clocks import SteadyClock


class Machine:
    """A machine whose two clocks a test sets."""

    def __init__(self) -> None:
        """Begin at 1,000 on both."""
        self.wall = self.monotonic = 1_000

    def pass_by(self, nanoseconds: int) -> None:
        """Let time pass on both clocks."""
        self.wall += nanoseconds
        self.monotonic += nanoseconds


def steady(machine: Machine, begin: int = 0) -> SteadyClock:
    """A clock over that machine."""
    return SteadyClock(begin, wall=lambda: machine.wall, monotonic=lambda: machine.monotonic)


def test_it_follows_the_wall_clock() -> None:
    """While nobody sets the machine's clock, both say the same; set forward, it follows."""
    machine = Machine()
    clock = steady(machine)
    machine.pass_by(5)
    assert clock() == 1_005
    machine.wall += 500
    assert clock() == 1_505


def test_a_clock_set_back_neither_stops_nor_turns_it() -> None:
    """An hour taken off the wall clock leaves every deadline where it was: time goes on passing."""
    machine = Machine()
    clock = steady(machine)
    before = clock()
    machine.wall -= 600
    machine.pass_by(7)
    assert clock() == before + 7


def test_it_begins_no_earlier_than_the_log_ends() -> None:
    """A log whose last row lies in the future is gone on from at the pace of real time."""
    machine = Machine()
    clock = steady(machine, begin=9_000)
    machine.pass_by(3)
    assert clock() == 9_003
