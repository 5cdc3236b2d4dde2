"""The domain as the engine sees it: rows that it cannot read, and the state as text."""

import pytest

from engine.errors import EventMalformed, LogUnreadable
from engine.events import Event
from machines.domain import DATA_VERSIONS, WARMLOG
from machines.dumping import dump_state, load_state
from machines.folding import HANDLERS
from machines.intents import INTENT_BY_TYPE
from tests.machines.builders import BEGINNING, FORBIDDEN, Scene, naming, selecting, spec_of

ROW = Event(1, 1, BEGINNING, "c", "Node//a/uid-a", "NodeSeen", 1, '{"level":{},"version":"1"}')


def test_a_row_is_folded() -> None:
    """A row that this version knows is applied, and the state knows its place and instant."""
    state = WARMLOG.fold(WARMLOG.initial("log"), ROW)
    assert (state.position, state.now) == (1, BEGINNING)
    assert list(state.clusters["c"].objects["Node"]) == ["uid-a"]


@pytest.mark.parametrize("row", [ROW._replace(version=2), ROW._replace(type="NodeDreamtOf")])
def test_a_row_of_a_newer_version(row: Event) -> None:
    """A row that a newer version wrote is refused with what to do, and not guessed at."""
    with pytest.raises(LogUnreadable, match="use the version that wrote it, or a newer one"):
        WARMLOG.fold(WARMLOG.initial("log"), row)


@pytest.mark.parametrize(
    "row",
    [
        ROW._replace(data="{"),
        ROW._replace(data="[]"),
        ROW._replace(data="{}"),
        ROW._replace(data='{"level":5,"version":"1"}'),
        ROW._replace(data='{"level":{},"version":"x"}'),
        ROW._replace(subject="Node/a"),
        ROW._replace(subject="Planet//a/uid-a"),
        ROW._replace(type="CreateJobIntended", data='{"warmup_uid":"none"}'),
    ],
)
def test_a_row_that_nobody_wrote(row: Event) -> None:
    """A row whose content no version can have written is named, whatever is wrong with it."""
    with pytest.raises(EventMalformed, match=r"row 1|subject"):
        WARMLOG.fold(WARMLOG.initial("log"), row)


def test_every_type_has_a_version() -> None:
    """Each type that can be folded has the version of its data, and decisions are the intents."""
    assert DATA_VERSIONS.keys() == HANDLERS.keys()
    assert {name for name in HANDLERS if WARMLOG.is_decision(name)} == INTENT_BY_TYPE.keys()


def eventful_scene() -> Scene:
    """A state in which every sort of record stands."""
    scene = Scene()
    scene.nodes("a", "b", "c")
    scene.node("d", enabled=None)
    scene.warmup(spec_of(selecting(), naming("z")), wait="60")
    scene.warmup({"targets": []}, name="bad")
    scene.warmup(spec_of(selecting()), name="old", status={"phase": "Failed"})
    scene.refuse("a", FORBIDDEN)
    job = scene.accept("b")
    scene.pod(job, "pod", "Pending", "b", reason="Unschedulable", message="no node")
    scene.node("c", enabled=None)
    return scene


def test_a_state_comes_back_from_its_text() -> None:
    """A state is read back as it was: records, enums, key types and the order of every dict."""
    state = eventful_scene().state
    back = load_state(dump_state(state))
    assert back == state
    assert dump_state(back) == dump_state(state)
    assert list(back.warmups["mw-uid"].targets) == list(state.warmups["mw-uid"].targets)
    assert all(isinstance(seq, int) for seq in back.open)


def test_custom_fragments_come_back_too() -> None:
    """Raw JSON in a spec, numbers kept as texts included, survives the dump of the state."""
    scene = Scene()
    custom = {"containers": [{"name": "c", "image": "x", "resources": {"limits": {"cpu": 1}}}]}
    scene.warmup({**spec_of(selecting()), "custom": custom})
    back = load_state(dump_state(scene.state))
    assert back.warmups["mw-uid"].spec == scene.mw.spec


@pytest.mark.parametrize("text", ["[]", "5", '["t","Nobody",[]]', '["d",[]]', '["x","State",[]]'])
def test_what_is_no_state(text: str) -> None:
    """A text that is no dumped state is refused."""
    with pytest.raises((ValueError, KeyError, IndexError, TypeError)):
        load_state(text)


def test_a_copy_stands_alone() -> None:
    """Whatever is folded onto a copy, the original stays what it was."""
    scene = eventful_scene()
    before = dump_state(scene.state)
    copied = WARMLOG.copy(scene.state)
    assert dump_state(copied) == before
    for row in scene.rows:
        WARMLOG.fold(copied, row)
    assert dump_state(scene.state) == before
