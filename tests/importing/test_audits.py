"""What an API server's audit log tells of objects, at the levels Request and RequestResponse."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.instants import parse_rfc3339
from machines.labels import POOL, WARMUP_UID
from tests.importing.reading import LATE, Read, audit, event, raw, read_text

OURS = {"labels": {WARMUP_UID: "mw-uid"}}
NODE = raw("Node", "a", 1)


def changed(version: int) -> dict[str, Any]:
    """The Node a, with another level."""
    return raw("Node", "a", version, metadata={"labels": {POOL: str(version)}})


@pytest.mark.parametrize("verb", ["create", "update", "patch", "get"])
def test_an_answer_with_the_object_shows_it(tmp_path: Path, verb: str) -> None:
    """Whatever was asked, the object is as the answer has it, at the time of the answer."""
    read = read_text(tmp_path, audit(verb, "nodes", NODE))
    assert read.types == ["NodeSeen"]
    assert read.data("SessionStarted")[0]["recorder"] == "audit"
    assert {row.at for row in read.rows} == {parse_rfc3339(LATE)}


def test_the_answer_to_a_status_request_holds_the_whole_object(tmp_path: Path) -> None:
    """Controllers and kubelets write little else than status."""
    about = {"subresource": "status", "name": "a"}
    read = read_text(tmp_path, audit("patch", "nodes", changed(2), about=about))
    assert read.types == ["NodeSeen"]


def test_events_may_come_as_a_list(tmp_path: Path) -> None:
    """An EventList is as good as its events."""
    events = [json.loads(audit("create", "nodes", NODE)), json.loads(audit("get", "nodes", NODE))]
    body = {"kind": "EventList", "apiVersion": "audit.k8s.io/v1", "items": events}
    assert read_text(tmp_path, json.dumps(body, indent=2)).types == ["NodeSeen"]


def test_audits_and_what_kubectl_printed_may_stand_in_one_stream(tmp_path: Path) -> None:
    """Each document is told by what it is."""
    read = read_text(tmp_path, audit("create", "nodes", NODE) + event("DELETED", changed(3)))
    assert read.types == ["NodeSeen", "Gone"]


@pytest.mark.parametrize(
    ("told", "what"),
    [
        (audit("create", "nodes", NODE, stage="RequestReceived"), "an earlier stage of a request"),
        (
            audit("create", "nodes", NODE, responseStatus={"code": 409}),
            "a request that was refused",
        ),
        (audit("create", "nodes", NODE, uri="/api/v1/nodes?dryRun=All"), "a dry run"),
        (audit("create", "configmaps", NODE), "a request about another kind"),
        (audit("watch", "nodes"), "a watch, of which an audit log holds no events"),
    ],
)
def test_what_tells_nothing_is_passed_over(tmp_path: Path, told: str, what: str) -> None:
    """What did not happen, or tells of nothing that is read, is counted and makes no row."""
    read = read_text(tmp_path, told)
    assert read.rows == ()
    assert read.account.strange == {what: 1}


def test_a_list_makes_its_kind_known_and_a_whole_one_tells_what_is_gone(tmp_path: Path) -> None:
    """Its request says that nothing was left out, and its version what it is newer than."""
    body: dict[str, Any] = {"kind": "NodeList", "metadata": {"resourceVersion": "7"}}
    body["items"] = [raw("Node", "b", 6)]
    whole = audit("list", "nodes", body, uri="/api/v1/nodes?limit=500&resourceVersion=0")
    read = read_text(tmp_path, audit("create", "nodes", NODE) + whole)
    assert (read.synced, read.gone) == ({"Node"}, ["a"])


@pytest.mark.parametrize(
    "query", ["labelSelector=a%3Db", "fieldSelector=metadata.name%3Db", "continue=abc"]
)
def test_a_list_that_was_selected_calls_nothing_gone(tmp_path: Path, query: str) -> None:
    """What a selector left out may be there."""
    body = {
        "kind": "NodeList",
        "items": [raw("Node", "b", 6)],
        "metadata": {"resourceVersion": "7"},
    }
    part = audit("list", "nodes", body, uri=f"/api/v1/nodes?{query}")
    assert read_text(tmp_path, audit("create", "nodes", NODE) + part).gone == []


def test_a_deletion_is_told_by_a_status_with_the_uid(tmp_path: Path) -> None:
    """An object without finalizers is gone at once: the answer names it by its uid."""
    gone = {"kind": "Status", "status": "Success", "details": {"name": "a", "uid": "a-uid"}}
    about = {"name": "a"}
    read = read_text(
        tmp_path, audit("create", "nodes", NODE) + audit("delete", "nodes", gone, about=about)
    )
    assert read.gone == ["a"]


def test_a_deletion_without_any_body_is_of_what_bears_the_name(tmp_path: Path) -> None:
    """At lower levels only the name is told."""
    told = audit("create", "nodes", NODE) + audit("delete", "nodes", about={"name": "a"})
    assert read_text(tmp_path, told).gone == ["a"]
    lost = read_text(tmp_path, audit("create", "nodes", NODE) + audit("delete", "nodes"))
    assert list(lost.account.unused) == ["the end of an object that is not known"]


def test_a_pod_that_is_to_go_goes_when_nothing_holds_it_any_more(tmp_path: Path) -> None:
    """Its kubelet's last request, or the last finalizer that is taken off, is its end."""

    def pod(version: int, **metadata: Any) -> str:
        told = raw("Pod", "p", version, metadata={**OURS, **metadata})
        return audit("patch" if version < 4 else "delete", "pods", told, about={"name": "p"})

    leaving = {"deletionTimestamp": LATE, "deletionGracePeriodSeconds": 30}
    ending = {**leaving, "deletionGracePeriodSeconds": 0}
    read = read_text(tmp_path, pod(1) + pod(2, **leaving))
    assert (read.types, read.gone) == (["PodSeen", "PodSeen"], [])
    held = read_text(tmp_path, pod(1) + pod(2, **ending, finalizers=["batch"]))
    assert held.gone == []
    assert read_text(tmp_path, pod(1) + pod(4, **ending)).gone == ["p"]


