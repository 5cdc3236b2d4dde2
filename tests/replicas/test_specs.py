"""Specs of a ModelReplica: what a user asked for, and what is named when it cannot work."""

import copy
from typing import Any

import pytest

from engine.canonical_json import Number, dumps
from machines.faults import Fault
from machines.replicas.members import DeviceRequest, Member
from machines.replicas.specs import EngineSpec, ReplicaSpec, parse_replica
from tests.crds.manifests import Json
from tests.replicas.specs import (
    GPU_CEL,
    IMAGE,
    TOKEN,
    cached,
    container,
    described,
    engine,
    gpus,
    leader,
    member,
    replica,
    running,
    sourced,
    template,
    variables,
    with_member,
    worker,
)

GPU = DeviceRequest("gpu", "gpu.nvidia.com", 1, (GPU_CEL,))
PLAIN = Member("Standalone", "frontier", (GPU,), 0, (), (), IMAGE, None, None, "[]", ())


def spec_of(raw: Any) -> ReplicaSpec:
    """The spec that was read."""
    parsed = parse_replica(raw)
    assert parsed.spec is not None, parsed.faults
    return parsed.spec


def member_of(raw: Any) -> Member:
    """The only member that was read."""
    [read] = spec_of(raw).engines
    [only] = read.members
    return only


def test_defaults_are_effective() -> None:
    """What is left out acts as the published defaults do."""
    least = {
        "clusterName": "west",
        "engines": [
            {
                "name": "main",
                "members": [
                    {
                        "nodePoolName": "frontier",
                        "deviceRequests": [{"name": "gpu", "deviceClassName": "gpu.nvidia.com"}],
                        "template": {"spec": {"containers": [{"name": "engine", "image": IMAGE}]}},
                    }
                ],
            }
        ],
    }
    bare = PLAIN._replace(devices=(GPU._replace(selectors=()),))
    assert spec_of(least) == ReplicaSpec(
        "west", "", "Unified", (EngineSpec("main", 1, "", (bare,)),)
    )


def test_all_that_is_given_is_kept() -> None:
    """Every field arrives as it was written: variables in their order, labels by their keys."""
    env = [{"name": "Z", "value": "$(A)"}, {"name": "A", "valueFrom": TOKEN}, {"name": "B"}]
    whole = member(
        deviceRequests=[gpus(4), {"name": "nic", "deviceClassName": "nic.x", "selectors": []}],
        template=template(
            container(command=["vllm"], args=["serve", ""], env=env),
            metadata={
                "labels": {"tier": "gpu", "example.com/a": ""},
                "annotations": {"Example.com/b": "x"},
            },
            secrets=[{"name": "b"}, {"name": "a"}, {"name": "b"}],
        ),
    )
    assert member_of(replica(engine(whole))) == Member(
        "Standalone",
        "frontier",
        (GPU._replace(amount=4), DeviceRequest("nic", "nic.x", 1, ())),
        0,
        (("example.com/a", ""), ("tier", "gpu")),
        (("Example.com/b", "x"),),
        IMAGE,
        ("vllm",),
        ("serve", ""),
        dumps(env),
        ("b", "a"),
    )


def test_an_empty_command_is_none_given() -> None:
    """An empty list of arguments says something, and one that is left out says nothing."""
    assert member_of(running(command=[], args=[])).command == ()
    assert member_of(running(command=[], args=[])).args == ()
    assert member_of(running()).command is None
    assert member_of(running()).args is None


def test_engines_of_many_nodes() -> None:
    """A leader and its workers are one gang; either order will do, and a worker is one node."""
    gang = spec_of(cached(engine(leader(), worker(3)), engine(worker(None), leader(), name="b")))
    assert gang.cache_name == "qwen"
    assert [one.is_gang for one in gang.engines] == [True, True]
    assert [one.worker_nodes for each in gang.engines for one in each.members] == [0, 3, 1, 0]
    assert not spec_of(replica()).engines[0].is_gang


def test_one_member_may_claim_for_all() -> None:
    """A leader that only coordinates asks for no devices."""
    [read] = spec_of(replica(engine(leader(deviceRequests=None), worker()))).engines
    assert [len(each.devices) for each in read.members] == [0, 1]


