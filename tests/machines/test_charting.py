"""Charting: the timeline of a log, with the words that `warmlog explain` has at each position."""

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from engine.canonical_json import dumps
from engine.events import Event
from machines.caches.explaining import explain_cache, explain_cluster
from machines.caches.histories import CacheHistory, ClusterHistory
from machines.charting import FEW, Chart
from machines.chronicles import Chronicle, Told
from machines.domain import WARMLOG
from machines.explaining import explain
from machines.histories import History
from machines.messages import cause_text
from machines.replicas.explaining import explain_replica
from machines.replicas.histories import ReplicaHistory
from machines.states import State
from machines.statuses import shown_whole
from machines.timelines import GONE, LEFT, Lane, Tone
from tests.machines.builders import Scene, selecting, spec_of
from tests.recordings.reading import names, reader
from tests.timeline.wide import chart_of, wide_log

TWICE = ("nodes_come_and_go", "a_named_node_leaves_and_returns")  # two machines bear one name


class Words(NamedTuple):
    """What is said of an object or a part of it."""

    summary: str
    notes: tuple[str, ...]
    waits_for: tuple[str, ...]
    advice: tuple[str, ...]
    rows: list[int]  # that led there


async def rows_of(name: str) -> list[Event]:
    """All rows of a recording."""
    return [event async for batch in reader(name).read() for event in batch]


def explained(state: State, history: Told) -> Iterator[tuple[str, Words]]:
    """What `explain` says of a living object, and of each part; those first looked for by name."""
    rows = [line.position for line in history.lines]
    uid = history.subject.uid
    if isinstance(history, History) and uid in state.warmups:
        told = explain(state, state.warmups[uid], history)
        yield "", Words(told.headline, told.notes, told.waits_for, told.advice, rows)
        for node in told.nodes:
            chain = [line.position for line in node.chain]
            words = cause_text(node.view.words)
            waits, do = (tuple(filter(None, [each])) for each in (node.waits_for, node.advice))
            yield node.view.name, Words(words, (), waits, do, chain)
    elif isinstance(history, CacheHistory) and uid in state.caches:
        cache = explain_cache(state, state.caches[uid], history)
        yield "", Words(cache.headline, cache.notes, (), cache.advice, rows)
        for entry in cache.entries:
            chain = [line.position for line in entry.chain]
            yield entry.cluster, Words(entry.message, (), (), (entry.advice,), chain)
    elif isinstance(history, ReplicaHistory) and uid in state.replicas:
        replica = explain_replica(state, state.replicas[uid], history, None)
        notes = replica.notes + tuple(filter(None, [replica.keeps]))
        yield "", Words(replica.headline, notes, (), (replica.advice,), rows)
    elif isinstance(history, ClusterHistory) and history.subject.name in state.served:
        served = explain_cluster(state, state.served[history.subject.name], history)
        yield "", Words(served.message, (), (), (served.advice,), rows)


def words_of(chart: Chart, lane: Lane) -> Words:
    """What a lane says at its end."""
    said = lane.said[-1]
    rows = sorted(cause.position for cause in lane.causes)
    waits_for = said.waits_for
    if said.turn:
        assert lane.parent is not None
        waits_for = (chart.lanes[lane.parent].turns[-1].words,)
    return Words(said.summary, said.notes, waits_for, said.advice, rows)


@pytest.mark.parametrize("name", names())
async def test_every_lane_says_what_explain_says(name: str) -> None:
    """At each position of a recording, of each object and each part that `explain` tells of.

    A lane of a node also has the rows of an earlier machine of its name.
    """
    rows = await rows_of(name)
    chronicle = Chronicle()
    state, chart, compared = WARMLOG.initial("log"), Chart(), 0
    for event in rows:
        state = WARMLOG.fold(state, event)
        chronicle.note(event, state)
        chart.take(state, event)
        WARMLOG.rest(state)
        for history in chronicle.living():
            for part, words in explained(state, history):
                lane = chart.find(history.subject.uid, part)
                assert lane is not None
                found = words_of(chart, lane)
                if part and name in TWICE:
                    found = found._replace(rows=[row for row in found.rows if row in words.rows])
                assert found == words, (event.seq, lane.place)
                compared += 1
    assert compared


async def test_spans_are_phases_with_their_tone() -> None:
    """A lane of the whole, one of each node, each with the state of its machine."""
    chart = chart_of(await rows_of("one_node_cannot_pull"))
    lanes = {lane.place.part: lane for lane in chart.lanes}
    phases = [(span.position, span.phase, span.tone) for span in lanes[""].spans]
    expected = [(10, "Pending", Tone.WAITING), (11, "Running", Tone.WORKING)]
    assert phases == [*expected, (42, "Degraded", Tone.DEGRADED)]
    last = lanes["gpu-b"].spans[-1]
    assert (last.position, last.state, last.phase) == (40, "Failed", "Failed")
    assert last.reason == "DeadlineExceeded"
    assert lanes["gpu-b"].parent == lanes[""].number


async def test_what_left_and_what_is_gone_is_over() -> None:
    """A node that left its warmup, and a deleted warmup with all its nodes."""
    left = chart_of(await rows_of("nodes_come_and_go"))
    phases = [span.phase for lane in left.lanes for span in lane.spans]
    assert LEFT in phases
    scene = Scene()
    scene.nodes("n1")
    scene.warmup(spec_of(selecting()))
    scene.warmup_gone()
    chart = chart_of(scene.rows)
    assert [(lane.place.part, lane.spans[-1].phase) for lane in chart.lanes] == [
        ("", GONE),
        ("n1", GONE),
    ]
    assert {lane.spans[-1].tone for lane in chart.lanes} == {Tone.OVER}


def test_of_many_nodes_each_is_said_as_explain_says_it() -> None:
    """At each row of a wide log, the whole and all nodes, those that wait for a slot as well."""
    chronicle = Chronicle()
    state, chart = WARMLOG.initial("log"), Chart()
    slots: set[str] = set()
    for event in wide_log(120):
        state = WARMLOG.fold(state, event)
        chronicle.note(event, state)
        chart.take(state, event)
        WARMLOG.rest(state)
        for history in chronicle.living() if event.seq % 7 == 0 else ():
            for part, words in explained(state, history):
                lane = chart.find(history.subject.uid, part)
                assert lane is not None
                assert words_of(chart, lane) == words, (event.seq, lane.place)
                slots.update(one for one in words.waits_for if one.startswith("a free slot"))
    assert chart.exact
    assert len(slots) > 10
    assert len(chart.lanes) == 121


def test_so_many_objects_are_not_all_looked_at_again() -> None:
    """With more of them than a few, what is said of whole clusters is no reason to."""
    scene = Scene()
    scene.node("n1")
    for number in range(FEW + 1):
        scene.warmup(spec_of(selecting()), name=f"w{number}")
    assert chart_of(scene.rows).exact
    scene.restart()
    assert not chart_of(scene.rows).exact


@pytest.mark.parametrize("name", names())
async def test_what_a_status_shows_of_the_whole_changes_with_its_position(name: str) -> None:
    """While a status is of one row, it is worded once: it would be the same."""
    state, known = WARMLOG.initial("log"), dict[tuple[str, int], str]()
    for event in await rows_of(name):
        state = WARMLOG.fold(state, event)
        for uid, warmup in state.warmups.items():
            told = dumps(shown_whole(state, warmup))
            assert known.setdefault((uid, warmup.position), told) == told, event.seq
        WARMLOG.rest(state)
