"""Deciding: what is created, deleted and looked at, and when nothing is."""

from machines.deciding import decide, effect_of, is_as_intended
from machines.domain import WARMLOG
from machines.intents import CreateJob, DeleteJob, Resolve, StampTtl
from machines.levels import JobLevel
from machines.observations import Reachability
from tests.machines.builders import CLUSTER, FORBIDDEN, Scene, naming, selecting, spec_of

TAINT = [("dedicated", "x", "NoSchedule")]


def test_parallelism_holds_strictly() -> None:
    """As many Jobs as may run at a time are created, by name, and the next when one has ended."""
    scene = Scene()
    scene.nodes("d", "c", "b", "a")
    scene.warmup(spec_of(selecting(), parallelism=2))
    assert scene.creating() == ["a", "b"]
    scene.accept("a")
    scene.accept("b")
    assert scene.creating() == []
    scene.job("a", "Complete")
    assert scene.creating() == ["c"]


def test_a_retrying_job_keeps_its_slot() -> None:
    """Failed attempts end nothing: only the Job's own end frees its slot [W5]"""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting(), parallelism=1))
    scene.accept("a")
    scene.job("a", failed_attempts=1)
    assert (scene.creating(), scene.status["failedNodes"]) == ([], 0)
    scene.job("a", "Finishing", failed_attempts=2)
    assert (scene.creating(), scene.status["failedNodes"]) == ([], 0)
    scene.job("a", "Failed")
    assert (scene.creating(), scene.status["failedNodes"]) == (["b"], 1)


def test_a_pod_of_a_deleted_job_holds_the_slot() -> None:
    """A Job that is gone while its Pod still ends holds its slot until the Pod has ended."""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting(), parallelism=1, retryLimit=5))
    job = scene.accept("a")
    scene.pod(job, "pod", "Running", "a")
    scene.job_gone("a")
    assert scene.creating() == []
    assert scene.detail("a")["reason"] == "PodsTerminating"
    scene.pod_gone("pod")
    assert scene.creating() == ["a"]


def test_a_pod_that_ended_holds_nothing() -> None:
    """A Pod in its last phase frees the slot, though it is still there."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting(), parallelism=1, retryLimit=5))
    job = scene.accept("a")
    scene.pod(job, "pod", "Running", "a")
    scene.job_gone("a")
    scene.pod(job, "pod", "Failed", "a")
    assert scene.creating() == ["a"]


def test_a_pod_that_was_there_before_its_job_was_known() -> None:
    """A living Pod of a Job that this log never saw holds its node's slot.

    It does so whether the Pod or its node is listed first.
    """
    for nodes_first in (True, False):
        scene = Scene(synced=False)
        if nodes_first:
            scene.nodes("a", "b")
        scene.uids.update(a="uid-a", b="uid-b")
        scene.warmup(spec_of(selecting(), parallelism=1))
        scene.pod("old-job", "pod", "Running", "a", deleting=True)
        scene.nodes("a", "b")
        scene.sync()
        assert (scene.creating(), set(scene.mw.slots)) == ([], {"uid-a"})
        scene.pod_gone("pod")
        assert scene.creating() == ["a"]


def test_cordoned_and_tainted_nodes_come_last() -> None:
    """Nodes that would refuse the Pod get their Job when no other waits [W38] [W77]"""
    scene = Scene()
    scene.node("a", cordoned=True)
    scene.node("b", taints=TAINT)
    scene.nodes("c", "d")
    scene.warmup(spec_of(selecting(), parallelism=1))
    order = []
    for _ in range(4):
        (name,) = scene.creating()
        order.append(name)
        scene.finish(name)
    assert order == ["c", "d", "a", "b"]


def test_they_say_so_from_the_start() -> None:
    """A node that comes last says why; once it is uncordoned it is like any other."""
    scene = Scene()
    scene.node("a", cordoned=True)
    scene.nodes("b", "c")
    scene.warmup(spec_of(selecting(), parallelism=1))
    assert scene.detail("a")["message"] == "node is cordoned: its Job comes after all others"
    scene.node("a")
    assert scene.detail("a")["reason"] == "WaitingForSlot"
    scene.finish("b")
    assert scene.creating() == ["a"]


def test_only_shunned_nodes_are_no_reason_to_wait() -> None:
    """A cordoned node gets its Job while slots are free: it may be uncordoned any time."""
    scene = Scene()
    scene.node("a", cordoned=True)
    scene.warmup(spec_of(selecting()))
    assert scene.creating() == ["a"]


def test_one_look_more_before_the_end() -> None:
    """When the last node ends, one look is taken, and the end is decided on what it finds."""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting()))
    scene.finish("a")
    assert scene.decided(Resolve) == []
    scene.finish("b")
    assert len(scene.decided(Resolve)) == 1
    assert scene.phase == "Running"
    scene.resolve()
    assert scene.phase == "Succeeded"


def test_a_node_found_by_the_last_look() -> None:
    """A node labelled while the last one ended is found before the end is told [W42]"""
    scene = Scene()
    scene.node("a")
    scene.node("b", enabled=None)
    scene.warmup(spec_of(selecting()))
    scene.finish("a")
    scene.resolve(scene.seen_node("b"))
    assert (scene.phase, scene.creating()) == ("Running", ["b"])
    scene.finish("b")
    scene.resolve()
    assert (scene.phase, scene.status["succeededNodes"]) == ("Succeeded", 2)


def test_a_look_that_fails_is_taken_again() -> None:
    """A refused look is taken again after a second, and nothing ends meanwhile."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    scene.finish("a")
    scene.answer(Resolve, FORBIDDEN)
    assert (scene.phase, scene.state.open) == ("Running", {})
    scene.wait(1)
    scene.resolve()
    assert scene.phase == "Succeeded"


