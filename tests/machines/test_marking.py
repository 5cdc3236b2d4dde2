"""Marking: labels, annotations and the owner of ours that somebody changed are put back."""

from typing import Any

import pytest

from engine.canonical_json import loads
from machines.deciding import effect_of, is_as_intended, still_wanted
from machines.intents import CreateJob, DeleteJob, RestoreJob, StampTtl
from machines.levels import JobLevel
from machines.node_jobs import NodeJobState
from machines.observations import Absent, Done, Refused, Unknown
from tests.machines.builders import FORBIDDEN, Scene, selecting, spec_of

CHANGES: list[dict[str, str | bool]] = [
    {"warmup_uid": ""},
    {"warmup_uid": "another"},
    {"controller_uid": ""},
    {"node_uid": ""},
    {"node_uid": "uid-b"},
    {"node_name": "b"},
    {"revision": ""},
    {"revision": "x"},
    {"misnamed": True},
    {"warmup_uid": "", "controller_uid": "", "node_uid": "", "node_name": "", "revision": ""},
]


def running(**policies: int) -> Scene:
    """A warmup of two nodes; the Job of one of them runs."""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting(), **(policies or {"parallelism": 1})))
    scene.accept("a")
    return scene


def change(scene: Scene, **changes: Any) -> None:
    """Somebody changes what the Job of node a bears."""
    scene.see(scene.job_subject("a"), scene.job_level("a")._replace(**changes))


def put_back(scene: Scene) -> None:
    """The open restoring is carried out, and its answer shows the Job as it has to be."""
    scene.job("a")
    scene.answer(RestoreJob, Done("job"), "a")


@pytest.mark.parametrize("changes", CHANGES)
def test_what_was_changed_is_put_back(changes: dict[str, Any]) -> None:
    """The Job stays its node's, and all that it has to bear is written again, once."""
    scene = running()
    change(scene, **changes)
    assert scene.target("a").state is NodeJobState.HYDRATING
    (intent,) = scene.decided(RestoreJob)
    effect = effect_of(scene.state, scene.open_intent(RestoreJob))
    assert is_as_intended(effect)
    assert still_wanted(scene.state, effect.seq)
    assert effect.body == {
        "labels": {
            "model.aibrix.ai/warmup": "mw-uid",
            "model.aibrix.ai/revision": scene.mw.revision,
        },
        "annotations": {
            "model.aibrix.ai/target-node": "a",
            "model.aibrix.ai/target-node-uid": "uid-a",
            "model.aibrix.ai/warmup-name": "mw",
        },
        "ownerReferences": [
            {
                "apiVersion": "model.aibrix.ai/v1alpha1",
                "kind": "ModelWarmup",
                "name": "mw",
                "uid": "mw-uid",
                "controller": True,
                "blockOwnerDeletion": True,
            }
        ],
    }
    (row,) = [row for row in scene.rows if row.type == "RestoreJobIntended"]
    assert loads(row.data).keys() == intent._asdict().keys()
    put_back(scene)
    assert (len(scene.decided(RestoreJob)), len(scene.decided(CreateJob))) == (1, 1)
    scene.job("a", "Complete")
    assert scene.creating() == ["b"]


def test_a_hidden_job_comes_to_its_end() -> None:
    """What is seen of a Job without its label counts as before."""
    scene = running()
    change(scene, warmup_uid="", outcome="Complete")
    assert scene.target("a").state is NodeJobState.READY
    assert (len(scene.decided(RestoreJob)), scene.creating()) == (1, ["b"])


def test_who_took_the_job_has_it() -> None:
    """A Job that another object controls is not ours any more: nothing of it is touched."""
    scene = running(parallelism=2, retryLimit=0)
    scene.accept("b")
    change(scene, controller_uid="another")
    assert scene.decided(RestoreJob) == []
    assert scene.target("a").state is NodeJobState.PENDING
    assert scene.decided(DeleteJob) == []


