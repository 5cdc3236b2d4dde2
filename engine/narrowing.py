"""Narrowing: what a divergence is made of, and the fewest objects that still show it.

The rows up to it are folded again with fewer and fewer objects (delta debugging over subjects;
rows about no object stay), as long as the same divergence comes of it. Rows and folds are bounded:
what is too long is narrowed by what it names first, or not at all, and that is said.
"""

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

from engine.canonical_json import dumps, loads
from engine.errors import WarmlogError
from engine.events import Draft, Event, Subject
from engine.logs import EventReader
from engine.stepping import Domain
from engine.verifying import Divergence, Judge

State = TypeVar("State")
Object = tuple[str, str]  # cluster and subject

MOST_ROWS = 20_000  # kept in memory at once
MOST_FOLDS = 400_000  # rows folded to find out what is not needed
_SHORTEST = 5  # characters of a text that names something
_UNPLACED = ("warmlog", "position")  # where a status says at which row it changed


class Field(NamedTuple):
    """A field that both sides have differently; "" where one has none."""

    path: str
    recorded: str
    here: str


class Narrowed(NamedTuple):
    """A divergence, looked into."""

    decision: tuple[Field, ...]  # how the decisions differ
    status: tuple[Field, ...]  # how the object's status differs once each is taken
    objects: tuple[Object, ...]  # whose rows show it
    known: int  # objects that there are up to it
    is_least: bool  # none of them can be left out
    words: str = ""  # why they are not fewer


