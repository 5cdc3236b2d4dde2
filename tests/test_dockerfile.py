"""The Dockerfile's steps work on a clean machine, and what they install is all of warmlog."""

import json
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests import images, repository

pytestmark = [
    pytest.mark.xdist_group("dockerfile"),
    pytest.mark.timeout(300),
    pytest.mark.prove,  # installing everything takes a third of the time of all other tests
]

PACKAGES = ("engine", "machines", "adapters", "migrations")
DESCRIBE = """
import json, sys
from importlib import import_module
from importlib.metadata import distribution
found = distribution("warmlog")
print(json.dumps({
    "prefix": sys.prefix,
    "version": found.version,
    "scripts": {each.name: each.value for each in found.entry_points},
    "places": [import_module(name).__file__ for name in sys.argv[1:]],
    "asyncpg": import_module("asyncpg").__name__,
}))
"""


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> images.Image:
    """The image that the Dockerfile describes, built from what .dockerignore lets through."""
    folder = tmp_path_factory.mktemp("dockerfile")
    allowed = images.context((repository.ROOT / ".dockerignore").read_text(), repository.files())
    repository.copy(allowed, folder / "context")
    builder = images.Builder(folder, folder / "context")
    return builder.build((repository.ROOT / "Dockerfile").read_text())


def test_the_image_holds_warmlog(image: images.Image) -> None:
    """The image's own Python finds every package, the PostgreSQL driver and the command."""
    told = json.loads(image.run(["python", "-c", DESCRIBE, *PACKAGES]))
    project = tomllib.loads((repository.ROOT / "pyproject.toml").read_text())["project"]
    assert told["prefix"] == str(image.root / "opt/warmlog")
    assert told["version"] == project["version"]
    assert told["scripts"] == project["scripts"]
    assert all(Path(place).is_relative_to(told["prefix"]) for place in told["places"])
    assert told["asyncpg"] == "asyncpg"
    if (repository.ROOT / "adapters/cli/main.py").exists():
        assert project["version"] in image.run(["warmlog", "--version"])


def test_the_wheel_holds_every_file_of_its_packages(image: images.Image) -> None:
    """Nothing that the repository keeps in a package is missing from the wheel, data included."""
    [wheel] = image.root.parent.glob("stage-*/dist/*.whl")
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith(PACKAGES)}
    context = image.root.parent / "context"
    paths = [path for package in PACKAGES for path in (context / package).rglob("*")]
    kept = {str(path.relative_to(context)) for path in paths if path.is_file()}
    assert packed == kept


def test_the_image_suits_a_restricted_pod(image: images.Image) -> None:
    """It runs `warmlog run` as a numbered user who is not root, with its log on a volume."""
    assert images.command(image) == ["warmlog", "run"]
    user = image.config["USER"].split(":")
    assert all(part.isdecimal() and int(part) > 0 for part in user)
    assert image.config["VOLUME"] == "/var/lib/warmlog"
    assert image.workdir == image.root / "var/lib/warmlog"


def test_the_image_writes_nothing_into_itself(image: images.Image) -> None:
    """Running Python changes no file outside the volume, so the root can be read-only."""
    before = {path: path.stat().st_mtime_ns for path in image.root.rglob("*")}
    image.run(
        ["python", "-c", "import " + ", ".join(PACKAGES) + ", sqlalchemy, kubernetes_asyncio"]
    )
    assert {path: path.stat().st_mtime_ns for path in image.root.rglob("*")} == before


def test_tests_of_one_group_share_a_worker(request: pytest.FixtureRequest) -> None:
    """A worker knows the group of each test by its id, else the image is built once on each."""
    grouped = request.config.getoption("loadgroup", default=False)
    assert not grouped or request.node.nodeid.endswith("@dockerfile")


def test_a_failing_step_fails_the_build(tmp_path: Path) -> None:
    """A step that exits with an error is an error here, with its words."""
    builder = images.Builder(tmp_path, tmp_path)
    with pytest.raises(AssertionError, match="exit 3\nno such thing"):
        builder.build("FROM python\nRUN echo no such thing && \\\n    exit 3\n")


def test_a_missing_source_fails_the_build(tmp_path: Path) -> None:
    """A COPY of what the build context lacks is an error here."""
    with pytest.raises(FileNotFoundError, match="missing"):
        images.Builder(tmp_path, tmp_path).build("FROM python\nCOPY missing ./\n")


def test_paths_stay_inside_the_image(tmp_path: Path) -> None:
    """Absolute paths of steps are moved under the image's root; addresses are left alone."""
    image = images.Image(Path("/image"), tmp_path, {}, tmp_path)
    assert image.inside("cp /a/b '/c' ./d/e f/g") == "cp /image/a/b '/image/c' ./d/e f/g"
    assert image.inside("PATH=/a:/b x=$HOME/c https://d/e") == (
        "PATH=/image/a:/image/b x=$HOME/c https://d/e"
    )
