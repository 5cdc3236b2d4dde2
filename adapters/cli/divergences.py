"""Divergences: how `warmlog verify` tells of them, to people and as data."""

import sys
from typing import Any, NamedTuple, Protocol

from adapters.cli.printing import Page
from adapters.cli.recordings import Recording
from adapters.code_digests import code_version
from adapters.texts import counted
from engine.canonical_json import dumps, loads
from engine.events import Draft, Event, Subject
from engine.narrowing import Field, Narrowed
from engine.verifying import Divergence

_SHOWN = 30  # fields and objects, to people


class Verified(NamedTuple):
    """A log that was verified."""

    source: Recording
    log_id: str
    met: int  # divergences
    whole: bool  # all of them were asked for


class Report(Protocol):
    """What is told of logs, one after the other, as it is found."""

    def begin(self, name: str) -> None:
        """Begin with the next log, called `name` where there are several."""
        ...

    def divergence(self, each: Divergence, narrowed: Narrowed | None) -> None:
        """Tell of a divergence, and what was found out about it."""
        ...

    def close(self, verified: Verified) -> None:
        """End a log that was read."""
        ...

    def broken(self, log: str, words: str) -> None:
        """End a log that cannot be read, or not further."""
        ...

    def end(self) -> None:
        """End it all."""
        ...


class TextReport:
    """To people."""

    def __init__(self) -> None:
        """Begin before the first log."""
        self._page = Page()
        self._name = ""

    def begin(self, name: str) -> None:
        """Put the log's name before what is said of it."""
        self._name = name

    def divergence(self, each: Divergence, narrowed: Narrowed | None) -> None:
        """Print a sentence, and what is known beside it."""
        self._page.line(f"{self._name}{each}")
        if narrowed is not None:
            _print_narrowed(self._page, each, narrowed)

    def close(self, verified: Verified) -> None:
        """Sum up in one line."""
        count, rows = verified.met, counted(verified.source.rows, "row")
        others = _other_versions(verified.source)
        if count and not verified.whole:
            said = "this is the first divergence; --all lists every one"
        elif count:
            said = f"{counted(count, 'divergence')} in {rows}"
        elif verified.source.is_foreign:
            what_if = f"`warmlog what-if {verified.source.place}`"
            said = f"{rows} and no decision: {what_if} shows those of this version"
        elif others:
            said = (
                f"no divergence in phases, outcomes and mounts: {rows}, recorded by {others}, "
                "whose decisions are not compared"
            )
        else:
            said = f"no divergence: all of {rows} would be as recorded"
        self._page.line(f"{self._name}{said}")

    def broken(self, log: str, words: str) -> None:
        """Say no more than stderr does."""

    def end(self) -> None:
        """Add nothing."""


class JsonReport:
    """To programs: one document, written as it is found, so that its length costs no memory."""

    def __init__(self) -> None:
        """Begin the document."""
        self._logs = self._found = 0
        self._open = False  # a log is begun, and not ended
        sys.stdout.write('{"logs":[')

    def begin(self, name: str) -> None:  # noqa: ARG002 -- it says its name at its end
        """Begin a log's object with its divergences."""
        sys.stdout.write(("," if self._logs else "") + '{"divergences":[')
        self._logs += 1
        self._found, self._open = 0, True

    def divergence(self, each: Divergence, narrowed: Narrowed | None) -> None:
        """Write one."""
        comma = "," if self._found else ""
        self._found += 1
        sys.stdout.write(comma + dumps(divergence_json(each, narrowed)))

    def close(self, verified: Verified) -> None:
        """Write what is known of the log itself."""
        source = verified.source
        self._close(
            {
                "judgedBy": "outcomes" if _is_judged_by_outcomes(source) else "decisions",
                "log": verified.log_id,
                "name": source.place,
                "position": source.position,
                "recordedBy": [each._asdict() for each in source.sessions],
            }
        )

    def broken(self, log: str, words: str) -> None:
        """Write why it was not read to its end."""
        if not self._open:
            self.begin("")
        self._close({"error": words, "name": log})

    def end(self) -> None:
        """End the document."""
        sys.stdout.write("]}\n")

    def _close(self, rest: dict[str, Any]) -> None:
        sys.stdout.write("]," + dumps(rest)[1:])
        self._open = False


def divergence_json(each: Divergence, narrowed: Narrowed | None) -> dict[str, Any]:
    """Give one as data."""
    found: dict[str, Any] = {
        "position": each.position,
        "seen": each.seen,
        "recorded": _decision_json(each.recorded),
        "decided": _decision_json(each.decided),
    }
    if each.claim is not None:
        found["status"] = each.claim._asdict()
    if narrowed is not None:
        found["narrowed"] = {
            "decision": [one._asdict() for one in narrowed.decision],
            "isLeast": narrowed.is_least,
            "known": narrowed.known,
            "objects": [_object_json(*one) for one in narrowed.objects],
            "status": [one._asdict() for one in narrowed.status],
            "words": narrowed.words,
        }
    return found


def _print_narrowed(page: Page, each: Divergence, narrowed: Narrowed) -> None:
    _, about = each.about
    if each.claim is None:
        _print_fields(page, "how the decisions differ", narrowed.decision)
        _print_fields(page, f"the status of {about} after either", narrowed.status)
        if narrowed.objects and narrowed.is_least and not narrowed.status:
            page.line(f"the status of {about} is the same after either", indent=2)
    _print_objects(page, narrowed)


def _print_fields(page: Page, title: str, fields: tuple[Field, ...]) -> None:
    if not fields:
        return
    page.line(f"{title}:", indent=2)
    rows = [(one.path, one.recorded or "–", one.here or "–") for one in fields[:_SHOWN]]
    page.table(("field", "recorded", "here"), rows, indent=4)
    if len(fields) > _SHOWN:
        page.line(f"and {len(fields) - _SHOWN} more", indent=4)


def _print_objects(page: Page, narrowed: Narrowed) -> None:
    count, known = len(narrowed.objects), narrowed.known
    least = "" if narrowed.is_least else f", perhaps fewer: {narrowed.words}"
    page.line(f"what shows it: {count} of {known} objects{least}", indent=2)
    for cluster, subject in narrowed.objects[:_SHOWN]:
        page.line(f"{subject} in {cluster}", indent=4)
    if count > _SHOWN:
        page.line(f"and {count - _SHOWN} more", indent=4)


def _object_json(cluster: str, text: str) -> dict[str, str]:
    subject = Subject.parse(text)
    return {"cluster": cluster, **subject._asdict()}


def _decision_json(decision: Event | Draft | None) -> dict[str, Any] | None:
    if decision is None:
        return None
    return {
        "type": decision.type,
        "subject": decision.subject,
        "cause": decision.cause,
        "data": loads(decision.data),
    }


def _is_judged_by_outcomes(source: Recording) -> bool:
    return source.is_foreign or bool(_other_versions(source))


def _other_versions(source: Recording) -> str:
    found = {each.version for each in source.sessions} - {code_version()}
    return " and ".join(sorted(found))
