"""A Dockerfile's steps, run without a container engine.

Each stage gets a folder as its root and a fresh virtual environment as its base image's Python.
Absolute paths in the steps are moved under that root. Since a virtual environment remembers
where it lies, every stage is built in the same place and moved away when the next one begins. Two
things spare time and disk and change nothing else: pip compiles no bytecode, and what one stage
copies from another is linked.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import venv
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

ABSOLUTE = re.compile(r"(?<![\w.$})/])/(?=\w)")


class Step(NamedTuple):
    """One instruction of a Dockerfile."""

    keyword: str
    text: str


@dataclass
class Image:
    """A stage as it was left: its folder, environment, and how it is run."""

    root: Path
    base: Path
    environment: dict[str, str]
    workdir: Path
    config: dict[str, str] = field(default_factory=dict)

    def inside(self, text: str) -> str:
        """A text whose absolute paths are moved under this image's root."""
        return ABSOLUTE.sub(lambda _: f"{self.root}/", text)

    def run(self, command: list[str]) -> str:
        """Run a command as a container would, and return what it prints."""
        done = subprocess.run(
            command,
            cwd=self.workdir,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{command}: exit {done.returncode}\n{done.stdout}"
        return done.stdout


def steps(dockerfile: str) -> Iterator[Step]:
    """The instructions of a Dockerfile, continued lines joined and comments left out."""
    lines = [line for line in dockerfile.splitlines() if not line.lstrip().startswith("#")]
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        if line.strip():
            keyword, _, text = line.strip().partition(" ")
            yield Step(keyword.upper(), text.strip())


def context(ignore_file: str, names: list[Path]) -> list[Path]:
    """The files that a .dockerignore of the form "nothing but these" hands to the build."""
    lines = [line for line in ignore_file.splitlines() if line and not line.startswith("#")]
    assert lines[0] == "*", "only a .dockerignore that begins with * is understood"
    allowed = {line[1:] for line in lines if line.startswith("!")}
    return [name for name in names if name.parts[0] in allowed]


class Builder:
    """Builds the stages of a Dockerfile, one after the other."""

    def __init__(self, folder: Path, sources: Path) -> None:
        """Build in `folder` from the build context `sources`."""
        self._folder = folder
        self._sources = sources
        self._stages: dict[str, Path] = {}
        self._name = ""
        self._with_pip = True

    def build(self, dockerfile: str) -> Image:
        """Run every step, and return the last stage's image."""
        image = None
        self._with_pip = "pip" in dockerfile
        for keyword, text in steps(dockerfile):
            if keyword == "FROM":
                image = self._begin(text)
                continue
            assert image is not None, f"{keyword} before FROM"
            self._take(image, keyword, text)
        assert image is not None
        return image

    def _begin(self, text: str) -> Image:
        """Move the stage before away, and begin another one on a clean Python."""
        root = self._folder / "image"
        if root.exists():
            moved = self._folder / f"stage-{len(self._stages)}"
            root.rename(moved)
            self._stages[self._name] = moved
        self._name = text.rsplit(maxsplit=1)[-1]
        root.mkdir()
        base = self._folder / f"python-{len(self._stages)}"
        venv.create(base, with_pip=self._with_pip, symlinks=True)
        kept = {k: v for k, v in os.environ.items() if k.startswith(("PIP_", "SSL_", "HTTP"))}
        path = f"{base}/bin:{os.defpath}"
        own = {"PATH": path, "TMPDIR": str(self._folder), "PIP_NO_COMPILE": "1"}
        return Image(root, base, kept | own, root)

    def _take(self, image: Image, keyword: str, text: str) -> None:
        """Take one step of a stage."""
        match keyword:
            case "WORKDIR":
                image.workdir = Path(image.inside(text))
                image.workdir.mkdir(parents=True, exist_ok=True)
            case "COPY":
                self._copy(image, text)
            case "RUN":
                image.run(["sh", "-euc", image.inside(text)])
            case "ENV":
                for assignment in shlex.split(text):
                    name, _, value = assignment.partition("=")
                    expanded = value.replace("$PATH", image.environment["PATH"])
                    image.environment[name] = image.inside(expanded)
            case "USER" | "VOLUME" | "ENTRYPOINT" | "CMD":
                image.config[keyword] = text
            case _:
                raise AssertionError(f"{keyword} is not understood here")

    def _copy(self, image: Image, text: str) -> None:
        """Copy from the build context, or from an earlier stage."""
        words = text.split()
        flags = dict(word[2:].split("=", 1) for word in words if word.startswith("--"))
        *sources, target = [word for word in words if not word.startswith("--")]
        assert set(flags) <= {"from", "chown"}, flags
        origin = self._stages[flags["from"]] if "from" in flags else self._sources
        copying = os.link if "from" in flags else shutil.copy2
        base = image.root if target.startswith("/") else image.workdir
        for source in sources:
            place = base / target.lstrip("/")
            if target.endswith("/"):
                place /= Path(source).name
            found = origin / source.lstrip("/")
            if found.is_dir():
                shutil.copytree(
                    found, place, symlinks=True, dirs_exist_ok=True, copy_function=copying
                )
            else:
                place.parent.mkdir(parents=True, exist_ok=True)
                copying(found, place)


def command(image: Image) -> list[str]:
    """What a container of the image runs: entry point and default arguments."""
    return [*json.loads(image.config["ENTRYPOINT"]), *json.loads(image.config["CMD"])]
