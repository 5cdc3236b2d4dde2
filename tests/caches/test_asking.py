"""Asking: what Events say of a claim, a Job or a Pod that waits, and when it is news."""

from machines.caches.asking import claim_questions
from machines.caches.finding import CLAIM
from machines.observations import Contested
from tests.caches.builders import HOME, ONE, CacheScene
from tests.caches.willing import carry_out, stage


def asked(scene: CacheScene) -> list[str]:
    """Give the kinds of what is asked about."""
    return [question.subject.kind for question in claim_questions(scene.state)]


def test_an_unbound_claim_and_a_silent_job_are_asked_about() -> None:
    """A claim that is not bound, and a Job without a Pod, say why in their Events alone."""
    scene = CacheScene()
    scene.cache()
    carry_out(scene, "create HydrationJob")
    assert asked(scene) == ["PersistentVolumeClaim"]
    carry_out(scene)
    assert asked(scene) == ["PersistentVolumeClaim", "HydrationJob"]
    scene.claim("Bound")
    assert asked(scene) == ["HydrationJob"]
    scene.pod("Pending")
    assert asked(scene) == ["HydrationPod"]
    scene.pod("Running")
    assert asked(scene) == []


def test_what_events_say_is_kept_and_forgotten() -> None:
    """The provisioner's words stay while the claim is unbound, and go when it is bound."""
    scene = CacheScene()
    scene.cache()
    carry_out(scene)
    subject = scene.known(ONE, "PersistentVolumeClaim").subject
    assert scene.events(subject, "ProvisioningFailed", "quota exceeded")
    assert scene.entry().claim_events == ("ProvisioningFailed", "quota exceeded")
    scene.claim("Bound")
    assert scene.entry().claim_events == ("", "")


def test_only_news_are_recorded() -> None:
    """The same words are no row; another text under the same reason is one a minute."""
    scene = CacheScene()
    scene.cache()
    carry_out(scene)
    subject = scene.known(ONE, "HydrationJob").subject
    assert scene.events(subject, "FailedCreate", "quota: pods")
    assert not scene.events(subject, "FailedCreate", "quota: pods")
    assert not scene.events(subject, "FailedCreate", "quota: cpu")
    assert scene.events(subject, "Forbidden", "policy")
    scene.wait(61)
    assert scene.events(subject, "Forbidden", "another policy")
    assert scene.entry().job_events.words == "another policy"


def test_nobody_asks_about_what_is_staged() -> None:
    """A Ready entry leaves no question open."""
    scene = CacheScene()
    scene.cache()
    stage(scene)
    assert (asked(scene), scene.state.asking) == ([], {})


def test_a_contest_is_noted_and_ends() -> None:
    """Somebody who keeps writing the status is named in it, as long as it lasts."""
    scene = CacheScene()
    scene.cache()
    subject = scene.mc.subject
    scene.tell(Contested(HOME, subject, "kubectl"))
    assert (scene.mc.contested_by, scene.mc.contested_at) == ("kubectl", scene.clock)
    assert not scene.tell(Contested(HOME, subject, "kubectl"))
    scene.tell(Contested(HOME, subject, ""))
    assert scene.mc.contested_by == ""


def test_what_is_said_of_a_shared_name_is_told_to_its_owner() -> None:
    """Where two caches have one name in one namespace, the one with the claim is meant [C74]"""
    scene = CacheScene(workload_namespace="shared")
    scene.cache(namespace="a-b", name="c", uid="first")
    carry_out(scene, "create PersistentVolumeClaim", "create HydrationJob")
    scene.answer("create PersistentVolumeClaim", scene.forbidden())
    scene.cache(namespace="a", name="b-c", uid="second")
    carry_out(scene, "create HydrationJob")
    scene.events(scene.known(ONE, CLAIM).subject, "ProvisioningFailed", "no space")
    said = [one.entries["one"].claim_events.reason for one in scene.state.caches.values()]
    assert said == ["", "ProvisioningFailed"]
