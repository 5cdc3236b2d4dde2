"""From raw objects to levels: what counts of each kind, and what bad objects become."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.kubernetes.kinds import JOB, MODEL_WARMUP, NAMESPACE, NODE, POD, WATCHED, Kind
from adapters.kubernetes.normalising import ObjectMalformed, normalise
from engine.canonical_json import Number, dumps
from engine.events import Subject
from machines.levels import JobLevel, NamespaceLevel, NodeLevel, PodLevel, WarmupLevel
from tests.kubernetes import objects


def test_a_node_is_reduced_to_what_matters() -> None:
    """Labels, taints (in one order), readiness and cordon; nothing else."""
    raw = objects.node(
        spec={
            "unschedulable": True,
            "taints": [
                {"key": "z", "effect": "NoSchedule", "timeAdded": "2026-10-21T10:11:12Z"},
                {"key": "a", "value": "b", "effect": "NoExecute"},
            ],
        }
    )
    seen = normalise("prod", NODE, raw)
    assert seen.subject == Subject("Node", "", "n1", objects.NODE_UID)
    assert seen.version == "10"
    assert seen.level == NodeLevel(
        labels=(("kubernetes.io/hostname", "n1"), ("model.aibrix.ai/warmup-enabled", "true")),
        taints=(("a", "b", "NoExecute"), ("z", "", "NoSchedule")),
        ready="True",
        unschedulable=True,
    )


def test_a_heartbeat_changes_no_level() -> None:
    """A Node's heartbeat and managedFields are never part of a level."""
    raw = objects.node(version="11")
    raw["status"]["conditions"][1]["lastHeartbeatTime"] = "2026-10-21T10:11:22Z"
    raw["metadata"]["managedFields"] = []
    assert normalise("prod", NODE, raw).level == normalise("prod", NODE, objects.node()).level


def test_what_images_a_node_has_is_not_read() -> None:
    """A node lists at most fifty images, so that one is missing there says nothing [W71]"""
    raw = objects.node()
    raw["status"]["images"] = [{"names": ["busybox:1"], "sizeBytes": 1}]
    assert normalise("prod", NODE, raw).level == normalise("prod", NODE, objects.node()).level


def test_a_node_that_says_nothing_is_not_known_to_be_ready() -> None:
    """Without a Ready condition readiness is Unknown."""
    assert normalise("prod", NODE, objects.node(status={})).level == NodeLevel(
        labels=(("kubernetes.io/hostname", "n1"), ("model.aibrix.ai/warmup-enabled", "true")),
        ready="Unknown",
    )


def test_a_namespace_is_its_pool_and_whether_it_goes() -> None:
    """A terminating Namespace is known by its phase and by its deletion timestamp."""
    raw = objects.namespace()
    assert normalise("prod", NAMESPACE, raw).level == NamespaceLevel("latency")
    raw["status"]["phase"] = "Terminating"
    assert normalise("prod", NAMESPACE, raw).level == NamespaceLevel("latency", terminating=True)
    raw["status"] = {}
    raw["metadata"]["deletionTimestamp"] = "2026-10-21T10:11:12Z"
    assert normalise("prod", NAMESPACE, raw).level == NamespaceLevel("latency", terminating=True)


def _condition(name: str, status: str = "True", **more: str) -> dict[str, str]:
    return {"type": name, "status": status, **more}


@pytest.mark.parametrize(
    ("conditions", "outcome", "reason"),
    [
        ([], "", ""),
        ([_condition("SuccessCriteriaMet", reason="CompletionsReached")], "Finishing", ""),
        (
            [_condition("SuccessCriteriaMet"), _condition("Complete", reason="CompletionsReached")],
            "Complete",
            "",
        ),
        (
            [_condition("FailureTarget", reason="BackoffLimitExceeded")],
            "Finishing",
            "BackoffLimitExceeded",
        ),
        (
            [
                _condition("FailureTarget", reason="DeadlineExceeded"),
                _condition("Failed", reason="DeadlineExceeded"),
            ],
            "Failed",
            "DeadlineExceeded",
        ),
        ([_condition("Complete", "False"), _condition("Failed", "Unknown")], "", ""),
        ([_condition("Suspended")], "", ""),
        ([_condition("Complete"), _condition("Failed", reason="Both")], "Failed", "Both"),
    ],
)
def test_only_a_true_condition_is_an_outcome(
    conditions: list[dict[str, str]], outcome: str, reason: str
) -> None:
    """Interim conditions are `Finishing`; counters and what is not True are nothing [W5]"""
    raw = objects.job(conditions=conditions)
    raw["status"]["succeeded"] = 1
    level = normalise("prod", JOB, raw).level
    assert isinstance(level, JobLevel)
    assert (level.outcome, level.reason) == (outcome, reason)


def test_a_job_says_whose_it_is() -> None:
    """Owner, node, revision, attempts, TTL and deletion are read; words lose the Pod's name."""
    raw = objects.job(
        deleting=True,
        ttl_seconds=3600,
        conditions=[
            _condition(
                "Failed",
                reason="PodFailurePolicy",
                message="Container image-0 for pod default/warm-1-x7k2p failed with exit code 3",
            )
        ],
    )
    raw["status"]["failed"] = 2
    assert normalise("prod", JOB, raw).level == JobLevel(
        warmup_uid=objects.WARMUP_UID,
        controller_uid=objects.WARMUP_UID,
        node_uid=objects.NODE_UID,
        node_name="n1",
        revision="ef7e2d9085ee",
        outcome="Failed",
        reason="PodFailurePolicy",
        message="Container image-0 for pod default/warm-1-… failed with exit code 3",
        failed_attempts=2,
        ttl_seconds=3600,
        deleting=True,
    )


