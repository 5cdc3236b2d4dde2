"""The machines show of a ModelCache what the contract says, for every mixture of facts."""

from collections.abc import Iterable
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from machines.caches.levels import Owner
from machines.caches.mounts import mount
from machines.caches.statuses import cache_status
from machines.states import SECRET
from property_tests.expected_entries import (
    EXAMPLES,
    IN_USE,
    UNKNOWN,
    Claim,
    Facts,
    Job,
    Latch,
    Place,
    Row,
    Say,
    Token,
    Wanted,
    can_exist,
    expected,
)
from tests.caches.builders import (
    CLAIM,
    HOME,
    JOB,
    NAMESPACE,
    ONE,
    OURS,
    WORKLOAD,
    CacheScene,
    spec_of,
)
from tests.caches.willing import carry_out

UID, BEFORE = "claim", "claim-before"
OTHER = "aaaaaaaaaaaa"  # another content
FAILURES = frozenset({Job.FAILED, Job.DUE, Job.ASKED_FOR, Job.FAILED_ELSEWHERE})
COMPLETE = frozenset({Job.COMPLETE, Job.COMPLETE_ELSEWHERE, Job.COMPLETE_OTHERWISE})
ELSEWHERE = frozenset({Job.COMPLETE_ELSEWHERE, Job.FAILED_ELSEWHERE})
PHASES = {Claim.PENDING: "Pending", Claim.CHOSEN: "Pending", Claim.LOST: "Lost"}
KEYS: dict[Token, tuple[str, str]] = {
    Token.THERE: ("HF_TOKEN", "d1"),
    Token.NO_KEY: ("OTHER", "d1"),
    Token.EMPTY: ("HF_TOKEN", ""),
}
WORDS: dict[Say, tuple[str, ...]] = {
    Say.FIELD: ("spec.huggingFace.repo",),
    Say.NOT_SELECTED: ("cluster one is not selected any more",),
    Say.CACHE_GOES: ("the ModelCache is being deleted",),
    Say.USER: ("engine-0",),
    Say.TOKEN: ("Secret ml-team/hub", "HF_TOKEN"),
    Say.CLIENT: ("no route to host", "since 2026-01-01T"),
    Say.NOT_READ: ("was not read yet",),
    Say.NO_WAY_IN: ("not provisioned yet",),
    Say.NAMESPACE: (f"namespace {WORKLOAD}",),
    Say.OWNER: ("team-b/other",),
    Say.NO_CLASS: ("storage class",),
    Say.CLAIM: (CLAIM,),
    Say.NODE: ("n1",),
    Say.LOST: ("lost its volume",),
    Say.DELETING: (f"{CLAIM} is being deleted",),
    Say.SOURCE: ("Qwen/Qwen3-8B", "v1"),
    Say.DOWNLOADING: ("downloading",),
    Say.JOB: (JOB, "failed after 4 attempts", "BackoffLimitExceeded"),
    Say.NEXT_TRY: ("tried again at 2026-01-01T",),
}
NAMES = frozenset({Say.CLAIM, Say.SOURCE})  # may be told wherever they help
KNOWN_LAST = NAMES | {Say.NODE, Say.LOST, Say.DELETING, Say.DOWNLOADING, Say.JOB}
MIXTURES = [
    facts
    for facts in map(Facts._make, product(Claim, Latch, Job, Token, Place, Wanted))
    if can_exist(facts)
]
STEPS = ("claim", "job", "token", "place", "wanted")


class EntryScene(CacheScene):
    """A cache and one entry of it, of which facts come to be true one after the other."""

    def __init__(self, facts: Facts) -> None:
        """Begin with a cache, and with nothing of it there."""
        super().__init__()
        self.facts = facts
        self.where = "two" if facts.place in UNKNOWN else "one"
        self.node("n1")
        self.cache(self.spec(), held=True)

    def spec(self, **more: Any) -> dict[str, Any]:
        """The spec of the cache."""
        repo = "../etc" if self.facts.wanted is Wanted.MALFORMED else "Qwen/Qwen3-8B"
        secret = "" if self.facts.token is Token.NOT_NEEDED else "hub"
        return spec_of(repo=repo, revision="v1", secret=secret, **more)

    def become(self, step: str) -> None:
        """Let one fact come to be true."""
        getattr(self, f"become_{step}")()

    def become_claim(self) -> None:
        """The claim comes to be what it is to be."""
        claim = self.facts.claim
        if claim is Claim.ABSENT:
            return
        latches = {
            Latch.HOLDS: f"{UID}/{self.mc.fingerprint}",
            Latch.OF_ANOTHER_CLAIM: f"{BEFORE}/{self.mc.fingerprint}",
            Latch.OF_ANOTHER_CONTENT: f"{UID}/{OTHER}",
        }
        self.claim(
            PHASES.get(claim, "Bound"),
            uid=UID,
            owner=Owner("team-b", "other", "other-uid") if claim is Claim.FOREIGN else OURS,
            selected_node="n1" if claim is Claim.CHOSEN else "",
            deleting=claim is Claim.DELETING,
            hydrated=latches.get(self.facts.latch, ""),
        )

    def become_job(self) -> None:
        """The Job comes to be what it is to be."""
        job = self.facts.job
        if job is Job.NONE:
            return
        told: dict[str, Any] = {"outcome": "Complete" if job in COMPLETE else ""}
        if job in FAILURES:
            told = {"outcome": "Failed", "reason": "BackoffLimitExceeded", "failed_attempts": 4}
        self.job(
            uid="job",
            claim_uid=BEFORE if job in ELSEWHERE else UID,
            fingerprint=OTHER if job is Job.COMPLETE_OTHERWISE else self.mc.fingerprint,
            **told,
        )

    def become_token(self) -> None:
        """The token comes to be what it is to be."""
        if self.facts.token in KEYS:
            key, digest = KEYS[self.facts.token]
            self.token(digest, key=key)
        self.tell(self.listed(HOME, SECRET, scope=(NAMESPACE, "hub")))

    def become_place(self) -> None:
        """The cluster comes to be what it is to be, unless that is known only later."""
        match self.facts.place:
            case Place.GOING:
                self.namespace(ONE, terminating=True)
            case Place.CLASSLESS:
                self.gone(ONE, self.known(ONE, "StorageClass").subject)
            case Place.NOT_PROVISIONED:
                self.cluster("two", source="GKE")
            case Place.NEVER_READ:
                self.cluster("two")
            case _:
                pass

    def become_wanted(self) -> None:
        """The entry is wanted as it is to be."""
        match self.facts.wanted:
            case Wanted.LEFT_IN_USE:
                self.cache(self.spec(selector={"name": "elsewhere"}), generation=2)
            case Wanted.DELETED_IN_USE:
                self.cache(deleting=True)
            case _:
                pass

    def end(self) -> None:
        """What can only be true after the rest comes to be true."""
        if self.facts.job is Job.DUE:
            self.wait(61)
        if self.facts.job is Job.ASKED_FOR:
            self.cache(annotations=(("warmlog.dev/retry", "1"),), deleting=self.mc.level.deleting)
        if self.facts.wanted in IN_USE:
            self.users("engine-0")
        if self.facts.place is Place.SILENT:
            self.unreachable()
        if self.facts.place is Place.UNREAD_AGAIN:
            self.start()
            self.sync(HOME)


