"""Specs of replicas: whatever is stored is read, and what is accepted can be worked with."""

from hypothesis import given
from hypothesis import strategies as st

from machines.replicas.specs import parse_replica
from tests.crds.drawing import ANYTHING
from tests.machines.test_specs import poisoned
from tests.replicas.test_specs import BAD, GOOD

SPECS = [spec for case, spec in GOOD.items() if "most" not in case]
SPECS += [spec for case, (spec, _) in BAD.items() if "many" not in case]


@given(ANYTHING | st.dictionaries(st.sampled_from(["engines", "serving", "clusterName"]), ANYTHING))
def test_nothing_is_too_wrong_to_be_read(value: object) -> None:
    """Whatever a spec holds, it is a fault or taken, and reading it never fails."""
    parsed = parse_replica(value)
    assert (parsed.spec is None) == bool(parsed.faults)


@given(st.sampled_from(SPECS), ANYTHING)
def test_no_place_is_too_wrong_to_be_read(spec: object, poison: object) -> None:
    """A wrong value in any place of a spec is named there or harmless."""
    for bad in poisoned(spec, poison):
        parsed = parse_replica(bad)
        assert (parsed.spec is None) == bool(parsed.faults)
        hash(parsed.spec)
