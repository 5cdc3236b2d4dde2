"""The faults of old can be put back: what they replace still stands, and what they make compiles.

That each is found, by a short story, is what `make prove` shows (`putting_back`).
"""

import pytest

from property_tests.mutating.applying import apply, gather
from property_tests.mutating.faults_of_old import FAULTS, Fault, edited
from property_tests.mutating.forking import forked
from property_tests.mutating.modules import source_of
from property_tests.playing.worlds import WORLDS


def put_back(fault: Fault) -> bool:
    """Put a fault into this process."""
    assert WORLDS  # with them all is imported
    for path, text in edited(fault).items():
        apply(path, source_of(path), text)
    return True


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_it_can_be_put_back(fault: Fault) -> None:
    """Each text stands where it is said to, once, and the fault changes what runs."""
    gather()
    assert list(forked([fault], put_back, 1)) == [(fault, True)]


def test_there_are_nine() -> None:
    """Each fault that the search was asked to find is in the catalogue."""
    assert len({fault.name for fault in FAULTS}) == 9
