"""What `kubectl` printed becomes the rows that a watch would have made."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.instants import parse_rfc3339
from machines.labels import CACHE, POOL, WARMUP_UID
from tests.importing.reading import (
    EARLY,
    LATE,
    MATERIAL,
    Read,
    event,
    listed,
    raw,
    read_files,
    read_text,
)

OURS = {"labels": {WARMUP_UID: "mw-uid"}}


def job(version: int, **parts: Any) -> dict[str, Any]:
    """A Job of a ModelWarmup."""
    return raw("Job", "job", version, metadata=OURS, **parts)


@pytest.mark.parametrize("name", ["list.json", "watch.json", "audit.log"])
def test_real_material_tells_what_was_there(name: str) -> None:
    """Of a List, of watches one after the other and of an audit log the same objects are seen."""
    read = read_files(MATERIAL / name)
    assert read.account.unused == {}
    assert {"Namespace", "Node", "ModelWarmup", "Job", "Pod"} <= read.synced
    (warmup,) = read.state.warmups.values()
    targets = {one.node_name: (one.state.value, one.cause) for one in warmup.targets.values()}
    state, cause = targets["unpullable"]
    assert (state, cause.reason) == ("Hydrating", "ImagePullBackOff")
    assert 'failed to resolve reference "busybox:1.36"' in cause.message
    assert targets["gpu-good"] == ("Hydrating", ("", ""))


def test_equal_material_gives_equal_rows() -> None:
    """No clock and no chance: the log's id is of the material itself."""
    first, second = read_files(MATERIAL / "watch.json"), read_files(MATERIAL / "watch.json")
    assert (first.rows, first.log_id) == (second.rows, second.log_id)
    assert first.log_id != read_files(MATERIAL / "list.json").log_id


def test_there_are_facts_alone_and_the_session_says_who_recorded(tmp_path: Path) -> None:
    """Nothing is decided in a foreign recording."""
    read = read_text(tmp_path, listed(raw("Node", "a", 1)))
    assert [row.type for row in read.rows] == ["SessionStarted", "NodeSeen", "Synced"]
    assert read.data("SessionStarted")[0]["recorder"] == "kubectl"
    assert {row.at for row in read.rows} == {parse_rfc3339(EARLY)}


def test_the_newest_time_in_an_object_is_its_instant_and_time_never_goes_back(
    tmp_path: Path,
) -> None:
    """Conditions, managed fields and starts tell when; what has no newer time is no earlier."""
    ready = {"conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": LATE}]}
    read = read_text(
        tmp_path,
        event("ADDED", raw("Node", "a", 1)),
    )
    later = read_text(
        tmp_path,
        event("ADDED", raw("Node", "a", 1, status=ready)) + event("ADDED", raw("Node", "b", 2)),
    )
    assert read.rows[-1].at == parse_rfc3339(EARLY)
    assert [row.at for row in later.rows] == [parse_rfc3339(LATE)] * len(later.rows)


def test_sources_of_one_cluster_are_merged_by_version(tmp_path: Path) -> None:
    """That is how its store counts; a deletion has no time that would tell."""
    nodes = event("ADDED", raw("Node", "a", 1)) + event("DELETED", raw("Node", "a", 9))
    classes = event("ADDED", raw("StorageClass", "fast", 5, at=LATE))
    read = read_text(tmp_path, nodes, classes)
    told = [(row.type, row.at) for row in read.rows[1:] if row.type != "Synced"]
    early, late = parse_rfc3339(EARLY), parse_rfc3339(LATE)
    assert told == [("NodeSeen", early), ("StorageClassSeen", late), ("Gone", late)]


def test_sources_of_several_clusters_are_merged_by_time(tmp_path: Path) -> None:
    """Each cluster counts for itself."""
    home = event("ADDED", raw("Node", "a", 7)) + event("ADDED", raw("Node", "b", 9, at=LATE))
    west = event("ADDED", raw("Node", "c", 1, at="2026-01-01T12:00:05Z"))
    read = read_text(tmp_path, home, west, clusters=["local", "ic/west"])
    seen = [row.subject.split("/")[2] for row in read.rows if row.type.endswith("Seen")]
    assert seen == ["a", "c", "b"]


