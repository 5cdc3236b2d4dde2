"""Missing: what no watch shows is asked for before it is believed to be gone."""

import pytest

from machines.absences import doubtful, is_doubtful, is_shown
from machines.caches.levels import ClaimLevel, Owner
from machines.observations import Answered, Deleted, Done, Seen
from tests.caches.builders import ONE, CacheScene
from tests.caches.willing import carry_out, stage


def hydrating() -> CacheScene:
    """A cache whose Job runs."""
    scene = CacheScene()
    scene.cache()
    carry_out(scene)
    scene.claim("Bound")
    scene.pod("Running")
    return scene


@pytest.mark.parametrize("kind", ["PersistentVolumeClaim", "HydrationJob", "HydrationPod"])
def test_what_may_still_be_there_is_asked_for(kind: str) -> None:
    """A claim, and a Job or Pod at work, that is not shown any more may only lack its label."""
    scene = hydrating()
    gone = Deleted(ONE, scene.known(ONE, kind).subject, str(scene.next()))
    assert is_doubtful(scene.state, gone, {})
    assert not is_doubtful(scene.state, gone._replace(settled=True), {})
    empty = scene.listed(ONE, kind, without=gone.subject.uid)
    assert [one.subject for one in doubtful(scene.state, empty, {})] == [gone.subject]


def test_what_ended_or_goes_is_believed() -> None:
    """A Job with its outcome, and a claim that is being deleted, may go."""
    scene = hydrating()
    scene.job("Failed", reason="BackoffLimitExceeded")
    scene.claim("Bound", deleting=True)
    for kind in ("PersistentVolumeClaim", "HydrationJob"):
        gone = Deleted(ONE, scene.known(ONE, kind).subject, str(scene.next()))
        assert not is_doubtful(scene.state, gone, {})


def test_a_claim_without_its_label_is_marked_again() -> None:
    """A claim that is found without our label keeps its mount, and gets the label back."""
    scene = CacheScene()
    scene.cache()
    stage(scene)
    scene.claim("Bound", label="")
    assert not is_shown(scene.known(ONE, "PersistentVolumeClaim").level)
    assert (scene.phase(), scene.doing()) == ("Ready", ["Own PersistentVolumeClaim"])
    carry_out(scene)
    assert is_shown(scene.known(ONE, "PersistentVolumeClaim").level)


def test_a_claim_that_lost_its_owner_is_still_ours() -> None:
    """Annotations that somebody takes off our claim are put back; the mount stays meanwhile."""
    scene = CacheScene()
    scene.cache()
    stage(scene)
    scene.claim("Bound", owner=Owner())
    assert (scene.phase(), scene.doing()) == ("Ready", ["Own PersistentVolumeClaim"])


def test_a_running_job_without_its_label_is_marked_again() -> None:
    """A Job that is found without our label goes on, and no other is made."""
    scene = hydrating()
    scene.job(label="")
    assert scene.doing() == ["Own HydrationJob"]
    carry_out(scene)
    assert scene.decided("create HydrationJob") == 1


def out_of_sight() -> tuple[CacheScene, Seen, int]:
    """A claim without our label that counted as gone; what reads it now, and the create's row."""
    scene = CacheScene()
    scene.cache()
    stage(scene)
    claim = scene.known(ONE, "PersistentVolumeClaim")
    assert isinstance(claim.level, ClaimLevel)
    scene.tell(scene.listed(ONE, claim.subject.kind, without=claim.subject.uid))
    level = claim.level._replace(label="")
    [seq] = scene.state.open
    return scene, Seen(ONE, claim.subject, str(claim.version), level), seq


def test_a_claim_that_a_create_finds_is_there_and_marked_again() -> None:
    """Whatever the version in which a list did not hold it: it was read after that."""
    scene, seen, seq = out_of_sight()
    scene.tell(seen)
    assert (scene.phase(), scene.doing()) == ("Pending", ["create PersistentVolumeClaim"])
    scene.tell(seen._replace(found_by=seq), Answered(seq, Done(seen.subject.uid, found=True)))
    assert (scene.phase(), scene.doing()) == ("Ready", ["Own PersistentVolumeClaim"])
    carry_out(scene)
    assert is_shown(scene.known(ONE, "PersistentVolumeClaim").level)


def test_a_claim_that_goes_after_a_create_has_found_it_is_gone() -> None:
    """The answer comes too late to say that it is there."""
    scene, seen, seq = out_of_sight()
    found = seen._replace(found_by=seq)
    scene.tell(found, Deleted(ONE, seen.subject, str(scene.next()), settled=True), found)
    assert scene.state.clusters[ONE].find(*seen.subject[:3]) is None