def test_ttl_only_after_the_status_is_stored() -> None:
    """The terminal status is stored first; then every finished Job gets its TTL [W8] [W49]"""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting(), ttlSecondsAfterFinished=60))
    scene.finish("a")
    scene.finish("b", "Failed")
    scene.resolve()
    assert scene.decided(StampTtl) == []
    rows = scene.store()
    stamps = scene.decided(StampTtl, rows)
    assert [(one.node_uid, one.ttl_seconds) for one in stamps] == [("uid-a", 60), ("uid-b", 60)]


def test_a_job_that_has_a_ttl_is_left_alone() -> None:
    """A TTL that is there already is not written again."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    scene.accept("a")
    scene.job("a", "Complete", ttl_seconds=5)
    scene.resolve()
    scene.store()
    assert scene.decided(StampTtl) == []


def test_nothing_for_a_warmup_that_is_being_deleted() -> None:
    """A ModelWarmup with a deletion timestamp gets no new Job [W75]"""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()), deleting=True)
    scene.node("b")
    assert scene.decided(CreateJob) == []


def test_a_warmup_that_is_deleted_on_its_way_makes_no_more_jobs() -> None:
    """Nodes that wait for a slot get none once the deletion timestamp is seen [W75]"""
    scene = Scene()
    scene.nodes("a", "b")
    spec = spec_of(selecting(), parallelism=1)
    scene.warmup(spec)
    scene.accept("a")
    scene.warmup(spec, deleting=True)
    scene.job("a", "Complete")
    assert [one.node_name for one in scene.decided(CreateJob)] == ["a"]


def test_a_bad_group_at_the_start_of_the_alphabet_lets_the_rest_go_by() -> None:
    """Nodes whose Jobs are refused, or fail, take turns with the others, by whatever name [W77]"""
    scene = Scene()
    bad, good = ["a1", "a2", "a3"], ["b1", "b2"]
    scene.nodes(*bad, *good)
    scene.warmup(spec_of(selecting(), parallelism=1))
    for name in bad:
        scene.refuse(name, FORBIDDEN)
    for name in good:
        scene.finish(name)
    assert scene.status["succeededNodes"] == len(good)
    assert {scene.detail(name)["reason"] for name in bad} == {"JobCreateRejected"}


def test_what_runs_for_a_deleted_warmup_has_to_go() -> None:
    """A Job of a ModelWarmup that is gone is deleted while it runs, and kept when it has ended."""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting()))
    scene.finish("a")
    running = scene.accept("b")
    rows = scene.warmup_gone()
    assert [one.job_uid for one in scene.decided(DeleteJob, rows)] == [running]


def test_a_job_that_lands_after_its_warmup_went() -> None:
    """A create that was under way when the ModelWarmup went is deleted once it is known."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    scene.warmup_gone()
    uid = scene.accept("a")
    assert [one.job_uid for one in scene.decided(DeleteJob)] == [uid]