def test_another_source_may_be_of_another_cluster(tmp_path: Path) -> None:
    """Each source's facts are of its own cluster."""
    one, two = listed(raw("Node", "a", 1)), listed(raw("Node", "b", 1))
    read = read_text(tmp_path, one, two, clusters=["local", "ic/west"])
    assert {row.cluster for row in read.rows[1:]} == {"local", "ic/west"}


def test_jobs_and_pods_are_ours_by_their_labels(tmp_path: Path) -> None:
    """One that bears no label of ours is counted, and is nothing that is wrong."""
    both = {"labels": {CACHE: "qwen"}}
    material = listed(
        job(1), raw("Job", "hydrate", 2, metadata=both), raw("Job", "theirs", 3),
        raw("Pod", "theirs", 4),
    )  # fmt: skip
    read = read_text(tmp_path, material)
    assert [name for name in read.types if name != "Synced"] == ["JobSeen", "HydrationJobSeen"]
    assert read.account.strange == {"Jobs that are not ours": 1, "Pods that are not ours": 1}
    assert not read.account.unused
    assert read.synced == {"Job", "HydrationJob", "Pod", "HydrationPod"}


def test_a_job_that_loses_its_label_is_still_there(tmp_path: Path) -> None:
    """It is known as ours, and is read as a controller would have asked for it by its name."""
    read = read_text(tmp_path, event("ADDED", job(1)) + event("MODIFIED", raw("Job", "job", 2)))
    assert read.types.count("JobSeen") == 2
    assert "Gone" not in read.types


def test_a_watch_begins_with_what_is_there_and_makes_its_kind_known(tmp_path: Path) -> None:
    """The kind counts as listed where its first run of ADDED events ends, or at the end."""
    begun = event("ADDED", raw("Node", "a", 1)) + event("ADDED", raw("Node", "b", 2))
    changed = event("MODIFIED", raw("Node", "a", 3, metadata={"labels": {POOL: "p"}}))
    assert read_text(tmp_path, begun + changed).types == [
        "NodeSeen",
        "NodeSeen",
        "Synced",
        "NodeSeen",
    ]
    assert read_text(tmp_path, begun).types == ["NodeSeen", "NodeSeen", "Synced"]
    # One that is out of the order of names was added later.
    added = event("ADDED", raw("Node", "aa", 3))
    assert read_text(tmp_path, begun + added).types == [
        "NodeSeen",
        "NodeSeen",
        "Synced",
        "NodeSeen",
    ]


def test_a_deleted_object_is_gone(tmp_path: Path) -> None:
    """A watch said so: nothing is inferred."""
    read = read_text(
        tmp_path, event("ADDED", raw("Node", "a", 1)) + event("DELETED", raw("Node", "a", 2))
    )
    assert read.gone == ["a"]
    assert read.data("Gone") == [{"version": "2"}]


def test_an_outcome_that_only_the_last_moment_shows_counts(tmp_path: Path) -> None:
    """A Job that ended and was deleted at once has its outcome."""
    done = {"conditions": [{"type": "Complete", "status": "True"}]}
    read = read_text(tmp_path, event("ADDED", job(1)) + event("DELETED", job(2, status=done)))
    assert [data["level"].get("outcome", "") for data in read.data("JobSeen")] == ["", "Complete"]


def test_a_list_that_repeats_another_tells_what_is_gone(tmp_path: Path) -> None:
    """They share an object, so both were asked for the same; `inferred` says how it is known."""
    first = listed(raw("Node", "a", 1), raw("Node", "b", 5))
    read = read_text(tmp_path, first + listed(raw("Node", "a", 2)))
    assert read.gone == ["b"]
    assert read.data("Gone")[0]["inferred"] is True


def test_a_list_of_several_kinds_may_hold_none_of_one_any_more(tmp_path: Path) -> None:
    """The last Node is gone when all else of the same command is there again."""
    rest = raw("Namespace", "team", 1), raw("StorageClass", "fast", 1)
    read = read_text(tmp_path, listed(*rest, raw("Node", "a", 1)) + listed(*rest))
    assert read.gone == ["a"]


@pytest.mark.parametrize(
    "second",
    [
        listed(raw("Node", "c", 9)),
        listed(raw("Pod", "x", 9)),
        listed(raw("Namespace", "team", 9)),
    ],
    ids=["other nodes", "another kind", "another kind of the same name"],
)
def test_a_list_that_asked_for_something_else_calls_nothing_gone(
    tmp_path: Path, second: str
) -> None:
    """Unknown is not absent: of one label, of one namespace, or of one name."""
    assert read_text(tmp_path, listed(raw("Node", "a", 1), raw("Node", "b", 2)) + second).gone == []


