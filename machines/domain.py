"""The domain as the engine sees it: fold, decide, project, and the state as text."""

from collections.abc import Iterable, Sequence

from engine.errors import EventMalformed, LogUnreadable
from engine.events import Draft, Event
from engine.stepping import Projection
from machines.contents import Content, content_of
from machines.deciding import decide
from machines.dumping import dump_state, load_state
from machines.folding import HANDLERS, fold
from machines.intents import INTENT_BY_TYPE
from machines.projecting import projections
from machines.states import State, copy_state

DATA_VERSIONS = dict.fromkeys(HANDLERS, 1)  # the newest shape of each type's data

_MISREAD = (LookupError, ArithmeticError, TypeError, ValueError, AttributeError)


class Warmlog:
    """warmlog's domain. It holds nothing: one instance serves everybody."""

    def initial(self, log_id: str) -> State:
        """Give the state of an empty log."""
        return State(log_id)

    def fold(self, state: State, event: Event) -> State:
        """Apply one event in place. Raises what `read` and `fold_read` raise."""
        return self.fold_read(state, event, self.read(event))

    def read(self, event: Event) -> Content:
        """Read what an event says, for `fold_read`.

        Raises LogUnreadable for an event of a newer version, EventMalformed for one whose data
        no version can have written.
        """
        newest = DATA_VERSIONS.get(event.type)
        if newest is None or event.version > newest:
            msg = (
                f"row {event.seq} is {event.type} version {event.version}, which this version of "
                "warmlog does not know; use the version that wrote it, or a newer one"
            )
            raise LogUnreadable(msg)
        try:
            return content_of(event)
        except _MISREAD as error:
            raise _malformed(event, error) from error

    def fold_read(self, state: State, event: Event, content: Content) -> State:
        """Apply one event, read already, in place. Raises EventMalformed as `read` does."""
        try:
            return fold(state, event, content)
        except _MISREAD as error:
            raise _malformed(event, error) from error

    def decide(self, state: State) -> Sequence[Draft]:
        """Give the decisions that the state calls for."""
        return decide(state)

    def rest(self, state: State) -> None:
        """Note that everything touched so far has been decided upon."""
        for uid in state.dirty:
            cache = state.caches.get(uid)
            if cache is not None:
                cache.settled.clear()
        state.dirty.clear()

    def is_decision(self, type_name: str) -> bool:
        """Say whether rows of this type are decisions."""
        return type_name in INTENT_BY_TYPE

    def project(self, state: State) -> Iterable[Projection]:
        """Give the status of every object that exists, by cluster, kind, namespace and name.

        Of an InferenceCluster it is our condition alone; the rest of its status is others'.
        """
        return sorted(projections(state), key=lambda each: (each.cluster, each.subject))

    def copy(self, state: State) -> State:
        """Give a state that can be folded on without touching this one."""
        return copy_state(state)

    def dump(self, state: State) -> str:
        """Give the state as JSON text."""
        return dump_state(state)

    def load(self, text: str) -> State:
        """Read what `dump` gave."""
        return load_state(text)


def _malformed(event: Event, error: Exception) -> EventMalformed:
    return EventMalformed(f"row {event.seq} ({event.type}) cannot be read: {error!r}")


WARMLOG = Warmlog()
