"""Leaving: what a cache has goes with it, and a claim only when nobody uses it."""

from machines.caches.advising import entry_advice
from machines.caches.asking import claim_questions, release_questions
from machines.caches.levels import Owner, SecretLevel
from machines.caches.messages import entry_message
from machines.caches.occasions import cache_occasions
from machines.caches.sights import sight_of
from machines.caches.statuses import cache_status
from machines.observations import Refused, Unread
from machines.states import SECRET
from tests.caches.builders import HOME, ONE, TWO, CacheScene, spec_of
from tests.caches.willing import carry_out, stage


def ready(*clusters: str) -> CacheScene:
    """A cache that is Ready on each cluster."""
    scene = CacheScene(*clusters)
    scene.cache()
    carry_out(scene)
    for name in clusters or ("one",):
        stage(scene, f"ic/{name}")
    return scene


def released(scene: CacheScene) -> bool:
    """Say whether the finalizer is off, and nothing is known of the cache any more."""
    gone = not scene.mc.level.held and not scene.mc.entries
    scene.cache_gone()
    return gone and "cache-uid" not in scene.state.caches


def test_a_deleted_cache_asks_who_uses_its_claim() -> None:
    """Before the claim goes it has to be known that no Pod mounts it."""
    scene = ready()
    scene.cache(deleting=True)
    assert scene.opened() == []
    [question] = release_questions(scene.state)
    assert question.subject == scene.known(ONE, "PersistentVolumeClaim").subject
    scene.users()
    assert scene.doing() == ["delete PersistentVolumeClaim"]
    carry_out(scene)
    assert released(scene)


def test_a_claim_in_use_is_kept() -> None:
    """While a Pod mounts it the claim stays, and so do state and finalizer [C18]"""
    scene = ready()
    scene.cache(deleting=True)
    scene.users("engine-0")
    scene.wait(3600)
    assert (scene.phase(), scene.opened()) == ("Ready", [])
    assert (scene.entry().retained, scene.entry().users) == (True, ("engine-0",))
    scene.users()
    carry_out(scene)
    assert released(scene)


def test_a_claim_that_is_going_is_not_deleted_again() -> None:
    """A claim whose deletion takes its time is waited for."""
    scene = ready()
    scene.cache(deleting=True)
    scene.users()
    scene.claim("Bound", deleting=True)
    scene.answer("delete PersistentVolumeClaim", scene.done())
    scene.wait(3600)
    assert scene.opened() == []
    scene.claim_gone()
    carry_out(scene)
    assert released(scene)


def test_a_pod_that_came_at_the_last_moment_keeps_the_claim() -> None:
    """A look right before the deletion finds a new user: the claim stays, its users are read."""
    scene = ready()
    scene.cache(deleting=True)
    scene.users()
    refused = Refused(409, "ClaimInUse", "Pod engine-1 mounts it")
    scene.answer("delete PersistentVolumeClaim", refused)
    scene.wait(3600)
    assert (scene.entry().users, scene.opened()) == (None, [])


def test_a_deletion_while_hydrating_ends_the_download() -> None:
    """Job and token go at once, and the claim when the Job's Pods are gone [C34] [C27] [S28]"""
    scene = CacheScene()
    scene.token("d1")
    scene.cache(spec_of(secret="hub"))
    scene.list_secrets()
    carry_out(scene)
    scene.pod("Running")
    scene.cache(deleting=True)
    assert sorted(scene.doing()) == ["delete HydrationJob", "delete Secret"]
    carry_out(scene)
    assert list(release_questions(scene.state)) == []
    scene.pod("Failed")
    assert len(list(release_questions(scene.state))) == 1
    scene.users()
    carry_out(scene)
    assert released(scene)


def test_a_claim_that_is_still_written_is_not_released() -> None:
    """Who uses the claim is of no interest while the Job, or a Pod of it, may still write."""
    scene = CacheScene()
    scene.cache()
    carry_out(scene)
    scene.cache(deleting=True)
    scene.users()
    assert scene.doing() == ["delete HydrationJob"]


