"""Quantities, as a server reads and writes them."""

from fractions import Fraction

import pytest

from adapters.simulator.quantities import amount_of, rewritten


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("1024Mi", "1Gi"),
        ("3000Ki", "3000Ki"),
        ("0.5Gi", "512Mi"),
        ("1.5", "1500m"),
        ("1000M", "1G"),
        ("0.5Ki", "512"),
        ("1e3", "1e3"),
        ("12e2", "1200"),
        ("1E", "1E"),
        ("0", "0"),
        ("-2Gi", "-2Gi"),
    ],
)
def test_a_quantity_is_written_in_one_way(given: str, written: str) -> None:
    """The largest unit of its own family that leaves a whole number; the amount stays the same."""
    assert rewritten(given) == written
    assert amount_of(written) == amount_of(given)
    assert rewritten(written) == written


def test_an_amount_is_a_number() -> None:
    """So that sizes can be compared, whatever their units."""
    assert amount_of("1Ki") == Fraction(1024)
    assert amount_of("1500m") == Fraction(3, 2)
    assert amount_of("1Gi") > amount_of("1G")


@pytest.mark.parametrize("text", ["", "much", "1 Gi", "1gi", "Gi", "1e", "--1"])
def test_what_is_no_quantity_is_refused(text: str) -> None:
    """With the words of the server."""
    with pytest.raises(ValueError, match="must match the regular expression"):
        rewritten(text)