def test_of_the_originals_jobs_nothing_is_added() -> None:
    """A Job of AIBrix's own controller bears what it bore: no uid of a node, its own revision."""
    scene = Scene(synced=False)
    scene.node("a", created="2026-01-01T08:00:00Z")
    scene.warmup(spec_of(selecting()))
    level = JobLevel("mw-uid", "mw-uid", "", "a", "0123", created="2026-01-01T09:00:00Z")
    scene.foreign_job("ja", level)
    scene.sync()
    assert scene.decided(RestoreJob) == []
    scene.foreign_job("ja", level._replace(warmup_uid="", revision="9", node_name="b"))
    effect = effect_of(scene.state, scene.open_intent(RestoreJob))
    assert effect.body is not None
    assert effect.body["labels"]["model.aibrix.ai/revision"] == "0123"
    assert effect.body["annotations"] == {
        "model.aibrix.ai/target-node": "a", "model.aibrix.ai/warmup-name": "mw",
    }  # fmt: skip
    assert scene.target("a").state is NodeJobState.HYDRATING


def test_a_label_that_names_the_warmup_otherwise() -> None:
    """The controller says whose a Job is: a label with another value is put right."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    scene.foreign_job("j", scene.job_level("a", warmup_uid="mw"))
    assert scene.target("a").state is NodeJobState.HYDRATING
    assert [one.job_uid for one in scene.decided(RestoreJob)] == ["j"]


def test_whoever_keeps_changing_them_is_told_of_and_slowed_down() -> None:
    """Each time they are put back a longer wait later, and the third time it is said."""
    scene = running()
    waits = []
    for _ in range(9):
        begun = scene.clock
        change(scene, warmup_uid="")
        while not any(isinstance(one.intent, RestoreJob) for one in scene.state.open.values()):
            scene.wait(1)
        waits.append((scene.clock - begun) // 10**9)
        put_back(scene)
    assert waits == [0, 1, 2, 4, 8, 16, 32, 60, 60]
    detail = scene.detail("a")
    assert detail["reason"] == "JobContested"
    assert "somebody keeps changing labels, annotations or the owner of Job mw" in detail["message"]
    assert "put back 9 times" in detail["message"]
    assert len([row for row in scene.rows if row.type == "DeadlinePassed"]) == 8


def test_changes_while_it_waits_do_not_wait_anew() -> None:
    """A Job that changes again while its marks are off is put right when it is due."""
    scene = running()
    for _ in range(3):
        change(scene, warmup_uid="")
        scene.wait(4)
        put_back(scene)
    change(scene, warmup_uid="")
    scene.wait(2)
    change(scene, warmup_uid="", failed_attempts=1)
    scene.wait(2)
    assert len(scene.decided(RestoreJob)) == 4


def test_a_refusal_is_told_and_tried_again() -> None:
    """The server's words are in status; it is tried again after 1, 2, 4 … seconds."""
    scene = running()
    change(scene, warmup_uid="")
    scene.answer(RestoreJob, FORBIDDEN, "a")
    detail = scene.detail("a")
    assert detail["reason"] == "JobContested"
    assert detail["message"].endswith("they cannot be put back: exceeded quota: pods")
    scene.wait(1)
    scene.answer(RestoreJob, FORBIDDEN, "a")
    scene.wait(1)
    assert len(scene.decided(RestoreJob)) == 2
    scene.wait(1)
    put_back(scene)
    assert scene.detail("a")["reason"] != "JobContested"


def test_an_answer_that_never_came() -> None:
    """What is not known to have landed is looked up, and made again if it did not."""
    scene = running()
    change(scene, controller_uid="")
    scene.answer(RestoreJob, Unknown("timed out"), "a")
    assert len(scene.decided(RestoreJob)) == 1
    scene.restart()
    scene.answer(RestoreJob, Absent(), "a")
    assert len(scene.decided(RestoreJob)) == 2
    put_back(scene)
    assert scene.state.timers == []


def test_a_job_that_is_to_go_is_left_as_it_is() -> None:
    """Nothing is put back onto a Job that is deleted, nor for a warmup that is or has ended."""
    scene = running()
    scene.node("a", enabled=None)
    change(scene, warmup_uid="")
    assert (len(scene.decided(DeleteJob)), scene.decided(RestoreJob)) == (1, [])
    ended = running()
    ended.job("a", "Complete")
    ended.finish("b")
    ended.resolve()
    ended.store()
    change(ended, warmup_uid="", outcome="Complete")
    assert ended.decided(RestoreJob) == []
    assert len(ended.decided(StampTtl)) == 2


