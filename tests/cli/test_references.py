"""References: every way in which a person may write an object's name."""

import pytest

from adapters.explaining.errors import Misasked
from adapters.explaining.references import Reference, parse_reference, parse_warmup


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mw/ns/a", Reference("ModelWarmup", "ns", "a")),
        ("modelcaches.modelplane.ai/ns/a", Reference("ModelCache", "ns", "a")),
        ("mc/ns/a", Reference("ModelCache", "ns", "a")),
        ("mr/ns/a", Reference("ModelReplica", "ns", "a")),
        ("modelreplicas.modelplane.ai/ns/a", Reference("ModelReplica", "ns", "a")),
        (" InferenceCluster/east ", Reference("InferenceCluster", "", "east")),
    ],
)
def test_an_object_is_named(text: str, expected: Reference) -> None:
    """Kinds in any case, plural, short and with their group; only what has one with a namespace."""
    assert parse_reference(text) == expected
    assert parse_reference(str(expected)) == expected


@pytest.mark.parametrize("text", ["mc/a", "mc//a", "mc/ns/a/b", "ic/ns/a", "ic/", "", "mc"])
def test_no_object_is_named(text: str) -> None:
    """What names no object is refused with how to write one."""
    with pytest.raises(Misasked, match="names no object: write KIND/NAMESPACE/NAME"):
        parse_reference(text)


def test_an_unknown_kind() -> None:
    """The refusal of a kind lists every kind that there is."""
    with pytest.raises(
        Misasked, match=r"ModelWarmup \(mw\), ModelCache \(mc\), ModelReplica \(mr\)"
    ):
        parse_reference("pod/ns/a")


def test_only_a_warmup() -> None:
    """Where only a ModelWarmup will do, a ModelCache is told how it is tried again instead."""
    assert parse_warmup("mw/ns/a").name == "a"
    with pytest.raises(Misasked, match=r"annotate modelcache a warmlog\.dev/retry"):
        parse_warmup("mc/ns/a")
    with pytest.raises(Misasked, match="is no ModelWarmup"):
        parse_warmup("ic/a")
