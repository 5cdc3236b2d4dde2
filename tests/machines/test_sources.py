"""Where a source turns into a fingerprint, a marker, an environment and words."""

import re
import tomllib

import pytest

from machines.caches.sources import HUB_VERSION, environment, fingerprint, marker, source_of, words
from machines.caches.specs import CacheSpec
from tests import repository

SPEC = CacheSpec("HuggingFace", "acme/tiny", "v1", "", "HF_TOKEN", 20, ())


def test_the_fingerprint_never_changes() -> None:
    """Of what is staged already, the fingerprint is the same in every version of warmlog."""
    assert fingerprint(SPEC) == "b5166cb18c30"
    assert marker(SPEC) == ".warmlog-hydrated-b5166cb18c30"
    assert fingerprint(SPEC._replace(revision="")) == "2d3caad3cc1f"


@pytest.mark.parametrize(
    "other",
    [
        SPEC._replace(repo="acme/other"),
        SPEC._replace(revision="v2"),
        SPEC._replace(revision=""),
        SPEC._replace(repo="acme/tinyv", revision="1"),
    ],
)
def test_another_source_has_another_fingerprint(other: CacheSpec) -> None:
    """Another repository or revision is never taken for this one [C36] [C35]"""
    assert fingerprint(other) != fingerprint(SPEC)
    assert marker(other) != marker(SPEC)


def test_what_may_change_is_no_part_of_it() -> None:
    """Token, size and clusters say nothing about what is staged."""
    other = SPEC._replace(secret_name="s", secret_key="k", size_gib=40, selector=(("a", "b"),))
    assert fingerprint(other) == fingerprint(SPEC)


def test_the_script_is_told_all_in_its_environment() -> None:
    """Repository, revision, library, marker and claim are values of their own [C50]"""
    assert environment(SPEC, "claim-uid") == (
        ("WARMLOG_REPO", "acme/tiny"),
        ("WARMLOG_REVISION", "v1"),
        ("WARMLOG_HUB_VERSION", HUB_VERSION),
        ("WARMLOG_MARKER", marker(SPEC)),
        ("WARMLOG_CLAIM_UID", "claim-uid"),
    )


def test_a_source_is_named_with_its_revision() -> None:
    """Messages say which repository, and at which revision."""
    assert words(SPEC) == "acme/tiny at v1"
    assert words(SPEC._replace(revision="")) == "acme/tiny at its default branch"


def test_the_script_is_one_text() -> None:
    """Kubernetes finds nothing to expand in the script, and it is the same for every cache [C50]"""
    script = source_of(SPEC).script
    assert "$(" not in script
    assert "$$" not in script
    assert source_of(SPEC._replace(repo="acme/other")).script == script


def test_the_program_in_the_script_is_a_program() -> None:
    """What stands between the two words is Python, and only the last of them ends it."""
    found = re.search(r"<<'PROGRAM'\n(.*)\nPROGRAM\n\Z", source_of(SPEC).script, re.DOTALL)
    assert found is not None
    assert "\nPROGRAM" not in found[1]
    compile(found[1], "program", "exec")


def test_the_tested_library_is_the_one_that_is_installed() -> None:
    """The tests run the version that a Job installs, to the last digit [C48]"""
    settings = tomllib.loads((repository.ROOT / "pyproject.toml").read_text())
    assert f"huggingface_hub=={HUB_VERSION}" in settings["dependency-groups"]["dev"]
