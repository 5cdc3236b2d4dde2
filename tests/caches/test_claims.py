"""Claims: identity is the uid; what was staged into one claim is never believed of another."""

from tests.caches.builders import CLAIM, ONE, OURS, WORKLOAD, CacheScene, spec_of
from tests.caches.willing import carry_out, stage


def ready() -> CacheScene:
    """A cache that is Ready."""
    scene = CacheScene()
    scene.cache()
    stage(scene)
    assert scene.phase() == "Ready"
    return scene


def test_a_lost_claim_withdraws_the_mount() -> None:
    """A Ready entry whose claim is Lost is Pending, and the claim is left as it is [S34]"""
    scene = ready()
    scene.claim("Lost")
    assert (scene.phase(), scene.opened()) == ("Pending", [])


def test_nothing_is_written_into_a_lost_claim() -> None:
    """While the claim is Lost no Job is made that could only wait for it."""
    scene = CacheScene()
    scene.cache()
    carry_out(scene)
    scene.claim("Lost")
    scene.job_gone()
    assert scene.opened() == []


def test_a_claim_made_anew_has_the_size_that_was_promised() -> None:
    """A size that was lowered against the rule is not what a new claim asks for [C55]"""
    scene = CacheScene()
    scene.cache(spec_of(size=80))
    stage(scene)
    scene.cache(spec_of(size=60), generation=2)
    scene.claim_gone()
    body = scene.body("create PersistentVolumeClaim")
    assert body["spec"]["resources"]["requests"]["storage"] == "80Gi"


def test_the_same_claim_bound_again_is_ready_again() -> None:
    """The latch is of the claim: when it is bound once more nothing has to be staged."""
    scene = ready()
    scene.claim("Lost")
    scene.claim("Bound")
    assert (scene.phase(), scene.opened()) == ("Ready", [])


def test_a_deleted_claim_is_made_and_filled_anew() -> None:
    """A claim that goes takes its Ready along; another is made, and staged again [S34] [S22]"""
    scene = ready()
    scene.claim_gone()
    assert (scene.phase(), scene.doing()) == ("Pending", ["create PersistentVolumeClaim"])
    stage(scene)
    assert (scene.phase(), scene.decided("create HydrationJob")) == ("Ready", 2)


def test_a_claim_of_the_same_name_inherits_nothing() -> None:
    """A claim that was re-created between two looks is another: Ready is not inherited [S73]"""
    scene = ready()
    scene.claim("Bound", uid="another-claim", hydrated="")
    assert scene.phase() == "Hydrating"
    assert scene.doing() == ["create HydrationJob"]


def test_a_claim_re_created_while_nobody_looked() -> None:
    """The same holds when the controller was away meanwhile [S73]"""
    scene = ready()
    old = scene.known(ONE, "PersistentVolumeClaim")
    scene.start()
    scene.sync("home")
    scene.claim("Bound", uid="another-claim", hydrated="")
    assert scene.phase() == "Ready"  # nothing is known of the whole cluster yet
    scene.sync(ONE, without=old.subject.uid)
    assert scene.phase() == "Hydrating"


def test_a_latch_of_another_claim_counts_nothing() -> None:
    """An annotation that was copied from another claim, or another content, is no latch."""
    scene = CacheScene()
    scene.cache()
    carry_out(scene)
    uid = scene.claim("Bound", hydrated=f"other/{scene.mc.fingerprint}")
    assert scene.phase() == "Hydrating"
    scene.claim("Bound", hydrated=f"{uid}/000000000000")
    assert scene.phase() == "Hydrating"
    scene.claim("Bound", hydrated=f"{uid}/{scene.mc.fingerprint}")
    assert scene.phase() == "Ready"


def test_a_job_of_another_claim_is_replaced() -> None:
    """A Job that ended for a claim before this one neither counts nor stays [S28] [C33]"""
    scene = CacheScene()
    scene.cache()
    carry_out(scene)
    scene.claim("Bound", uid="another-claim")
    scene.job("Failed", claim_uid="the-claim-before", reason="BackoffLimitExceeded")
    assert (scene.phase(), scene.doing()) == ("Hydrating", ["delete HydrationJob"])
    carry_out(scene)
    assert scene.decided("create HydrationJob") == 2


