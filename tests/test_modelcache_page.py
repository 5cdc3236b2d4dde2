"""docs/modelcache.md is whole: fields, conditions, reasons, annotations, messages, settings."""

import re
from collections.abc import Iterator
from dataclasses import fields

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
from tests.pages import constants, named_in, quoted, read_page, spec_fields, spoken

PAGE = read_page("modelcache.md")
NAMED = named_in(PAGE)

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
# Of advice alone.
UNTOLD = frozenset({causes.UNBOUND, causes.PODS_LEFT, causes.DOWNLOADING, causes.LET_BE})


BLOCKS = "|".join(BLOCK_BY_SOURCE.values())


def cluster_fields() -> Iterator[str]:
    """Give the fields of an InferenceCluster's spec; each block of a source is BLOCK."""
    for field in spec_fields(CLUSTER_SPEC):
        yield re.sub(rf"^cluster\.({BLOCKS})\.cache", "cluster.BLOCK.cache", field)


FIELDS = {*spec_fields(CACHE_SPEC), *cluster_fields()}


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


def test_every_reason_is_described() -> None:
    """Whatever reason a condition or an Event gives, the page has it."""
    said = constants("caches", *REASONS_IN)
    found = {text for text in said if re.fullmatch(r"[A-Z][A-Za-z]+", text)}
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


def test_messages_are_the_real_ones() -> None:
    """What the tables quote of messages, and of a download's last words, the code really says."""
    said = spoken("caches", "messages", "obstacles", "sights", "reaching", "blocking", "specs")
    script = re.sub(r'"\s+f?"', "", hydration_scripts.SCRIPT)
    pieces = quoted(PAGE, "message"), quoted(PAGE, "last words of a download")
    assert min(map(len, pieces)) > 10
    assert [piece for piece in pieces[0] if piece not in said] == []
    assert [piece for piece in pieces[1] if piece not in script] == []


def test_the_mount_and_the_version_are_right() -> None:
    """The mount on the page is the one that is published, and the library the one that is used."""
    [block] = re.findall(r"```yaml\n(status:.*?)```", PAGE, re.DOTALL)
    [entry] = yaml.safe_load(block)["status"]["clusters"]
    assert entry["mount"] == mount(claim_name("default", "qwen-small"))
    assert f"huggingface_hub=={HUB_VERSION}\n" in PAGE
