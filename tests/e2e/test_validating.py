"""What `warmlog validate` says before a manifest is applied is what kubectl and its server say."""

import json
from pathlib import Path
from typing import Any

import pytest

from adapters.kubernetes.schemas import MODELWARMUP
from adapters.manifests.reading import read
from machines.labels import GROUP, VERSION
from tests.crds.caches import cache
from tests.crds.manifests import Json, spec
from tests.e2e.controlplane.running import ControlPlane, KubectlError
from tests.manifests.heads import BAD_METADATA, GOOD_METADATA, UNKNOWN_FIELDS
from tests.manifests.test_scalars import MEANINGS

pytestmark = pytest.mark.e2e

HEAD = f"apiVersion: {GROUP}/{VERSION}\nkind: {MODELWARMUP['spec']['names']['kind']}\n"
DOCUMENTS = """\
metadata: {name: anchors}
spec: {x: &x {b: 1, d: 3}, y: {b: 2, <<: *x}, z: {<<: [*x, {e: 5}], b: 7}}
--- # a comment
HEAD
metadata: {name: texts}
spec:
  a: |
    long
      text
  b: >-
    folded
    text
  'on': 1
  012: two
  c: "\\u00e9 \\x41 \\
    on"
---
# nothing but a comment
---
HEAD
metadata: {name: nothing}
spec: {a: ~, b: , c: [1, ~, 2]}
"""


def as_kubectl_reads(control_plane: ControlPlane, path: Path) -> list[Json]:
    """The objects of a file as kubectl sends them, without asking a server."""
    said = control_plane.kubectl("annotate", "--local", "-f", str(path), "a-", "-o", "json")
    objects = []
    decoder, begin = json.JSONDecoder(parse_int=_number), 0
    while begin < len(said.rstrip()):
        found, end = decoder.raw_decode(said, begin)
        objects.append(found)
        begin = end + 1
    return objects


def _number(digits: str) -> int:
    """What a large number was before JSON wrote only as many digits of it as count."""
    return int(digits) if len(digits) <= 19 else int(float(digits))


def test_values_mean_to_kubectl_what_they_mean_here(
    control_plane: ControlPlane, tmp_path: Path
) -> None:
    """Every scalar of the table is to kubectl what the table says."""
    path = tmp_path / "scalars.yaml"
    fields = "".join(f"  a{number}: {text}\n" for number, text in enumerate(MEANINGS))
    path.write_text(f"{HEAD}metadata: {{name: a}}\nspec:\n{fields}")
    [found] = as_kubectl_reads(control_plane, path)
    wanted = {f"a{number}": value for number, value in enumerate(MEANINGS.values())}
    assert found["spec"] == wanted


def test_documents_are_to_kubectl_what_they_are_here(
    control_plane: ControlPlane, tmp_path: Path
) -> None:
    """Anchors, merges, long texts, names of fields and empty values are read alike."""
    path = tmp_path / "documents.yaml"
    text = HEAD + DOCUMENTS.replace("HEAD\n", HEAD)
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    reading = read(path.read_bytes())
    assert reading.misreadings == ()
    here = [each.value for each in reading.documents]
    assert [each["spec"] for each in here] == [
        each["spec"] for each in as_kubectl_reads(control_plane, path)
    ]


def dry_run(control_plane: ControlPlane, metadata: Any, what: Json) -> str:
    """What the server says to a create: "" when it takes the object."""
    body = {"apiVersion": f"{GROUP}/{VERSION}", "kind": "ModelWarmup", "spec": what}
    if metadata is not None:
        body["metadata"] = metadata
    try:
        control_plane.kubectl(
            "create", "--dry-run=server", "--validate=strict", "-f", "-", input=json.dumps(body)
        )
    except KubectlError as error:
        return str(error)
    return ""


@pytest.mark.usefixtures("kubeconfig")
def test_the_server_takes_and_refuses_the_same_heads(control_plane: ControlPlane) -> None:
    """Metadata that is a fault here is refused, and what is none here is taken."""
    taken = {case: dry_run(control_plane, each, spec()) for case, each in GOOD_METADATA.items()}
    assert taken == dict.fromkeys(GOOD_METADATA, "")
    bad = {case: dry_run(control_plane, each, spec()) for case, (each, _) in BAD_METADATA.items()}
    assert [case for case, said in bad.items() if not said] == []


@pytest.mark.usefixtures("kubeconfig")
def test_a_server_drops_expressions_unless_it_is_strict(control_plane: ControlPlane) -> None:
    """Why they are a fault here: what is left of the selector matches every cluster."""
    spec = cache(clusterSelector={"matchExpressions": [{"key": "gpu", "operator": "Exists"}]})
    named = {"apiVersion": "modelplane.ai/v1alpha1", "kind": "ModelCache"}
    text = json.dumps({**named, "metadata": {"name": "a"}, "spec": spec})
    create = ("create", "--dry-run=server", "-f", "-", "-o", "json")
    with pytest.raises(KubectlError, match=r'unknown field "spec.clusterSelector.matchExpr'):
        control_plane.kubectl(*create, "--validate=strict", input=text)
    stored = json.loads(control_plane.kubectl(*create, "--validate=ignore", input=text))
    assert stored["spec"]["clusterSelector"] == {}


@pytest.mark.usefixtures("kubeconfig")
def test_the_server_refuses_the_same_unknown_fields(control_plane: ControlPlane) -> None:
    """An unknown field that is a fault here is refused by name when kubectl validates strictly."""
    for what, field, _ in UNKNOWN_FIELDS:
        assert f'unknown field "{field}"' in dry_run(control_plane, {"name": "a"}, what)
