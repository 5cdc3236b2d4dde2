"""docs/modelcache.md is whole: fields, conditions, reasons, annotations, messages, settings."""

import ast
import re
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import pytest
import yaml

from adapters.kubernetes.schemas_cache_spec import CACHE_SPEC
from adapters.kubernetes.schemas_cluster import CLUSTER_SPEC
from adapters.settings import RunSettings
from machines import labels
from machines.caches import causes, hydration_scripts
from machines.caches.advising import BY_CAUSE
from machines.caches.child_names import claim_name
from machines.caches.cluster_specs import BLOCK_BY_SOURCE
from machines.caches.entries import EntryState
from machines.caches.mounts import mount
from machines.caches.sources import HUB_VERSION
from machines.caches.statuses import CACHE_STATUS_PATHS
from tests import repository

PAGE = (repository.ROOT / "docs" / "modelcache.md").read_text()
NAMED = set(re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", PAGE, flags=re.DOTALL)))
CACHES = repository.ROOT / "machines" / "caches"

# Settings of `warmlog run` that say nothing of caches.
OTHER_SETTINGS = frozenset(
    {
        *("log", "listen", "kubeconfig", "context", "cluster_name", "log_format"),
        *("use_lease", "lease_namespace", "lease_name", "lease_duration_seconds"),
        *("request_timeout_seconds", "own_namespace"),
    }
)
# Where reasons of conditions, Events and messages are spelled out, and words there that are none.
REASONS_IN = ("conditions", "sizes", "statuses", "occasions", "causes", "blocking")
NO_REASONS = frozenset({"True", "False", "Unknown", "Lost", "Normal", "Warning", "Job", "Secret"})
# What a claim's Events say while all is well; they are quoted, and never a reason of ours.
ON_THE_WAY = causes._ON_THE_WAY  # noqa: SLF001 -- told from reasons
UNTOLD = frozenset({causes.UNBOUND, causes.DOWNLOADING})  # of advice alone


def spec_fields(schema: dict[str, Any], path: str = "") -> Iterator[str]:
    """Give the fields of a spec, as the page writes them; each block of a source is BLOCK."""
    for name, field in schema.get("properties", {}).items():
        inner = field.get("items", field)
        mark = "[]" if field is not inner else ""
        if inner.get("properties"):
            yield from spec_fields(inner, f"{path}{name}{mark}.")
        else:
            yield re.sub(rf"^cluster\.({BLOCKS})\.cache", "cluster.BLOCK.cache", f"{path}{name}")


BLOCKS = "|".join(BLOCK_BY_SOURCE.values())
FIELDS = {*spec_fields(CACHE_SPEC), *spec_fields(CLUSTER_SPEC)}


@pytest.mark.parametrize("field", sorted(FIELDS))
def test_every_field_is_described(field: str) -> None:
    """Each field of the two served schemas has its row."""
    assert f"| `{field}` |" in PAGE


def test_every_source_is_described() -> None:
    """Each source of a cluster is named, and the block that goes with it."""
    assert {*BLOCK_BY_SOURCE, *BLOCK_BY_SOURCE.values()} <= NAMED


@pytest.mark.parametrize("path", CACHE_STATUS_PATHS)
def test_every_status_field_is_described(path: str) -> None:
    """Each field that the projection can write is named, by its first two steps."""
    steps = path.split(".")
    whole = steps[0] in {"conditions[]", "warmlog"}
    assert (steps[0].removesuffix("[]") if whole else ".".join(steps[:2]).rstrip("[]")) in NAMED


def reasons() -> Iterator[str]:
    """Give every reason that a condition or an Event can have, as it is spelled in the code."""
    for name in REASONS_IN:
        for node in ast.walk(ast.parse((CACHES / f"{name}.py").read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def test_every_reason_is_described() -> None:
    """Whatever reason a condition or an Event gives, the page has it."""
    found = {text for text in reasons() if re.fullmatch(r"[A-Z][A-Za-z]+", text)}
    found = (found | BY_CAUSE.keys()) - NO_REASONS - ON_THE_WAY - UNTOLD
    assert sorted(found - NAMED) == []
    assert {state.value for state in EntryState} <= NAMED


def test_every_annotation_and_label_is_described() -> None:
    """Labels, annotations and the finalizer of ours stand on the page as the code has them."""
    ours = {value for value in vars(labels).values() if str(value).startswith(labels.OURS)}
    of_warmups = {labels.OURS, labels.TARGET_WAIT_SECONDS, labels.SUSPEND}
    of_replicas = {labels.REPLICA_NAMESPACE, labels.REPLICA_NAME, labels.REPLICA_UID}
    of_replicas |= {labels.APPLIED, labels.COPIES, labels.REPLICA_WORKLOADS}
    named = " ".join(NAMED)
    others = of_warmups | of_replicas
    assert [name for name in sorted(ours - others) if name not in named] == []
    assert labels.CACHE in NAMED


@pytest.mark.parametrize("setting", [field.name for field in fields(RunSettings)])
def test_every_setting_is_described(setting: str) -> None:
    """Each option of `warmlog run` that concerns caches has its row, with its default."""
    if setting in OTHER_SETTINGS:
        return
    [default] = [field.default for field in fields(RunSettings) if field.name == setting]
    shown = f"`{default}`" if isinstance(default, str) and default else str(default or "")
    row = re.search(rf"^\| `--{setting.replace('_', '-')}` \| (.*?) \|", PAGE, re.MULTILINE)
    assert row is not None
    assert row[1] == (shown or row[1])


def quoted(heads: str) -> list[str]:
    """Give what the first column of a table quotes, in pieces: what stands between what varies."""
    _, _, table = PAGE.partition(f"| {heads} |")
    rows = re.findall(r"^\| (`.*?) \|", table.partition("\n\n")[0], re.MULTILINE)
    said = [text for row in rows for text in re.findall(r"`([^`]+)`", row)]
    pieces = [piece for text in said for piece in re.split(r"(?:\b[A-Za-z]+ )?…", text)]
    return [piece.strip(" ;:,") for piece in pieces if piece.strip(" ;:,")]


def spoken(*names: str) -> str:
    """Give every text that modules of caches speak, with `…` for each value in it."""
    texts = []
    for name in names:
        for node in ast.walk(ast.parse((CACHES / f"{name}.py").read_text())):
            if isinstance(node, ast.JoinedStr):
                parts = (one.value if isinstance(one, ast.Constant) else "…" for one in node.values)
                texts.append("".join(map(str, parts)))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.append(node.value)
    return "\n".join(texts)


def test_messages_are_the_real_ones() -> None:
    """What the tables quote of messages, and of a download's last words, the code really says."""
    said = spoken("messages", "obstacles", "sights", "reaching", "blocking", "specs")
    script = re.sub(r'"\s+f?"', "", hydration_scripts.SCRIPT)
    pieces = quoted("message"), quoted("last words of a download")
    assert min(map(len, pieces)) > 10
    assert [piece for piece in pieces[0] if piece not in said] == []
    assert [piece for piece in pieces[1] if piece not in script] == []


def test_the_mount_and_the_version_are_right() -> None:
    """The mount on the page is the one that is published, and the library the one that is used."""
    [block] = re.findall(r"```yaml\n(status:.*?)```", PAGE, re.DOTALL)
    [entry] = yaml.safe_load(block)["status"]["clusters"]
    assert entry["mount"] == mount(claim_name("default", "qwen-small"))
    assert f"huggingface_hub=={HUB_VERSION}\n" in PAGE
