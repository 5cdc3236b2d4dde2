"""The names of what a ModelCache has on a workload cluster."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from machines.caches.child_names import (
    child_name,
    claim_name,
    hydration_job_name,
    token_secret_name,
    workload_namespace,
)

LABEL = "[a-z0-9]([a-z0-9-]*[a-z0-9])?"
SUBDOMAIN = re.compile(rf"{LABEL}(\.{LABEL})*")


@pytest.mark.parametrize(
    ("parts", "name"),
    [
        (("modelcache", "ml-team", "qwen"), "modelcache-ml-team-qwen-17db2"),
        (("modelcache", "ml-team", "qwen", "hydrate"), "modelcache-ml-team-qwen-hydrate-256ec"),
        (("modelcache", "ml-team", "qwen", "auth"), "modelcache-ml-team-qwen-auth-ae01b"),
        (("r", "main"), "r-main-bb4e3"),
        (("r", "main", "standalone", "devices"), "r-main-standalone-devices-f456f"),
        (("mp", "ml-team"), "mp-ml-team-51733"),
        (("mp", "a" * 63), f"mp-{'a' * 54}-38bfb"),
        (("modelcache", "a-b", "c"), "modelcache-a-b-c-815d8"),
        (("modelcache", "a", "b-c"), "modelcache-a-b-c-815d8"),
    ],
)
def test_names_are_modelplanes(parts: tuple[str, ...], name: str) -> None:
    """What Modelplane made, or was asked to make, has the very name that is given here."""
    assert child_name(*parts) == name


def test_each_object_has_its_name() -> None:
    """Claim, Job, token Secret and namespace are named by their parts."""
    assert claim_name("ml-team", "qwen") == "modelcache-ml-team-qwen-17db2"
    assert hydration_job_name("ml-team", "qwen") == "modelcache-ml-team-qwen-hydrate-256ec"
    assert token_secret_name("ml-team", "qwen") == "modelcache-ml-team-qwen-auth-ae01b"
    assert workload_namespace("ml-team") == "mp-ml-team-51733"
    assert workload_namespace("ml-team", fixed="models") == "models"


def test_a_cut_leaves_no_dash_and_no_dot_at_its_end() -> None:
    """Where a name is cut behind a dash or a dot, that goes, or no object could have the name."""
    for end in ("-", ".", "-."):
        long = "a" * (57 - len("mp-") - len(end)) + end + "b" * 30
        assert child_name("mp", long).startswith(f"mp-{'a' * 20}")
        assert SUBDOMAIN.fullmatch(child_name("mp", long)), end


@given(st.from_regex(SUBDOMAIN, fullmatch=True), st.from_regex(LABEL, fullmatch=True))
def test_names_are_legal_and_short(name: str, namespace: str) -> None:
    """Whatever a ModelCache is called, its objects can be: at most 63 characters, each allowed."""
    given_names = (claim_name(namespace, name), hydration_job_name(namespace, name))
    for given_name in (*given_names, token_secret_name(namespace, name)):
        assert len(given_name) <= 63
        assert SUBDOMAIN.fullmatch(given_name)
