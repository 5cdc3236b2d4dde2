"""Linting: what is wrong with a recording as a recording, whatever it tells.

Each rule has a code that stays; E is an error (the rows are not what any log holds), W a warning
(what the log shows may be incomplete, or should be read before it is shared). Rows are looked at
one by one; none is needed to be right for the next ones to be looked at.
"""

from collections.abc import Iterator
from typing import NamedTuple

from engine.canonical_json import loads
from engine.errors import WarmlogError
from engine.events import Event, Subject
from machines.domain import DATA_VERSIONS, WARMLOG
from machines.ingesting import synced_key
from machines.steadying import scrub


class Rule(NamedTuple):
    """What is looked for, and what to do where it is found."""

    code: str
    title: str
    remedy: str

    @property
    def is_error(self) -> bool:
        """Say whether no log should hold this."""
        return self.code.startswith("E")


class Finding(NamedTuple):
    """One place at which a rule is broken."""

    code: str
    position: int  # seq of the row, or of the last one before what is missing
    words: str


GAP = Rule("E101", "a gap in the order", "rows are missing: export the log again")
CLOCK = Rule("E102", "the clock goes back", "`at` never does: the file was put together by hand")
TERM = Rule("E103", "the term goes back", "rows of an older writer stand behind a newer one's")
TYPE = Rule("E104", "an unknown type", "read it with the version that wrote it, or a newer one")
VERSION = Rule("E105", "an unknown version of a row", "as for E104")
CONTENT = Rule("E106", "a row that cannot be read", "it was changed, or damaged: export it again")
CAUSE = Rule("E107", "a cause that is not before", "a row explains itself by an earlier one alone")
ORPHAN = Rule("E108", "an outcome without its intent", "the intent's row is missing or was changed")
SEEN = Rule("E109", "a decision that names no fact before it", "`verify` cannot place it")
LINE = Rule("E110", "a line that is no row", "what is before and after it was looked at")
NO_SESSION = Rule("W201", "no session at the beginning", "who recorded it, and how, is not known")
SYNCED = Rule("W202", "a kind that was never listed whole", "what is not seen may be there still")
CODES = Rule("W203", "recorded by several versions", "statuses are shown by this one's code")
SECRET = Rule("W204", "a text that may hold a secret", "read it, or use `export --redact`")
CUT = Rule("W205", "the file is cut", "the end is missing: export it again, or go on recording")

RULES = (
    GAP, CLOCK, TERM, TYPE, VERSION, CONTENT, CAUSE, ORPHAN, SEEN, LINE,
    NO_SESSION, SYNCED, CODES, SECRET, CUT,
)  # fmt: skip

_OUTCOMES = frozenset({"IntentDone", "IntentRefused", "IntentUnknown", "IntentAbsent"})


class Linter:
    """Looks at the rows of one recording in the order in which they stand."""

    def __init__(self, position: int = 0) -> None:
        """Begin after the row `position`."""
        self._position, self._at, self._epoch = position, 0, 0
        self._begins = position == 0
        self._intents: set[int] = set()
        self._sessions: dict[tuple[str, str], None] = {}
        self._synced: set[tuple[str, str]] = set()  # cluster and kind, in this session
        self._unsynced: dict[tuple[str, str], int] = {}  # and the first row about one of it

    def take(self, event: Event) -> Iterator[Finding]:
        """Give what is wrong with the next row."""
        yield from self._order(event)
        known = DATA_VERSIONS.get(event.type)
        if known is None:
            yield Finding(TYPE.code, event.seq, f"{event.type or 'no type'}")
        elif event.version > known:
            yield Finding(VERSION.code, event.seq, f"{event.type} version {event.version}")
        else:
            yield from self._content(event)
        if event.type == "SessionStarted":
            yield from self._session(event)
        elif self._begins:
            yield Finding(NO_SESSION.code, event.seq, f"it begins with {event.type}")
        self._begins = False
        self._position = event.seq

    def end(self) -> Iterator[Finding]:
        """Give what is missing at the end."""
        yield from self._never_listed()

    def _order(self, event: Event) -> Iterator[Finding]:
        if event.seq != self._position + 1:
            words = f"it follows {self._position}"
            yield Finding(GAP.code, event.seq, words)
        if event.at < self._at:
            yield Finding(CLOCK.code, event.seq, f"{event.at} after {self._at}")
        if event.epoch < self._epoch:
            yield Finding(TERM.code, event.seq, f"{event.epoch} after {self._epoch}")
        if event.cause is not None and event.cause >= event.seq:
            yield Finding(CAUSE.code, event.seq, f"{event.type} names {event.cause}")
        self._at, self._epoch = max(self._at, event.at), max(self._epoch, event.epoch)

    def _content(self, event: Event) -> Iterator[Finding]:
        try:
            subject, _ = WARMLOG.read(event)
        except WarmlogError as error:
            yield Finding(CONTENT.code, event.seq, str(error))
            return
        if scrub(event.data) != event.data:
            yield Finding(SECRET.code, event.seq, f"{event.type} of {'/'.join(subject[:3])}")
        if WARMLOG.is_decision(event.type):
            self._intents.add(event.seq)
            if event.seen is None or event.seen >= event.seq:
                yield Finding(SEEN.code, event.seq, f"{event.type} names {event.seen}")
        elif event.type in _OUTCOMES and event.cause not in self._intents:
            yield Finding(ORPHAN.code, event.seq, f"{event.type} names {event.cause}")
        self._note_kind(event, subject)

    def _note_kind(self, event: Event, subject: Subject) -> None:
        if event.type in {"Synced", "Unread"}:  # what is refused is said: nothing is missing
            kind = loads(event.data)["kind"]
            self._synced.add((event.cluster, kind))
            self._unsynced.pop((event.cluster, kind), None)
        elif event.type.endswith("Seen"):
            whole = event.cluster, subject.kind
            scoped = event.cluster, synced_key(subject.kind, subject[1:3])
            if not {whole, scoped} & self._synced:
                self._unsynced.setdefault(scoped if subject.kind == "Secret" else whole, event.seq)

    def _session(self, event: Event) -> Iterator[Finding]:
        yield from self._never_listed()
        self._synced.clear()
        data = loads(event.data)
        session = str(data.get("version")), str(data.get("code_digest"))
        if self._sessions and session not in self._sessions:
            others = ", ".join(version for version, _ in self._sessions)
            yield Finding(CODES.code, event.seq, f"{session[0]} after {others}")
        self._sessions[session] = None

    def _never_listed(self) -> Iterator[Finding]:
        for (cluster, kind), seq in self._unsynced.items():
            yield Finding(SYNCED.code, seq, f"{kind} of cluster {cluster}, first seen here")
        self._unsynced.clear()


_PAGE = """\
<!-- Code generated by `python -m adapters.cli.documenting` from machines/. DO NOT EDIT. -->

# Rules for recordings

What `warmlog lint LOG…` looks for. E is an error: no log of warmlog's holds that, and the command
ends with 1. W is a warning: what the log shows may be incomplete, or should be read before it is
shared. With `--strict` warnings end the command with 1 as well.

| code | found | what to do |
|---|---|---|
"""


def rules_page() -> str:
    """Give the page that lists the rules."""
    rows = [f"| {rule.code} | {rule.title} | {rule.remedy} |\n" for rule in RULES]
    return _PAGE + "".join(rows)