def test_nothing_in_a_namespace_that_is_going() -> None:
    """Once a namespace is seen to be terminating nothing is created, and the status says why."""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting(), parallelism=1))
    scene.finish("a")
    scene.accept("b")
    scene.namespace(terminating=True)
    scene.node("c")
    scene.job_gone("b")
    assert scene.creating() == []
    assert scene.detail("b")["reason"] == "NamespaceUnavailable"
    assert scene.condition("Progressing")["message"] == "namespace ns is being deleted"
    assert scene.status["succeededNodes"] == 1


def test_a_warmup_in_a_namespace_that_was_going_already() -> None:
    """A ModelWarmup that is seen after its namespace began to go gets no Job either."""
    scene = Scene()
    scene.node("a")
    scene.namespace(terminating=True)
    scene.warmup(spec_of(selecting()))
    assert scene.decided(CreateJob) == []


def test_nothing_before_all_is_listed() -> None:
    """What has not been listed is unknown: nothing is concluded or created before."""
    scene = Scene(synced=False)
    scene.node("a")
    scene.warmup(spec_of(selecting(), naming("b")), wait="0")
    assert (scene.mw.targets, scene.creating()) == ({}, [])
    scene.sync()
    assert scene.creating() == ["a"]


def test_nothing_while_the_cluster_does_not_answer() -> None:
    """What could be decided meanwhile is decided as soon as it answers."""
    scene = Scene()
    scene.node("a")
    scene.tell(Reachability(CLUSTER, reachable=False, words="no route to host"))
    scene.warmup(spec_of(selecting()))
    assert scene.creating() == []
    scene.tell(Reachability(CLUSTER, reachable=True))
    assert scene.creating() == ["a"]


def test_labels_of_others_make_no_job_ours() -> None:
    """A Job with our label and another controller is not counted nor deleted [W4] [W26]"""
    scene = Scene()
    scene.node("a")
    other = JobLevel("mw-uid", "somebody", "uid-a", "a")
    scene.foreign_job("x", other)
    scene.warmup(spec_of(selecting(), parallelism=1))
    assert scene.creating() == ["a"]
    scene.foreign_job("y", other._replace(outcome="Complete"))
    assert (scene.decided(DeleteJob), scene.status["succeededNodes"]) == ([], 0)


def test_a_job_of_another_namespace_is_not_ours() -> None:
    """Nobody of another namespace can make a node succeed, whatever the Job says of itself."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    scene.foreign_job("x", scene.job_level("a", "Complete"), namespace="theirs")
    assert (scene.status["succeededNodes"], scene.creating()) == (0, ["a"])


def test_a_second_job_of_a_node_goes() -> None:
    """Of two unfinished Jobs for one node the one that was known first stays."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    scene.accept("a")
    scene.foreign_job("second", scene.job_level("a"))
    assert [one.job_uid for one in scene.decided(DeleteJob)] == ["second"]


def test_a_second_job_goes_when_the_first_has_ended() -> None:
    """Once a node has its outcome, whatever else runs for it is deleted at once."""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting()))
    first = scene.accept("a")
    scene.foreign_job("second", scene.job_level("a"))
    scene.answer(DeleteJob, FORBIDDEN)
    scene.see(scene.job_subject("a")._replace(uid=first), scene.job_level("a", "Complete"))
    scene.wait(1)
    assert [one.job_uid for one in scene.decided(DeleteJob)] == ["second", "second"]


def test_decisions_name_their_fact() -> None:
    """A decision's cause is the fact that called for it, and `seen` the last fact before it."""
    scene = Scene()
    scene.warmup(spec_of(selecting()))
    fact, decision = scene.node("a")
    assert (decision.type, decision.cause, decision.seen) == (
        "CreateJobIntended", fact.seq, fact.seq,
    )  # fmt: skip


def test_an_intent_is_rebuilt_as_it_was_decided() -> None:
    """The body of an open create is rebuilt from the state and has the digest that was logged."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    effect = effect_of(scene.state, scene.open_intent(CreateJob))
    assert is_as_intended(effect)
    assert effect.body is not None
    scene.namespace("q")
    assert not is_as_intended(effect_of(scene.state, effect.seq))


def test_deciding_changes_nothing() -> None:
    """`decide` only looks: asked twice, it gives the same and leaves the state as it was."""
    scene = Scene(synced=False)
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    scene.sync()
    scene.state.dirty = {"mw-uid": 1}
    before = WARMLOG.dump(scene.state)
    assert decide(scene.state) == decide(scene.state)
    assert WARMLOG.dump(scene.state) == before
