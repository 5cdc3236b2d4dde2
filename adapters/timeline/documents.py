"""Documents: a timeline as JSON, whole or from a position on.

One document is embedded in the page that `warmlog timeline` writes; the running controller answers
the same at `/timeline.json?after=POSITION`. Its shape, version 2:

    format       2
    log          the log's id
    place        what people call the log, as on the command line
    recordedBy   who recorded it, in words
    exact        whether each lane's words are at each row what `warmlog explain` says there; with
                 more than 64 objects they may lag behind what is said of whole clusters
    after        rows after this position are here; 0 for all
    position     of the last row
    machines     as `warmlog machines -o json` has them; [] unless `after` is 0
    texts        every text that is said below by its index here
    rows         columns of one length: position, at (UTC microseconds), cluster, subject, type,
                 words, cause (a position, or 0)
    lanes        those of which something is new, in the order in which they began

and of each lane:

    number       counted from 0; a reader that follows adds to the lane of this number
    parent       the number of the lane of the object that it is a part of, or null
    kind, cluster, namespace, name, uid, part, machine
    spans        [position, state, phase, reason, tone]: what it is from there on
    said         [position, summary, [note], [detail], [what it waits for], [what to do], lane,
                 1 if it waits for its turn or 0]
    turns        [position, words]: what those of its parts wait for that wait for their turn
    causes       [position, state it led to, words]: rows that led there
    dropped      [position, words]: what was ignored

Texts of spans, said, turns, causes and dropped are indices; lane is a number or null. A document
with `after` holds of each list what came after that position: whoever has read up to there adds it.
What stands in a lane never changes. Another `log`, or a `position` before the one known, is another
log.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from machines.charting import Chart
from machines.drawing import MACHINES, table_json
from machines.narrowing import Narrowed
from machines.timelines import Lane, Row

FORMAT = 2
_MICRO = 1000  # nanoseconds
_position = attrgetter("position")


class Source(NamedTuple):
    """Which log a timeline is of."""

    log_id: str
    place: str
    recorded_by: str


class Texts:
    """Texts that are said by number, each once."""

    def __init__(self) -> None:
        """Begin with none but the empty one, which is number 0."""
        self._numbers = {"": 0}

    def number(self, text: str) -> int:
        """Give the number of a text."""
        return self._numbers.setdefault(text, len(self._numbers))

    def numbers(self, texts: Iterable[str]) -> list[int]:
        """Give the numbers of several."""
        return [self.number(text) for text in texts]

    def all(self) -> list[str]:
        """Give every text, in the order of their numbers."""
        return list(self._numbers)


def document(chart: Chart | Narrowed, source: Source, *, after: int = 0) -> dict[str, Any]:
    """Give what a chart holds after a position, as plain JSON values."""
    texts = Texts()
    rows = chart.rows[bisect_right(chart.rows, after, key=_position) :]
    lanes = [found for lane in chart.lanes if (found := _lane(lane, texts, after)) is not None]
    return {
        "format": FORMAT,
        "log": source.log_id,
        "place": source.place,
        "recordedBy": source.recorded_by,
        "exact": chart.exact,
        "after": after,
        "position": chart.rows[-1].position if chart.rows else after,
        "machines": [] if after else [table_json(one) for one in MACHINES],
        "rows": _rows(rows, texts),
        "lanes": lanes,
        "texts": texts.all(),
    }


def _rows(rows: Sequence[Row], texts: Texts) -> dict[str, list[int]]:
    return {
        "position": [row.position for row in rows],
        "at": [row.at // _MICRO for row in rows],
        "cluster": texts.numbers(row.cluster for row in rows),
        "subject": texts.numbers(row.subject for row in rows),
        "type": texts.numbers(row.type for row in rows),
        "words": texts.numbers(row.words for row in rows),
        "cause": [row.cause or 0 for row in rows],
    }


def _lane(lane: Lane, texts: Texts, after: int) -> dict[str, Any] | None:
    lists = {
        "spans": [
            [one.position, *texts.numbers(one[1:])] for one in _new(lane.spans, after)
        ],
        "said": [_said(one, texts) for one in _new(lane.said, after)],
        "turns": [
            [one.position, texts.number(one.words)] for one in _new(lane.turns, after)
        ],
        "causes": [
            [one.position, texts.number(one.moved), texts.number(one.words)]
            for one in lane.causes[bisect_right(lane.causes, after, key=attrgetter("noted")) :]
        ],
        "dropped": [
            [one.position, texts.number(one.words)] for one in _new(lane.dropped, after)
        ],
    }  # fmt: skip
    if not any(lists.values()):
        return None
    cluster, subject, part, machine = lane.place
    return {
        "number": lane.number, "parent": lane.parent, "kind": subject.kind, "cluster": cluster,
        "namespace": subject.namespace, "name": subject.name, "uid": subject.uid, "part": part,
        "machine": machine, **lists,
    }  # fmt: skip


def _new(listed: Sequence[Any], after: int) -> Sequence[Any]:
    return listed[bisect_right(listed, after, key=_position) :]


def _said(said: Any, texts: Texts) -> list[Any]:
    position, summary, *lists, see, turn = said
    listed = (texts.numbers(each) for each in lists)
    return [position, texts.number(summary), *listed, see, int(turn)]
