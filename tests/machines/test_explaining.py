"""Explaining, on states that are made row by row."""

import pytest

from engine.events import Subject
from machines.explaining import ignored_words, is_troubled, node_views, skipped_nodes
from machines.labels import POOL, SUSPEND
from machines.levels import NamespaceLevel, NodeLevel, PodLevel, WarmupLevel
from machines.node_jobs import NodeJobState
from machines.observations import (
    Answered,
    Contested,
    Done,
    Reachability,
    Refused,
    StatusStored,
    Unknown,
)
from machines.states import Ignored
from tests.machines.told import CLUSTER, WARMUP, Told


def running() -> Told:
    """Two nodes, whose Jobs are asked for."""
    told = Told()
    told.synced(told.namespace(), told.node("n-1"), told.node("n-2"), told.warmup())
    return told


def created(told: Told) -> None:
    """Have every open create answered, and its Job seen."""
    for row in told.decided("CreateJobIntended"):
        node = "n-1" if '"n-1"' in row.data else "n-2"
        told.see(told.job(node), Answered(row.seq, Done(f"uid-job-{node}")))


def ended(told: Told, *, first: str = "Complete") -> None:
    """Have both Jobs end, the first one so, and the last look answered."""
    created(told)
    told.see(
        told.job("n-1", outcome=first, reason="" if first == "Complete" else "DeadlineExceeded")
    )
    told.see(told.job("n-2", outcome="Complete"))
    [resolve] = told.decided("ResolveIntended")
    told.see(Answered(resolve.seq, Done()))


def test_a_create_without_an_answer_is_what_is_waited_for() -> None:
    """Until the API server answers, each node waits for that answer, and nobody need act."""
    told = running()
    explanation = told.explain()
    assert [node.view.words.reason for node in explanation.nodes] == ["JobBeingCreated"] * 2
    assert [node.waits_for for node in explanation.nodes] == [
        f"the API server's answer to the create of its Job (position {row.seq})"
        for row in sorted(told.decided("CreateJobIntended"), key=lambda row: '"n-2"' in row.data)
    ]
    assert explanation.advice == ("nothing: it goes on by itself",)


def test_an_unknown_outcome_is_said() -> None:
    """A create whose answer was lost is being looked up, and that is said."""
    told = running()
    told.see(Answered(told.decided("CreateJobIntended")[0].seq, Unknown("time-out")))
    [first, second] = told.explain().nodes
    assert first.waits_for.endswith("; no answer came, so it is looked up")
    assert not second.waits_for.endswith("looked up")


def test_a_full_parallelism_names_who_holds_the_slots() -> None:
    """A node that waits for a slot says which nodes have a Job now."""
    told = Told(policies={"parallelism": 1})
    told.synced(told.namespace(), told.node("n-1"), told.node("n-2"), told.warmup())
    [row] = told.decided("CreateJobIntended")
    told.see(told.job("n-1"), Answered(row.seq, Done("uid-job-n-1")))
    [first, second] = told.explain().nodes
    assert first.waits_for == f"Job {first.view.job} to end; its Job has no Pod yet"
    assert second.waits_for == "a free slot: n-1 has a Job now"


def test_a_refusal_makes_a_node_troubled() -> None:
    """A refused create comes first, with the server's words and what to do."""
    told = running()
    seq = told.decided("CreateJobIntended")[0].seq
    told.see(Answered(seq, Refused(403, "Forbidden", "exceeded quota")))
    explanation = told.explain()
    [troubled] = [node for node in explanation.nodes if is_troubled(node.view)]
    assert troubled.view.words.message.startswith("exceeded quota; tried again at 00:00:0")
    assert troubled.advice.startswith("mend what the API server names")
    assert explanation.advice == (f"see to {troubled.view.name}, below",)


def test_an_end_waits_for_its_status_and_then_for_its_jobs() -> None:
    """What has ended waits until the server holds its status, then until its Jobs have a TTL."""
    told = running()
    ended(told)
    explanation = told.explain()
    assert explanation.phase == "Succeeded"
    assert explanation.headline == "2 nodes succeeded"
    assert explanation.waits_for == ("the API server to take the final status",)
    told.see(StatusStored(CLUSTER, WARMUP, told.state.warmups[WARMUP.uid].position))
    assert told.explain().waits_for == ("the clean-up of 2 Jobs",)
    for row in told.decided("StampTtlIntended"):
        told.see(Answered(row.seq, Done("uid-job")))
    assert told.explain().waits_for == ()
    assert told.explain().advice == ()


