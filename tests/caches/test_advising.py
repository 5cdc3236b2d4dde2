"""Advising: every cause has something to type or to wait for, with the names of the case."""

import re

import pytest

from machines.caches.advising import BY_CAUSE, entry_advice
from machines.caches.causes import entry_cause
from machines.caches.cluster_specs import IN_CLUSTER
from machines.caches.entries import EntryState
from machines.caches.reaching import scope_key
from machines.caches.sights import sight_of
from machines.caches.states import Said
from tests.caches.pictures import CLAIM, EAST, FAILURE, HOME, THERE, Picture, spec_of
from tests.caches.test_hydrating_messages import HYDRATING, held_by_a_pod
from tests.caches.test_pending_messages import (
    PENDING,
    newer_class,
    other_class,
    unbound,
    unknown_class,
)

DRAWN = [draw for draw, _ in (*PENDING, *HYDRATING)]


@pytest.mark.parametrize("draw", DRAWN)
def test_every_picture_has_advice(draw: object) -> None:
    """Whatever an entry waits for, there is an advice whose every name is filled in."""
    assert callable(draw)
    picture = draw()
    told = entry_advice(sight_of(picture.state, picture.cache, picture.entry))
    assert told
    assert not re.search(r"\{[a-z]+\}", told)


def test_causes_have_advice_of_their_own() -> None:
    """Every cause that the pictures show is in the table, or is a Pod's own reason."""
    shown = set()
    for draw in DRAWN:
        picture = draw()
        shown.add(entry_cause(sight_of(picture.state, picture.cache, picture.entry)).reason)
    assert shown - BY_CAUSE.keys() == {"CreateContainerConfigError"}


def test_a_full_disk() -> None:
    """When there was no space left, the advice is to make more room, and how [C52]"""
    picture = Picture()
    picture.claim("Bound")
    picture.entry.state, picture.entry.failure = EntryState.FAILED, FAILURE
    told = entry_advice(sight_of(picture.state, picture.cache, picture.entry))
    assert '{"spec":{"huggingFace":{"sizeGiB":N}}}' in told
    assert "annotate modelcache qwen warmlog.dev/retry" in told
    picture.entry.failure = FAILURE._replace(said=Said("Error", "401"))
    told = entry_advice(sight_of(picture.state, picture.cache, picture.entry))
    assert "sizeGiB" not in told


def test_a_missing_token() -> None:
    """Without its token the command that makes the Secret is given."""
    picture = Picture(spec=spec_of(secret=True))
    told = entry_advice(sight_of(picture.state, picture.cache, picture.entry))
    assert told.startswith("`kubectl -n ml-team create secret generic hf --from-literal=HF_TOKEN=")


def advised(picture: Picture) -> str:
    """What a person can do about the first entry."""
    return entry_advice(sight_of(picture.state, picture.cache, picture.entry))


def test_an_unbound_claim_of_another_class() -> None:
    """A claim keeps its class, so one that waits with a wrong class has to be deleted."""
    assert "storageclasses" in advised(unknown_class())
    for picture in (newer_class(), other_class()):
        told = advised(picture)
        assert told.startswith(f"`kubectl --context east -n {THERE} delete pvc {CLAIM}`")


def test_a_missing_kubeconfig() -> None:
    """The command that makes the Secret is given, after the token's where that lacks, too."""
    picture = Picture(spec=spec_of(secret=True))
    namespace = picture.state.caching.own_namespace
    picture.state.clusters[HOME].names.clear()
    picture.state.clusters[HOME].listed[scope_key(namespace, f"{EAST}-kubeconfig")] = True
    token, _, access = advised(picture).partition("; ")
    assert token.startswith("`kubectl -n ml-team create secret generic hf ")
    made = f"create secret generic {EAST}-kubeconfig --from-file=kubeconfig=KUBECONFIG`"
    assert access.startswith(f"`kubectl -n {namespace} {made}")


def test_the_own_cluster_needs_no_context() -> None:
    """Where warmlog runs, commands are typed without the name of another context."""
    picture = unbound()
    served = picture.state.served[EAST]
    served.spec = served.spec._replace(source=IN_CLUSTER)
    picture.state.clusters[HOME] = picture.east
    assert f"`kubectl -n {THERE} describe pvc {CLAIM}`" in advised(picture)


def test_leaving() -> None:
    """Only Pods that are there are to be ended; a silent cluster is what keeps the others."""
    picture = unbound()
    picture.entry.selected = False
    assert advised(picture) == "nothing: it goes on by itself"
    picture.entry.users = ("engine-0",)
    assert advised(picture).startswith("end the Pods that are named")
    picture.entry.users = None
    picture.east.reachable = False
    told = advised(picture)
    assert told.startswith("see whether the API server of east answers")
    assert told.endswith("`kubectl delete inferencecluster east` lets go of what is there")


def test_pods_that_are_in_the_way() -> None:
    """Pods of a Job that is not known are looked at, and their Job deleted where it still is."""
    picture = held_by_a_pod()
    told = entry_advice(sight_of(picture.state, picture.cache, picture.entry))
    assert f"-n {THERE} describe pods -l job-name=" in told
    assert f"-n {THERE} delete job " in told
