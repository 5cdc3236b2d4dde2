"""Documents: a timeline as JSON, whole or from a position on."""

import json
from typing import Any

import pytest

from adapters.timeline.documents import FORMAT, Source, document
from engine.canonical_json import dumps
from machines.charting import Chart
from machines.domain import WARMLOG
from tests.recordings.reading import names, reader

SOURCE = Source("log-1", "log.jsonl", "recorded by warmlog 0.1.0")


async def told(name: str, pause: int = 0) -> list[dict[str, Any]]:
    """Documents of a recording: the whole; with a pause one up to there and one from there on."""
    state, chart, parts = WARMLOG.initial(name), Chart(), []
    async for batch in reader(name).read():
        for event in batch:
            state = WARMLOG.fold(state, event)
            chart.take(state, event)
            WARMLOG.rest(state)
            if event.seq == pause:
                parts.append(document(chart, SOURCE))
    parts.append(document(chart, SOURCE, after=pause))
    return [json.loads(dumps(part)) for part in parts]


def spelled(one: dict[str, Any]) -> dict[str, Any]:
    """A document with its texts in their places, lanes by number."""
    texts = one["texts"]
    rows = one["rows"]
    for column in ("cluster", "subject", "type", "words"):
        rows[column] = [texts[number] for number in rows[column]]
    lanes = {}
    for lane in one["lanes"]:
        lane["spans"] = [[each[0], *(texts[n] for n in each[1:])] for each in lane["spans"]]
        lane["causes"] = [[each[0], *(texts[n] for n in each[1:])] for each in lane["causes"]]
        for part in ("turns", "dropped"):
            lane[part] = [[each[0], texts[each[1]]] for each in lane[part]]
        lane["said"] = [
            [said[0], texts[said[1]], *([texts[n] for n in each] for each in said[2:6]), *said[6:]]
            for said in lane["said"]
        ]
        lanes[lane["number"]] = lane
    return {"rows": rows, "lanes": lanes}


def joined(first: dict[str, Any], then: dict[str, Any]) -> dict[str, Any]:
    """What a reader has that adds one document to another."""
    for column, values in then["rows"].items():
        first["rows"][column] += values
    for number, lane in then["lanes"].items():
        known = first["lanes"].setdefault(number, lane)
        if known is not lane:
            for part in ("spans", "said", "turns", "causes", "dropped"):
                known[part] += lane[part]
    return first


async def test_a_document_says_what_it_is() -> None:
    """Format, log, place, who recorded it, its last position, and the machines."""
    [whole] = await told("one_node_cannot_pull")
    assert (whole["format"], whole["log"], whole["place"]) == (FORMAT, "log-1", "log.jsonl")
    assert (whole["after"], whole["position"], whole["exact"]) == (0, 52, True)
    assert [one["name"] for one in whole["machines"]][:2] == ["node Job", "ModelWarmup"]
    assert whole["rows"]["position"] == list(range(1, 53))
    kinds = [(lane["kind"], lane["part"], lane["parent"]) for lane in whole["lanes"]]
    assert kinds[:2] == [("ModelWarmup", "", None), ("ModelWarmup", "gpu-a", 0)]


@pytest.mark.parametrize("name", [each for each in names() if each.startswith("demo")])
@pytest.mark.parametrize("pause", [1, 20, 60])
async def test_what_came_after_a_position_makes_it_whole(name: str, pause: int) -> None:
    """Whoever read up to a position, and adds what came after it, has the whole."""
    first, then = await told(name, pause)
    [whole] = await told(name)
    assert then["machines"] == []
    assert (then["after"], then["position"]) == (pause, whole["position"])
    assert joined(spelled(first), spelled(then)) == spelled(whole)


async def test_equal_logs_give_equal_bytes() -> None:
    """Nothing of a document depends on when or where it is made."""
    [one], [other] = await told("demo_caches"), await told("demo_caches")
    assert dumps(one) == dumps(other)


def test_a_log_without_rows_has_a_document() -> None:
    """It has machines, and nothing else."""
    empty = document(Chart(), SOURCE)
    assert (empty["position"], empty["lanes"], empty["rows"]["at"]) == (0, [], [])