def test_a_job_that_was_not_taken_over_blocks_nothing() -> None:
    """A Job that the original left to fill our claim goes with the cache; another's is ignored."""
    for owner, deletes in ((Owner(), ["delete HydrationJob"]), (Owner("other", "x", "u"), [])):
        scene = ready()
        scene.cache(deleting=True)
        scene.job(owner=owner, uid="left")
        assert scene.doing() == deletes
        carry_out(scene)
        scene.users()
        carry_out(scene)
        assert released(scene)


def test_who_used_the_claim_before_this_one_tells_nothing() -> None:
    """A claim that was re-created meanwhile is asked about anew [S73]"""
    scene = ready()
    scene.cache(deleting=True)
    scene.start()
    scene.sync(HOME)
    scene.users()
    scene.claim("Bound", uid="another", hydrated="")
    scene.sync(ONE)
    assert (scene.entry().users, scene.doing()) == (None, [])


def test_a_cluster_that_leaves_the_selector_is_cleared() -> None:
    """A cluster whose labels do not match any more loses claim and entry, when unused [C19]"""
    scene = ready("one", "two")
    scene.cache(spec_of(selector={"name": "one"}), generation=2)
    assert scene.entry("two").selected is False
    scene.users(cluster=TWO)
    carry_out(scene)
    assert (list(scene.mc.entries), scene.phase("one")) == (["one"], "Ready")


def test_an_entry_in_use_is_retained() -> None:
    """A cluster that leaves while its claim is in use keeps entry, phase and claim [C19]"""
    scene = ready("one", "two")
    scene.cache(spec_of(selector={"name": "one"}), generation=2)
    scene.users("engine-0", cluster=TWO)
    assert (scene.phase("two"), scene.entry("two").retained) == ("Ready", True)
    scene.cache(spec_of(), generation=3)
    entry = scene.entry("two")
    assert (entry.selected, entry.retained, entry.users) == (True, False, None)
    assert (scene.phase("two"), scene.opened()) == ("Ready", [])


def test_the_claim_follows_the_cache_and_not_its_users() -> None:
    """A claim that nobody uses stays as long as the cache wants it [S22]"""
    scene = ready()
    scene.users("engine-0")
    scene.users()
    scene.wait(10**6)
    assert (scene.phase(), scene.opened()) == ("Ready", [])


def test_a_forbidden_delete_keeps_the_finalizer() -> None:
    """What may not be deleted is told and tried again slowly; the finalizer stays [S25]"""
    scene = ready()
    scene.cache(deleting=True)
    scene.users()
    tries = 0
    for _ in range(600):
        if scene.opened():
            scene.answer("delete PersistentVolumeClaim", scene.forbidden("cannot delete"))
            tries += 1
        scene.wait(1)
    assert tries in range(10, 20)
    assert scene.entry().refusals["delete PersistentVolumeClaim"].words == "cannot delete"
    assert scene.decided("Release ModelCache") == 0


def test_what_is_gone_already_never_blocks() -> None:
    """A claim, or a whole namespace, that went before the cache did is no reason to wait [S32]"""
    scene = ready()
    scene.claim_gone()
    carry_out(scene, "create PersistentVolumeClaim")
    scene.cache(deleting=True)
    scene.answer("create PersistentVolumeClaim", scene.forbidden("is being deleted"))
    carry_out(scene)
    assert released(scene)


def test_a_cache_that_made_nothing_goes_at_once() -> None:
    """A cache whose cluster was never reached has nothing to wait for."""
    scene = CacheScene()
    scene.unreachable()
    scene.cache()
    carry_out(scene)
    scene.cache(deleting=True)
    carry_out(scene)
    assert released(scene)


