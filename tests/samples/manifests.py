"""The shipped sample manifests, read as strictly as kubectl reads them."""

from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Any

import yaml
from kubernetes_asyncio import client

from adapters.kubernetes.schemas import INFERENCECLUSTER, MODELCACHE, MODELREPLICA, MODELWARMUP
from tests.repository import ROOT

Json = dict[str, Any]

FOLDER = ROOT / "samples" / "modelwarmup"
NAMES = (
    "modelwarmup",
    "model-download",
    "node-precheck",
    "gpu-precheck",
    "vllm-qwen-warmup",
    "sglang-qwen-warmup",
)
_DEFINITIONS = {
    each["spec"]["names"]["kind"]: each
    for each in (MODELWARMUP, MODELCACHE, MODELREPLICA, INFERENCECLUSTER)
}
_FRAGMENTS = {
    "spec.custom.initContainers": "V1Container",
    "spec.custom.containers": "V1Container",
    "spec.custom.volumes": "V1Volume",
    "spec.custom.imagePullSecrets": "V1LocalObjectReference",
}


class _UniqueKeys(yaml.SafeLoader):
    """Refuses a key that stands twice, of which plain YAML readers keep the last."""


def _mapping(loader: _UniqueKeys, node: yaml.MappingNode) -> dict[Hashable, Any]:
    keys = [key.value for key, _ in node.value]
    assert len(keys) == len(set(keys)), f"a key stands twice:{node.start_mark}"
    return loader.construct_mapping(node, deep=True)


_UniqueKeys.add_constructor("tag:yaml.org,2002:map", _mapping)


def path_of(name: str) -> Path:
    """The file of a sample."""
    return FOLDER / f"{name}.yaml"


def manifest(name: str) -> Json:
    """The one document of a sample."""
    return read(path_of(name).read_text())


def read(text: str) -> Json:
    """The one document of a text; AssertionError for a key that stands twice."""
    [document] = read_all(text)
    return document


def read_all(text: str) -> list[Json]:
    """Every document of a text; AssertionError for a key that stands twice."""
    return list(yaml.load_all(text, Loader=_UniqueKeys))


def containers(name: str) -> list[Json]:
    """Every container that a sample brings, init containers first."""
    custom = manifest(name)["spec"].get("custom", {})
    return [*custom.get("initContainers", []), *custom.get("containers", [])]


def container(name: str, called: str) -> Json:
    """One container of a sample."""
    [found] = [one for one in containers(name) if one["name"] == called]
    return found


def commands(name: str) -> Iterator[list[str]]:
    """What each container of a sample runs, generated ones included: command and arguments."""
    images = manifest(name)["spec"].get("imagePreload", {}).get("images", [])
    for one in [*images, *containers(name)]:
        yield [*one["command"], *one.get("args", [])]


def unknown_fields(document: Json) -> list[str]:
    """The fields of an object of ours that neither its schema nor Kubernetes' own types know."""
    schema = _DEFINITIONS[document["kind"]]["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    known = {**schema["properties"], "metadata": {"type": "object", "typed": "V1ObjectMeta"}}
    return list(_unknown(document, {"properties": known}, ""))


def _unknown(value: Any, schema: Json, path: str) -> Iterator[str]:
    if path in _FRAGMENTS:
        for index, item in enumerate(value):
            yield from _unknown_to_type(item, _FRAGMENTS[path], f"{path}[{index}]")
    elif "typed" in schema:
        yield from _unknown_to_type(value, schema["typed"], path)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _unknown(item, schema["items"], f"{path}[{index}]")
    elif isinstance(value, dict) and "additionalProperties" not in schema:
        for key, child in value.items():
            field = f"{path}.{key}".lstrip(".")
            if key in schema.get("properties", {}):
                yield from _unknown(child, schema["properties"][key], field)
            else:
                yield field


def _unknown_to_type(value: Any, kind: str, path: str) -> Iterator[str]:
    """Compare with a type of the Kubernetes client, whose tables name every field."""
    if kind.startswith("list["):
        for index, item in enumerate(value):
            yield from _unknown_to_type(item, kind[5:-1], f"{path}[{index}]")
        return
    if not kind.startswith("V1"):
        return
    model = getattr(client, kind)
    types = {json: model.openapi_types[name] for name, json in model.attribute_map.items()}
    for key, child in value.items():
        if key in types:
            yield from _unknown_to_type(child, types[key], f"{path}.{key}")
        else:
            yield f"{path}.{key}"