@pytest.mark.parametrize("first", ["the Job", "the ModelWarmup"])
@pytest.mark.parametrize("gone", [True, False])
def test_an_orphan_is_let_go(first: str, gone: bool) -> None:  # noqa: FBT001 -- a parameter
    """A Job that lost its owner while the owner is deleted was orphaned on purpose."""
    scene = running()

    def delete() -> None:
        scene.warmup(spec_of(selecting(), parallelism=1), deleting=True)
        if gone:
            scene.warmup_gone()

    if first == "the Job":
        change(scene, controller_uid="")
        scene.answer(RestoreJob, Unknown("timed out"), "a")
        delete()
    else:
        subject, level = scene.job_subject("a"), scene.job_level("a", controller_uid="")
        scene.warmup(spec_of(selecting(), parallelism=1), deleting=True)
        scene.see(subject, level)
        delete()
    assert scene.decided(DeleteJob) == []
    seqs = [seq for seq, one in scene.state.open.items() if isinstance(one.intent, RestoreJob)]
    assert not any(still_wanted(scene.state, seq) for seq in seqs)
    assert all(warmup.jobs == {} for warmup in scene.state.warmups.values())


def test_a_job_that_went_meanwhile() -> None:
    """A Job that was gone when it was to be put right has vanished like any other."""
    scene = running()
    change(scene, warmup_uid="")
    for _ in range(2):
        scene.answer(RestoreJob, Refused(403, "Forbidden", "no"), "a")
        scene.wait(4)
    scene.answer(RestoreJob, Done("job", found=True), "a")
    scene.job_gone("a")
    assert (scene.creating(), scene.state.timers) == (["a"], [])
    assert scene.target("a").vanished == 1


def test_a_namespace_that_goes_is_left_alone() -> None:
    """Nothing is written in a namespace that is being deleted."""
    scene = running()
    scene.namespace(terminating=True)
    change(scene, warmup_uid="")
    assert scene.decided(RestoreJob) == []
    scene.namespace()
    assert len(scene.decided(RestoreJob)) == 1


def marks_timers(scene: Scene) -> int:
    """How many marks are to be put back at some instant."""
    return sum(what.startswith("marks:") for _, _, what in scene.state.timers)


def test_what_is_seen_as_it_has_to_be_waits_for_nothing() -> None:
    """An answer that came before its watch showed the Job leaves nothing to wake up for."""
    scene = running()
    change(scene, warmup_uid="")
    scene.answer(RestoreJob, Done("job"), "a")
    assert marks_timers(scene) == 1
    scene.job("a")
    assert marks_timers(scene) == 0
    assert len(scene.decided(RestoreJob)) == 1


def test_changes_while_they_are_put_back_wait_for_the_answer() -> None:
    """Marks that are changed again before the answer to their second try are waited with once."""
    scene = running()
    change(scene, warmup_uid="")
    put_back(scene)
    change(scene, warmup_uid="")
    assert marks_timers(scene) == 1
    scene.wait(60)
    assert len(scene.decided(RestoreJob)) == 2
    scene.job("a")
    change(scene, warmup_uid="")
    assert marks_timers(scene) == 0
    scene.answer(RestoreJob, Done("job"), "a")
    assert marks_timers(scene) == 1


def test_what_another_warmup_controls_is_not_put_back() -> None:
    """What stands open when a Job is taken over, or is gone, is wanted no more."""
    scene = running()
    scene.warmup(spec_of(selecting(gpu="none")), name="other")
    change(scene, warmup_uid="")
    seq = scene.open_intent(RestoreJob)
    assert still_wanted(scene.state, seq)
    change(scene, controller_uid="other-uid")
    assert not still_wanted(scene.state, seq)
    scene.answer(RestoreJob, Refused(404, "NotFound", "gone"), "a")
    assert marks_timers(scene) == 0
