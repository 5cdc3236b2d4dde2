"""What a ModelCache must show of one cluster, by what is true there: written by hand.

This table is taken from the published contract, not from the machines, and imports nothing of
them: it is what they are compared with. What counts is what is true of the claim, its latch, the
Job, the token, the cluster and who wants the entry; never which of them was told last.
"""

from enum import StrEnum
from typing import NamedTuple


class Claim(StrEnum):
    """What can be true of the claim."""

    ABSENT = "there is none"
    PENDING = "it is not bound"
    CHOSEN = "it is not bound, and the scheduler chose a node for it"
    BOUND = "it is bound"
    LOST = "it has lost its volume"
    DELETING = "it is bound, and being deleted"
    FOREIGN = "it is bound, and another cache's"


class Latch(StrEnum):
    """What the claim says of what is in it."""

    NONE = "nothing"
    HOLDS = "that this content is whole in this very claim"
    OF_ANOTHER_CLAIM = "that this content is whole in a claim before this one"
    OF_ANOTHER_CONTENT = "that something else is whole in this claim"


class Job(StrEnum):
    """What can be true of the Job that downloads."""

    NONE = "there is none"
    ACTIVE = "it has not ended"
    COMPLETE = "it is Complete"
    FAILED = "it is Failed, and the next try is not due"
    DUE = "it is Failed, and the next try is due"
    ASKED_FOR = "it is Failed, and somebody asked for another try since"
    COMPLETE_ELSEWHERE = "it is Complete, for a claim before this one"
    FAILED_ELSEWHERE = "it is Failed, for a claim before this one"
    COMPLETE_OTHERWISE = "it is Complete, for another content"


class Token(StrEnum):
    """What can be true of the token that the repository asks for."""

    NOT_NEEDED = "none is asked for"
    THERE = "it is there"
    NO_SECRET = "its Secret does not exist"
    NO_KEY = "its Secret has no such key"
    EMPTY = "it is empty"


class Place(StrEnum):
    """What can be true of the cluster."""

    SEEN = "it is seen"
    SILENT = "it was seen, and does not answer any more"
    UNREAD_AGAIN = "the controller has just started, and has not listed it again"
    GOING = "the namespace there is being deleted"
    CLASSLESS = "it reports no storage class"
    NEVER_READ = "it was never read"
    NOT_PROVISIONED = "nothing tells yet how it is reached"


class Wanted(StrEnum):
    """Who wants the entry."""

    SELECTED = "the cache selects the cluster"
    LEFT_IN_USE = "the cache does not select it any more, and a Pod mounts the claim"
    DELETED_IN_USE = "the cache is being deleted, and a Pod mounts the claim"
    MALFORMED = "the cache selects it, and its spec can never work"


class Facts(NamedTuple):
    """All that is true of an entry."""

    claim: Claim = Claim.ABSENT
    latch: Latch = Latch.NONE
    job: Job = Job.NONE
    token: Token = Token.NOT_NEEDED
    place: Place = Place.SEEN
    wanted: Wanted = Wanted.SELECTED


class Say(StrEnum):
    """What a message has to name, or must have the sense of."""

    FIELD = "the field that can never work"
    NOT_SELECTED = "that the cluster is not selected any more"
    CACHE_GOES = "that the cache is being deleted"
    USER = "who still uses the claim"
    TOKEN = "the Secret and its key"
    CLIENT = "the client's words, and since when"
    NOT_READ = "that the cluster was not read yet"
    NO_WAY_IN = "that the cluster is not provisioned yet"
    NAMESPACE = "the namespace that goes"
    OWNER = "the other cache"
    NO_CLASS = "that there is no storage class"
    CLAIM = "the claim"
    NODE = "the node that the scheduler chose"
    LOST = "that the volume is lost"
    DELETING = "that the claim is being deleted"
    SOURCE = "repository and revision"
    DOWNLOADING = "that it is being downloaded"
    JOB = "the Job, the number of its attempts, and its words"
    NEXT_TRY = "when it is tried again"