def test_what_was_deleted_together_is_gone_but_for_pods(tmp_path: Path) -> None:
    """Pods end one by one, when their kubelets say so."""
    body: dict[str, Any] = {
        "kind": "JobList",
        "items": [raw("Job", "job", 1, metadata=OURS)],
        "metadata": {},
    }
    pods: dict[str, Any] = {
        "kind": "PodList",
        "items": [raw("Pod", "p", 1, metadata=OURS)],
        "metadata": {},
    }
    told = [
        audit("create", "batch/jobs", body["items"][0]), audit("create", "pods", pods["items"][0]),
        audit("deletecollection", "batch/jobs", body), audit("deletecollection", "pods", pods),
    ]  # fmt: skip
    assert read_text(tmp_path, "".join(told)).gone == ["job"]


def unused(read: Read) -> dict[str, int]:
    """What was not used, by reason."""
    return dict(read.account.unused)


def test_at_level_request_an_update_says_the_object(tmp_path: Path) -> None:
    """A create has no uid yet, and a patch no object: both are counted and named."""
    request: dict[str, Any] = {"level": "Request", "about": {"name": "a", "uid": "a-uid"}}
    fresh = raw("Node", "a", 1)
    del fresh["metadata"]["uid"]
    told = [
        audit("create", "nodes", level="Request", about={"name": "a"}, requestObject=fresh),
        audit("update", "nodes", requestObject=changed(1), **request),
        audit(
            "update",
            "nodes",
            requestObject=changed(1) | {"spec": {"unschedulable": True}},
            **request,
        ),
        audit("patch", "nodes", requestObject={"spec": {}}, **request),
    ]
    read = read_text(tmp_path, "".join(told))
    assert read.types == ["NodeSeen", "NodeSeen"]
    assert unused(read) == {"an audit event without the object": 2}
    assert read.account.mentions["an audit event without the object"][0].about == "nodes/a"