def test_a_list_of_another_namespace_calls_nothing_gone(tmp_path: Path) -> None:
    """Only of the namespaces that it shows a list tells what is there no more."""
    there = {"namespace": "other"}
    first = listed(job(1), raw("Job", "far", 2, metadata={**OURS, **there}))
    assert read_text(tmp_path, first + listed(job(3))).gone == []


def test_an_object_alone_makes_no_kind_known(tmp_path: Path) -> None:
    """What was asked for by its name tells nothing of others."""
    assert read_text(tmp_path, json.dumps(raw("Node", "a", 1))).types == ["NodeSeen"]


def test_an_older_version_of_an_object_is_dropped(tmp_path: Path) -> None:
    """Facts of one object are ordered by resourceVersion, whatever comes first."""
    new = event("ADDED", raw("Node", "a", 9, metadata={"labels": {POOL: "p"}}))
    read = read_text(tmp_path, new + event("ADDED", raw("Node", "a", 3)))
    assert read.types.count("NodeSeen") == 1


def test_a_list_as_the_api_server_gives_it_is_one_too(tmp_path: Path) -> None:
    """`kubectl get --raw` prints lists whose objects do not say their kind."""
    bare = raw("Node", "a", 1)
    del bare["kind"], bare["apiVersion"]
    body = {"kind": "NodeList", "apiVersion": "v1", "metadata": {}, "items": [bare]}
    assert read_text(tmp_path, json.dumps(body)).types == ["NodeSeen", "Synced"]


def unused(read: Read) -> dict[str, list[str]]:
    """What was not used, by reason: where it stands and what it is."""
    return {
        reason: [f"{one.place.document}:{one.place.line} {one.about}" for one in found]
        for reason, found in read.account.mentions.items()
    }


def test_what_cannot_be_used_is_counted_and_named(tmp_path: Path) -> None:
    """By reason, with the first few places; and everything else is used."""
    nameless = raw("Node", "b", 2)
    del nameless["metadata"]["uid"]
    material = [
        "Error from server: it is late\n",
        event("ADDED", raw("Node", "a", 1)),
        event("ADDED", nameless),
        event("ADDED", raw("ConfigMap", "settings", 3)),
        event("ERROR", {"kind": "Status", "message": "too old", "code": 410}),
        '{"neither": "object"}\n',
        event("MODIFIED", raw("Node", "a", 4))[:-20],
    ]
    read = read_text(tmp_path, "".join(material))
    assert read.types == ["NodeSeen", "Synced"]
    assert unused(read) == {
        "a line that is no JSON": ["0:1 "],
        "an object that lacks what names or orders it": ["2:3 Node/b"],
        "an object of a kind that warmlog does not read": ["3:4 ConfigMap/team/settings"],
        "an error that the watch ended with": ["4:5 "],
        "a document that is no Kubernetes object": ["5:6 "],
        "a document that is cut or damaged": ["6:7 "],
    }


def test_of_many_only_the_first_few_are_named(tmp_path: Path) -> None:
    """The account does not grow with the material."""
    read = read_text(tmp_path, listed(raw("Node", "a", 1)) + "noise\n" * 50)
    assert read.account.unused["a line that is no JSON"] == 50
    assert len(read.account.mentions["a line that is no JSON"]) == 3


def test_a_text_that_comes_too_soon_after_another_is_not_lost(tmp_path: Path) -> None:
    """It comes in when it might, as in a running controller."""

    def pod(version: int, message: str) -> str:
        waiting = {"waiting": {"reason": "ErrImagePull", "message": message}}
        statuses = {"phase": "Pending", "containerStatuses": [{"name": "c", "state": waiting}]}
        return event("MODIFIED", raw("Pod", "pod", version, metadata=OURS, status=statuses))

    read = read_text(tmp_path, pod(1, "first words"), pod(2, "other words"))
    assert [data["level"]["message"] for data in read.data("PodSeen")] == [
        "first words",
        "other words",
    ]
    assert read.rows[-1].at - read.rows[1].at == 60 * 10**9
