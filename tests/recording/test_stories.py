"""What a recorder writes down of a story is what happened, and all that it does is to look."""

import base64

import pytest

from adapters.simulator.connecting import kubeconfig_of
from adapters.store.memory_logs import MemoryLog
from engine.canonical_json import loads
from engine.events import Event
from machines.blind_spots import barred_clusters, blind_spots
from machines.caches.reaching import REMOTE
from machines.domain import WARMLOG
from machines.recorders import RECORD
from tests.recording.witnessed import (
    Scene,
    Witnessed,
    folded,
    recording,
    scene,
    statuses,
    until_synced,
    witness,
)
from tests.running.virtual import in_world

STORIES = ("warmups", "caches", "replicas")
# What only whoever acts has to tell: intents, their answers, and what became of a status.
DEEDS = frozenset({"IntentDone", "IntentRefused", "IntentUnknown", "IntentAbsent", "StatusStored"})
BESIDE = frozenset({"SessionStarted", "Recovered"})


@pytest.fixture(scope="module", params=STORIES)
def witnessed(request: pytest.FixtureRequest) -> Witnessed:
    """A story that both have seen."""
    return witness(scene(request.param))


def levels(rows: list[Event]) -> set[tuple[str, ...]]:
    """Give what rows say of objects, whoever wrote them."""
    return {
        (row.cluster, row.subject, row.type, row.data)
        for row in rows
        if row.type not in DEEDS | BESIDE and not WARMLOG.is_decision(row.type)
    }


def test_a_recording_ends_with_the_controllers_own_statuses(witnessed: Witnessed) -> None:
    """Every status is the controller's own, but for the log that it names; nothing is missing."""
    told = statuses(folded(witnessed.controller_rows))
    assert len(told) > 0
    assert statuses(folded(witnessed.rows)) == told
    assert not list(blind_spots(folded(witnessed.rows)))


def test_the_rows_are_the_very_rows_of_a_controller(witnessed: Witnessed) -> None:
    """All that a controller recorded of objects is there, to the byte, and nothing else."""
    assert levels(witnessed.rows) == levels(witnessed.controller_rows)


def test_nothing_but_reads_is_sent(witnessed: Witnessed) -> None:
    """Every request of a whole story is a GET."""
    assert {request.method for request in witnessed.requests} == {"GET"}
    assert all(request.body is None for request in witnessed.requests)


def test_there_are_facts_alone(witnessed: Witnessed) -> None:
    """Nothing is decided, nothing answered, and the session says that it was recorded."""
    types = {row.type for row in witnessed.rows}
    assert not types & DEEDS
    assert not [name for name in types if WARMLOG.is_decision(name)]
    assert loads(witnessed.rows[0].data)["recorder"] == RECORD
    assert "recorder" not in loads(witnessed.controller_rows[0].data)


def test_no_secret_is_recorded() -> None:
    """A kubeconfig leads to the other cluster, and stands in no row."""
    told = witness(scene("caches"))
    value = kubeconfig_of("west")
    assert any(row.cluster == f"{REMOTE}west" for row in told.rows)
    assert not [row for row in told.rows if value in row.data]
    assert not [row for row in told.rows if base64.b64encode(value.encode()).decode() in row.data]


def test_what_may_not_be_read_is_recorded_as_that_and_the_rest_goes_on() -> None:
    """Nodes that may not be listed are Unread, with the server's words; all Jobs are seen."""
    told = witness(scene("warmups"), screened=("/nodes",))
    unread = [loads(row.data) for row in told.rows if row.type == "Unread"]
    assert [one["kind"] for one in unread] == ["Node"]
    assert "not allowed" in unread[0]["words"]
    types = {row.type for row in told.rows}
    assert "JobSeen" in types
    assert "NodeSeen" not in types
    (spot,) = blind_spots(folded(told.rows))
    assert spot == ("demo", "Node", unread[0]["words"])


def test_a_cluster_whose_secret_may_not_be_read_is_left_out() -> None:
    """That the Secret may not be read is recorded; of home everything is."""
    told = witness(scene("caches"), screened=("/secrets",))
    unread = [loads(row.data)["kind"] for row in told.rows if row.type == "Unread"]
    assert unread == ["Secret/warmlog-system/west-kubeconfig"]
    assert {row.cluster for row in told.rows} == {"", "demo"}
    state = folded(told.rows)
    assert barred_clusters(state, unread[0]) == list(blind_spots(state))
    ((cluster, kind, words),) = blind_spots(state)
    assert (cluster, kind) == (f"{REMOTE}west", "")
    assert words.startswith("Secret warmlog-system/west-kubeconfig with its kubeconfig cannot be")
    assert "not allowed" in words


def test_kinds_whose_definition_may_not_be_read_are_recorded() -> None:
    """A role that may not read definitions is enough to see caches."""
    definitions = [f"/{name}.modelplane.ai" for name in ("modelcaches", "inferenceclusters")]
    told = witness(scene("caches"), screened=definitions)
    assert statuses(folded(told.rows)) == statuses(folded(told.controller_rows))


def test_an_idle_session_adds_its_own_row_and_what_is_synced_anew() -> None:
    """A recording that is gone on with repeats no object."""
    played: Scene = scene("warmups")
    log = MemoryLog("recording")

    async def look() -> None:
        for _ in range(3):
            async with recording(played, log, []) as recorder:
                await until_synced(recorder)

    in_world(played.home, look)
    again = [row for row in log.rows if row.epoch > 1]
    assert {row.type for row in again} == {"SessionStarted", "Synced"}
    assert [row.epoch for row in again if row.type == "SessionStarted"] == [2, 3]
