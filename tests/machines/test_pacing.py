"""Pacing: a refusal of many nodes costs little while it lasts, and ends for all at once."""

from machines.intents import CreateJob
from machines.pacing import TURNS
from tests.machines.builders import FORBIDDEN, Scene, selecting, spec_of


def crowd_of(count: int) -> Scene:
    """So many nodes, and every create refused so far."""
    scene = Scene()
    scene.nodes(*(f"n{index:04}" for index in range(count)))
    scene.warmup(spec_of(selecting(), parallelism=4))
    refuse_all(scene)
    return scene


def refuse_all(scene: Scene) -> list[str]:
    """Refuse every create until none is open; give the nodes that were tried."""
    tried = []
    while names := scene.creating():
        for name in names:
            scene.refuse(name, FORBIDDEN)
            tried.append(name)
    return tried


def tried_within(scene: Scene, seconds: int) -> list[str]:
    """The nodes whose Job is asked for, and refused, in so many seconds."""
    tried = []
    for _ in range(seconds):
        scene.wait(1)
        tried += refuse_all(scene)
    return tried


def test_a_few_are_each_tried_once_a_minute() -> None:
    """As many as may be tried in a minute do not wait for each other."""
    scene = crowd_of(TURNS)
    tried_within(scene, 200)
    tried = tried_within(scene, 60)
    assert sorted(tried) == sorted({target.node_name for target in scene.mw.targets.values()})


def test_many_take_turns() -> None:
    """Of 320 nodes each is tried within ten minutes or so, and no more than 32 in a minute."""
    scene = crowd_of(10 * TURNS)
    tried_within(scene, 1200)
    tried = tried_within(scene, 660)
    assert len(tried) <= 11 * TURNS + TURNS
    assert len(set(tried)) == 10 * TURNS
    rows = len(scene.rows)
    tried_within(scene, 60)
    assert len(scene.rows) - rows < 4 * 2 * TURNS


def test_one_that_is_taken_has_all_others_tried_at_once() -> None:
    """The quota is lifted: nobody waits for its turn any longer."""
    scene = crowd_of(10 * TURNS)
    tried_within(scene, 600)
    while not scene.creating():
        scene.wait(1)
    first = scene.creating()[0]
    scene.accept(first)
    scene.job(first, "Complete")
    before = len(scene.decided(CreateJob))
    while names := scene.creating():
        for name in names:
            scene.finish(name)
    assert len(scene.decided(CreateJob)) - before >= 9 * TURNS
    assert scene.status["succeededNodes"] > 9 * TURNS
    scene.wait(60)
    for name in scene.creating():
        scene.finish(name)
    scene.wait(60)
    assert scene.mw.refused == {}


def test_the_next_time_is_told() -> None:
    """Whoever waits for its turn says until when."""
    scene = crowd_of(10 * TURNS)
    messages = {scene.target(f"n{index:04}").words.message for index in range(10 * TURNS)}
    assert all("; tried again at 00:" in message for message in messages)
