"""Files: which ones a user means by the names given, and what they hold."""

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from adapters.manifests.documents import NOWHERE, Document, Misreading
from adapters.manifests.reading import read

STANDARD_INPUT = "-"
SUFFIXES = (".yaml", ".yml", ".json")
MAX_BYTES = 16 * 1024 * 1024


class ManifestFile(NamedTuple):
    """A file by the name that the user knows, and what it holds."""

    name: str
    documents: tuple[Document, ...] = ()
    misreadings: tuple[Misreading, ...] = ()


def manifest_files(names: Sequence[str], standard_input: BinaryIO) -> Iterator[ManifestFile]:
    """Read what `names` stand for, each file once: files, folders, `-` for standard input.

    Of a folder all files that end as manifests do, those of folders in it included, sorted, and
    none that is hidden. Whatever cannot be read is given as such, and the others follow.
    """
    seen: set[str] = set()
    for name in names:
        if name == STANDARD_INPUT:
            if name not in seen:
                yield _read("<stdin>", standard_input)
            seen.add(name)
            continue
        for found in _found(name):
            if isinstance(found, ManifestFile):
                yield found
            elif (real := os.path.realpath(found)) not in seen:
                seen.add(real)
                yield _open(found)


def _found(name: str) -> Iterator[str | ManifestFile]:
    """Give the names of the files that one name stands for, and what is wrong with it."""
    try:
        is_folder = stat.S_ISDIR(Path(name).stat().st_mode)
    except (OSError, ValueError) as error:
        yield _unreadable(name, error)
        return
    if not is_folder:
        yield name
        return
    count = 0
    for found in _files_below(Path(name)):
        count += 1
        yield found
    if not count:
        yield _told(name, f"holds no file that ends in {', '.join(SUFFIXES)}")


def _files_below(folder: Path) -> Iterator[str | ManifestFile]:
    """Give the files of a folder and of those in it, however deep they are nested."""
    stack = [_entries(str(folder))]
    while stack:
        entry = next(stack[-1], None)
        if entry is None:
            stack.pop()
        elif isinstance(entry, ManifestFile):
            yield entry
        elif entry.is_dir(follow_symlinks=False):
            stack.append(_entries(entry.path))
        elif entry.name.endswith(SUFFIXES) and _is_file(entry):
            yield str(Path(entry.path))  # as people write it: scandir says ./a for an a in .


def _entries(folder: str) -> Iterator["os.DirEntry[str] | ManifestFile"]:
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda each: each.name)
    except OSError as error:
        yield _unreadable(folder, error)
        return
    yield from (each for each in entries if not each.name.startswith("."))


def _is_file(entry: "os.DirEntry[str]") -> bool:
    """Say whether an entry holds bytes: not a pipe, which may have to be waited for, nor a folder.

    A link to a folder may lead back to where it stands. One that leads nowhere is read, to be told.
    """
    if not entry.is_symlink():
        return entry.is_file()
    try:
        return stat.S_ISREG(entry.stat().st_mode)
    except OSError:
        return True


def _open(name: str) -> ManifestFile:
    try:
        with Path(name).open("rb") as file:
            return _read(name, file)
    except OSError as error:
        return _unreadable(name, error)


def _read(name: str, file: BinaryIO) -> ManifestFile:
    try:
        data = file.read(MAX_BYTES + 1)
    except OSError as error:
        return _unreadable(name, error)
    if len(data) > MAX_BYTES:
        return _told(name, f"is larger than {MAX_BYTES // 1024 // 1024} MiB: no manifest is")
    return ManifestFile(name, *read(data))


def _unreadable(name: str, error: OSError | ValueError) -> ManifestFile:
    words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return _told(name, f"cannot be read: {words}")


def _told(name: str, words: str) -> ManifestFile:
    return ManifestFile(name, (), (Misreading(NOWHERE, "", words),))
