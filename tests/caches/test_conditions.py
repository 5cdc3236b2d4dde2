"""Conditions of a ModelCache: which reason comes first, and when a condition turned."""

from engine.instants import SECOND
from machines.caches.conditions import cache_conditions, condition_rows
from machines.caches.entries import EntryState
from machines.caches.states import Refusal
from machines.condition_rows import turned
from tests.caches.pictures import CLAIM, FAILURE, NOON, THERE, Picture, spec_of


def reasons(picture: Picture) -> dict[str, str]:
    """Status and reason of each condition, by its type."""
    rows = condition_rows(picture.state, picture.cache)
    return {row.type: f"{row.status}/{row.reason}" for row in rows}


def message(picture: Picture, kind: str) -> str:
    """The message of one condition."""
    rows = condition_rows(picture.state, picture.cache)
    return next(row.message for row in rows if row.type == kind)


def three(*, secret: bool = False) -> Picture:
    """Three clusters: the first Ready, the second Failed, the third Hydrating."""
    picture = Picture("a", "b", "c", spec=spec_of(secret=secret))
    picture.ready()
    entries = picture.cache.entries
    entries["b"].state, entries["b"].failure = EntryState.FAILED, FAILURE
    entries["c"].state = EntryState.HYDRATING
    return picture


def test_no_cluster() -> None:
    """Without a cluster that is what is told, and not that the token lacks."""
    picture = Picture(spec=spec_of(secret=True, selector={"tier": "gpu"}))
    picture.cache.entries.clear()
    assert reasons(picture) == {
        "ClustersMatched": "False/NoClusters",
        "ArtifactReady": "False/NoClusters",
        "Ready": "False/NoClusters",
    }
    assert message(picture, "Ready") == "no InferenceCluster has tier=gpu"


def test_a_missing_token_comes_before_a_failure() -> None:
    """A token that lacks is the reason, and the failure of a cluster is told beside it [C45]"""
    picture = three(secret=True)
    assert reasons(picture)["ArtifactReady"] == "False/AuthSecretMissing"
    assert message(picture, "ArtifactReady").startswith(
        "Secret ml-team/hf does not exist: its key HF_TOKEN is to hold the token; b Failed: "
    )
    assert f"Job {THERE}/" in message(picture, "ArtifactReady")


def test_a_missing_token_is_no_trouble_once_all_is_staged() -> None:
    """When every cluster has the model, nobody asks for the token any more."""
    picture = Picture(spec=spec_of(secret=True))
    picture.ready()
    assert reasons(picture)["Ready"] == "True/Staged"


def test_never_ready_while_a_token_lacks_and_something_needs_it() -> None:
    """A claim that is bound is not a model: without its token a cache is not Ready [C8]"""
    picture = Picture(spec=spec_of(secret=True))
    picture.claim("Bound")
    picture.entry.state = EntryState.HYDRATING
    assert reasons(picture)["Ready"] == "False/AuthSecretMissing"


def test_failed_comes_before_partial() -> None:
    """One cluster that failed is the reason for the whole, whatever the others do."""
    picture = three()
    assert reasons(picture)["ArtifactReady"] == "False/Failed"
    assert message(picture, "ArtifactReady").startswith(f"b Failed: Job {THERE}/")


def test_partial() -> None:
    """Some clusters that are ready and some that are not are Partial, and the first is told."""
    picture = three()
    picture.cache.entries["b"].state = EntryState.PENDING
    assert reasons(picture)["ArtifactReady"] == "False/Partial"
    assert message(picture, "ArtifactReady").startswith(
        "1 of 3 ready; missing on 2 clusters: b, c; b Pending: waiting for claim "
    )


def test_staged() -> None:
    """All selected clusters ready, and at least one: Ready; retained ones do not count."""
    picture = Picture("a", "b")
    picture.ready()
    assert reasons(picture) == {
        "ClustersMatched": "True/Matched",
        "ArtifactReady": "True/Staged",
        "Ready": "True/Staged",
    }
    picture.cache.entries["b"].selected = False
    picture.cache.entries["b"].state = EntryState.PENDING
    assert reasons(picture)["Ready"] == "True/Staged"
    assert message(picture, "Ready") == "staged on 1 cluster: a"


def test_faults_of_the_spec() -> None:
    """Every field that can never work is named."""
    picture = Picture(spec=spec_of(repo="../x", sizeGiB=0))
    picture.entry.state = EntryState.FAILED
    assert reasons(picture)["Valid"] == "False/InvalidSpec"
    assert "spec.huggingFace.repo: " in message(picture, "Valid")
    assert "spec.huggingFace.sizeGiB: must be at least 1" in message(picture, "Valid")


