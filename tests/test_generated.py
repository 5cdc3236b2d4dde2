"""Generated files are what their generators write today."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import repository

# Folder of generated files -> the module that writes them.
GENERATORS = {"crds": "adapters.kubernetes.generating", "docs": "adapters.cli.documenting"}


def contents(folder: Path) -> dict[str, str]:
    """Every file under a folder, by its path there."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(paths)}


@pytest.mark.parametrize(("folder", "generator"), GENERATORS.items())
def test_generated_files_are_fresh(tmp_path: Path, folder: str, generator: str) -> None:
    """A generator run on a clean copy, from which its files were deleted, restores every byte."""
    repository.copy(repository.files(), tmp_path)
    committed = contents(tmp_path / folder)
    generated = {name for name, text in committed.items() if repository.is_generated(text)}
    assert generated, f"no file in {folder}/ says in its first lines by what it was generated"
    for name in generated:
        (tmp_path / folder / name).unlink()
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([sys.executable, "-m", generator], cwd=tmp_path, env=environment, check=True)
    fresh = contents(tmp_path / folder)
    names = sorted(fresh.keys() | committed.keys())
    stale = [name for name in names if fresh.get(name) != committed.get(name)]
    assert not stale, f"{folder}/ is not what {generator} writes today: run make {folder}"
