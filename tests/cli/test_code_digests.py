"""The digest of the code that folds and decides."""

import shutil
import subprocess
import sys
from pathlib import Path

from adapters.code_digests import PACKAGES, code_digest, code_version
from tests.repository import ROOT


def digest_in(folder: Path) -> str:
    """The digest that a process gives which finds the packages in `folder`."""
    done = subprocess.run(
        [sys.executable, "-c", "from adapters.code_digests import code_digest as c; print(c())"],
        cwd=folder,
        env={"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def copied(folder: Path) -> Path:
    """A copy of the packages, as an installation would hold them."""
    for package in (*PACKAGES, "adapters"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / package, folder / package, ignore=ignored)
    return folder


def test_a_copy_has_the_same_digest_and_a_change_another(tmp_path: Path) -> None:
    """The digest follows names and contents of engine/ and machines/, and nothing else."""
    folder = copied(tmp_path)
    assert digest_in(folder) == code_digest()
    (folder / "adapters" / "more.py").write_text("# not of the core\n")
    (folder / "engine" / "notes.txt").write_text("no source\n")
    source = folder / "machines" / "labels.py"
    source.write_bytes(source.read_bytes().replace(b"\n", b"\r\n"))
    assert digest_in(folder) == code_digest()
    (folder / "machines" / "more.py").write_text("# of the core\n")
    assert digest_in(folder) != code_digest()


def test_the_version_is_the_distributions() -> None:
    """The version is that of the installed distribution."""
    assert code_version() == "0.1.0"