def scene_of(facts: Facts, order: Iterable[str] = STEPS) -> EntryScene:
    """An entry of which all this is true, and came to be so in this order."""
    scene = EntryScene(facts)
    for step in order:
        scene.become(step)
    scene.end()
    return scene


def differences(scene: EntryScene) -> list[str]:
    """Say in what the published entry is not what it has to be."""
    row = expected(scene.facts)
    entries = {one["name"]: one for one in cache_status(scene.state, scene.mc)["clusters"]}
    entry = entries[scene.where]
    shown = entry["phase"], entry.get("mount"), entry.get("retained", False)
    wanted = row.phase, mount(CLAIM) if row.mount else None, scene.facts.wanted in IN_USE
    found = [] if shown == wanted else [f"shows {shown}, and has to show {wanted}"]
    return [*found, *wrong_words(scene.facts, row, entry.get("message", ""))]


def wrong_words(facts: Facts, row: Row, message: str) -> list[str]:
    """Say in what a message is not what it has to be: what it lacks, and what is not so."""
    first, told = (
        message.split("; ", maxsplit=1)[0],
        frozenset(one for one in Say if tells(message, one)),
    )
    must = row.others | ({row.first} if row.first else frozenset())
    may = KNOWN_LAST if facts.place is Place.SILENT else NAMES
    found = [f"does not tell {one}" for one in sorted(must - told)]
    found += [f"tells {one}" for one in sorted(told - must - may)]
    if row.first and WORDS[row.first][0] not in first:
        found.append(f"does not begin with {row.first}")
    if row.first is None and message:
        found.append("says something")
    return [f"{one}: {message!r}" for one in found]


def tells(message: str, what: Say) -> bool:
    """Say whether a message tells something."""
    return all(word in message for word in WORDS[what])


@pytest.mark.parametrize(("facts", "row"), EXAMPLES)
def test_the_examples(facts: Facts, row: Row) -> None:
    """Each example of the contract is what its rules say, and what the machines show."""
    assert can_exist(facts)
    assert expected(facts) == row
    assert differences(scene_of(facts)) == []


@pytest.mark.parametrize("job", Job, ids=lambda job: job.name)
def test_every_claim_with_every_job(job: Job) -> None:
    """Whatever the claim and its latch are, with every Job, for all that is not in the way."""
    for claim, latch in product(Claim, Latch):
        facts = Facts(claim, latch, job)
        assert not can_exist(facts) or differences(scene_of(facts)) == [], facts


@given(st.sampled_from(MIXTURES), st.permutations(STEPS))
def test_every_mixture_in_every_order(facts: Facts, order: list[str]) -> None:
    """In whatever order all of it comes to be true, the end is the same."""
    assert differences(scene_of(facts, order)) == []


def test_a_new_token_is_as_good_as_asking() -> None:
    """What failed with a token is tried again as soon as that is another one."""
    facts = Facts(Claim.BOUND, job=Job.FAILED, token=Token.THERE)
    scene = scene_of(facts)
    assert differences(scene) == []
    scene.token("another")
    scene.facts = facts._replace(job=Job.ASKED_FOR)
    assert differences(scene) == []


@pytest.mark.parametrize("latch", [one for one in Latch if one is not Latch.HOLDS])
def test_a_complete_job_is_latched_before_it_is_published(latch: Latch) -> None:
    """Once what a Complete Job calls for was done, all is as for a claim that says it is whole."""
    scene = scene_of(Facts(Claim.BOUND, latch, Job.COMPLETE))
    assert differences(scene) == []
    carry_out(scene)
    scene.facts = scene.facts._replace(latch=Latch.HOLDS)
    assert differences(scene) == []
