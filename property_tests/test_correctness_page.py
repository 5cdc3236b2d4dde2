"""docs/correctness.md lists what is promised, in the words of the invariants."""

import re

from property_tests.invariants import INVARIANTS
from property_tests.mutating.surviving import listed
from tests.pages import read_page
from tests.repository import ROOT

PAGE = "correctness.md"


def section(heading: str) -> str:
    """One section of the page, each line break a blank."""
    found = re.search(
        rf"^## {heading}\n(.*?)(?=^## |\Z)", read_page(PAGE), re.DOTALL | re.MULTILINE
    )
    assert found, f"{PAGE} has no section {heading}"
    return " ".join(found[1].split())


def test_the_page_lists_every_invariant_in_order() -> None:
    """Each with its sentence and its name, and nothing else."""
    listed = re.findall(r"- (.+?) \(`(\w+)`\)", section("What is promised"))
    assert listed == [(one.sentence, one.name) for one in INVARIANTS]


def test_what_was_found_has_its_test() -> None:
    """Each row of what was found names invariants and tests that are there."""
    found = section("Found on the way, and fixed")
    sources = "".join(
        path.read_text()
        for name in ("tests", "property_tests")
        for path in (ROOT / name).rglob("*.py")
    )
    names = set(re.findall(r"`(\w+)`", found))
    assert names
    assert [name for name in sorted(names) if f"def {name}(" not in sources] == []


def test_the_page_gives_the_reason_of_every_harmless_mutant() -> None:
    """Each that is listed is on the page with its place and its reason, and no other is."""
    rows = re.findall(r"\| (`[^|]+`) \| ([^|]+) \|", section("Mutants that are harmless"))
    found = {(where, why) for places, why in rows for where in places.split(", ")}
    expected = set()
    for one in listed():
        if one.harmless:
            module = one.file.removeprefix("machines/").removesuffix(".py")
            name = f" `{one.function}`" if one.function else ""
            expected.add((f"`{module}`{name}", one.reason))
    assert found == expected


def test_the_places_that_the_page_names_are_there() -> None:
    """What is searched is where the page says."""
    for place in re.findall(r"`((?:property_tests|adapters)/[\w/.]+)`", read_page(PAGE)):
        assert (ROOT / place).exists(), place