def test_the_last_look_is_waited_for() -> None:
    """When every node has ended, the fresh look at the cluster is what is left."""
    told = running()
    created(told)
    told.see(told.job("n-1", outcome="Complete"), told.job("n-2", outcome="Complete"))
    [row] = told.decided("ResolveIntended")
    assert told.explain().waits_for == (f"a last look at all nodes (position {row.seq})",)
    told.see(Answered(row.seq, Refused(500, "InternalError", "etcd")))
    [waits] = told.explain().waits_for
    assert waits.startswith("the next try of a last look at all nodes, at 2026-01-01T00:00:")


def test_a_degraded_end_names_the_first_cause_and_the_way_on() -> None:
    """Of an end with failures, the first one is named, and that a new object is needed."""
    told = running()
    ended(told, first="Failed")
    explanation = told.explain()
    assert explanation.phase == "Degraded"
    assert explanation.headline.startswith("1 of 2 nodes failed; first n-1: DeadlineExceeded")
    assert explanation.advice[0].startswith("this one has ended and stays so")
    [node] = explanation.nodes
    assert (node.view.state, node.waits_for) == (NodeJobState.FAILED, "")
    assert node.advice.startswith("find what took so long on n-1")


def test_an_unreachable_cluster_makes_all_else_old_news() -> None:
    """While the cluster does not answer, that stands before everything else."""
    told = running()
    told.see(Reachability(CLUSTER, reachable=False, words="connection refused"))
    [note] = told.explain().notes
    assert note == (
        "cluster here does not answer (connection refused): all this is what was known last"
    )
    assert told.explain().causes[-1].words == "cluster here does not answer: connection refused"
    told.see(Reachability(CLUSTER, reachable=True))
    assert told.explain().notes == ()


def test_a_namespace_that_goes_is_what_is_waited_for() -> None:
    """A terminating namespace is the reason of the whole and of each node that waits."""
    told = Told(policies={"parallelism": 1})
    told.synced(told.namespace(), told.node("n-1"), told.node("n-2"), told.warmup())
    told.see(told.namespace(terminating=True))
    explanation = told.explain()
    assert explanation.waits_for == ("namespace models is being deleted",)
    assert "make the namespace models again" in explanation.advice[0]


def test_an_annotation_without_effect_is_told() -> None:
    """What an annotation was meant to do and does not stands before the rest, with what to do."""
    told = Told()
    told.synced(told.namespace(), told.node("n-1"), told.warmup(**{SUSPEND: "yes"}))
    explanation = told.explain()
    assert explanation.notes == (
        f'{SUSPEND} \'yes\' is neither "true" nor "false" and is not used',
    )
    assert explanation.advice == ("correct the annotation that the message names",)


def test_another_writer_of_the_status_is_told() -> None:
    """While somebody else keeps writing the status, explain names who, and says to stop them."""
    told = running()
    told.see(Contested(CLUSTER, WARMUP, "other-controller"))
    explanation = told.explain()
    assert explanation.notes == ("other-controller keeps writing its status, which is warmlog's",)
    assert explanation.advice[0].startswith("stop the other writer")
    told.see(Contested(CLUSTER, WARMUP, ""))
    assert told.explain().notes == ()


def test_skipped_nodes_have_their_reason() -> None:
    """A node that the selector matches and the boundary keeps out is told with its reason."""
    told = Told()
    told.synced(told.namespace(), told.node("n-1", enabled=False), told.warmup())
    [skipped] = told.explain().skipped
    assert skipped == ("n-1", 'its label model.aibrix.ai/warmup-enabled is not "true"')
    warmup = told.state.warmups[WARMUP.uid]
    assert skipped_nodes(told.state, warmup) == (skipped,)
    assert node_views(warmup) == []
    assert "label the skipped nodes" in told.explain().advice[-1]


def test_of_a_namespace_without_a_pool_only_that_is_advised() -> None:
    """Labels of nodes would not help while the namespace is in no pool."""
    told = Told()
    subject = Subject("Namespace", "", WARMUP.namespace, "uid-models")
    told.synced(told.level(subject, NamespaceLevel("")), told.node("n-1"), told.warmup())
    assert told.explain().advice == (
        f"`kubectl label namespace models {POOL}=POOL` with the pool of the nodes to warm",
    )