def test_a_job_of_another_content_is_replaced() -> None:
    """A Complete Job of another source proves nothing of this one [C36] [C37] [C62]"""
    scene = CacheScene()
    scene.cache()
    carry_out(scene)
    scene.claim("Bound")
    scene.job("Complete", fingerprint="flat-layout0")
    assert (scene.phase(), scene.doing()) == ("Hydrating", ["delete HydrationJob"])


def test_a_changed_source_is_told_and_not_followed() -> None:
    """Another repository that got past the rule changes nothing of what is staged [C35]"""
    scene = ready()
    fingerprint = scene.mc.fingerprint
    scene.cache(spec_of(repo="other/model", revision="v2"), generation=2)
    assert (scene.phase(), scene.mc.fingerprint) == ("Ready", fingerprint)
    assert scene.opened() == []
    assert scene.mc.spec_changed == ("spec.huggingFace.repo", "spec.huggingFace.revision")
    scene.cache(spec_of(), generation=3)
    assert not scene.mc.spec_changed


def test_a_claim_being_deleted_is_not_for_new_engines() -> None:
    """A claim that is going is withdrawn, and nothing is made beside it."""
    scene = ready()
    scene.claim("Bound", deleting=True)
    assert (scene.phase(), scene.opened()) == ("Pending", [])


def test_nothing_is_written_into_a_claim_that_goes() -> None:
    """A claim that is being deleted gets no Job, and no other claim beside it."""
    scene = CacheScene()
    scene.cache()
    carry_out(scene)
    scene.claim("Bound", deleting=True)
    scene.job_gone()
    assert scene.opened() == []


def test_a_failure_is_of_its_claim() -> None:
    """A claim that was re-created is filled at once, whatever failed with the one before [C33]"""
    scene = CacheScene()
    scene.cache()
    carry_out(scene)
    scene.claim("Bound")
    scene.job("Failed", reason="BackoffLimitExceeded")
    scene.claim("Bound", uid="another-claim")
    assert (scene.phase(), scene.entry().failure.tries) == ("Hydrating", 0)


def test_a_refusal_ends_with_what_was_refused() -> None:
    """A claim that appears by itself leaves nothing to say of the create that was refused."""
    scene = CacheScene()
    scene.cache()
    carry_out(scene, "create PersistentVolumeClaim")
    scene.answer("create PersistentVolumeClaim", scene.forbidden())
    scene.claim("Pending", uid="somebody-made-it")
    assert scene.entry().refusals == {}


def test_a_claim_that_stays_pending_makes_no_end_of_jobs() -> None:
    """A claim that can never bind has one Job, and what its Events say is kept [S74]"""
    scene = CacheScene()
    scene.cache()
    carry_out(scene)
    subject = scene.known(ONE, "PersistentVolumeClaim").subject
    scene.events(subject, "FailedBinding", "volume pv-1 already bound to a different claim")
    scene.wait(4000)
    assert scene.decided("create HydrationJob") == 1
    assert scene.entry().claim_events.reason == "FailedBinding"


def test_a_claim_without_an_owner_is_taken_over() -> None:
    """The original's claim is annotated and filled by a run that fetches what lacks [C78]"""
    scene = CacheScene()
    scene.namespace(ONE)
    scene.claim("Bound", uid="originals", owner=OURS._replace(namespace="", name="", uid=""))
    scene.cache()
    scene.answer("Hold ModelCache", scene.done())
    assert (scene.phase(), scene.doing()) == ("Pending", ["Own PersistentVolumeClaim"])
    carry_out(scene)
    assert (scene.phase(), scene.decided("create PersistentVolumeClaim")) == ("Hydrating", 0)
    scene.job("Complete")
    carry_out(scene)
    assert scene.phase() == "Ready"


