"""Ingesting: which observations are news, and the rows that they become."""

from engine.canonical_json import loads
from engine.events import Subject
from machines.ingesting import TEXT_SECONDS, due_deadlines, next_deadline
from machines.levels import JobLevel, NodeLevel, PodLevel
from machines.observations import (
    Answered,
    DeadlinePassed,
    Deleted,
    Done,
    Listed,
    Reachability,
    RolledBack,
    Seen,
    StatusStored,
    Unknown,
)
from machines.versions import KnownVersion, known_versions
from tests.machines.builders import CLUSTER, Scene, naming, seconds, selecting, spec_of

NODE = Subject("Node", "", "a", "uid-a")
READY = NodeLevel(ready="True")
CORDONED = NodeLevel(ready="True", unschedulable=True)


def types(scene: Scene, *observations: Seen | Deleted | Listed | Reachability) -> list[str]:
    """The types of the rows that these observations make."""
    return [row.type for row in scene.tell(*observations)]


def seen(version: int, level: NodeLevel = READY, subject: Subject = NODE) -> Seen:
    """A node at a level and a version."""
    return Seen(CLUSTER, subject, str(version), level)


def test_an_equal_level_is_no_news() -> None:
    """A heartbeat makes a new version of a node, and no row [W24]"""
    scene = Scene()
    assert types(scene, seen(1)) == ["NodeSeen"]
    assert types(scene, seen(2), seen(3)) == []
    assert types(scene, seen(4, CORDONED)) == ["NodeSeen"]


def test_an_older_version_is_dropped() -> None:
    """What is not newer than what is known does not reach the log, whatever it says."""
    scene = Scene()
    assert types(scene, seen(5)) == ["NodeSeen"]
    assert types(scene, seen(5, CORDONED), seen(4, CORDONED)) == []


def test_versions_are_compared_within_one_object() -> None:
    """A version says nothing about another object."""
    scene = Scene()
    other = Subject("Node", "", "b", "uid-b")
    assert types(scene, seen(50), seen(7, READY, other)) == ["NodeSeen", "NodeSeen"]


def test_versions_are_numbers() -> None:
    """Version 10 is newer than version 9, though it sorts before it as a text."""
    scene = Scene()
    assert types(scene, seen(9), seen(10, CORDONED)) == ["NodeSeen", "NodeSeen"]


def test_what_a_list_does_not_hold_is_gone() -> None:
    """A complete list infers the end of what it lacks, and says that it was inferred."""
    scene = Scene()
    scene.tell(seen(5))
    row = scene.tell(Listed(CLUSTER, "Node", "9", ()))[0]
    assert (row.type, row.subject) == ("Gone", "Node//a/uid-a")
    assert loads(row.data) == {"version": "9", "inferred": True}


def test_a_list_from_the_past_takes_nothing_away() -> None:
    """A list that is older than an object's last level cannot say that it is gone."""
    scene = Scene()
    scene.tell(seen(50))
    assert types(scene, Listed(CLUSTER, "Node", "40", ())) == []
    assert types(scene, Listed(CLUSTER, "Node", "50", ())) == ["Gone"]


def test_a_buried_uid_never_comes_back() -> None:
    """What ended stays ended: a late event or an old list does not bring it back."""
    scene = Scene()
    scene.tell(seen(5), Deleted(CLUSTER, NODE, "6"))
    assert types(scene, seen(7), Listed(CLUSTER, "Node", "8", (seen(7),))) == []
    assert types(scene, Deleted(CLUSTER, NODE, "9")) == []


def test_the_same_name_is_another_object() -> None:
    """A node of the same name with another uid is another node, and buries nobody [W45]"""
    scene = Scene()
    scene.tell(seen(5), Deleted(CLUSTER, NODE, "6"))
    assert types(scene, seen(7, READY, NODE._replace(uid="new"))) == ["NodeSeen"]


def test_the_end_of_what_was_never_seen_is_no_news() -> None:
    """A deletion of an object that the log does not know makes no row."""
    assert types(Scene(), Deleted(CLUSTER, NODE, "6")) == []


def test_an_outcome_in_the_last_moment() -> None:
    """A deletion whose last level is an outcome that was not seen is told with that outcome."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    scene.accept("a")
    subject = scene.job_subject("a")
    last = scene.job_level("a", "Complete")
    rows = scene.tell(Deleted(CLUSTER, subject, str(scene.next()), last))
    assert [row.type for row in rows][:2] == ["JobSeen", "Gone"]
    assert scene.status["succeededNodes"] == 1


def test_a_last_level_without_an_outcome_adds_nothing() -> None:
    """Of a deletion only an end is worth a row of its own."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    scene.accept("a")
    last = scene.job_level("a", "Finishing")
    rows = scene.tell(Deleted(CLUSTER, scene.job_subject("a"), str(scene.next()), last))
    assert "JobSeen" not in [row.type for row in rows]


