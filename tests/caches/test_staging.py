"""Staging: from a ModelCache to a published mount, each step once the one before is seen."""

import pytest

from machines.observations import Done, Seen
from tests.caches.builders import CLAIM, HOME, JOB, ONE, UID, WORKLOAD, CacheScene, spec_of
from tests.caches.willing import carry_out, stage


def test_a_public_cache_becomes_ready() -> None:
    """Finalizer, namespace, claim, Job, latch, one after the other: then the entry is Ready."""
    scene = CacheScene()
    scene.cache()
    stage(scene)
    assert scene.phase() == "Ready"
    [claim] = scene.state.clusters[ONE].objects["PersistentVolumeClaim"]
    assert scene.entry().latch == f"{claim}/{scene.mc.fingerprint}"
    steps = [
        "Hold ModelCache", "create Namespace", "create PersistentVolumeClaim",
        "create HydrationJob", "Latch PersistentVolumeClaim", "delete HydrationJob",
    ]  # fmt: skip
    assert [scene.decided(step) for step in steps] == [1] * len(steps)


def test_the_finalizer_comes_first() -> None:
    """Nothing is made before the finalizer is on, so nothing can be left behind [S28]"""
    scene = CacheScene()
    scene.cache()
    assert scene.opened() == [("Hold ModelCache", HOME)]
    scene.answer("Hold ModelCache", Done(UID))
    assert scene.opened() == [("create Namespace", ONE)]


def test_objects_have_the_names_of_the_original() -> None:
    """Namespace, claim and Job are called as Modelplane calls them [C78]"""
    scene = CacheScene()
    scene.cache()
    carry_out(scene)
    names = scene.state.clusters[ONE].names
    assert f"PersistentVolumeClaim/{WORKLOAD}/{CLAIM}" in names
    assert f"HydrationJob/{WORKLOAD}/{JOB}" in names


def test_a_claim_that_waits_for_its_consumer_gets_one() -> None:
    """The Job is made while the claim is Pending: its Pod is what makes the claim bind."""
    scene = CacheScene()
    scene.cache()
    carry_out(scene)
    assert (scene.phase(), scene.decided("create HydrationJob")) == ("Pending", 1)


def test_the_latch_is_written_before_it_counts() -> None:
    """A Complete Job alone publishes nothing: the claim is marked, then the entry is Ready [C28]"""
    scene = CacheScene()
    scene.cache()
    carry_out(scene)
    scene.claim("Bound")
    scene.job("Complete")
    assert (scene.phase(), scene.doing()) == ("Hydrating", ["Latch PersistentVolumeClaim"])
    scene.answer("Latch PersistentVolumeClaim", Done("claim"))
    assert (scene.phase(), scene.doing()) == ("Ready", ["delete HydrationJob"])


def test_only_what_is_transient_goes() -> None:
    """After Ready the Job is deleted, and the claim stays [S29] [C27]"""
    scene = CacheScene()
    scene.cache()
    stage(scene)
    assert scene.decided("delete PersistentVolumeClaim") == 0
    assert scene.state.clusters[ONE].objects["HydrationJob"] == {}
    scene.wait(3600)
    assert (scene.phase(), scene.opened()) == ("Ready", [])


def test_a_complete_job_of_an_unbound_claim_makes_no_other() -> None:
    """A Job that is Complete while the claim is not Bound is waited out, not repeated [S23]"""
    scene = CacheScene()
    scene.cache()
    carry_out(scene)
    scene.job("Complete")
    scene.wait(3600)
    assert (scene.phase(), scene.opened()) == ("Pending", [])
    assert scene.decided("create HydrationJob") == 1
    scene.claim("Bound")
    carry_out(scene)
    assert scene.phase() == "Ready"


def test_only_true_conditions_are_outcomes() -> None:
    """A Job on its way to an end is no ended Job."""
    scene = CacheScene()
    scene.cache()
    carry_out(scene)
    scene.claim("Bound")
    scene.job("Finishing", reason="SuccessCriteriaMet")
    assert (scene.phase(), scene.opened()) == ("Hydrating", [])


def test_two_looks_at_once_make_one_job() -> None:
    """A ModelCache that is created and edited at once has one Job and one claim [S38]"""
    scene = CacheScene()
    scene.cache()
    scene.cache(spec_of(size=60), generation=2)
    scene.cache(spec_of(size=70), generation=3, annotations=(("warmlog.dev/x", "1"),))
    carry_out(scene)
    assert scene.decided("create HydrationJob") == 1
    assert scene.decided("create PersistentVolumeClaim") == 1


def test_the_same_name_of_another_kind_is_another_thing() -> None:
    """Caches of one name in two namespaces have their own entries and objects [S35]"""
    scene = CacheScene()
    scene.cache()
    other = scene.cache(namespace="other-team", uid="other-uid")
    carry_out(scene)
    scene.claim("Bound")
    assert scene.phase() == "Hydrating"
    assert other.entries["one"].state.value == "Pending"


def test_a_burst_of_completions_is_seen_whole() -> None:
    """Ten Jobs that complete in one batch are ten Ready entries [S31]"""
    names = [f"c{index}" for index in range(10)]
    scene = CacheScene(*names)
    scene.cache()
    carry_out(scene)
    for name in names:
        scene.claim("Bound", cluster=f"ic/{name}")
    burst = []
    for name in names:
        cluster = scene.state.clusters[f"ic/{name}"]
        [job] = cluster.objects["HydrationJob"].values()
        level = job.level._replace(outcome="Complete")  # type: ignore[call-arg]
        burst.append(Seen(f"ic/{name}", job.subject, str(scene.next()), level))
    scene.tell(*burst)
    carry_out(scene)
    assert {scene.phase(name) for name in names} == {"Ready"}