def test_the_originals_job_is_replaced() -> None:
    """A Job without our annotations proves nothing, and makes room for ours."""
    scene = CacheScene()
    scene.namespace(ONE)
    nobody = OURS._replace(namespace="", name="", uid="")
    scene.claim("Bound", uid="originals", owner=nobody)
    scene.cache()
    scene.job("Complete", owner=nobody, claim_uid="", fingerprint="")
    carry_out(scene)
    assert scene.decided("delete HydrationJob") == 1
    assert scene.decided("create HydrationJob") == 1


def test_the_originals_job_has_ended_before_ours_begins() -> None:
    """While a Pod of the original's Job may still write, no other writes into the claim [C67]"""
    scene = CacheScene()
    scene.namespace(ONE)
    nobody = OURS._replace(namespace="", name="", uid="")
    scene.claim("Bound", uid="originals", owner=nobody)
    scene.cache()
    scene.job("", owner=nobody, claim_uid="", fingerprint="")
    pod = scene.pod("Running")
    carry_out(scene)
    assert (scene.decided("delete HydrationJob"), scene.decided("create HydrationJob")) == (1, 0)
    scene.gone(ONE, pod)
    assert scene.doing() == ["create HydrationJob"]


def test_anothers_claim_is_left_alone() -> None:
    """A claim that names another ModelCache is not touched: two names may mean one [C74] [C76]"""
    scene = CacheScene()
    scene.namespace(ONE)
    scene.claim("Bound", uid="theirs", owner=OURS._replace(namespace="other", uid="x"))
    scene.cache()
    carry_out(scene)
    scene.wait(100)
    assert (scene.phase(), scene.doing()) == ("Pending", [])
    assert scene.decided("Own PersistentVolumeClaim") == 0


def test_a_claim_of_a_living_namesake_is_not_taken() -> None:
    """While the ModelCache of that uid exists, its claim is its own; afterwards it is free [C74]"""
    scene = CacheScene()
    scene.namespace(ONE)
    scene.cache(uid="former-uid")
    carry_out(scene)
    assert scene.known(ONE, "PersistentVolumeClaim")
    scene.cache()
    carry_out(scene)
    assert scene.decided("Own PersistentVolumeClaim") == 0
    scene.cache_gone("former-uid")
    assert "Own PersistentVolumeClaim" in scene.doing()


def test_a_claim_of_another_label_is_not_the_originals() -> None:
    """Without an owner, the original's label for this very name decides [C76]"""
    scene = CacheScene()
    scene.namespace(ONE)
    nobody = OURS._replace(namespace="", name="", uid="")
    scene.claim("Bound", uid="theirs", owner=nobody, label="another")
    scene.cache()
    carry_out(scene)
    assert scene.decided("Own PersistentVolumeClaim") == 0


def test_a_namespace_that_goes_stops_everything() -> None:
    """While the namespace is being deleted nothing is made in it."""
    scene = CacheScene()
    scene.cache()
    carry_out(scene, "create PersistentVolumeClaim")
    scene.namespace(ONE, terminating=True)
    scene.answer("create PersistentVolumeClaim", scene.forbidden("namespace is being terminated"))
    scene.wait(100)
    assert scene.opened() == []


def test_the_claim_has_the_name_that_is_published() -> None:
    """The claim that is made is the one whose name the mount tells."""
    scene = ready()
    assert scene.known(ONE, "PersistentVolumeClaim").subject[:3] == (
        "PersistentVolumeClaim", WORKLOAD, CLAIM,
    )  # fmt: skip


def test_a_latch_that_was_taken_off_is_written_again() -> None:
    """What a new log would have to know stands on the claim, whoever removes it."""
    scene = ready()
    scene.claim("Bound", hydrated="")
    assert (scene.phase(), scene.doing()) == ("Ready", ["Latch PersistentVolumeClaim"])
    carry_out(scene)
    assert (scene.phase(), scene.opened()) == ("Ready", [])
    known = scene.known(ONE, "PersistentVolumeClaim")
    assert f"{known.subject.uid}/{scene.mc.fingerprint}" in str(known.level)
