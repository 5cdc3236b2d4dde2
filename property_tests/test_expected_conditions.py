"""The machines show of a ModelReplica what the contract says, for every mixture of facts."""

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from machines.caches.statuses import cache_status
from machines.observations import Refused
from property_tests.expected_conditions import (
    EXAMPLES,
    Before,
    Cache,
    Cluster,
    Facts,
    Mount,
    Row,
    Say,
    Spec,
    Workload,
    can_exist,
    expected,
)
from tests.caches.builders import HOME, NAME
from tests.caches.builders import spec_of as cache_spec
from tests.replicas.builders import MOUNT
from tests.replicas.serving import KINDS, OTHER, OTHER_MOUNT, ServingScene

MOUNTS = {Mount.NONE: "", Mount.THIS: MOUNT, Mount.ANOTHER: OTHER_MOUNT}
ELSEWHERE = {"name": "elsewhere"}
WORDS: dict[Say, str] = {
    Say.FIELD: "spec.engines",
    Say.MISSING_KIND: "does not serve resource.k8s.io/v1",
    Say.CLIENT: "does not answer since 2026-01-01T00:00:00Z: no route to host",
    Say.NO_WAY_IN: "not provisioned yet",
    Say.NO_CLUSTER: "does not exist",
    Say.NOT_FOUND: "ModelCache qwen not found in namespace ml-team",
    Say.NOT_STAGED: "ModelCache qwen does not stage to cluster one",
    Say.NOT_THERE: "is not there yet",
    Say.SERVER: "exceeded quota",
}
STEPS = ("cache", "cluster", "spec")


class FactScene(ServingScene):
    """A replica of which facts come to be true one after the other."""

    def __init__(self, facts: Facts, what: str) -> None:
        """Begin with what was composed before."""
        super().__init__(what)
        self.facts = facts
        match facts.before:
            case Before.WITH_THIS:
                self.serving()
            case Before.WITHOUT:
                self.serving(cache="")
            case Before.WITH_ANOTHER:
                self.other_cache()
                self.replica(spec=self.spec(cache=OTHER))
                self.staged()
                self.available(what)
        if self.is_away and facts.workload is Workload.STARTING:
            self.edit(what, available="False")

    @property
    def is_away(self) -> bool:
        """Whether nothing is seen of the cluster in the end."""
        return self.facts.cluster is not Cluster.SERVED

    @property
    def left_open(self) -> tuple[str, ...]:
        """Name what is not carried out."""
        later = self.facts.workload in (Workload.UNDER_WAY, Workload.REFUSED)
        return (f"apply {self.what}",) if later else ()

    def become(self, step: str) -> None:
        """Let one fact come to be true, and all be done that it calls for."""
        getattr(self, f"become_{step}")()
        self.carry_out(*self.left_open)

    def become_cache(self) -> None:
        """The cache comes to be what it is to be."""
        cache, had = self.facts.cache, self.facts.before is Before.WITH_THIS
        if cache is Cache.NOT_NAMED:
            return
        if cache is Cache.NOT_FOUND:
            if had:
                self.cache_gone()
            return
        secret = "hub" if cache is Cache.TOKEN_MISSING else ""
        selector = ELSEWHERE if cache is Cache.NOT_STAGED else None
        self.cache(cache_spec(secret=secret, selector=selector), generation=2)
        self.list_secrets()
        if had and cache not in (Cache.NOT_STAGED, Cache.READY):
            self.claim_gone()
        self.carry_out(*self.left_open)
        if cache in (Cache.HYDRATING, Cache.FAILED, Cache.READY):
            self.claim("Bound")
            self.carry_out(*self.left_open)
        if cache is Cache.FAILED:
            self.job("Failed", reason="BackoffLimitExceeded", failed_attempts=4)
        if cache is Cache.READY and not had:
            self.job("Complete")

    def become_cluster(self) -> None:
        """The cluster comes to be what it is to be."""
        match self.facts.cluster:
            case Cluster.SILENT:
                self.unreachable()
            case Cluster.UNPROVISIONED:
                self.cluster("one", source="GKE")
            case Cluster.ABSENT:
                self.gone(HOME, self.cluster_subject("one"))
            case Cluster.SERVED:
                pass

    def become_spec(self) -> None:
        """The spec comes to be what it is to be."""
        if self.facts.spec is Spec.UNSUPPORTED:
            self.unread("ResourceClaimTemplate", "no such kind", served=False)
        spec: dict[str, Any] = self.spec(cache="" if self.facts.cache is Cache.NOT_NAMED else NAME)
        if self.facts.spec is Spec.INVALID:
            spec |= {"engines": []}
        self.replica(spec=spec, generation=2)

    def end(self) -> None:
        """What comes of the workload comes to be true."""
        if self.is_away:
            return
        match self.facts.workload:
            case Workload.REFUSED:
                self.refuse(f"apply {self.what}", Refused(403, "Forbidden", "exceeded quota"))
            case Workload.STARTING:
                self.edit(self.what, available="False")
            case Workload.AVAILABLE:
                self.available(self.what)
            case Workload.REMOVED:
                self.removed(self.what)
            case Workload.UNDER_WAY:
                pass


