"""Suspending: no new Jobs while the annotation says so, and no time that counts."""

from engine.canonical_json import dumps
from machines.intents import CreateJob
from machines.labels import OURS, SUSPEND, TARGET_WAIT_SECONDS
from machines.levels import WarmupLevel
from machines.observations import Answered, Done
from machines.pairs import Pairs
from tests.machines.builders import FORBIDDEN, Scene, naming, selecting, spec_of

SPEC = spec_of(selecting(), parallelism=1)


def annotate(scene: Scene, spec: object = SPEC, **marks: str) -> None:
    """The warmup is there with these of our annotations: `suspend`, `wait`."""
    names = {"suspend": SUSPEND, "wait": TARGET_WAIT_SECONDS}
    pairs: Pairs = tuple(sorted((names[name], value) for name, value in marks.items()))
    scene.see(scene.subject(), WarmupLevel(1, dumps(spec), pairs))


def test_no_job_is_created_while_it_is_suspended() -> None:
    """What runs goes on to its outcome; the next Job waits for the annotation to go."""
    scene = Scene()
    scene.nodes("a", "b")
    annotate(scene)
    scene.accept("a")
    annotate(scene, suspend="true")
    scene.job("a", "Complete")
    assert scene.creating() == []
    assert scene.detail("b")["reason"] == "Suspended"
    assert scene.condition("Progressing")["reason"] == "Suspended"
    assert scene.status["succeededNodes"] == 1
    annotate(scene)
    assert scene.creating() == ["b"]
    assert scene.condition("Progressing")["reason"] == "JobsRunning"


def test_one_that_is_suspended_from_the_start() -> None:
    """Nothing is created until it is let go, over restarts too."""
    scene = Scene()
    scene.node("a")
    annotate(scene, suspend="true")
    scene.restart()
    assert scene.decided(CreateJob) == []
    annotate(scene, suspend="false")
    assert scene.creating() == ["a"]


def test_a_create_on_its_way_is_looked_at_again() -> None:
    """A create that was sent before lands: its Job runs on."""
    scene = Scene()
    scene.node("a")
    annotate(scene)
    seq = scene.open_intent(CreateJob)
    annotate(scene, suspend="true")
    scene.tell(Answered(seq, Done("job-1")))
    assert scene.detail("a")["phase"] == "Running"


def test_time_spent_suspended_is_not_counted() -> None:
    """A name waits as long as it was told to, without the time in between [W97]"""
    scene = Scene()
    spec = spec_of(naming("x"))
    annotate(scene, spec, wait="60")
    scene.wait(50)
    annotate(scene, spec, wait="60", suspend="true")
    scene.wait(3600)
    assert scene.detail("x")["phase"] == "Pending"
    assert "stands still" in scene.detail("x")["message"]
    annotate(scene, spec, wait="60")
    scene.wait(9)
    assert scene.detail("x")["phase"] == "Pending"
    scene.wait(1)
    assert scene.detail("x")["phase"] == "Failed"


def test_a_wait_that_is_changed_while_suspended_goes_on_after() -> None:
    """Its time stands still all the same, and then is as long as is said now."""
    scene = Scene()
    spec = spec_of(naming("a"))
    annotate(scene, spec, wait="60")
    scene.wait(50)
    annotate(scene, spec, wait="60", suspend="true")
    scene.wait(1000)
    annotate(scene, spec, wait="90", suspend="true")
    scene.wait(1000)
    assert scene.detail("a")["phase"] == "Pending"
    annotate(scene, spec, wait="90")
    scene.wait(39)
    assert scene.detail("a")["phase"] == "Pending"
    scene.wait(1)
    assert scene.detail("a")["phase"] == "Failed"


def test_a_name_that_begins_to_wait_while_suspended() -> None:
    """Its time begins when the warmup is let go, however long that is after [W97]"""
    scene = Scene()
    scene.node("x")
    spec = spec_of(naming("x"))
    annotate(scene, spec, wait="60", suspend="true")
    scene.wait(1000)
    scene.node_gone("x")
    scene.wait(1000)
    annotate(scene, spec, wait="60")
    scene.wait(59)
    assert scene.detail("x")["phase"] == "Pending"
    scene.wait(1)
    assert scene.detail("x")["phase"] == "Failed"


def test_a_refused_create_is_not_tried_again_meanwhile() -> None:
    """Its wait may pass, and no create is decided until the annotation goes."""
    scene = Scene()
    scene.node("a")
    annotate(scene)
    scene.refuse("a", FORBIDDEN)
    annotate(scene, suspend="true")
    scene.wait(100)
    assert len(scene.decided(CreateJob)) == 1
    annotate(scene)
    assert scene.creating() == ["a"]


def test_a_value_that_means_nothing_is_said() -> None:
    """Only "true" suspends; what is neither true nor false is told and not used."""
    scene = Scene()
    scene.node("a")
    annotate(scene, suspend="yes")
    assert scene.creating() == ["a"]
    assert "neither" in scene.condition("Valid")["message"]


def test_a_name_that_means_nothing_is_said() -> None:
    """A misspelt annotation of ours has no effect, and is told with those that have one."""
    scene = Scene()
    scene.node("a")
    notes = ((f"{OURS}suspnd", "true"),)
    scene.see(scene.subject(), WarmupLevel(1, dumps(SPEC), notes))
    assert scene.creating() == ["a"]
    assert scene.condition("Valid")["reason"] == "AnnotationIgnored"
    assert "warmlog.dev/suspnd is no annotation of warmlog" in scene.condition("Valid")["message"]


def test_an_end_does_not_care() -> None:
    """When every node has its outcome the warmup ends, suspended or not."""
    scene = Scene()
    scene.node("a")
    annotate(scene)
    scene.accept("a")
    annotate(scene, suspend="true")
    scene.job("a", "Complete")
    scene.resolve()
    assert scene.phase == "Succeeded"