class Row(NamedTuple):
    """A phase, whether its mount is published, and what the message tells, the first thing first.

    `first` begins the message, the `others` are in it; with no `first` there is no message.
    """

    phase: str
    mount: bool
    first: Say | None
    others: frozenset[Say] = frozenset()

    @property
    def all(self) -> frozenset[Say]:
        """All that the message tells."""
        return self.others | ({self.first} if self.first else frozenset())


TOKEN_MISSING = frozenset({Token.NO_SECRET, Token.NO_KEY, Token.EMPTY})
JOB_FAILED = frozenset({Job.FAILED})
JOB_FAILED_BEFORE = frozenset({Job.DUE, Job.ASKED_FOR})
FILLABLE = frozenset({Claim.PENDING, Claim.CHOSEN, Claim.BOUND})
UNKNOWN = frozenset({Place.NEVER_READ, Place.NOT_PROVISIONED})
IN_USE = frozenset({Wanted.LEFT_IN_USE, Wanted.DELETED_IN_USE})


def expected_phase(facts: Facts) -> str:
    """Give the phase: the first of these rules that holds.

    What is known of a cluster stays known while it does not answer, and nothing is known of one
    that was never read. A failure is of its claim, while that can be filled; it is none any more
    once its next try is due. A Job or a latch that is not of this very claim and content tells
    nothing.
    """
    if facts.wanted is Wanted.MALFORMED:
        return "Failed"
    if facts.place in UNKNOWN:
        return "Pending"
    if facts.claim is Claim.BOUND and facts.latch is Latch.HOLDS:
        return "Ready"
    if facts.job in JOB_FAILED and facts.claim in FILLABLE:
        return "Failed"
    return "Hydrating" if facts.claim is Claim.BOUND else "Pending"


def expected(facts: Facts) -> Row:
    """Give what must be shown."""
    phase = expected_phase(facts)
    told = _told(facts, phase)
    return Row(phase, phase == "Ready", told[0] if told else None, frozenset(told[1:]))


def _told(facts: Facts, phase: str) -> list[Say]:
    """Say what is told, in order."""
    if facts.wanted is Wanted.MALFORMED:
        return [Say.FIELD]
    cluster = _of_the_cluster(facts.place)
    if facts.wanted in IN_USE:
        left = facts.wanted is Wanted.LEFT_IN_USE
        return [Say.NOT_SELECTED if left else Say.CACHE_GOES, Say.USER, *cluster]
    if phase == "Ready":
        return [*cluster, Say.CLAIM] if cluster else []
    token = [Say.TOKEN] if facts.token in TOKEN_MISSING and not _is_whole(facts) else []
    if facts.place in UNKNOWN:
        return [*token, *cluster]
    if phase == "Failed":
        return [*token, *cluster, Say.JOB, Say.NEXT_TRY]
    in_the_way = _in_the_way(facts)
    if token or cluster:
        return [*token, *cluster, *([] if cluster else in_the_way)]
    if in_the_way:
        return in_the_way if phase == "Pending" else [Say.SOURCE, *in_the_way]
    return _of_the_claim(facts) if phase == "Pending" else _of_the_download(facts)


def _of_the_cluster(place: Place) -> list[Say]:
    told = {
        Place.SILENT: [Say.CLIENT],
        Place.NEVER_READ: [Say.NOT_READ],
        Place.NOT_PROVISIONED: [Say.NO_WAY_IN],
    }
    return told.get(place, [])


def _in_the_way(facts: Facts) -> list[Say]:
    if facts.place is Place.GOING:
        return [Say.NAMESPACE]
    if facts.claim is Claim.FOREIGN:
        return [Say.OWNER]
    if facts.place is Place.CLASSLESS and facts.claim is Claim.ABSENT:
        return [Say.NO_CLASS]
    return []


def _of_the_claim(facts: Facts) -> list[Say]:
    more = {
        Claim.CHOSEN: [Say.NODE],
        Claim.LOST: [Say.LOST],
        Claim.DELETING: [Say.DELETING],
    }
    return [Say.CLAIM, *more.get(facts.claim, [])]


