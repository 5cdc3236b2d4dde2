"""Specs of caches and clusters: whatever is stored is read, and accepted names are harmless."""

from hypothesis import given
from hypothesis import strategies as st

from machines.caches.cluster_specs import parse_cluster
from machines.caches.specs import REPO, REVISION, parse_cache
from tests.crds.caches import BAD_CACHES, GOOD_CACHES, model
from tests.crds.clusters import GOOD_CLUSTERS
from tests.crds.drawing import ANYTHING
from tests.machines.test_specs import poisoned

SPECS = [*GOOD_CACHES.values(), *(bad.spec for bad in BAD_CACHES.values())]
# Mostly what a name may have, and what must not get through.
NAMES = st.text(st.sampled_from("aZ0_.-/+@=$(){};'\"`\\ \n~:?*[^\x00é"), max_size=20)


def is_harmless(name: str) -> bool:
    """Whether a name climbs no folder, is no option, and says nothing to a shell."""
    says = set(name) & set("$(){};'\"`\\ \n~:?*[^\x00")
    begins = name.startswith(("-", "/", "."))
    return not says and not begins and "//" not in name and ".." not in name


@given(ANYTHING | st.dictionaries(st.sampled_from(["source", "huggingFace"]), ANYTHING))
def test_nothing_is_too_wrong_to_be_read(value: object) -> None:
    """Whatever a spec holds, it is a fault or taken, and reading it never fails."""
    parsed = parse_cache(value)
    assert (parsed.spec is None) == bool(parsed.faults)
    parse_cluster(value)


@given(st.sampled_from(SPECS), ANYTHING)
def test_no_place_is_too_wrong_to_be_read(spec: object, poison: object) -> None:
    """A wrong value in any place of a spec is named there or harmless."""
    for bad in poisoned(spec, poison):
        parsed = parse_cache(bad)
        assert (parsed.spec is None) == bool(parsed.faults)


@given(st.sampled_from(list(GOOD_CLUSTERS.values())), ANYTHING)
def test_no_cluster_is_too_wrong_to_be_read(spec: object, poison: object) -> None:
    """A wrong value in any place of a cluster's spec counts as left out."""
    for bad in poisoned(spec, poison):
        assert all(isinstance(value, str) for value in parse_cluster(bad))


@given(st.from_regex(REPO.pattern, fullmatch=True) | NAMES)
def test_accepted_repositories_are_harmless(repo: str) -> None:
    """What is accepted has at most one slash and none of the hub's own separators [C50]"""
    if parse_cache(model(repo=repo)).spec is not None:
        assert is_harmless(repo)
        assert "--" not in repo
        assert repo.count("/") <= 1


@given(st.from_regex(REVISION.pattern, fullmatch=True) | NAMES)
def test_accepted_revisions_are_harmless(revision: str) -> None:
    """What is accepted, and not empty, can be a part of a path and of a command line [C50]"""
    if parse_cache(model(revision=revision)).spec is not None:
        assert not revision or is_harmless(revision)