def test_prefill_and_decode() -> None:
    """Two engines of one phase each are a spec; whether it is supported is said elsewhere."""
    split = replica(
        engine(name="p", phase="Prefill"),
        engine(name="d", phase="Decode"),
        serving={"mode": "PrefillDecode"},
    )
    assert spec_of(split).mode == "PrefillDecode"
    assert [each.phase for each in spec_of(split).engines] == ["Prefill", "Decode"]


@pytest.mark.parametrize("made", [{}, {"spec": None}, {"metadata": {}}])
def test_a_member_without_a_container_is_read(made: Json) -> None:
    """It is no fault, as Modelplane takes it; nothing can be made of it, and it says so."""
    assert member_of(with_member(template=made)) == PLAIN._replace(image="")


def test_a_whole_number_may_be_written_in_other_ways() -> None:
    """2.0 copies are 2, as they are for the API server."""
    assert spec_of(replica(engine(copies=Number("2.0")))).engines[0].copies == 2


def test_null_counts_as_left_out() -> None:
    """A field that holds nothing is none, also within a variable."""
    entry = {"name": "A", "value": "b", "valueFrom": None}
    assert member_of(variables(entry)).env == dumps([{"name": "A", "value": "b"}])
    assert spec_of({**replica(), "modelCacheRef": None, "serving": None}) == spec_of(replica())


GOOD: dict[str, Json] = {
    "names at their limits": replica(engine(name="e" * 63), clusterName="c"),
    "a name that begins and ends with a hyphen": replica(engine(name="-a-")),
    "eight engines": replica(*(engine(name=f"e{index}") for index in range(8))),
    "most copies": replica(engine(copies=64)),
    "most nodes": replica(engine(leader(), worker(63))),
    "most devices": with_member(deviceRequests=[gpus(64, name=f"g{n}") for n in range(16)]),
    "most selectors": with_member(deviceRequests=[gpus(selectors=[{"cel": "x" * 10240}] * 8)]),
    "most labels": described(labels={f"l{n}": "v" * 63 for n in range(32)}),
    "most annotations": described(annotations={f"l{n}": "v" * 8192 for n in range(32)}),
    "a reserved key of an annotation": described(annotations={"modelplane.ai/x": "y"}),
    "every source": variables(
        {"name": "A", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k", "optional": True}}},
        {"name": "B", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "k"}}},
        {"name": "C", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
        {"name": "D", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "x"}}},
        {"name": "E", "value": "", "valueFrom": TOKEN},
    ),
    "variables that Kubernetes expands": variables({"name": "a b!", "value": "$(X)"}),
    "one variable twice": variables({"name": "A", "value": "1"}, {"name": "A", "value": "2"}),
    "a mode": replica(serving={"mode": "Unified"}),
    "an empty place for a mode": replica(serving={}),
}


@pytest.mark.parametrize("case", GOOD)
def test_good_specs_are_understood(case: str) -> None:
    """What Modelplane accepts can be worked with, and reading it changes nothing in it."""
    before = copy.deepcopy(GOOD[case])
    assert parse_replica(GOOD[case]).faults == ()
    assert before == GOOD[case]


_MEMBER = "spec.engines[0].members[0]"
_POD = f"{_MEMBER}.template.spec"
_CONTAINER = f"{_POD}.containers[0]"
_PREFILL = engine(name="p", phase="Prefill")
_SPLIT = {"mode": "PrefillDecode"}

