"""What the hub of these tests has, and what a volume looks like that was filled from it."""

from machines.caches.sources import marker
from tests.hydration.containers import Container, Ended
from tests.hydration.hub_stub import Asked, File, Hub, Repo

REPO = "acme/tiny"
OLD, NEW, OTHER = "a" * 40, "b" * 40, "c" * 40
WEIGHTS = File(bytes(range(256)) * 12_000, large=True)  # 3 MB
MORE = File(b"another shard" * 100_000, large=True)
FILES = {
    "config.json": File(b'{"layers": 2}'),
    "original/weights.bin": WEIGHTS,
    "tokenizer.json": File(b"{}"),
}
GOOD, WRONG = "hf_goodGOODgood", "hf_wrongWRONGwrong"
FOLDER = "models--acme--tiny"
MIB = 1024**2


def a_small_hub() -> Hub:
    """A hub with one small repository, one of somebody else, and one token that may read."""
    tiny = Repo({NEW: FILES, OLD: {"old.json": File(b"old")}}, {"main": NEW, "v1": OLD})
    tiny.refs["refs/pr/7"] = OLD
    other = Repo({OTHER: {"more.bin": MORE}}, {"main": OTHER})
    return Hub(repos={REPO: tiny, "acme/other": other}, valid={GOOD}, granted={GOOD})


def assert_staged(container: Container, ended: Ended, files: dict[str, File] = FILES) -> None:
    """The run succeeded, the snapshot of main is whole, and the marker of this source is there."""
    assert ended.code == 0, ended.said
    assert container.markers() == [marker(container.spec)]
    snapshot = container.volume / FOLDER / "snapshots" / NEW
    assert {str(path.relative_to(snapshot)) for path in snapshot.rglob("*.*")} == set(files)
    assert all((snapshot / path).read_bytes() == file.content for path, file in files.items())


def about(hub: Hub, etag: str) -> list[Asked]:
    """What the hub was asked of one large file."""
    return [each for each in hub.asked if etag in each.path]
