"""What goes wrong between a client and the API server, switched on by tests."""

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

from adapters.ports import Request, Response
from adapters.simulator.answers import failure

Matching = Callable[[Request], bool]


class SenderDied(Exception):
    """Whoever sent a request ended at that moment, and its memory with it."""


class Loss(StrEnum):
    """Where a request is lost."""

    REQUEST = "request"  # before the server saw it: nothing happened
    REPLY = "reply"  # after the server carried it out


class Death(StrEnum):
    """When the sender of a request dies."""

    UNSENT = "unsent"  # before the server saw it: nothing happened
    UNHEARD = "unheard"  # after the server carried it out, before the answer came


class Slowness(NamedTuple):
    """How long a request takes; what takes longer than its sender waits is a time-out.

    What takes too long on its way to the server never gets there.
    """

    there_seconds: float = 0.0  # before the server carries it out
    back_seconds: float = 0.0  # after


class Stay(StrEnum):
    """Where a request is under way until whoever drives its sender goes on."""

    THERE = "there"  # before the server sees it
    BACK = "back"  # the server has carried it out, and its answer is under way


Fault = Loss | Death | Slowness | Stay | Response


def _at_once(seconds: float) -> None:
    """No time passes where nobody drives."""


class Plan(NamedTuple):
    """What befalls the requests that match: `skipped` of them pass first, then `times` do not."""

    matching: Matching
    fault: Fault
    times: int
    skipped: int


class Faults:
    """The faults that stand ready; the first plan that matches a request is used up by it."""

    def __init__(self) -> None:
        """Begin with none."""
        self.unreachable = ""  # words of the network; not empty: nothing gets through
        self.list_version: int | None = None  # lists are answered as of this version
        self.list_versions: dict[str, int] = {}  # the same by kind, for that kind alone
        self.wait: Callable[[float], None] = _at_once  # lets time pass; whoever drives sets it
        self._plans: list[Plan] = []

    def add(self, matching: Matching, fault: Fault, *, times: int = 1, skipped: int = 0) -> None:
        """Have `fault` befall the next `times` requests that match, after `skipped` of them."""
        self._plans.append(Plan(matching, fault, times, skipped))

    def remove(self, fault: Fault) -> None:
        """Forget every plan for this fault."""
        self._plans = [plan for plan in self._plans if plan.fault != fault]

    def clear(self) -> None:
        """Make the network and the server well again."""
        self.unreachable = ""
        self.list_version = None
        self.list_versions = {}
        self._plans = []

    def version_listed(self, kind: str) -> int | None:
        """Give the version as of which a kind is listed; None: the newest."""
        return self.list_versions.get(kind, self.list_version)

    def befalling(self, request: Request) -> Fault | None:
        """Give what befalls this request, and count it."""
        for index, plan in enumerate(self._plans):
            if not plan.matching(request):
                continue
            if plan.skipped:
                self._plans[index] = plan._replace(skipped=plan.skipped - 1)
                return None
            if plan.times > 1:
                self._plans[index] = plan._replace(times=plan.times - 1)
            else:
                del self._plans[index]
            return plan.fault
        return None


def every(method: str = "", part: str = "") -> Matching:
    """Match requests by method and by a part of their path; empty matches all."""

    def matches(request: Request) -> bool:
        return method in {"", request.method} and part in request.path

    return matches


def too_many_requests() -> Response:
    """Give the 429 of a server that sheds load."""
    words = "Too many requests, please try again later."
    return failure(429, "TooManyRequests", words, {"retryAfterSeconds": 1})


def internal_error(words: str = "etcdserver: request timed out") -> Response:
    """Give a 500."""
    message = f"Internal error occurred: {words}"
    details = {"causes": [{"message": words}]}
    return failure(500, "InternalError", message, details)


def version_conflict() -> Response:
    """Give the 409 of a write that raced with another."""
    words = (
        "Operation cannot be fulfilled: the object has been modified; please apply your changes "
        "to the latest version and try again"
    )
    return failure(409, "Conflict", words, {})