def test_synced_once() -> None:
    """A kind is synced by its first list in a session, and only told then."""
    scene = Scene(synced=False)
    assert types(scene, Listed(CLUSTER, "Node", "1", ())) == ["Synced"]
    assert types(scene, Listed(CLUSTER, "Node", "2", ())) == []
    scene.restart(synced=False)
    assert types(scene, Listed(CLUSTER, "Node", "3", ())) == ["Synced"]


def test_idle_restarts_add_no_object_row() -> None:
    """Five starts on an unchanged cluster add a session row and one per kind each."""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting()))
    for _ in range(5):
        rows = scene.restart()
        assert [row.type for row in rows] == ["SessionStarted", *["Synced"] * 5]


def test_reachability_on_change() -> None:
    """That a cluster answers is no news while it does; that it does not is told once."""
    scene = Scene()
    well, ill = Reachability(CLUSTER, reachable=True), Reachability(CLUSTER, reachable=False)
    assert types(scene, well) == []
    assert types(scene, ill) == ["Unreachable"]
    assert types(scene, ill) == []
    assert types(scene, well) == ["Reachable"]


def test_why_a_cluster_does_not_answer_is_kept_up_with() -> None:
    """Other words are told a minute after the last ones; since when it is silent stays."""
    scene = Scene()
    first, second = (
        Reachability(CLUSTER, reachable=False, words=words) for words in ("refused", "no route")
    )
    assert types(scene, first) == ["Unreachable"]
    cluster = scene.state.clusters[CLUSTER]
    since = cluster.changed_at
    assert types(scene, second) == []
    scene.wait(TEXT_SECONDS)
    assert types(scene, first) == []
    assert types(scene, second) == ["Unreachable"]
    assert (cluster.words, cluster.changed_at) == ("no route", since)


def test_a_rolled_back_cluster_is_believed() -> None:
    """After a restore, versions begin anew and what was buried may be back."""
    scene = Scene()
    other = Subject("Node", "", "b", "uid-b")
    scene.tell(seen(50), seen(51, READY, other), Deleted(CLUSTER, other, "52"))
    restored = Listed(CLUSTER, "Node", "40", (seen(30, CORDONED), seen(31, READY, other)))
    rows = scene.tell(RolledBack(CLUSTER, "older"), restored)
    assert [row.type for row in rows][:3] == ["ClusterRolledBack", "NodeSeen", "NodeSeen"]


def test_a_rolled_back_cluster_is_no_wave_of_ends() -> None:
    """What the restored cluster holds unchanged makes no row; only what it lacks is gone."""
    scene = Scene()
    other = Subject("Node", "", "b", "uid-b")
    scene.tell(seen(50), seen(51, READY, other))
    rows = scene.tell(RolledBack(CLUSTER, "older"), Listed(CLUSTER, "Node", "40", (seen(30),)))
    told = [(row.type, row.subject) for row in rows]
    assert told[1] == ("Gone", "Node//b/uid-b")
    assert [name for name, _ in told] == ["ClusterRolledBack", "Gone", "Synced"]


def pod(version: int, message: str, reason: str = "Unschedulable", phase: str = "Pending") -> Seen:
    """A Pod that says why it does not run."""
    subject = Subject("Pod", "ns", "p", "p-uid")
    level = PodLevel("w", "j", "", phase, reason, message)
    return Seen(CLUSTER, subject, str(version), level)


def test_new_words_for_an_old_cause() -> None:
    """A Pod that words one reason anew is believed once a minute, and at once for another."""
    scene = Scene()
    assert types(scene, pod(1, "0/3 nodes")) == ["PodSeen"]
    assert types(scene, pod(2, "0/4 nodes")) == []
    assert types(scene, pod(3, "0/4 nodes", "ImagePullBackOff")) == ["PodSeen"]
    scene.clock += seconds(TEXT_SECONDS)
    assert types(scene, pod(4, "0/5 nodes", "ImagePullBackOff")) == ["PodSeen"]


def test_a_changed_phase_is_always_news() -> None:
    """Words that come with another phase are not held back."""
    scene = Scene()
    scene.tell(pod(1, "one"))
    assert types(scene, pod(2, "two", phase="Running")) == ["PodSeen"]


