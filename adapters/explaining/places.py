"""Places: which log was asked, up to which row, and by whom it was recorded."""

from shlex import quote
from typing import Any, NamedTuple

from adapters.explaining.passages import PLACE, Sheet
from adapters.texts import moment, span
from engine.events import Subject
from engine.instants import SECOND, rfc3339
from engine.logs import LogIdentity


class Place(NamedTuple):
    """Where in a log an explanation looks from."""

    identity: LogIdentity
    position: int  # of the last row that was folded; 0 before the first
    at: int | None  # its instant, UTC nanoseconds; None before the first
    recorded: str  # by whom, in words
    log: str = ""  # what --log has to say for another look; "" where it need not

    def typed(self, command: str) -> str:
        """Give a command that looks at the same log, as it is typed."""
        return f"{command} --log {quote(self.log)}" if self.log else command

    @property
    def until(self) -> str:
        """Say where the last row that was folded is."""
        at_end = self.position == self.identity.position
        return "at the log's end" if at_end else f"at position {self.position}"

    def ago(self, at: int) -> str:
        """Say how long before the last row `at` was, once it is worth saying."""
        lasted = (self.at or 0) - at
        return f" ({span(lasted)} {self.until})" if lasted >= SECOND else ""

    def head(self, cluster: str, subject: Subject) -> dict[str, Any]:
        """Give what tells one explanation from another, as plain JSON values."""
        return {
            "object": {"cluster": cluster, **subject._asdict()},
            "log": self.identity.log_id,
            "position": self.position,
            "at": None if self.at is None else rfc3339(self.at),
        }


def tell_place(sheet: Sheet, place: Place, cluster: str) -> None:
    """Say where one looks, as the last line."""
    end = place.identity.position
    of = f" of {end}" if end != place.position else ""
    when = "" if place.at is None else f", {moment(place.at)}"
    sheet.line()
    sheet.line(
        f"Position {place.position}{of}{when}; log {place.identity.log_id}, cluster {cluster}, "
        f"{place.recorded}",
        role=PLACE,
    )
