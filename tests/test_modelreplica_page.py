"""docs/modelreplica.md is whole: fields, names, conditions, reasons, annotations, messages."""

import re

import pytest
import yaml

from adapters.kubernetes.schemas_replica_spec import REPLICA_SPEC
from machines import labels
from machines.caches.child_names import claim_name
from machines.caches.mounts import mount
from machines.replicas.kinds import COMPOSED
from machines.replicas.mounts import read_mount
from machines.replicas.names import claim_template_name, workload_name
from machines.replicas.pod_bodies import standalone_template
from machines.replicas.replicas import ReplicaState
from machines.replicas.statuses import REPLICA_STATUS_PATHS
from tests.pages import constants, named_in, quoted, read_page, spec_fields, spoken
from tests.replicas.composing import engines
from tests.replicas.specs import replica
from tests.repository import ROOT

PAGE = read_page("modelreplica.md")
NAMED = named_in(PAGE)
TEMPLATE = "engines[].members[].template."

# Where reasons of conditions and Events are spelled out, and words there that are none.
REASONS_IN = ("conditions", "holding", "occasions", "obstacles", "settling", "replicas")
NO_REASONS = frozenset({"True", "False", "OnTheWay"})  # the last one tells causes apart, unseen


@pytest.mark.parametrize("field", sorted(spec_fields(REPLICA_SPEC)))
def test_every_field_is_described(field: str) -> None:
    """Each field of the served schema has its row, a template's in a table of their own."""
    assert f"| `{field.removeprefix(TEMPLATE)}` |" in PAGE


@pytest.mark.parametrize("path", REPLICA_STATUS_PATHS)
def test_every_status_field_is_described(path: str) -> None:
    """Each field that the projection can write is named, a mount's and a condition's as wholes."""
    whole = path.partition(".")[0].removesuffix("[]")
    assert (path if whole == "workloads" else whole) in NAMED


def test_every_reason_is_described() -> None:
    """Whatever type or reason a condition or an Event has, the page has it."""
    said = constants("replicas", *REASONS_IN)
    found = {text for text in said if re.fullmatch(r"[A-Z][A-Za-z]+", text)}
    assert {state.value for state in ReplicaState} <= found
    assert sorted(found - NO_REASONS - NAMED) == []


def test_every_annotation_and_label_is_described() -> None:
    """Labels, annotations and the finalizer of ours stand on the page as the code has them."""
    ours = {labels.REPLICA_NAMESPACE, labels.REPLICA_NAME, labels.REPLICA_UID, labels.APPLIED}
    ours |= {labels.COPIES, labels.REPLICA_WORKLOADS, labels.ABANDON, labels.POOL_NAME}
    ours |= {labels.SERVING, labels.WORKLOAD, labels.LWS_ROLE}
    assert sorted(ours - NAMED) == []


def test_messages_are_the_real_ones() -> None:
    """What the table quotes of messages the code really says."""
    modules = ("conditions", "holding", "mounting", "obstacles", "placing", "supporting")
    said = spoken("replicas", *modules) + spoken("caches", "obstacles")  # refusals alike
    pieces = quoted(PAGE, "message")
    assert len(pieces) > 20
    assert [piece for piece in pieces if piece not in said] == []


def test_names_are_the_real_ones() -> None:
    """The objects of the example are called as the page has it, and every kind is there."""
    names = {workload_name("qwen-1", "vllm"), claim_template_name("qwen-1", "vllm", "Standalone")}
    assert names | {"qwen-1"} <= NAMED
    assert all(f"\n| {kind} |" in PAGE for kind in COMPOSED)


def test_what_pods_are_given_is_described() -> None:
    """On a Dynamo cluster each variable and capability is named; so are port, probe and pool."""
    [engine] = engines(replica())
    published = read_mount(mount(claim_name("default", "qwen-small")))
    pod = standalone_template(engine.members[0], published, {}, "t", dynamo=True)["spec"]
    [container] = pod["containers"]
    assert {each["name"] for each in container["env"]} <= NAMED
    assert set(container["securityContext"]["capabilities"]["add"]) <= NAMED
    assert {each["key"] for each in pod["tolerations"]} <= NAMED
    probe = container["readinessProbe"]["httpGet"]
    assert f"listen on port {probe['port']}, and to answer `GET {probe['path']}` there" in PAGE


def test_the_mount_is_right() -> None:
    """The mount on the page is the one that is published for the cache of the example."""
    [block] = re.findall(r"```yaml\n(volumes:.*?)```", PAGE, re.DOTALL)
    assert yaml.safe_load(block) == mount(claim_name("default", "qwen-small"))


def test_the_example_is_the_sample() -> None:
    """The manifest on the page is `samples/modelreplica/single-node.yaml`."""
    [block] = re.findall(r"```yaml\n(apiVersion:.*?)```", PAGE, re.DOTALL)
    sample = ROOT / "samples" / "modelreplica" / "single-node.yaml"
    assert yaml.safe_load(block) == yaml.safe_load(sample.read_text())
