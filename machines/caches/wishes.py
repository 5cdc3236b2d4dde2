"""Wishes: what a cache wants done, before anybody asks whether it was asked for already.

A wish names one object and one thing to be done to it. `staging` and `leaving` say what is wished;
`deciding` turns into intents those that are neither open, nor just answered, nor refused lately.
"""

from typing import NamedTuple

from machines.caches.changes import ChangeKind
from machines.intents import CacheIntent, Change, Create, Delete


class Wish(NamedTuple):
    """One thing to be done; without a uid a create, without a change and with a uid a delete."""

    cluster: str  # in which it is to be done: its name in the log
    entry: str  # InferenceCluster of the entry; "" when it is the ModelCache's own
    kind: str
    namespace: str
    name: str
    uid: str = ""
    change: ChangeKind | None = None

    @property
    def what(self) -> str:
        """Give the same name as `changes.what_of` gives the intent that this becomes."""
        if self.change is not None:
            return f"{self.change} {self.kind}"
        return f"{'delete' if self.uid else 'create'} {self.kind}"


def wish_of(cluster: str, entry: str, intent: CacheIntent) -> Wish:
    """Give the wish that an intent came from."""
    place = (cluster, entry, intent.kind, intent.namespace, intent.name)
    match intent:
        case Create():
            return Wish(*place)
        case Change():
            return Wish(*place, intent.uid, ChangeKind(intent.change))
        case Delete():
            return Wish(*place, intent.uid)
