"""What the tests of pages for users share: what a page names and quotes, and what the code says."""

import ast
import re
from collections.abc import Iterator
from typing import Any

from tests.repository import ROOT

MACHINES = ROOT / "machines"


def read_page(name: str) -> str:
    """Give a page of `docs/`."""
    return (ROOT / "docs" / name).read_text()


def even(text: str) -> str:
    """Give a text on one line, with every number alike: positions and times may move."""
    return " ".join(re.sub(r"\d+", "#", text).split())


def named_in(page: str) -> set[str]:
    """Give what a page writes as code, its blocks left out."""
    return set(re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", page, flags=re.DOTALL)))


def spec_fields(schema: dict[str, Any], path: str = "") -> Iterator[str]:
    """Give the fields of a spec, as pages write them."""
    for name, field in schema.get("properties", {}).items():
        inner = field.get("items", field)
        mark = "[]" if field is not inner else ""
        if inner.get("properties"):
            yield from spec_fields(inner, f"{path}{name}{mark}.")
        else:
            yield f"{path}{name}"


def quoted(page: str, heads: str) -> list[str]:
    """Give what the first column of a table quotes, in pieces: what stands between what varies."""
    _, _, table = page.partition(f"| {heads} |")
    rows = re.findall(r"^\| (`.*?) \|", table.partition("\n\n")[0], re.MULTILINE)
    said = [text for row in rows for text in re.findall(r"`([^`]+)`", row)]
    pieces = [piece for text in said for piece in re.split(r"(?:\b[A-Za-z]+ )?…", text)]
    return [piece.strip(" ;:,") for piece in pieces if piece.strip(" ;:,")]


def spoken(folder: str, *names: str) -> str:
    """Give every text that modules of `machines/` speak, with `…` for each value in it."""
    texts = []
    for tree in _trees(folder, *names):
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                parts = (one.value if isinstance(one, ast.Constant) else "…" for one in node.values)
                texts.append("".join(map(str, parts)))
    return "\n".join([*texts, *constants(folder, *names)])


def constants(folder: str, *names: str) -> list[str]:
    """Give every text that is spelled out in modules of `machines/`."""
    return [
        node.value
        for tree in _trees(folder, *names)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


def _trees(folder: str, *names: str) -> list[ast.Module]:
    return [ast.parse((MACHINES / folder / f"{name}.py").read_text()) for name in names]
