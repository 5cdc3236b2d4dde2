"""The hydration Job's own script, run as a process against a hub on this machine."""

import os
import shutil
from pathlib import Path

import pytest

from machines.caches.sources import marker
from tests.hydration.containers import Container, Ended, spec_of
from tests.hydration.hub_stub import File, Hub
from tests.hydration.repositories import (
    FILES,
    FOLDER,
    MIB,
    MORE,
    NEW,
    OLD,
    REPO,
    WEIGHTS,
    about,
    assert_staged,
)


def test_the_layout_is_the_hubs(hub: Hub, container: Container) -> None:
    """A volume with nothing but lost+found gets the whole repository, marker last [C46] [C53]"""
    ended = container.run()
    assert_staged(container, ended)
    files = container.files()
    assert files[f"{FOLDER}/refs/main"].decode() == NEW
    assert files[f"{FOLDER}/blobs/{WEIGHTS.etag}"] == WEIGHTS.content
    assert (container.volume / FOLDER / "snapshots" / NEW / "original/weights.bin").is_symlink()
    assert files[marker(container.spec)].decode() == f"claim claim-uid\ncommit {NEW}\n"
    assert ended.last_words.startswith(
        f"staged {REPO} at its default branch: commit {NEW}, 3 files"
    )
    # Nothing else is asked of the hub than what this repository needs.
    assert not [each for each in hub.asked if REPO not in each.path and "/cdn/" not in each.path]


def test_a_marker_ends_the_matter(hub: Hub, container: Container) -> None:
    """Where the marker of this source is, a run succeeds without asking the hub anything."""
    container.run()
    hub.asked.clear()
    hub.down = True
    ended = container.run()
    assert (ended.code, hub.asked) == (0, [])
    assert "is staged already" in ended.last_words


def test_a_marker_counts_for_its_claim_alone(hub: Hub, container: Container) -> None:
    """A volume under another claim is checked against the hub, and completed [S73] [C82]"""
    container.run()
    (container.volume / FOLDER / "blobs" / WEIGHTS.etag).unlink()
    hub.asked.clear()
    container.claim_uid = "another-uid"
    assert_staged(container, container.run())
    assert hub.fetched(WEIGHTS.etag) == len(WEIGHTS.content)
    assert container.files()[marker(container.spec)].startswith(b"claim another-uid\n")


@pytest.mark.parametrize("text", ["", "claim claim-uid2\n", "x\nclaim claim-uid\n"])
@pytest.mark.parametrize("name", [".modelplane-hydrated", marker(spec_of(REPO))])
def test_foreign_markers_prove_nothing(
    hub: Hub, container: Container, name: str, text: str
) -> None:
    """Markers of another layout, revision or claim, or of no claim, stop nothing [C62] [C36]"""
    (container.volume / marker(spec_of(REPO, "v1"))).write_text("claim claim-uid\n")
    (container.volume / name).write_text(text)
    assert (container.run().code, hub.fetched(WEIGHTS.etag)) == (0, len(WEIGHTS.content))
    assert {name, marker(container.spec)} <= set(container.files())


def test_an_interrupted_run_is_taken_up(hub: Hub, container: Container) -> None:
    """Killed half-way there is no marker; the next run fetches only what is unfinished [C47]"""
    files = FILES | {"z/more.bin": MORE}
    hub.repos[REPO].commits[NEW] = files
    hub.stall_after = 1_000_000
    process = container.start()
    hub.wait_until_stalled(answers=2)  # both large files
    while not (container.volume / FOLDER / "snapshots" / NEW / "config.json").exists():
        assert process.poll() is None
    container.kill(process)
    hub.wait_until_idle()
    assert container.markers() == []
    assert list(container.volume.rglob("*.incomplete"))
    hub.stall_after = None
    hub.asked.clear()
    assert_staged(container, container.run(), files)
    assert not list(container.volume.rglob("*.incomplete"))
    assert hub.fetched(WEIGHTS.etag) == len(WEIGHTS.content)
    assert not [each for each in hub.asked if "config.json" in each.path]