def test_what_is_suspended_does_not_go_on_by_itself() -> None:
    """Whoever asks why nothing happens is told how to let it go on, also with Jobs on the way."""
    resume = f"`kubectl -n models annotate modelwarmup warm {SUSPEND}-` lets it go on"
    told = Told(policies={"parallelism": 1})
    told.synced(told.namespace(), told.node("n-1"), told.node("n-2"), told.warmup())
    told.see(told.warmup(**{SUSPEND: "true"}))
    assert told.explain().advice == (resume,)


def test_an_end_under_another_log_is_told_with_its_own_time() -> None:
    """This log knows when it saw the end, not when it came: that stands in the status."""
    told = Told()
    past = {"phase": "Succeeded", "completionTime": "2025-12-24T18:00:00Z", "succeededNodes": 1}
    seen = told.warmup()
    told.synced(told.namespace(), seen._replace(recovered=past))
    explanation = told.explain()
    assert (explanation.phase, explanation.since) == ("Succeeded", None)
    assert "it ended at 2025-12-24T18:00:00Z, under another log" in explanation.notes[-1]


def test_nodes_stand_in_the_order_of_their_need() -> None:
    """Failed nodes come first, then running, pending and ready ones, each by name."""
    told = Told(policies={"parallelism": 3})
    nodes = [told.node(f"n-{number}") for number in range(1, 5)]
    told.synced(told.namespace(), *nodes, told.warmup())
    for row, node in zip(told.decided("CreateJobIntended"), ("n-1", "n-2", "n-3"), strict=True):
        told.see(told.job(node), Answered(row.seq, Done(f"uid-job-{node}")))
    told.see(told.job("n-3", outcome="Failed"), told.job("n-1", outcome="Complete"))
    views = node_views(told.state.warmups[WARMUP.uid])
    assert [(view.name, view.state.value) for view in views] == [
        ("n-3", "Failed"), ("n-2", "Hydrating"), ("n-4", "Pending"), ("n-1", "Ready"),
    ]  # fmt: skip


def test_rows_of_other_objects_are_no_causes() -> None:
    """Another ModelWarmup, another namespace, and nodes that are not wanted tell nothing here."""
    told = running()
    before = told.explain()
    other = Subject("ModelWarmup", "models", "other", "uid-other")
    told.see(
        told.level(other, told.warmup().level),
        told.level(Subject("Namespace", "", "elsewhere", "uid-e"), told.namespace().level),
        told.node("outside", enabled=False),
    )
    after = told.explain()
    assert after.causes == before.causes
    assert [node.chain for node in after.nodes] == [node.chain for node in before.nodes]


@pytest.mark.parametrize(
    ("trigger", "state", "why"),
    [
        ("job_failed", "Ready", "an outcome sticks"),
        ("job_vanished", "Pending", "in that state only these mean something: job_found"),
    ],
)
def test_what_was_ignored_says_why(trigger: str, state: str, why: str) -> None:
    """A trigger that the machine did not take is told with the reason."""
    words = ignored_words(Ignored(7, 0, "n-1", trigger, state))
    assert words.startswith(
        f"n-1: {trigger.replace('_', ' ')} while {state} was ignored, since {why}"
    )


def test_a_cordon_that_was_taken_off_is_no_longer_to_be_taken_off() -> None:
    """What the scheduler said of it stands until it tries again: nobody is told to do it twice."""
    told = running()
    created(told)
    node, job = Subject("Node", "", "n-1", "uid-n-1"), "uid-job-n-1"
    pod = Subject("Pod", WARMUP.namespace, "pod", "uid-pod")
    words = "no node is available: node(s) were unschedulable"
    waits = PodLevel(WARMUP.uid, job, phase="Pending", reason="Unschedulable", message=words)
    open_again = told.node("n-1").level
    assert isinstance(open_again, NodeLevel)
    told.see(told.level(node, open_again._replace(unschedulable=True)), told.level(pod, waits))
    assert [each.advice for each in told.explain().nodes if each.view.name == "n-1"] == [
        "`kubectl uncordon n-1`"
    ]
    told.see(told.level(node, open_again))
    [explained] = [each for each in told.explain().nodes if each.view.name == "n-1"]
    assert explained.view.words.message == words
    assert explained.advice.startswith("see whether its Pod has a place now, since n-1 takes Pods")


def test_what_goes_before_it_was_looked_at_waits_for_no_list() -> None:
    """Nodes are not looked for then, and no kind is missing for it."""
    told = Told()
    going = told.warmup()
    assert isinstance(going.level, WarmupLevel)
    told.synced(
        told.namespace(),
        told.node("n-1"),
        going._replace(level=going.level._replace(deleting=True)),
    )
    assert told.explain().headline == "no node was looked for before it was being deleted"