class Narrowing(Generic[State]):
    """Looks into one divergence of a log. `judge` makes who reads what the log says of itself."""

    def __init__(
        self, domain: Domain[State], divergence: Divergence, judge: Callable[[], Judge[State]]
    ) -> None:
        """Begin with nothing read."""
        self._domain = domain
        self._divergence = divergence
        self._judge = judge
        self._log_id = ""
        self._folds = 0

    async def look_into(self, reader: EventReader) -> Narrowed:
        """Read the log up to the divergence, and find what it takes. Raises as the reader does."""
        self._log_id = (await reader.identify()).log_id
        rows, known = await self._read(reader, needles=())
        if len(rows) > MOST_ROWS:
            rows, _ = await self._read(reader, needles=_needles(self._divergence))
        if len(rows) > MOST_ROWS or not self._shows(rows):
            too_many = f"more than {MOST_ROWS:,} rows name what it is about"
            words = too_many if len(rows) > MOST_ROWS else "no part of the log shows it alone"
            about = (self._divergence.about,)
            return Narrowed(self._decisions(), (), about, known, is_least=False, words=words)
        objects, is_least = self._shrink(rows)
        kept = _of(rows, set(objects))
        words = "" if is_least else f"not looked further after {MOST_FOLDS:,} rows"
        return Narrowed(
            self._decisions(), self._statuses(kept), tuple(objects), known, is_least, words
        )

    async def _read(self, reader: EventReader, needles: Sequence[str]) -> tuple[list[Event], int]:
        """Give the rows up to it that name any of these; one more than most at most."""
        rows: list[Event] = []
        known: set[Object] = set()
        async for batch in reader.read(until=self._divergence.position):
            for event in batch:
                if not _is_of_none(event):
                    known.add(event[3:5])
                if len(rows) <= MOST_ROWS and _names(event, needles):
                    rows.append(event)
        return rows, len(known)

    def _shrink(self, rows: list[Event]) -> tuple[list[Object], bool]:
        objects = sorted({event[3:5] for event in rows if not _is_of_none(event)})
        parts = 2
        while objects:
            size = -(-len(objects) // parts)
            for start in range(0, len(objects), size):
                fewer = objects[:start] + objects[start + size :]
                if self._folds > MOST_FOLDS:
                    return objects, False
                if self._shows(_of(rows, set(fewer))):
                    objects, parts = fewer, max(parts - 1, 2)
                    break
            else:
                if size == 1:
                    break
                parts = min(parts * 2, len(objects))
        return objects, True

    def _shows(self, rows: list[Event]) -> bool:
        """Say whether these rows lead to the same divergence."""
        self._folds += len(rows)
        try:
            if self._divergence.claim is not None:
                return self._claims(rows)
            state, border = self._to_border(rows)
            return self._first(self._domain.decide(state), border) == self._first_of_log()
        except WarmlogError:
            return False

    def _claims(self, rows: list[Event]) -> bool:
        state, judge = self._domain.initial(self._log_id), self._judge()
        for event in rows:
            judge.compares(event)
            state = self._domain.fold(state, event)
            claims = list(judge.claims(state, event))
        return bool(rows) and self._divergence.claim in claims

    def _to_border(self, rows: list[Event]) -> tuple[State, list[Event]]:
        """Fold up to where it was decided; give the state, and what the recording decided there."""
        state, deciding, border = self._domain.initial(self._log_id), False, []
        for event in rows:
            is_decision = self._domain.is_decision(event.type)
            if event.seq > self._divergence.seen:
                border.append(event)
                continue
            if is_decision and not deciding:
                self._domain.rest(state)
            deciding = is_decision
            state = self._domain.fold(state, event)
        return state, border

    def _first(
        self, decided: Sequence[Draft], recorded: Sequence[Event]
    ) -> tuple[object, object] | None:
        for index in range(max(len(decided), len(recorded))):
            here = self._key(decided[index]) if index < len(decided) else None
            there = self._key(Draft(*recorded[index][3:])) if index < len(recorded) else None
            if here != there:
                return there, here
        return None

    def _first_of_log(self) -> tuple[object, object]:
        recorded, decided = self._divergence.recorded, self._divergence.decided
        there = self._key(Draft(*recorded[3:])) if recorded else None
        return there, self._key(decided) if decided else None

    def _key(self, draft: Draft) -> tuple[object, ...]:
        """Give what is compared; causes only where nothing else differs, since rows are missing."""
        recorded, decided = self._divergence.recorded, self._divergence.decided
        of_cause = recorded is not None and decided is not None and recorded[3:8] == decided[:5]
        return tuple(draft[:6] if of_cause else draft[:5])

    def _decisions(self) -> tuple[Field, ...]:
        claim, recorded, decided = self._divergence[4], self._divergence[2], self._divergence[3]
        if claim is not None:
            return (Field(claim.what, claim.recorded, claim.here),)
        if recorded is None or decided is None:
            return ()
        return _differing(_shown(Draft(*recorded[3:])), _shown(decided))

    def _statuses(self, rows: list[Event]) -> tuple[Field, ...]:
        if self._divergence.claim is not None:
            return ()
        state, border = self._to_border(rows)
        decided = self._domain.decide(state)
        last = rows[-1]
        here, there = self._domain.copy(state), self._domain.copy(state)
        for event in border:
            there = self._domain.fold(there, event)
        for index, draft in enumerate(decided, self._divergence.seen + 1):
            here = self._domain.fold(here, draft.placed(index, last.epoch, last.at))
        return _differing(self._status(there), self._status(here))

    def _status(self, state: State) -> dict[str, str]:
        found = dict[str, str]()
        for one in self._domain.project(state):
            if (one.cluster, str(one.subject)) == self._divergence.about:
                _flatten((), one.status, found)
        return found


def _is_of_none(event: Event) -> bool:
    """Say whether a row is about no object: of a session, or of a whole cluster."""
    return not Subject.parse(event.subject).name


def _of(rows: Sequence[Event], objects: set[Object]) -> list[Event]:
    return [event for event in rows if event[3:5] in objects or _is_of_none(event)]


def _names(event: Event, needles: Sequence[str]) -> bool:
    text = f"{event.subject} {event.data}"
    return not needles or _is_of_none(event) or any(needle in text for needle in needles)


def _needles(divergence: Divergence) -> tuple[str, ...]:
    """Give what a row may name that has to do with a divergence: its object, and what it names."""
    found = {divergence.about[1].rpartition("/")[2]}
    for one in (divergence.recorded, divergence.decided):
        if one is not None:
            values = dict[str, str]()
            _flatten((), loads(one.data), values)
            found |= {value for value in values.values() if len(value) >= _SHORTEST}
    return tuple(sorted(found - {""}))


def _shown(draft: Draft) -> dict[str, str]:
    found = {"type": draft.type, "object": f"{draft.cluster} {draft.subject}"}
    found |= {"cause": str(draft.cause), "version": str(draft.version)}
    _flatten((), loads(draft.data), found)
    return found


def _differing(recorded: dict[str, str], here: dict[str, str]) -> tuple[Field, ...]:
    paths = [*recorded, *(path for path in here if path not in recorded)]
    found = [Field(path, recorded.get(path, ""), here.get(path, "")) for path in paths]
    return tuple(one for one in found if one.recorded != one.here)


def _flatten(path: tuple[str, ...], value: object, found: dict[str, str]) -> None:
    if path[-2:] == _UNPLACED:
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            _flatten((*path, str(key)), inner, found)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            _flatten((*path, _name_of(inner, index)), inner, found)
    else:
        found[".".join(path).replace(".[", "[")] = value if isinstance(value, str) else dumps(value)


def _name_of(value: object, index: int) -> str:
    """Name an item of a list by what tells it from the others."""
    names = ("nodeName", "type", "name", "engine")
    said = (
        next((value[name] for name in names if name in value), "")
        if isinstance(value, dict)
        else ""
    )
    return f"[{said or index}]"