def test_an_edit_that_got_past_admission() -> None:
    """An edited repo is named and not acted on, and the mount stays [C35]"""
    picture = Picture()
    picture.ready()
    assert "SpecChanged" not in reasons(picture)
    picture.cache.spec_changed = ("spec.huggingFace.repo",)
    assert reasons(picture)["SpecChanged"] == "True/EditIgnored"
    assert "spec.huggingFace.repo" in message(picture, "SpecChanged")
    assert reasons(picture)["Ready"] == "True/Staged"


def test_a_volume_that_does_not_follow() -> None:
    """A size that a volume cannot have is a condition with whoever's own words [C54] [C55]"""
    picture = Picture()
    picture.ready()
    assert "SizeApplied" not in reasons(picture)
    picture.claim("Bound", resizing="VolumeResizeFailed: no room")
    assert reasons(picture)["SizeApplied"] == "False/Resizing"
    picture.claim("Bound", requested="200Gi")
    picture.cache.spec_changed = ("spec.huggingFace.sizeGiB",)
    assert reasons(picture)["SizeApplied"] == "False/ShrinkIgnored"
    refusal = Refusal("Forbidden", "only expandable classes", 1, NOON)
    picture.entry.refusals["Grow PersistentVolumeClaim"] = refusal
    assert reasons(picture)["SizeApplied"] == "False/ResizeRefused"
    assert "only expandable classes" in message(picture, "SizeApplied")
    assert not picture.message, "the entry is Ready all the same"


def test_terminating_names_who_uses_it() -> None:
    """A cache that is being deleted while in use says where, and by whom [C18]"""
    picture = Picture("a", "b")
    picture.ready()
    picture.cache.level = picture.cache.level._replace(deleting=True)
    for entry in picture.cache.entries.values():
        entry.selected = False
    picture.cache.entries["b"].users = ("engine-0",)
    assert reasons(picture)["Terminating"] == "True/InUse"
    assert message(picture, "Terminating") == (
        f"b: the ModelCache is being deleted; claim {THERE}/{CLAIM} is kept for Pod engine-0"
    )
    picture.cache.entries["b"].users = ()
    assert reasons(picture)["Terminating"] == "True/CleaningUp"
    refusal = Refusal("Forbidden", "no patch", 1, NOON)
    picture.cache.refusals["Release ModelCache"] = refusal
    assert "no patch" in message(picture, "Terminating")


def test_somebody_else_writes_the_status() -> None:
    """Who keeps writing the status is named."""
    picture = Picture()
    picture.cache.contested_by = "crossplane"
    assert reasons(picture)["Contested"] == "True/StatusEdited"


def test_a_condition_turns_only_with_its_status() -> None:
    """A condition keeps its time while only reason or words change."""
    picture = Picture()
    picture.cache.condition_times = turned(condition_rows(picture.state, picture.cache), {}, NOON)
    before = {row["type"]: row for row in cache_conditions(picture.state, picture.cache)}
    picture.entry.state, picture.entry.failure = EntryState.FAILED, FAILURE
    rows, later = condition_rows(picture.state, picture.cache), NOON + 5 * SECOND
    picture.cache.condition_times = turned(rows, picture.cache.condition_times, later)
    after = {row["type"]: row for row in cache_conditions(picture.state, picture.cache)}
    assert before["Ready"]["reason"] != after["Ready"]["reason"]
    assert before["Ready"]["lastTransitionTime"] == after["Ready"]["lastTransitionTime"]
    picture.ready()
    rows = condition_rows(picture.state, picture.cache)
    picture.cache.condition_times = turned(rows, picture.cache.condition_times, later)
    ready = {row["type"]: row for row in cache_conditions(picture.state, picture.cache)}
    assert ready["Ready"]["lastTransitionTime"] == "2026-01-01T12:00:05Z"
    assert ready["ClustersMatched"] == before["ClustersMatched"]


def test_terminating_says_which_cluster_is_silent() -> None:
    """A deletion that waits for a cluster that does not answer says so where it is looked for."""
    picture = Picture()
    picture.claim("Bound")
    picture.entry.selected = False
    picture.cache.level = picture.cache.level._replace(deleting=True)
    picture.east.reachable, picture.east.words = False, "connection refused"
    assert message(picture, "Terminating") == (
        "what it has on 1 cluster: east is being let go; cluster east does not answer yet: "
        "connection refused"
    )


def test_several_failed() -> None:
    """Of several clusters that failed all are named, and the words of the first are given."""
    picture = three()
    picture.cache.entries["c"].state = EntryState.FAILED
    assert message(picture, "ArtifactReady").startswith(
        f"failed on 2 clusters: b, c; b Failed: Job {THERE}/"
    )