def test_an_owner_that_does_not_control_is_not_the_controller() -> None:
    """Only the owner reference with controller true counts; without one there is none."""
    raw = objects.job()
    raw["metadata"]["ownerReferences"][0]["controller"] = False
    level = normalise("prod", JOB, raw).level
    assert isinstance(level, JobLevel)
    assert level.controller_uid == ""


def test_a_running_pod_has_no_cause() -> None:
    """All is well: no reason, no message, no exit code."""
    raw = objects.pod("Running", deleting=True)
    assert normalise("prod", POD, raw).level == PodLevel(
        warmup_uid=objects.WARMUP_UID,
        job_uid=objects.JOB_UID,
        node_name="n1",
        phase="Running",
        deleting=True,
    )


def test_a_pod_without_its_owner_reference_is_known_by_its_label() -> None:
    """The Job controller's label names the Job too."""
    raw = objects.pod("Running")
    del raw["metadata"]["ownerReferences"]
    level = normalise("prod", POD, raw).level
    assert isinstance(level, PodLevel)
    assert level.job_uid == objects.JOB_UID


def test_a_pod_that_something_else_controls_is_no_jobs() -> None:
    """Labels are copied, into a Deployment's template for instance: its Pods hold no slot."""
    raw = objects.pod("Running")
    raw["metadata"]["labels"]["batch.kubernetes.io/controller-uid"] = objects.JOB_UID
    owner = {"kind": "ReplicaSet", "name": "web-1", "uid": "rs-uid", "controller": True}
    raw["metadata"]["ownerReferences"] = [owner]
    level = normalise("prod", POD, raw).level
    assert isinstance(level, PodLevel)
    assert level.job_uid == ""


def test_a_warmup_keeps_its_spec_as_it_stands() -> None:
    """Numbers keep their text, our annotations are kept, others are not, the status is aside."""
    raw = objects.warmup(spec={"b": Number("1e3"), "a": None}, status={"phase": "Running"})
    seen = normalise("prod", MODEL_WARMUP, raw)
    assert seen.level == WarmupLevel(
        generation=1, spec='{"a":null,"b":1e3}', annotations=(("warmlog.dev/suspend", "true"),)
    )
    assert seen.recovered == {"phase": "Running"}


def _nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = {"a": value}
    return value


def test_a_spec_nested_too_deeply_ends_visibly() -> None:
    """Instead of a spec that nothing could handle there is a text, which no rule takes for one."""
    deep = normalise("prod", MODEL_WARMUP, objects.warmup(spec=_nested(5000))).level
    assert isinstance(deep, WarmupLevel)
    assert deep.spec == dumps("nested too deeply to be read")
    usual = normalise("prod", MODEL_WARMUP, objects.warmup(spec=_nested(50))).level
    assert isinstance(usual, WarmupLevel)
    assert usual.spec == dumps(_nested(50))
    assert normalise("prod", MODEL_WARMUP, objects.warmup(status=_nested(5000))).recovered is None


IMPOSSIBLE = "has a slash, a NUL or half a character in its name, namespace or uid"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"uid": None}, "Job default/warm-1 has no uid"),
        ({"name": 7}, "Job default/(unnamed) has no name"),
        ({"resourceVersion": ""}, "Job default/warm-1 has no resourceVersion"),
        ({"uid": "", "name": ""}, "Job default/(unnamed) has no name and no uid"),
        ({"name": "a/b"}, f"Job default/a/b {IMPOSSIBLE}"),
        ({"name": "a\0b"}, f"Job default/a\0b {IMPOSSIBLE}"),
        ({"uid": "\ud800"}, f"Job default/warm-1 {IMPOSSIBLE}"),
    ],
)
def test_an_object_that_cannot_be_told_apart_is_named(change: dict[str, Any], words: str) -> None:
    """What lacks uid, name or resourceVersion is refused in words that say which it is."""
    raw = objects.job()
    raw["metadata"].update(change)
    with pytest.raises(ObjectMalformed) as error:
        normalise("prod", JOB, raw)
    assert str(error.value) == words


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "metadata", "spec", "status", "conditions", "type", "reason", "message",
                    "labels", "annotations", "ownerReferences", "taints", "containerStatuses",
                    "state", "waiting", "terminated", "exitCode", "phase", "controller",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)  # fmt: skip


@given(_JSON, _JSON, _JSON, st.sampled_from(WATCHED))
def test_whatever_an_object_holds_it_is_read(
    metadata: Any, spec: Any, status: Any, kind: Kind
) -> None:
    """Wrong types are read as absent: an object with an identity always becomes a level."""
    identity = {"name": "x", "uid": "u", "resourceVersion": "1"}
    merged = {**metadata, **identity} if isinstance(metadata, dict) else identity
    seen = normalise("prod", kind, {"metadata": merged, "spec": spec, "status": status})
    dumps(seen.level.to_json())
    with pytest.raises(ObjectMalformed):
        normalise("prod", kind, metadata)