def test_an_unreachable_cluster_is_waited_for() -> None:
    """What is on a cluster that does not answer is not left behind."""
    scene = ready()
    scene.unreachable()
    scene.cache(deleting=True)
    scene.wait(10**5)
    assert (scene.phase(), scene.opened()) == ("Ready", [])
    scene.reachable()
    scene.users()
    carry_out(scene)
    assert released(scene)


def test_a_lost_log_forgets_no_cluster() -> None:
    """A deleted cache that this log never saw alive waits for every cluster it may be on."""
    scene = CacheScene()
    scene.unreachable()
    scene.cache(deleting=True, held=True)
    assert scene.opened() == []
    scene.reachable()
    carry_out(scene)
    assert released(scene)


def test_abandoning_lets_go_at_once() -> None:
    """With the annotation nothing is deleted, and what stays is noted."""
    scene = ready()
    scene.unreachable()
    scene.cache(deleting=True, annotations=(("warmlog.dev/abandon", "true"),))
    assert scene.opened() == [("Release ModelCache", HOME)]
    assert scene.mc.abandoned["one"].reason == "Abandoned"
    carry_out(scene)
    scene.cache_gone()
    assert "cache-uid" not in scene.state.caches
    assert scene.state.timers == []
    assert scene.known(ONE, "PersistentVolumeClaim")


def test_abandoning_can_be_taken_back() -> None:
    """A cache whose annotation is taken off is held and looked after again."""
    scene = ready()
    scene.cache(annotations=(("warmlog.dev/abandon", "true"),))
    carry_out(scene)
    assert (scene.mc.level.held, scene.phase()) == (False, "Ready")
    scene.cache(annotations=())
    carry_out(scene)
    assert (scene.mc.level.held, scene.mc.abandoned) == (True, {})


ABANDONED = (("warmlog.dev/abandon", "true"),)
LET_BE = 'annotation warmlog.dev/abandon is "true": nothing is made, changed or deleted'


def test_an_abandoned_cache_publishes_what_is_there() -> None:
    """The mount of a claim that somebody deletes goes; that nobody makes another one is said."""
    scene = ready()
    scene.cache(annotations=ABANDONED)
    carry_out(scene)
    claim = scene.known(ONE, "PersistentVolumeClaim").subject
    assert cache_status(scene.state, scene.mc)["clusters"][0]["mount"]
    scene.claim_gone()
    [row] = cache_status(scene.state, scene.mc)["clusters"]
    words = f"{LET_BE}; claim {claim.namespace}/{claim.name} does not exist"
    assert row == {"name": "one", "phase": "Pending", "message": words}
    assert (scene.opened(), list(claim_questions(scene.state))) == ([], [])
    scene.cache(annotations=())
    carry_out(scene)
    assert scene.decided("create PersistentVolumeClaim") == 2


def test_an_abandoned_cache_says_what_it_does_not_do() -> None:
    """Whatever it waited for: nothing of that comes about, and there is no Event of it either."""
    scene = CacheScene()
    scene.token("")
    scene.cache(spec_of(secret="hub"))
    scene.list_secrets()
    carry_out(scene)
    scene.cache(annotations=ABANDONED)
    entry = scene.entry()
    assert entry_message(scene.state, scene.mc, entry) == LET_BE
    assert entry_advice(sight_of(scene.state, scene.mc, entry)).startswith("nothing more is done")
    keys = {occasion.key[0] for occasion in cache_occasions(scene.state, scene.mc)}
    assert {"cause", "used"} & keys == set()
    scene.unreachable()
    assert entry_message(scene.state, scene.mc, entry).startswith(f"{LET_BE}; cluster one does not")


def test_an_abandoned_entry_that_is_not_selected_ends_with_its_claim() -> None:
    """While the claim is there the entry is, and says so; then it is no more."""
    scene = ready()
    scene.cache(spec_of(selector={"name": "two"}), annotations=ABANDONED)
    assert scene.entry().retained
    assert entry_message(scene.state, scene.mc, scene.entry()) == LET_BE
    scene.claim_gone()
    assert scene.mc.entries == {}