def test_answers_are_told_once() -> None:
    """An answer to an intent that is not open makes no row, nor does a second Unknown."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    seq = next(iter(scene.state.open))
    assert [row.type for row in scene.tell(Answered(seq, Unknown("?")))] == ["IntentUnknown"]
    assert scene.tell(Answered(seq, Unknown("?"))) == ()
    assert scene.tell(Answered(seq, Done("u")))[0].type == "IntentDone"
    assert scene.tell(Answered(seq, Done("u"))) == ()
    assert scene.tell(Answered(10**6, Done("u"))) == ()


def test_an_answer_names_its_intent() -> None:
    """An outcome's row has the intent's row as its cause, and its warmup as its subject."""
    scene = Scene()
    scene.node("a")
    warmup = scene.warmup(spec_of(selecting()))
    seq = next(iter(scene.state.open))
    row = scene.tell(Answered(seq, Done("u", found=True)))[0]
    assert (row.cause, row.subject) == (seq, str(warmup.subject))
    assert loads(row.data) == {"uid": "u", "found": True}


def test_stored_statuses_matter_at_the_end_only() -> None:
    """That a status is stored makes a row once, for a terminal status."""
    scene = Scene()
    scene.node("a")
    warmup = scene.warmup(spec_of(selecting()))
    stored = StatusStored(CLUSTER, warmup.subject, warmup.position)
    assert scene.tell(stored) == ()
    scene.finish("a")
    scene.resolve()
    assert scene.tell(stored)[0].type == "StatusStored"
    assert scene.tell(stored) == ()


def test_deadlines_pass_once() -> None:
    """A deadline that nobody waits for any more makes no row."""
    scene = Scene()
    warmup = scene.warmup(spec_of(naming("a")), wait="5")
    due = next_deadline(scene.state)
    assert due == scene.clock + seconds(5)
    passed = DeadlinePassed(CLUSTER, warmup.subject, due)
    assert scene.tell(passed._replace(deadline=due - 1)) == ()
    scene.clock = due
    assert due_deadlines(scene.state, scene.clock) == [passed]
    assert scene.tell(passed)[0].type == "DeadlinePassed"
    assert scene.tell(passed) == ()


def test_nothing_expires_while_the_cluster_is_unknown() -> None:
    """Before every kind is listed, and while a cluster does not answer, no deadline passes."""
    scene = Scene()
    scene.warmup(spec_of(naming("a")), wait="5")
    scene.tell(Reachability(CLUSTER, reachable=False, words="no route"))
    late = scene.clock + seconds(60)
    assert (due_deadlines(scene.state, late), next_deadline(scene.state)) == ([], None)
    scene.tell(Reachability(CLUSTER, reachable=True))
    assert len(due_deadlines(scene.state, late)) == 1
    scene.restart(synced=False)
    assert (due_deadlines(scene.state, late), next_deadline(scene.state)) == ([], None)


def test_hostile_versions() -> None:
    """A resourceVersion that is no number orders nothing and stops nothing."""
    scene = Scene()
    for version in ("", "x", "-1", "9" * 5000, "\u0661"):
        scene.tell(Seen(CLUSTER, NODE._replace(uid=version or "-"), version, READY))
    assert len(scene.state.clusters[CLUSTER].objects["Node"]) == 5


def test_a_job_that_only_its_answer_told_of() -> None:
    """A Job whose uid an answer gave is known: its deletion is news even before it was seen."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    seq = next(iter(scene.state.open))
    scene.tell(Answered(seq, Done("job-uid")))
    subject = Subject("Job", "ns", "j", "job-uid")
    last = JobLevel("mw-uid", "mw-uid", "uid-a", "a", "", "Complete")
    rows = scene.tell(Deleted(CLUSTER, subject, "900", last))
    assert [row.type for row in rows][:2] == ["JobSeen", "Gone"]
    assert scene.status["succeededNodes"] == 1


def test_a_server_that_only_lagged() -> None:
    """What a list after a roll-back did not hold comes back when the server shows it again."""
    scene = Scene()
    scene.tell(seen(50))
    rows = scene.tell(RolledBack(CLUSTER, "older"), Listed(CLUSTER, "Node", "40", ()))
    assert [row.type for row in rows] == ["ClusterRolledBack", "Gone", "Synced"]
    assert types(scene, seen(50)) == ["NodeSeen"]
    assert types(scene, Listed(CLUSTER, "Node", "60", ())) == ["Gone"]
    assert types(scene, seen(61)) == []


def test_what_an_older_list_is_told_by() -> None:
    """The versions of all that is known, and of all that is gone, tell of which past a list is."""
    scene = Scene()
    other = Subject("Node", "", "b", "uid-b")
    scene.tell(seen(50), seen(51, READY, other), Deleted(CLUSTER, other, "77"))
    assert known_versions(scene.state, CLUSTER)["Node"] == {
        "uid-a": KnownVersion(50),
        "uid-b": KnownVersion(77, ended=True),
    }
    scene.tell(RolledBack(CLUSTER, "older"))
    assert known_versions(scene.state, CLUSTER)["Node"] == {"uid-a": KnownVersion(0)}
    assert known_versions(scene.state, "elsewhere")["Node"] == {}