@pytest.mark.parametrize(
    ("spec_class", "status_class", "expected"),
    [("", "", "modelplane-rwx"), ("mine", "", "mine"), ("mine", "told", "told")],
)
def test_the_storage_class_is_the_clusters(
    spec_class: str, status_class: str, expected: str
) -> None:
    """Its status's class, else its spec's, else modelplane-rwx if it exists."""
    scene = CacheScene()
    scene.cluster("one", storage=spec_class, storage_class=status_class)
    scene.cache()
    carry_out(scene, "create PersistentVolumeClaim")
    body = scene.body("create PersistentVolumeClaim")
    assert body["spec"]["storageClassName"] == expected


def test_without_a_class_nothing_is_made() -> None:
    """A cluster that reports no class keeps its entry Pending, and has no claim [C7]"""
    scene = CacheScene()
    scene.gone(ONE, scene.known(ONE, "StorageClass").subject)
    scene.cache()
    carry_out(scene)
    assert (scene.phase(), scene.decided("create PersistentVolumeClaim")) == ("Pending", 0)
    scene.storage_class(ONE, uid="another")
    carry_out(scene)
    assert scene.decided("create PersistentVolumeClaim") == 1


def test_a_claim_grows_and_never_shrinks() -> None:
    """More storage is asked for; less is told and never sent [C55]"""
    scene = CacheScene()
    scene.cache(spec_of(size=50))
    stage(scene)
    scene.cache(spec_of(size=80), generation=2)
    assert scene.body("Grow PersistentVolumeClaim") == {"storage": "80Gi"}
    carry_out(scene)
    scene.cache(spec_of(size=60), generation=3)
    assert (scene.opened(), scene.phase()) == ([], "Ready")
    assert scene.mc.spec_changed == ("spec.huggingFace.sizeGiB",)


def test_a_claim_that_is_not_bound_is_not_asked_to_grow() -> None:
    """What every API server refuses is not tried; once bound, it grows [C55]"""
    scene = CacheScene()
    scene.cache(spec_of(size=50))
    carry_out(scene)
    scene.cache(spec_of(size=80), generation=2)
    assert scene.opened() == []
    scene.claim("Bound")
    assert scene.doing() == ["Grow PersistentVolumeClaim"]


def test_a_refused_growth_is_kept_and_tried_again() -> None:
    """A class that cannot grow is told in the server's words; the entry stays Ready [C55]"""
    scene = CacheScene()
    scene.cache()
    stage(scene)
    scene.cache(spec_of(size=80), generation=2)
    scene.answer("Grow PersistentVolumeClaim", scene.forbidden("only dynamically provisioned"))
    assert scene.entry().refusals["Grow PersistentVolumeClaim"].words
    assert (scene.opened(), scene.phase()) == ([], "Ready")
    scene.wait(2)
    assert scene.doing() == ["Grow PersistentVolumeClaim"]


def test_a_claim_without_a_volume_is_not_asked_to_grow() -> None:
    """No API server takes that; it is asked once the claim is bound."""
    scene = CacheScene()
    scene.cache(spec_of(size=50))
    carry_out(scene, "create HydrationJob")
    scene.claim("Pending")
    scene.cache(spec_of(size=80), generation=2)
    assert "Grow PersistentVolumeClaim" not in scene.doing()
    scene.claim("Bound")
    assert "Grow PersistentVolumeClaim" in scene.doing()


def test_a_growth_that_is_always_refused_is_asked_for_ever_more_rarely() -> None:
    """Nothing waits for it, so that a class which cannot grow does not fill the log."""
    scene = CacheScene()
    scene.cache()
    stage(scene)
    scene.cache(spec_of(size=80), generation=2)
    waits = []
    for _ in range(14):
        scene.answer("Grow PersistentVolumeClaim", scene.forbidden("cannot grow"))
        (refusal,) = scene.entry().refusals.values()
        waits.append((refusal.retry_at - scene.clock) // 10**9)
        scene.wait(waits[-1])
    assert waits[:7] == [1, 2, 4, 8, 16, 32, 64]
    assert waits[-2:] == [3600, 3600]


def test_changes_write_only_what_is_ours() -> None:
    """No change of a claim says anything of its volume, its node or its class [S26]"""
    scene = CacheScene()
    scene.cache()
    stage(scene)
    scene.claim("Bound", volume="pv-1", selected_node="n1")
    scene.cache(spec_of(size=80), generation=2)
    assert scene.body("Grow PersistentVolumeClaim") == {"storage": "80Gi"}


def test_what_is_refused_is_tried_with_growing_waits() -> None:
    """A refused create is tried after 1, 2, 4 … 60 seconds, and says why meanwhile."""
    scene = CacheScene()
    scene.cache()
    carry_out(scene, "create PersistentVolumeClaim")
    waits = []
    for _ in range(9):
        scene.answer("create PersistentVolumeClaim", scene.forbidden())
        begun = scene.clock
        while not scene.opened():
            scene.wait(1)
        waits.append((scene.clock - begun) // 10**9)
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    carry_out(scene)
    assert scene.entry().refusals == {}


def test_what_was_accepted_is_not_asked_for_twice() -> None:
    """A create that was answered before its object is seen waits for that, though not for ever."""
    scene = CacheScene()
    scene.cache()
    carry_out(scene, "create PersistentVolumeClaim")
    scene.answer("create PersistentVolumeClaim", Done("claim-uid"))
    assert scene.opened() == []
    scene.wait(11)
    assert scene.doing() == ["create PersistentVolumeClaim"]