def test_a_deleted_cluster_is_let_go() -> None:
    """An InferenceCluster that is gone takes its entry along, and what stays is noted."""
    scene = ready("one", "two")
    scene.gone(HOME, scene.cluster_subject("two"))
    assert list(scene.mc.entries) == ["one"]
    reason, words = scene.mc.abandoned["two"]
    assert (reason, "Secret" in words) == ("ClusterGone", False)  # it needs no token
    assert TWO not in scene.state.clusters


def test_open_intents_of_a_deleted_cluster_are_dropped() -> None:
    """What was decided for a cluster that is gone waits for no answer."""
    scene = CacheScene("one", "two")
    scene.cache()
    carry_out(scene, "create PersistentVolumeClaim")
    scene.gone(HOME, scene.cluster_subject("two"))
    assert scene.opened() == [("create PersistentVolumeClaim", ONE)]


def test_a_cache_gone_by_force_leaves_its_claim() -> None:
    """Who takes our finalizer off keeps the claim; Job and token go when they are seen."""
    scene = CacheScene()
    scene.cache()
    carry_out(scene)
    scene.cache_gone()
    assert scene.doing() == ["delete HydrationJob"]
    scene.entry().users = ()
    carry_out(scene)
    assert "cache-uid" not in scene.state.caches
    assert scene.known(ONE, "PersistentVolumeClaim")


def test_a_new_cache_of_the_name_takes_over_what_is_left() -> None:
    """A re-created ModelCache adopts claim and Job of the one that was forced away."""
    scene = CacheScene()
    scene.cache()
    stage(scene)
    scene.cache_gone()
    scene.cache(uid="new-uid")
    carry_out(scene)
    assert scene.state.caches["new-uid"].entries["one"].state.value == "Ready"
    assert scene.decided("create PersistentVolumeClaim") == 1


def test_a_cluster_that_stopped_answering_is_waited_for() -> None:
    """Of a cache that is being deleted something may be on any cluster that tells nothing."""
    scene = CacheScene("one", "two")
    scene.cache(spec_of(selector={"name": "one"}), held=True)
    stage(scene)
    scene.cache(held=True, deleting=True)
    assert list(scene.mc.entries) == ["one"]
    scene.unreachable("ic/two")
    scene.users("serving")
    assert list(scene.mc.entries) == ["one", "two"]


def unread(scene: CacheScene, *, served: bool) -> None:
    """ModelReplicas cannot be read, or are not even served."""
    scene.tell(Unread(HOME, "ModelReplica", "not now", served=served))


def test_a_claim_waits_until_replicas_are_told() -> None:
    """With replicas, a claim goes only once they were listed, or are known not to be served."""
    for served, goes in ((True, []), (False, ["delete PersistentVolumeClaim"])):
        scene = CacheScene(replicas=True)
        scene.cache()
        carry_out(scene)
        stage(scene)
        scene.cache(deleting=True)
        scene.users()
        assert scene.doing() == []
        unread(scene, served=served)
        scene.users()
        assert scene.doing() == goes


def test_another_ones_copy_stays() -> None:
    """The token's copy goes with a cache that is deleted, once, and not when it is another's."""
    scene = CacheScene()
    scene.token()
    scene.cache(spec_of(secret="hub"))
    scene.list_secrets()
    carry_out(scene)
    scene.list_secrets()
    carry_out(scene)
    copy = scene.known(ONE, SECRET)
    assert isinstance(copy.level, SecretLevel)
    other = Owner("other", "cache", "other-uid")
    for changes, goes in (
        ({"owner": other, "label": "other.cache"}, False), ({"deleting": True}, False), ({}, True),
    ):  # fmt: skip
        scene.see(ONE, copy.subject, copy.level._replace(**changes))
        scene.cache(deleting=True)
        assert ("delete Secret" in scene.doing()) == goes
