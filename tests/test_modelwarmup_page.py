"""docs/modelwarmup.md is whole: it names every field, condition, reason and annotation there is."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from adapters.kubernetes.schemas_warmup_spec import WARMUP_SPEC
from machines import labels
from machines.advising import BY_REASON, CORDONED, NO_POOL, NOT_LOOKED_FOR, UNCORDONED
from machines.phases import PUBLISHED_WARMUP_PHASES
from machines.statuses import STATUS_PATHS
from tests import repository
from tests.machines.test_advising import given_reasons

PAGE = (repository.ROOT / "docs" / "modelwarmup.md").read_text()
NAMED = set(re.findall(r"`([^`\s]+)`", PAGE))
# Nearer causes that only `warmlog explain` speaks of, and the other name of one cause.
UNPUBLISHED = {CORDONED, UNCORDONED, NO_POOL, NOT_LOOKED_FOR, "ErrImagePull", "JobBeingCreated"}


def spec_fields(schema: dict[str, Any], path: str = "") -> Iterator[str]:
    """Give the fields of the spec that are ours to explain, as the page writes them."""
    for name, field in schema.get("properties", {}).items():
        inner = field.get("items", field)
        place = f"{path}{name}"
        own = place.rsplit(".", maxsplit=1)[-1] in {
            "initContainers",
            "containers",
            "volumes",
            "nodeSelector",
        }
        names_only = "ecrets" in name
        if "properties" in inner and not own and not names_only:
            yield from spec_fields(inner, f"{place}{'[]' if field is not inner else ''}.")
        else:
            yield place


@pytest.mark.parametrize("field", sorted(spec_fields(WARMUP_SPEC)))
def test_every_field_is_described(field: str) -> None:
    """Each field of the served schema has its row."""
    assert f"| `{field}` |" in PAGE


@pytest.mark.parametrize("path", STATUS_PATHS)
def test_every_status_field_is_described(path: str) -> None:
    """Each field that the projection can write is named."""
    assert path.partition("[].")[2].partition(".")[0] in NAMED | {"", *CONDITION_FIELDS}
    assert re.split(r"[.\[]", path)[0] in NAMED


CONDITION_FIELDS = {"type", "status", "reason", "message", "observedGeneration"}


def test_every_reason_and_phase_is_described() -> None:
    """Whatever reason a status gives, the page says what it means."""
    reasons = (given_reasons() | set(BY_REASON)) - UNPUBLISHED - {""}
    assert sorted(reasons - NAMED) == []
    assert set(PUBLISHED_WARMUP_PHASES) <= NAMED


def test_the_words_of_other_programs_are_right() -> None:
    """Labels and annotations stand on the page as the code reads them."""
    for name in (labels.POOL, labels.ENABLED, labels.TARGET_WAIT_SECONDS, labels.SUSPEND):
        assert name in NAMED
