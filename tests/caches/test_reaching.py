"""Reaching: where a kubeconfig lies, what keeps it from being used, and what is watched."""

from dataclasses import replace

from machines.caches.levels import SecretLevel
from machines.caches.reaching import (
    MODELPLANE_NAMESPACE,
    kubeconfig_digest,
    names_of_cluster,
    secret_namespace,
    tokens_are_told,
    wanted_secrets,
    way_in,
)
from machines.caches.recovering import told_phases
from machines.caches.selecting import concerned, matches, selector_of
from machines.states import SECRET
from tests.caches.builders import HOME, ONE, CacheScene, spec_of


def test_kubeconfigs_lie_where_the_settings_say() -> None:
    """Else with Modelplane, if its namespace is there; else with warmlog."""
    scene = CacheScene()
    assert secret_namespace(scene.state, HOME) == scene.settings.own_namespace
    scene.namespace(HOME, MODELPLANE_NAMESPACE)
    assert secret_namespace(scene.state, HOME) == MODELPLANE_NAMESPACE
    assert secret_namespace(scene.state, "nowhere") == scene.settings.own_namespace
    told = CacheScene(secret_namespace="keys")
    told.namespace(HOME, MODELPLANE_NAMESPACE)
    assert secret_namespace(told.state, HOME) == "keys"


def test_a_secret_without_the_key_is_no_kubeconfig() -> None:
    """The way in says which key is missing, and nothing stands for a kubeconfig."""
    scene = CacheScene()
    served = scene.state.served["one"]
    scene.list_secrets()
    assert (way_in(scene.state, served).trouble, kubeconfig_digest(scene.state, served)) == (
        "", "k1",
    )  # fmt: skip
    secret = next(
        one for one in scene.state.clusters[HOME].objects[SECRET].values()
        if one.subject.name == "one-kubeconfig"
    )  # fmt: skip
    scene.see(HOME, secret.subject, SecretLevel((("another", "k1"),)))
    served = scene.state.served["one"]
    assert "has no key kubeconfig" in way_in(scene.state, served).trouble
    assert kubeconfig_digest(scene.state, served) == ""
    scene.gone(HOME, secret.subject)
    assert "does not exist" in way_in(scene.state, served).trouble
    assert kubeconfig_digest(scene.state, served) == ""


def test_an_inference_cluster_that_is_home_is_no_other() -> None:
    """One of source InCluster is the cluster that it is an object of, whatever it is called."""
    scene = CacheScene("one", "self")
    scene.cluster("self", source="InCluster")
    assert names_of_cluster(scene.state, HOME) == ["self"]
    assert names_of_cluster(scene.state, "ic/self") == []
    assert names_of_cluster(scene.state, ONE) == ["one"]


def test_another_homes_clusters_are_not_selected() -> None:
    """A cache selects, and is about, the InferenceClusters of its own home alone."""
    scene = CacheScene()
    cache = scene.cache()
    served = scene.state.served["one"]
    elsewhere = replace(served, home="elsewhere")
    assert (matches(cache, served), matches(cache, elsewhere)) == (True, False)
    cache.recovered["one"] = "Ready"
    assert concerned(scene.state, cache, [served]) == ["one"]
    assert concerned(scene.state, cache, [elsewhere]) == []


def test_a_refused_spec_selects_as_far_as_it_can_be_read() -> None:
    """Labels that are text are kept, and nothing else is; another shape selects nothing less."""
    scene = CacheScene()
    spec = spec_of(repo="../etc", selector={"b": "y", "a": "x"})
    spec["clusterSelector"]["matchLabels"]["c"] = 3
    cache = scene.cache(spec)
    assert (cache.spec, selector_of(cache)) == (None, (("a", "x"), ("b", "y")))
    for number, shape in enumerate((7, {"matchLabels": 7})):
        bad = {**spec_of(repo="../etc"), "clusterSelector": shape}
        other = scene.cache(bad, name=f"m{number}", uid=f"m{number}")
        assert (other.spec, selector_of(other)) == (None, ())


def test_only_phases_that_are_text_are_told() -> None:
    """Rows of a status that have another shape are left out, and so are names that are no text."""
    rows = [
        {"name": "a", "phase": "Ready"}, {"name": "b", "phase": 7}, {"name": "c"}, "d",
        {"name": 5, "phase": "Ready"}, {"name": "e", "phase": ["Ready"]},
    ]  # fmt: skip
    assert told_phases({"clusters": rows}) == {"a": "Ready"}
    assert told_phases({"clusters": {"name": "a"}}) == {}


def test_of_a_cluster_that_nobody_names_no_token_is_told() -> None:
    """Nothing is known of what words of a forgotten cluster may quote."""
    scene = CacheScene()
    scene.list_secrets()
    assert tokens_are_told(scene.state, [ONE, "ic/forgotten"]) == {ONE}
    scene.cache(spec_of(secret="hub"))
    assert tokens_are_told(scene.state, [ONE]) == frozenset()
    scene.list_secrets()
    assert tokens_are_told(scene.state, [ONE]) == {ONE}
    assert {one.name for one in wanted_secrets(scene.state)} >= {"hub", "one-kubeconfig"}
