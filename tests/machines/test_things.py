"""Things by their own names, on states that are made row by row."""

from engine.events import Subject
from machines.caches.levels import Owner
from machines.chronicles import Chronicle
from machines.domain import WARMLOG
from machines.explaining_things import ThingExplanation, explain_thing
from machines.levels import NodeLevel
from machines.observations import Answered, Deleted, Done, Reachability
from machines.replicas.levels import WorkloadLevel
from machines.things import Watcher
from tests.machines.told import CLUSTER, WARMUP, Told

OLDER = Subject("Node", "", "n-1", "uid-n-1")
NEWER = Subject("Node", "", "n-1", "uid-another")


def explained(told: Told, kind: str, name: str) -> ThingExplanation:
    """What is said of something at the last row, all rows folded again."""
    state, chronicle, watcher = WARMLOG.initial("a-log"), Chronicle(), Watcher(kind, "", name)
    for row in told.rows:
        state = WARMLOG.fold(state, row)
        chronicle.note(row, state)
        watcher.note(row, state)
    [thing] = watcher.things.values()
    return explain_thing(state, thing, chronicle)


def running() -> Told:
    """A node whose Job is asked for."""
    told = Told()
    told.synced(told.namespace(), told.node("n-1"), told.warmup())
    return told


def test_a_name_is_borne_by_the_newest() -> None:
    """A node that goes after another took its name leaves that one there, and both are told."""
    told = running()
    told.see(told.level(NEWER, NodeLevel(ready="False")))
    told.see(Deleted(CLUSTER, OLDER, "90"))
    found = explained(told, "Node", "n-1")
    assert (found.standing, found.subject.uid, found.gone) == ("not ready", NEWER.uid, None)
    assert "2 objects bore this name, one after the other" in found.notes
    told.see(Deleted(CLUSTER, NEWER, "91"))
    assert explained(told, "Node", "n-1").standing == "gone"


def test_a_job_is_asked_for_before_it_is_seen() -> None:
    """A Job that was decided upon is explained by that, with the node and what comes of it."""
    told = running()
    [row] = told.decided("CreateJobIntended")
    name = told.job("n-1").subject.name
    found = explained(told, "Job", name)
    assert (found.standing, found.last) == ("asked for", None)
    [of] = found.bearings
    assert (of.subject.name, of.part, of.phase) == ("warm", "n-1", "Pending")
    assert of.waits_for.startswith("the API server's answer to the create of its Job")
    told.see(told.job("n-1", outcome="Complete"), Answered(row.seq, Done("uid-job-n-1")))
    found = explained(told, "Job", name)
    assert found.standing == "Complete"
    assert [line.moved for line in found.causes if line.moved] == ["asked for", "Complete"]


def test_what_is_known_last_is_said_to_be_that() -> None:
    """While a cluster does not answer, everything on it is told as what was known last."""
    told = running()
    told.see(Reachability(CLUSTER, reachable=False, words="no route"))
    notes = explained(told, "Node", "n-1").notes
    assert notes == ("cluster here does not answer (no route): all this is what was known last",)


def test_a_node_that_nobody_needs_says_so() -> None:
    """A node with which nothing has to do is explained, and nothing is to be done about it."""
    told = Told()
    told.synced(told.namespace(), told.node("n-1", enabled=False))
    found = explained(told, "Node", "n-1")
    assert found.bearings == ()
    assert found.notes == ("nothing that warmlog works for is known to need it",)
    assert found.advice == ("nothing: nothing waits for it",)


def test_a_namespace_tells_of_those_that_are_in_it_now() -> None:
    """A ModelWarmup that is deleted is no longer in its namespace, and nothing waits for that."""
    told = running()
    assert [of.subject for of in explained(told, "Namespace", "models").bearings] == [WARMUP]
    told.see(Deleted(CLUSTER, WARMUP, "90"), told.namespace(terminating=True))
    found = explained(told, "Namespace", "models")
    assert (found.standing, found.bearings) == ("in pool fast, being deleted", ())


def test_a_workload_of_nobody_says_so() -> None:
    """A workload whose ModelReplica is not known is told by its own level, with no owner."""
    told = running()
    mark = Owner("models", "chat", "uid-chat")
    subject = Subject("Deployment", "models", "chat-main", "uid-chat-main")
    told.see(told.level(subject, WorkloadLevel(mark, "chat", available="True", deleting=True)))
    found = explained(told, "Deployment", "chat-main")
    assert found.standing == "available, being deleted"
    assert "no ModelReplica is known whose it is" in found.notes
    assert found.last is not None
    assert "of ModelReplica models/chat" in found.last.words