def _of_the_download(facts: Facts) -> list[Say]:
    if facts.job is Job.ACTIVE:
        return [Say.DOWNLOADING, Say.SOURCE, Say.CLAIM]
    failed = [Say.JOB] if facts.job in JOB_FAILED_BEFORE else []
    return [Say.SOURCE, Say.CLAIM, *failed]


def _is_whole(facts: Facts) -> bool:
    """Say whether nothing is to be downloaded any more."""
    return facts.claim is Claim.BOUND and (facts.latch is Latch.HOLDS or facts.job is Job.COMPLETE)


def can_exist(facts: Facts) -> bool:
    """Say whether all of this can be true at once."""
    if facts.place in UNKNOWN:
        nothing = (facts.claim, facts.latch, facts.job) == (Claim.ABSENT, Latch.NONE, Job.NONE)
        return nothing and facts.wanted not in IN_USE
    if facts.claim is Claim.ABSENT and facts.latch is not Latch.NONE:
        return False
    return facts.wanted not in IN_USE or facts.claim in (Claim.BOUND, Claim.LOST)


PENDING, HYDRATING, FAILED = "Pending", "Hydrating", "Failed"
READY = Row("Ready", mount=True, first=None)


def no_mount(phase: str, first: Say, *others: Say) -> Row:
    """Give a row without a mount."""
    return Row(phase, mount=False, first=first, others=frozenset(others))


BOUND = Facts(claim=Claim.BOUND)
STAGED = Facts(claim=Claim.BOUND, latch=Latch.HOLDS)
GATED = Facts(token=Token.NO_KEY)
DOWNLOAD = (Say.SOURCE, Say.CLAIM)

