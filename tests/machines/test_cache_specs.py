"""Specs of a ModelCache: what a user asked for, and what is named when it cannot work."""

import copy
from typing import Any

import pytest

from engine.canonical_json import Number
from machines.caches.specs import CacheSpec, parse_cache
from machines.faults import Fault
from tests.crds.caches import BAD_CACHES, COMMIT, GOOD_CACHES, REPO, cache, gated, model, selecting


def spec_of(raw: Any) -> CacheSpec:
    """The spec that was read."""
    parsed = parse_cache(raw)
    assert parsed.spec is not None, parsed.faults
    return parsed.spec


@pytest.mark.parametrize("case", GOOD_CACHES)
def test_good_specs_are_understood(case: str) -> None:
    """What the server accepts can be worked with, and reading it changes nothing in it."""
    before = copy.deepcopy(GOOD_CACHES[case])
    assert parse_cache(GOOD_CACHES[case]).faults == ()
    assert before == GOOD_CACHES[case]


@pytest.mark.parametrize("case", BAD_CACHES)
def test_bad_specs_are_named(case: str) -> None:
    """What the server refuses is found where it was stored as well, by the one field [C50]"""
    [fault] = parse_cache(BAD_CACHES[case].spec).faults
    assert fault.field == BAD_CACHES[case].field
    assert fault.words


def test_defaults_are_effective() -> None:
    """What is left out acts as the published defaults do."""
    assert spec_of(cache()) == CacheSpec("HuggingFace", REPO, "", "", "HF_TOKEN", 2, ())


def test_all_that_is_given_is_kept() -> None:
    """Every field arrives as it was written, labels in the order of their keys."""
    spec = {
        **model(revision=COMMIT, authSecret={"name": "hf", "key": "token"}, sizeGiB=1500),
        "clusterSelector": {"matchLabels": {"tier": "gpu", "modelplane.ai/region": "west"}},
    }
    assert spec_of(spec) == CacheSpec(
        "HuggingFace",
        REPO,
        COMMIT,
        "hf",
        "token",
        1500,
        (("modelplane.ai/region", "west"), ("tier", "gpu")),
    )


def test_a_whole_number_may_be_written_in_other_ways() -> None:
    """2.0 and 2e0 are the size 2, as they are for the API server."""
    assert spec_of(model(sizeGiB=Number("2.0"))).size_gib == 2
    assert spec_of(model(sizeGiB=Number("2e0"))).size_gib == 2


def test_an_empty_key_is_the_default() -> None:
    """A Secret whose key is left empty is read under the key that everybody uses."""
    assert spec_of(gated(name="hf", key="")).secret_key == "HF_TOKEN"


def test_a_label_that_is_nothing_is_none() -> None:
    """A label that holds null counts as left out."""
    assert spec_of(selecting(region=None, tier="gpu")).selector == (("tier", "gpu"),)


def test_all_faults_are_told_at_once() -> None:
    """One reading names every field that is wrong, each once, in the order of the fields."""
    spec = {
        "source": "OCI",
        "huggingFace": {"repo": "..", "revision": "-x", "authSecret": {"key": "/"}, "sizeGiB": -1},
        "clusterSelector": {"matchLabels": {"a b": "c d"}},
    }
    assert [fault.field for fault in parse_cache(spec).faults] == [
        "spec.source",
        "spec.huggingFace.repo",
        "spec.huggingFace.revision",
        "spec.huggingFace.authSecret.name",
        "spec.huggingFace.authSecret.key",
        "spec.huggingFace.sizeGiB",
        "spec.clusterSelector.matchLabels.a b",
    ]


@pytest.mark.parametrize("raw", [None, {}, [], "x", 7, {"huggingFace": []}])
def test_what_is_no_spec_is_a_fault(raw: Any) -> None:
    """Whatever was stored in place of a spec is named and never raised."""
    parsed = parse_cache(raw)
    assert parsed.spec is None
    assert parsed.faults


def test_a_fault_is_a_sentence() -> None:
    """The words say what to write instead."""
    [fault] = parse_cache(model(repo="https://huggingface.co/gpt2")).faults
    assert fault == Fault(
        "spec.huggingFace.repo",
        "is not a repository of the hub, as name or owner/name: 'https://huggingface.co/gpt2'",
    )
