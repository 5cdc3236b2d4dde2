"""The digest of the code that folds and decides: equal digests promise equal bytes."""

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from importlib.resources.abc import Traversable

PACKAGES = ("engine", "machines")


@cache
def code_digest() -> str:
    """Give the sha256 hex of the sources of `engine` and `machines`, names and bytes.

    The same in a checkout and in what was installed from it; ends of lines do not count.
    """
    digest = hashlib.sha256()
    for name, text in sorted(_sources()):
        digest.update(f"{name}\0{len(text)}\0".encode())
        digest.update(text)
    return digest.hexdigest()


@cache
def code_version() -> str:
    """Give warmlog's version, "unknown" where it runs without being installed."""
    try:
        return version("warmlog")
    except PackageNotFoundError:
        return "unknown"


def _sources() -> Iterator[tuple[str, bytes]]:
    for package in PACKAGES:
        yield from _below(files(package), package)


def _below(folder: Traversable, name: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        place = f"{name}/{entry.name}"
        if entry.is_dir():
            yield from _below(entry, place)
        elif entry.name.endswith(".py"):
            yield place, entry.read_bytes().replace(b"\r\n", b"\n")