# What is wrong -> the spec, and the field that has to be named.
BAD: dict[str, tuple[Any, str]] = {
    "no cluster": (replica(clusterName=""), "spec.clusterName"),
    "a cache without a name": (replica(modelCacheRef={}), "spec.modelCacheRef.name"),
    "a cache that is no object": (replica(modelCacheRef="q"), "spec.modelCacheRef"),
    "an unknown mode": (replica(serving={"mode": "Split"}), "spec.serving.mode"),
    "no engines": ({"clusterName": "west"}, "spec.engines"),
    "engines that are no list": (replica(engines={}), "spec.engines"),
    "nine engines": (replica(*(engine(name=f"e{n}") for n in range(9))), "spec.engines"),
    "an engine without a name": (replica(engine(name="")), "spec.engines[0].name"),
    "a name that no object can have": (replica(engine(name="A_b")), "spec.engines[0].name"),
    "a long name": (replica(engine(name="e" * 64)), "spec.engines[0].name"),
    "two engines of one name": (replica(engine(), engine()), "spec.engines[1]"),
    "no copies": (replica(engine(copies=0)), "spec.engines[0].copies"),
    "an unknown phase": (replica(engine(phase="Both")), "spec.engines[0].phase"),
    "a phase without its mode": (replica(_PREFILL), "spec.engines[0].phase"),
    "one phase alone": (replica(_PREFILL, serving=_SPLIT), "spec.engines"),
    "one phase twice": (
        replica(_PREFILL, {**_PREFILL, "name": "q"}, serving=_SPLIT),
        "spec.engines",
    ),
    "an engine without a phase": (replica(_PREFILL, engine(), serving=_SPLIT), "spec.engines"),
    "no members": (replica({"name": "main"}), "spec.engines[0].members"),
    "an empty list of members": (
        replica({"name": "main", "members": []}),
        "spec.engines[0].members",
    ),
    "a leader alone": (replica(engine(leader())), "spec.engines[0].members"),
    "a standalone member with workers": (
        replica(engine(member(), worker())),
        "spec.engines[0].members",
    ),
    "three members": (
        replica(engine(leader(), worker(), worker())),
        "spec.engines[0].members",
    ),
    "no devices": (with_member(deviceRequests=None), "spec.engines[0].members"),
    "an unknown role": (replica(engine(member("Head"))), f"{_MEMBER}.role"),
    "no pool": (with_member(nodePoolName=None), f"{_MEMBER}.nodePoolName"),
    "a pool that no node can have": (
        with_member(nodePoolName="a b"),
        f"{_MEMBER}.nodePoolName",
    ),
    "workers of a standalone member": (with_member(worker={"nodes": 1}), f"{_MEMBER}.worker"),
    "workers that are not counted": (
        replica(engine(leader(), worker(worker={}))),
        "spec.engines[0].members[1].worker.nodes",
    ),
    "too many requests": (
        with_member(deviceRequests=[gpus(name=f"g{n}") for n in range(17)]),
        f"{_MEMBER}.deviceRequests",
    ),
    "two requests of one name": (
        with_member(deviceRequests=[gpus(), gpus()]),
        f"{_MEMBER}.deviceRequests[1]",
    ),
    "a request without a class": (
        with_member(deviceRequests=[{"name": "gpu"}]),
        f"{_MEMBER}.deviceRequests[0].deviceClassName",
    ),
    "an empty list of requests": (with_member(deviceRequests=[]), f"{_MEMBER}.deviceRequests"),
    "a selector of nothing": (
        with_member(deviceRequests=[gpus(selectors=[{}])]),
        f"{_MEMBER}.deviceRequests[0].selectors[0]",
    ),
    "an empty selector": (
        with_member(deviceRequests=[gpus(selectors=[{"cel": ""}])]),
        f"{_MEMBER}.deviceRequests[0].selectors[0].cel",
    ),
    "too many devices": (
        with_member(deviceRequests=[gpus(65)]),
        f"{_MEMBER}.deviceRequests[0].count",
    ),
    "too many selectors": (
        with_member(deviceRequests=[gpus(selectors=[{"cel": "x"}] * 9)]),
        f"{_MEMBER}.deviceRequests[0].selectors",
    ),
    "a long selector": (
        with_member(deviceRequests=[gpus(selectors=[{"cel": "x" * 10241}])]),
        f"{_MEMBER}.deviceRequests[0].selectors[0].cel",
    ),
    "too many labels": (
        described(labels={f"l{n}": "" for n in range(33)}),
        f"{_MEMBER}.template.metadata.labels",
    ),
    "a label of nobody's": (
        described(labels={"a b": ""}),
        f"{_MEMBER}.template.metadata.labels.a b",
    ),
    "a value that no label can have": (
        described(labels={"a": "v" * 64}),
        f"{_MEMBER}.template.metadata.labels.a",
    ),
    "too many annotations": (
        described(annotations={f"l{n}": "" for n in range(33)}),
        f"{_MEMBER}.template.metadata.annotations",
    ),
    "a long annotation": (
        described(annotations={"a": "v" * 8193}),
        f"{_MEMBER}.template.metadata.annotations.a",
    ),
    "no template": (with_member(template=None), f"{_MEMBER}.template"),
    "no containers": (with_member(template={"spec": {}}), f"{_POD}.containers"),
    "an empty list of containers": (
        with_member(template={"spec": {"containers": []}}),
        f"{_POD}.containers",
    ),
    "two containers": (
        with_member(template=template(container(), container(name="sidecar"))),
        f"{_POD}.containers",
    ),
    "a container of another name": (running(name="vllm"), f"{_CONTAINER}.name"),
    "no image": (running(image=None), f"{_CONTAINER}.image"),
    "a command that is no list": (running(command="vllm"), f"{_CONTAINER}.command"),
    "an argument that is a number": (running(args=[1]), f"{_CONTAINER}.args[0]"),
    "a variable that is none": (variables("A=b"), f"{_CONTAINER}.env[0]"),
    "a variable without a name": (variables({"value": "b"}), f"{_CONTAINER}.env[0].name"),
    "a name that no variable can have": (variables({"name": "a=b"}), f"{_CONTAINER}.env[0].name"),
    "a value that is a number": (
        variables({"name": "A", "value": 1}),
        f"{_CONTAINER}.env[0].value",
    ),
    "a value and a source": (
        variables({"name": "A", "value": "b", "valueFrom": TOKEN}),
        f"{_CONTAINER}.env[0]",
    ),
    "a field that no variable has": (
        variables({"name": "A", "from": "b"}),
        f"{_CONTAINER}.env[0].from",
    ),
    "no source": (sourced(), f"{_CONTAINER}.env[0].valueFrom"),
    "an unknown source": (sourced(fileKeyRef={}), f"{_CONTAINER}.env[0].valueFrom"),
    "two sources": (
        sourced(**TOKEN, fieldRef={"fieldPath": "x"}),
        f"{_CONTAINER}.env[0].valueFrom",
    ),
    "a source without a key": (
        sourced(secretKeyRef={"name": "s"}),
        f"{_CONTAINER}.env[0].valueFrom.secretKeyRef.key",
    ),
    "a source that may be missing, perhaps": (
        sourced(configMapKeyRef={"name": "s", "key": "k", "optional": "no"}),
        f"{_CONTAINER}.env[0].valueFrom.configMapKeyRef.optional",
    ),
    "a source with more": (
        sourced(fieldRef={"fieldPath": "x", "optional": True}),
        f"{_CONTAINER}.env[0].valueFrom.fieldRef.optional",
    ),
    "a pull secret that is none": (
        with_member(
            template={**template(), "spec": {**template()["spec"], "imagePullSecrets": ["s"]}}
        ),
        f"{_POD}.imagePullSecrets[0]",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_specs_are_named(case: str) -> None:
    """What an older API server let through is found where it was stored, by the one field."""
    spec, field = BAD[case]
    [fault] = parse_replica(spec).faults
    assert fault.field == field
    assert fault.words


@pytest.mark.parametrize("key", ["serving", "workload", "lws-role"])
def test_labels_that_choose_pods_are_reserved(key: str) -> None:
    """No label of a user can bring traffic to a Pod that does not serve [C71]"""
    [fault] = parse_replica(described(labels={f"modelplane.ai/{key}": "r"})).faults
    assert fault == Fault(
        f"{_MEMBER}.template.metadata.labels.modelplane.ai/{key}",
        "must not begin with modelplane.ai/",
    )


def test_all_faults_are_told_at_once() -> None:
    """One reading names every field that is wrong, each once, in the order of the fields."""
    bad = replica(
        engine(member("Head", nodePoolName="", template=template(container(image=""))), copies=0),
        engine(phase="Decode"),
        engine(name="c", phase="Prefill"),
        clusterName=None,
        serving={"mode": "x"},
    )
    assert [fault.field for fault in parse_replica(bad).faults] == [
        "spec.clusterName",
        "spec.serving.mode",
        "spec.engines[0].copies",
        f"{_MEMBER}.role",
        f"{_MEMBER}.nodePoolName",
        f"{_CONTAINER}.image",
        "spec.engines[1]",
        "spec.engines[1].phase",
    ]


@pytest.mark.parametrize("raw", [None, {}, [], "x", 7, {"engines": [[]]}])
def test_what_is_no_spec_is_a_fault(raw: Any) -> None:
    """Whatever was stored in place of a spec is named and never raised."""
    parsed = parse_replica(raw)
    assert parsed.spec is None
    assert parsed.faults