def test_whole_files_are_not_fetched_again(hub: Hub, container: Container) -> None:
    """What an attempt finished before it failed is there for the next one."""
    files = FILES | {"z/more.bin": MORE}
    container.run()
    container.volume.joinpath(marker(container.spec)).unlink()
    hub.repos[REPO].commits[NEW] = files
    shutil.rmtree(container.volume / FOLDER / "trees")
    hub.asked.clear()
    assert_staged(container, container.run(), files)
    assert (hub.fetched(WEIGHTS.etag), hub.fetched(MORE.etag)) == (0, len(MORE.content))


def test_a_broken_connection_is_resumed(hub: Hub, container: Container) -> None:
    """A file whose connection breaks goes on in the same attempt after its last whole 10 MiB."""
    large = File(bytes(12 * MIB), large=True)
    hub.repos[REPO].commits[NEW] = files = FILES | {"large.bin": large}
    del files["original/weights.bin"]
    hub.cut_after = 11 * MIB
    assert_staged(container, container.run(), files)
    assert [each.range for each in about(hub, large.etag)] == ["", f"bytes={10 * MIB}-"]


def test_a_truncated_file_is_fetched_again(hub: Hub, container: Container) -> None:
    """A file that a crash left too short under its final name does not count as fetched [C47]"""
    container.run()
    container.volume.joinpath(marker(container.spec)).unlink()
    blob = container.volume / FOLDER / "blobs" / WEIGHTS.etag
    os.truncate(blob, 1000)
    ended = container.run()
    assert_staged(container, ended)
    assert "it is fetched again" in ended.said


def test_half_a_repository_without_a_hub_is_no_success(hub: Hub, container: Container) -> None:
    """With half of it there and the hub out of reach, the run fails and marks nothing [C47]"""
    container.run()
    container.volume.joinpath(marker(container.spec)).unlink()
    shutil.rmtree(container.volume / FOLDER / "trees")
    (container.volume / FOLDER / "snapshots" / NEW / "original/weights.bin").unlink()
    hub.down = True
    ended = container.run()
    assert (ended.code, container.markers()) == (1, [])
    assert ended.last_words == f"{hub.url} answered HTTP 503 for {REPO} at its default branch"


def test_a_hub_that_lists_other_sizes_is_not_believed(hub: Hub, container: Container) -> None:
    """Files that never have the size that the hub lists end in a failure, not in a marker."""
    hub.repos[REPO].commits[NEW] = {"w.bin": File(b"short", large=True, listed=6)}
    ended = container.run()
    assert (ended.code, container.markers()) == (1, [])
    assert "did not come as the hub lists it" in ended.last_words


@pytest.mark.parametrize("revision", ["v1", OLD, "refs/pr/7"])
def test_a_revision_is_what_is_staged(hub: Hub, tmp_path: Path, revision: str) -> None:
    """A tag, a commit or a pull request is staged instead of the default branch."""
    container = Container(tmp_path, hub.url, spec_of(REPO, revision))
    ended = container.run()
    assert ended.code == 0, ended.said
    assert (container.volume / FOLDER / "snapshots" / OLD / "old.json").read_bytes() == b"old"
    assert f"staged {REPO} at {revision}: commit {OLD}" in ended.last_words
    assert hub.fetched(WEIGHTS.etag) == 0


def test_a_full_volume_is_told_at_the_end(hub: Hub, container: Container) -> None:
    """A write that finds no room ends the run with words that say so.

    A limit on the size of files stands for the full volume, which needs no rights: the same write
    fails in the same place, with EFBIG where the volume would give ENOSPC [C52]
    """
    limited = ("/bin/sh", "-c", 'ulimit -f 2000 && exec "$@"', "sh")
    ended = container.run(*limited)
    assert (ended.code, container.markers()) == (1, [])
    told = f"the volume is full while fetching {REPO} at its default branch: "
    assert ended.last_words.startswith(told)
    assert not list(container.volume.rglob("*.incomplete"))
    assert_staged(container, container.run())


