"""A scalar without quotes means what kubectl makes of it; the table is go-yaml's own answers."""

from typing import Any

import pytest

from adapters.manifests.reading import read

# What stands there -> what `kubectl` sends as JSON (sigs.k8s.io/yaml 1.6, as kubectl 1.36 has it).
MEANINGS: dict[str, Any] = {
    "yes": True, "y": True, "on": True, "TRUE": True, "tRue": "tRue",
    "no": False, "n": False, "off": False, "False": False,
    "null": None, "~": None, "": None, "Null": None, "nil": "nil",
    "012": 10, "08": 8, "0o14": 12, "0o8": "0o8", "0x10": 16, "0X1f": 31, "+0x1F": 31,
    "0b11": 3, "-0b11": -3, "0b2": "0b2", "+5": 5, "-7": -7, "-0": 0,
    "1_000": 1000, "1__0": 10, "_1": "_1", "0_1": 1, "0x": "0x", "00": 0,
    "1e3": 1000, "1E3": 1000, "12e03": 12000, "1e-3": 0.001, "1.": 1, ".5": 0.5, "1.5": 1.5,
    "1.0": 1, "-.5e2": -50, "1e": "1e", ".e1": ".e1", ".5_0": 0.5, "._5": "._5", "1e999": "1e999",
    "18446744073709551615": 2**64, "0xFFFFFFFFFFFFFFFF": 2**64,
    "9223372036854775807": 2**63 - 1, "-9223372036854775808": -(2**63), "1e20": 10**20,
    "1e22": 1e22,
    "1:30": "1:30", "1:30:00": "1:30:00", "2024-01-01": "2024-01-01", "1.36": 1.36,
    "1.2.3": "1.2.3", "4Gi": "4Gi", "100m": "100m", "=": "=",
    "'012'": "012", '"yes"': "yes", "!!str 012": "012", "! 12": "12", "!foo 12": "12",
    "!!int '5'": 5, "!!float 3": 3, "!!bool yes": True, "!!null ''": None,
    "!!binary aGVsbG8=": "hello", "!!timestamp 2024-01-01": "2024-01-01",
}  # fmt: skip


@pytest.mark.parametrize(("text", "meaning"), MEANINGS.items(), ids=MEANINGS)
def test_a_scalar_means_what_it_means_to_kubectl(text: str, meaning: Any) -> None:
    """Booleans, octal, hexadecimal and floating numbers are those of go-yaml, and so are texts."""
    reading = read(f"value: {text}\n".encode())
    assert reading.misreadings == ()
    [document] = reading.documents
    assert document.value == {"value": meaning}
    assert type(document.value["value"]) is type(meaning)


@pytest.mark.parametrize("text", [".nan", ".inf", "-.Inf", "!!int x", "!!bool 1", "!!binary a"])
def test_what_has_no_meaning_is_told_with_its_field(text: str) -> None:
    """What JSON cannot say, and a tag that does not fit, are faults of their field."""
    [misreading] = read(f"a: 1\nvalue: {text}\n".encode()).misreadings
    assert misreading.field == "value"
    assert misreading.at.line == 2


@pytest.mark.parametrize(
    ("key", "name"),
    [("012", "10"), ("on", "true"), ("1.5", "1.5"), ("~", None), ("'012'", "012"), ("1e3", "1000")],
)
def test_a_field_whose_name_is_no_text_gets_one(key: str, name: str | None) -> None:
    """Names of fields are texts to JSON: numbers and booleans become such, null cannot."""
    reading = read(f"{key}: x\n".encode())
    if name is None:
        assert "cannot be the name of a field" in reading.misreadings[0].words
    else:
        assert reading.documents[0].value == {name: "x"}