def scene_of(facts: Facts, what: str, order: tuple[str, ...] = STEPS) -> FactScene:
    """A replica of which all this is true, and came to be so in this order.

    What a cluster is told before it is out of reach is something else than what it is told after.
    """
    scene = FactScene(facts, what)
    for step in STEPS if scene.is_away else order:
        scene.become(step)
    scene.end()
    return scene


def differences(scene: FactScene) -> list[str]:
    """Say in what a replica is not what it has to be; in the end all that is decided is done."""
    row = expected(scene.facts)
    status, reason, message = scene.condition("ModelAccepted")
    shown = [f"{status}/{reason}"]
    shown += ["/".join(scene.condition(kind)[:2]) for kind in ("ModelReady", "Ready")]
    found = [] if shown == list(row[:3]) else [f"shows {shown}, and has to show {row[:3]}"]
    if not tells(scene, message, row.says):
        found.append(f"does not tell {row.says}: {message!r}")
    if scene.facts.cluster is Cluster.ABSENT:  # nothing is known there any more
        return found + scene.replica_doing()
    return found + wrong_workload(scene, row)


def wrong_workload(scene: FactScene, row: Row) -> list[str]:
    """Say in what the workload is not what it has to be, now and when all was done."""
    there = scene.there(scene.what)
    found = [] if (there is not None) == row.exists else [f"workload is {there}"]
    if not scene.is_away:
        scene.wait(2)
        scene.carry_out()
    there = scene.there(scene.what)
    mount = scene.workload(scene.what).mount if there is not None else None
    wanted = None if row.mount is None else MOUNTS[row.mount]
    return found if mount == wanted else [*found, f"mount is {mount!r}, and not {wanted!r}"]


def tells(scene: FactScene, message: str, what: Say) -> bool:
    """Say whether a message tells something; an entry's words are told word for word."""
    if what is Say.NOTHING:
        return not message or WORDS[Say.CLIENT] in message
    if what is Say.ENTRY:
        [entry] = cache_status(scene.state, scene.mc)["clusters"]
        return message.endswith(entry["message"])
    return WORDS[what] in message


MIXTURES = [
    facts
    for facts in map(Facts._make, product(Before, Cache, Workload, Spec, Cluster))
    if can_exist(facts)
]


@KINDS
@pytest.mark.parametrize(("facts", "row"), EXAMPLES)
def test_the_examples(facts: Facts, row: Row, what: str) -> None:
    """Each example of the contract is what its rules say, and what the machines show."""
    assert can_exist(facts)
    assert expected(facts) == row
    assert differences(scene_of(facts, what)) == []


@KINDS
@given(st.sampled_from(MIXTURES), st.permutations(STEPS))
def test_every_mixture_in_every_order(what: str, facts: Facts, order: list[str]) -> None:
    """In whatever order all of it comes to be true, the end is the same."""
    assert differences(scene_of(facts, what, tuple(order))) == []
