"""Events in material answer what a controller would have asked of them."""

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from adapters.importing.told_events import MOST_EVENTS, MOST_OBJECTS, EventBook
from machines.labels import ENABLED, POOL, WARMUP_UID
from tests.importing.reading import LATE, Raw, Read, audit, event, listed, raw, read_text
from tests.importing.test_unlabelled_pods import job, pod, warmup
from tests.kubernetes import cache_objects as objects

MOUNT = "MountVolume.SetUp failed for volume: no such file"
QUOTA = "pods is forbidden: exceeded quota: gpus"
PROVISIONER = "no space on filer-7"


def core(about: Raw, reason: str, words: str, version: int = 9, kind: str = "Warning") -> Raw:
    """An Event of the core group about an object."""
    metadata = about["metadata"]
    involved = {"kind": about["kind"], **{name: metadata[name] for name in ("name", "uid")}}
    involved["namespace"] = metadata["namespace"]
    return raw(
        "Event", f"e{version}", version,
        involvedObject=involved, reason=reason, message=words, type=kind, lastTimestamp=LATE,
    )  # fmt: skip


def modern(about: Raw, reason: str, words: str) -> Raw:
    """The same, of the group events.k8s.io."""
    told = core(about, reason, words)
    return {
        "apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": told["metadata"],
        "regarding": told["involvedObject"], "reason": reason, "note": words, "type": "Warning",
        "deprecatedLastTimestamp": LATE,
    }  # fmt: skip


def pool() -> list[Raw]:
    """The namespace and the node that the ModelWarmup is about, and of all kinds something."""
    labels = {POOL: "p"}
    node = raw("Node", "a", 1, metadata={"labels": {**labels, ENABLED: "true"}})
    others = [raw(kind, f"other-{kind.lower()}", 1) for kind in ("StorageClass", "Job", "Pod")]
    return [raw("Namespace", "team", 1, metadata={"labels": labels}), node, *others]


def ours() -> Raw:
    """A Pod of the Job, with our label, that waits and does not say why."""
    told = pod(5, phase="Pending")
    told["metadata"]["labels"] = {WARMUP_UID: "mw-uid"}
    return told


def said(read: Read) -> list[tuple[str, str]]:
    """Reason and words of what Events said, each time."""
    return [(one.get("reason", ""), one.get("message", "")) for one in read.data("EventsRead")]


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_why_a_pod_that_is_silent_waits(tmp_path: Path, order: tuple[int, ...]) -> None:
    """Its Events say it, whatever comes first in the material."""
    raws = (warmup(), job(), ours(), core(ours(), "FailedMount", MOUNT))
    told = "".join(event("ADDED", raws[number]) for number in order)
    read = read_text(tmp_path, listed(*pool()) + told)
    assert said(read) == [("FailedMount", MOUNT)]


@pytest.mark.parametrize("made", [core, modern])
def test_events_of_both_groups_are_read_in_lists(tmp_path: Path, made: Any) -> None:
    """`kubectl get events` gives one or the other; the row has the time at which it was said."""
    read = read_text(tmp_path, listed(made(job(), "FailedCreate", QUOTA), warmup(), job(), *pool()))
    assert said(read) == [("FailedCreate", QUOTA)]
    assert read.rows[-1].at == read.rows[0].at  # one list has one instant, that of its newest
    assert read.account.unused == {}


def test_the_newest_event_counts(tmp_path: Path) -> None:
    """A warning that a success has followed is over, and is taken back."""
    over = core(job(), "SuccessfulCreate", "Created pod", 11, "Normal")
    told = (core(job(), "FailedCreate", QUOTA), over)
    watched = "".join(event("ADDED", one) for one in told)
    read = read_text(tmp_path, listed(*pool(), warmup(), job()) + watched)
    assert said(read) == [("FailedCreate", QUOTA), ("", "")]


def test_an_audit_log_holds_events_too(tmp_path: Path) -> None:
    """Whoever wrote one sent it whole; other requests about Events are passed over."""
    lines = [
        listed(*pool(), warmup()),
        audit("create", "batch/jobs", job()),
        audit("create", "events", core(job(), "FailedCreate", QUOTA)),
        audit("delete", "events", {"kind": "Status", "apiVersion": "v1", "status": "Success"}),
    ]
    read = read_text(tmp_path, "".join(lines))
    assert said(read) == [("FailedCreate", QUOTA)]
    assert read.account.strange["a request about Events, without them"] == 1


def test_why_a_claim_is_not_bound(tmp_path: Path) -> None:
    """What the provisioner said of the claim is told of the ModelCache that waits for it."""
    cache = raw(
        "ModelCache", "qwen", 2, metadata={"namespace": "ml-team", "uid": objects.CACHE_UID},
        spec={"source": "HuggingFace", "huggingFace": {"repo": "org/model", "sizeGiB": 1}},
    )  # fmt: skip
    home = raw("InferenceCluster", "home", 1, spec={"cluster": {"source": "InCluster"}})
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", **objects.claim()}
    told = core(claim, "ProvisioningFailed", PROVISIONER)
    for order in permutations((home, cache, claim, told)):
        watched = "".join(event("ADDED", one) for one in order)
        read = read_text(tmp_path, listed(*pool()) + watched)
        assert said(read) == [("ProvisioningFailed", PROVISIONER)], [one["kind"] for one in order]


def test_events_about_others_leave_no_trace(tmp_path: Path) -> None:
    """Those of other kinds are counted; those of Jobs that nobody waits for say nothing."""
    node = raw("Node", "a", 1, metadata={"namespace": ""})
    other = raw("Job", "other", 3)
    told = [
        core(node, "NodeNotReady", "x"),
        core(other, "FailedCreate", "y"),
        *pool(),
        warmup(),
        job(),
    ]
    read = read_text(tmp_path, listed(*told))
    assert said(read) == []
    assert sum(n for words, n in read.account.strange.items() if "Events" in words) == 1


def test_secrets_are_struck_out_of_what_events_say(tmp_path: Path) -> None:
    """A value that stands in an Event's words does not enter the log."""
    value = "s3cr3t-of-nobody"
    secret = raw("Secret", "hub", 3, data={"token": "czNjcjN0LW9mLW5vYm9keQ=="})
    told = core(job(), "FailedCreate", f"denied for {value}")
    read = read_text(tmp_path, listed(secret, *pool(), warmup(), job(), told))
    [(reason, words)] = said(read)
    assert reason == "FailedCreate"
    assert value not in words
    assert words.startswith("denied for ")


def test_what_is_kept_of_events_has_a_bound() -> None:
    """Of each object few are kept, and of objects those that were spoken of last."""
    book = EventBook("local")
    for number in range(3 * MOST_EVENTS):
        book.note(core(raw("Job", "same", 1), "FailedCreate", str(number)))
    for number in range(MOST_OBJECTS + 5):
        book.note(core(raw("Job", f"job-{number}", 1), "FailedCreate", "x"))
    assert book.kept == (MOST_OBJECTS, MOST_OBJECTS)