# The same by example, so that neither the rules above nor the machines can be wrong unseen.
EXAMPLES: tuple[tuple[Facts, Row], ...] = (
    (Facts(), no_mount(PENDING, Say.CLAIM)),
    (Facts(claim=Claim.PENDING), no_mount(PENDING, Say.CLAIM)),
    (Facts(claim=Claim.PENDING, job=Job.ACTIVE), no_mount(PENDING, Say.CLAIM)),
    (Facts(claim=Claim.CHOSEN, job=Job.ACTIVE), no_mount(PENDING, Say.CLAIM, Say.NODE)),
    (Facts(claim=Claim.PENDING, job=Job.COMPLETE), no_mount(PENDING, Say.CLAIM)),
    (BOUND, no_mount(HYDRATING, *DOWNLOAD)),
    (BOUND._replace(job=Job.ACTIVE), no_mount(HYDRATING, Say.DOWNLOADING, *DOWNLOAD)),
    (BOUND._replace(job=Job.COMPLETE), no_mount(HYDRATING, *DOWNLOAD)),
    (BOUND._replace(job=Job.FAILED), no_mount(FAILED, Say.JOB, Say.NEXT_TRY)),
    (BOUND._replace(job=Job.DUE), no_mount(HYDRATING, *DOWNLOAD, Say.JOB)),
    (BOUND._replace(job=Job.ASKED_FOR), no_mount(HYDRATING, *DOWNLOAD, Say.JOB)),
    (BOUND._replace(job=Job.FAILED_ELSEWHERE), no_mount(HYDRATING, *DOWNLOAD)),
    (BOUND._replace(job=Job.COMPLETE_ELSEWHERE), no_mount(HYDRATING, *DOWNLOAD)),
    (BOUND._replace(job=Job.COMPLETE_OTHERWISE), no_mount(HYDRATING, *DOWNLOAD)),
    (BOUND._replace(latch=Latch.OF_ANOTHER_CLAIM), no_mount(HYDRATING, *DOWNLOAD)),
    (BOUND._replace(latch=Latch.OF_ANOTHER_CONTENT), no_mount(HYDRATING, *DOWNLOAD)),
    (STAGED, READY),
    (STAGED._replace(job=Job.ACTIVE), READY),
    (STAGED._replace(job=Job.FAILED), READY),
    (STAGED._replace(token=Token.NO_SECRET), READY),
    (STAGED._replace(token=Token.EMPTY, job=Job.FAILED), READY),
    (STAGED._replace(place=Place.UNREAD_AGAIN), READY),
    (STAGED._replace(place=Place.CLASSLESS), READY),
    (STAGED._replace(place=Place.GOING), READY),
    (
        STAGED._replace(place=Place.SILENT),
        Row("Ready", mount=True, first=Say.CLIENT, others=frozenset({Say.CLAIM})),
    ),
    (
        STAGED._replace(wanted=Wanted.LEFT_IN_USE),
        Row("Ready", mount=True, first=Say.NOT_SELECTED, others=frozenset({Say.USER})),
    ),
    (
        STAGED._replace(wanted=Wanted.DELETED_IN_USE),
        Row("Ready", mount=True, first=Say.CACHE_GOES, others=frozenset({Say.USER})),
    ),
    (STAGED._replace(claim=Claim.LOST), no_mount(PENDING, Say.CLAIM, Say.LOST)),
    (STAGED._replace(claim=Claim.DELETING), no_mount(PENDING, Say.CLAIM, Say.DELETING)),
    (STAGED._replace(claim=Claim.PENDING), no_mount(PENDING, Say.CLAIM)),
    (Facts(claim=Claim.LOST, job=Job.FAILED), no_mount(PENDING, Say.CLAIM, Say.LOST)),
    (Facts(claim=Claim.FOREIGN, job=Job.COMPLETE), no_mount(PENDING, Say.OWNER)),
    (Facts(claim=Claim.FOREIGN, latch=Latch.HOLDS), no_mount(PENDING, Say.OWNER)),
    (GATED, no_mount(PENDING, Say.TOKEN)),
    (GATED._replace(claim=Claim.PENDING), no_mount(PENDING, Say.TOKEN)),
    (GATED._replace(claim=Claim.BOUND), no_mount(HYDRATING, Say.TOKEN)),
    (GATED._replace(claim=Claim.BOUND, job=Job.ACTIVE), no_mount(HYDRATING, Say.TOKEN)),
    (GATED._replace(claim=Claim.BOUND, job=Job.COMPLETE), no_mount(HYDRATING, *DOWNLOAD)),
    (
        GATED._replace(claim=Claim.BOUND, job=Job.FAILED),
        no_mount(FAILED, Say.TOKEN, Say.JOB, Say.NEXT_TRY),
    ),
    (Facts(place=Place.SILENT), no_mount(PENDING, Say.CLIENT)),
    (BOUND._replace(place=Place.SILENT), no_mount(HYDRATING, Say.CLIENT)),
    (
        BOUND._replace(job=Job.FAILED, place=Place.SILENT),
        no_mount(FAILED, Say.CLIENT, Say.JOB, Say.NEXT_TRY),
    ),
    (GATED._replace(place=Place.SILENT), no_mount(PENDING, Say.TOKEN, Say.CLIENT)),
    (Facts(place=Place.CLASSLESS), no_mount(PENDING, Say.NO_CLASS)),
    (BOUND._replace(place=Place.CLASSLESS), no_mount(HYDRATING, *DOWNLOAD)),
    (Facts(place=Place.GOING), no_mount(PENDING, Say.NAMESPACE)),
    (BOUND._replace(place=Place.GOING), no_mount(HYDRATING, Say.SOURCE, Say.NAMESPACE)),
    (Facts(place=Place.NEVER_READ), no_mount(PENDING, Say.NOT_READ)),
    (Facts(place=Place.NOT_PROVISIONED), no_mount(PENDING, Say.NO_WAY_IN)),
    (Facts(wanted=Wanted.MALFORMED), no_mount(FAILED, Say.FIELD)),
    (
        Facts(wanted=Wanted.MALFORMED, place=Place.NOT_PROVISIONED),
        no_mount(FAILED, Say.FIELD),
    ),
)
