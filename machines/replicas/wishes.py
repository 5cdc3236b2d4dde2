"""Wishes: what a replica wants done, before anybody asks whether it was asked for already."""

from typing import NamedTuple

from machines.caches.changes import ChangeKind
from machines.intents import Apply, Change, Create, ObjectIntent
from machines.replicas.composing import Part


class Wish(NamedTuple):
    """One thing to be done to one object."""

    cluster: str  # in which it is to be done: its name in the log
    verb: str  # create, apply, delete, or a `caches.changes.ChangeKind`
    kind: str
    namespace: str
    name: str
    uid: str = ""  # of the object that is known; "" when none is
    part: Part | None = None  # what is to be applied
    repairs: bool = False  # it was applied before, and somebody has edited it since

    @property
    def what(self) -> str:
        """Give the name under which it is open, refused or accepted within its replica."""
        return f"{self.verb} {self.kind} {self.name}"


APPLY, CREATE, DELETE = "apply", "create", "delete"


def what_of(intent: ObjectIntent) -> str:
    """Give the same name as the wish that an intent came from."""
    return f"{_verb(intent)} {intent.kind} {intent.name}"


def _verb(intent: ObjectIntent) -> str:
    if isinstance(intent, Change):
        return ChangeKind(intent.change).value
    if isinstance(intent, Apply):
        return APPLY
    return CREATE if isinstance(intent, Create) else DELETE