def test_a_volume_that_is_too_small_is_told_first(hub: Hub, container: Container) -> None:
    """What cannot fit is not begun, and the last words tell both sizes [C52] [C53]"""
    huge = File(b"x", large=True, listed=2**60)
    hub.repos[REPO].commits[NEW] = FILES | {"huge.bin": huge}
    ended = container.run()
    assert (ended.code, container.markers()) == (1, [])
    assert ended.last_words.startswith(f"the volume is too small for {REPO} at its default branch")
    assert "1073741824.0 GiB are still to be fetched" in ended.last_words
    assert hub.fetched(WEIGHTS.etag) == 0


def test_what_is_there_needs_no_room(hub: Hub, container: Container) -> None:
    """Only what is still to be fetched has to fit: here 8 TiB are there, as one hole in a file."""
    container.run()
    container.volume.joinpath(marker(container.spec)).unlink()
    hub.repos[REPO].commits[NEW] = FILES | {"huge.bin": File(b"", large=True, listed=2**43)}
    shutil.rmtree(container.volume / FOLDER / "trees")
    with (container.volume / FOLDER / "snapshots" / NEW / "huge.bin").open("wb") as file:
        file.truncate(2**43)
    ended = container.run()
    assert (ended.code, container.markers()) == (0, [marker(container.spec)]), ended.said


def test_a_branch_that_moves_is_followed(hub: Hub, container: Container) -> None:
    """Where the branch moves after it was listed, its new commit is what is checked and marked."""
    hub.repos[REPO].refs["main"] = OLD
    hub.repos[REPO].commits[OLD] = {"config.json": File(b"another size")}
    hub.moving = [NEW]
    ended = container.run()
    assert_staged(container, ended)
    assert "fetched again" not in ended.said
    assert container.files()[marker(container.spec)].decode().endswith(f"commit {NEW}\n")


def test_a_run_ends_when_it_is_told_to(hub: Hub, container: Container) -> None:
    """Told to end, as when its Job is deleted, a run ends at once, and marks nothing [C34]"""
    hub.stall_after = 1_000
    process = container.start()
    hub.wait_until_stalled()
    process.terminate()
    said, _ = process.communicate(timeout=20)
    assert (process.returncode, container.markers()) == (143, []), said


def test_another_repository_is_left_alone(hub: Hub, tmp_path: Path) -> None:
    """Two repositories are staged into one folder at once, and neither run touches the other's."""
    hub.stall_after = 1_000
    other = Container(tmp_path, hub.url, spec_of("acme/other"))
    process = other.start()
    hub.wait_until_stalled()
    hub.stall_after = None
    container = Container(tmp_path, hub.url, spec_of(REPO))
    assert_staged(container, container.run())
    assert len(list(other.volume.glob("models--acme--other/blobs/*.incomplete"))) == 1
    assert process.poll() is None
    other.kill(process)
    hub.wait_until_idle()
    assert other.run().code == 0
    assert other.markers() == sorted([marker(other.spec), marker(container.spec)])


def test_only_leftovers_of_this_repository_are_removed(hub: Hub, container: Container) -> None:
    """Old leftovers and locks of this repository go; what others have stays, however old it is."""
    mine = ["models--acme--tiny/blobs/e.incomplete", ".locks/models--acme--tiny/e.lock"]
    others = [
        "models--acme--tiny2/blobs/e.incomplete",
        ".locks/models--acme--tiny2/e.lock",
        "e.lock",
    ]
    for name in mine + others:
        path = container.volume / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("left")
        os.utime(path, (0, 0))
    assert_staged(container, container.run())
    assert set(others) == {
        path for path, content in container.files().items() if content == b"left"
    }


def test_what_is_being_written_is_no_leftover(hub: Hub, container: Container) -> None:
    """A young file that changes stays; one that does not change is removed (a shorter wait here)"""
    blobs = container.volume / FOLDER / "blobs"
    blobs.mkdir(parents=True)
    written, dead = blobs / "written.incomplete", blobs / "dead.incomplete"
    written.write_text("half")
    dead.write_text("half")
    container.quiet_seconds = 1
    with container.start() as process:
        while process.poll() is None and dead.exists():
            os.utime(written)
        said, _ = process.communicate(timeout=60)
    assert_staged(container, Ended(process.returncode, said))
    assert (written.exists(), dead.exists()) == (True, False)
