"""Files, folders and standard input are read in order, and what cannot be read stops no other."""

import io
import json
import os
import sys
from pathlib import Path

import pytest

from adapters.manifests.files import MAX_BYTES, ManifestFile, manifest_files
from adapters.manifests.objects import Manifest, manifests, warmups

OURS = {"apiVersion": "model.aibrix.ai/v1alpha1", "kind": "ModelWarmup", "spec": {"a": 1}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with manifests of every ending, hidden ones, and others."""
    for name in (
        "b.yaml",
        "a.yml",
        "c.json",
        "z/y/x.yaml",
        ".hidden.yaml",
        ".git/d.yaml",
        "no.txt",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{{name: {name}}}")
    (tmp_path / "z" / "loop").symlink_to(tmp_path)
    return tmp_path


def files(*names: str | Path, typed: bytes = b"") -> list[ManifestFile]:
    """What these names stand for."""
    return list(manifest_files([str(each) for each in names], io.BytesIO(typed)))


def told(file: ManifestFile) -> str:
    """The one fault of a file."""
    [fault] = file.misreadings
    assert fault.at == (0, 0)
    return fault.words


def test_a_folder_gives_its_manifests_sorted(folder: Path) -> None:
    """Every ending, those of folders in it included; nothing hidden, and no loop of links."""
    found = [Path(each.name).relative_to(folder).as_posix() for each in files(folder)]
    assert found == ["a.yml", "b.yaml", "c.json", "z/y/x.yaml"]


def test_each_file_is_read_once(folder: Path) -> None:
    """A file that is named twice, or named and found, is read where it came first."""
    found = files(
        folder / "b.yaml", folder, folder / "z" / ".." / "b.yaml", "-", "-", typed=b"a: 1"
    )
    names = [Path(each.name).name for each in found]
    assert names == ["b.yaml", "a.yml", "c.json", "x.yaml", "<stdin>"]


def test_a_file_that_is_named_may_be_called_anything(folder: Path) -> None:
    """Hidden ones and those of another ending are read when somebody names them."""
    found = files(folder / ".hidden.yaml", folder / "no.txt")
    assert [each.documents[0].value for each in found] == [
        {"name": ".hidden.yaml"},
        {"name": "no.txt"},
    ]


def test_what_cannot_be_read_stops_no_other(folder: Path) -> None:
    """A missing file, a dangling link, a name that no file can have: each is a fault of its own."""
    (folder / "gone.yaml").symlink_to(folder / "nowhere")
    missing, nul, *found = files(folder / "missing.yaml", "a\0b", folder)
    assert told(missing) == "cannot be read: No such file or directory"
    assert told(nul).startswith("cannot be read: ")
    gone = next(each for each in found if each.name.endswith("gone.yaml"))
    assert told(gone) == "cannot be read: No such file or directory"
    assert sum(len(each.documents) for each in found) == 4


def test_folders_may_be_nested_deeper_than_calls(tmp_path: Path) -> None:
    """Each level of folders costs no level of calls, of which there are not so many."""
    levels = sys.getrecursionlimit() * 6 // 10
    deep = tmp_path.joinpath(*["d"] * levels)
    deep.mkdir(parents=True)
    (deep / "a.yaml").write_text("name: a.yaml")

    def called_deeply(depth: int) -> list[ManifestFile]:
        return called_deeply(depth - 1) if depth else files(tmp_path)

    [file] = called_deeply(levels)
    assert file.documents[0].value == {"name": "a.yaml"}


@pytest.mark.timeout(20)
def test_what_is_no_file_is_not_waited_for(folder: Path) -> None:
    """A pipe in a folder, or a link to one, gives no manifest, however it is called."""
    os.mkfifo(folder / "d.yaml")
    (folder / "e.yaml").symlink_to(folder / "d.yaml")
    (folder / "f.yaml").symlink_to(folder / "b.yaml")
    found = [Path(each.name).name for each in files(folder)]
    assert found == ["a.yml", "b.yaml", "c.json", "x.yaml"]


def test_a_folder_without_manifests_is_told(tmp_path: Path) -> None:
    """Nobody names a folder to have nothing read."""
    [file] = files(tmp_path)
    assert told(file) == "holds no file that ends in .yaml, .yml, .json"


def test_what_is_too_large_is_told(tmp_path: Path) -> None:
    """A file that no manifest can be as large as is not read at all, nor is an endless input."""
    path = tmp_path / "large.yaml"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    assert told(files(path)[0]) == "is larger than 16 MiB: no manifest is"


def found_in(text: str) -> list[Manifest]:
    """The objects of a text."""
    [file] = files("-", typed=text.encode())
    assert file.misreadings == ()
    return list(manifests(file))


def test_lists_are_their_items() -> None:
    """Lists of whatever kind, in each other too, are the objects in them, with their places."""
    other = {"apiVersion": "v1", "kind": "Namespace"}
    inner = {"apiVersion": "v1", "kind": "List", "items": [OURS]}
    typed = {**OURS, "kind": "ModelWarmupList", "items": [{"spec": {"b": 2}}, 7]}
    text = json.dumps(
        {"apiVersion": "v1", "kind": "List", "items": [other, inner, typed]}, indent=1
    )
    found = found_in(text)
    assert [(each.path, each.is_warmup) for each in found] == [
        ("items[0]", False),
        ("items[1].items[0]", True),
        ("items[2].items[0]", True),
        ("items[2].items[1]", False),
    ]
    assert found[1].where("spec.a") == found[1].document.positions["items[1].items[0].spec.a"]
    assert found[2].where("spec.b").line > found[1].where("spec.a").line


def test_each_item_of_a_list_has_its_own_misreadings() -> None:
    """What stands twice in one item is told of that one alone, in lists of lists too."""
    one, twice = "{kind: ModelWarmup}", "{kind: ModelWarmup, kind: ModelWarmup}"
    text = (
        f"kind: List\nkind: List\nitems: [{one}, {{kind: List, items: [{one}, {twice}]}}, {twice}]"
    )
    [file] = files("-", typed=text.encode())
    fields = {each.path: [one.field for one in each.misreadings] for each in manifests(file)}
    assert fields == {
        "items[0]": [],
        "items[1].items[0]": [],
        "items[1].items[1]": ["items[1].items[1].kind"],
        "items[2]": ["items[2].kind"],
    }
    assert file.misreadings[0].field == "kind"


def test_empty_documents_are_no_objects() -> None:
    """Comments, nothing and null are nothing; other kinds are not ours."""
    [file] = files("-", typed=f"# a\n---\nnull\n---\n{json.dumps(OURS)}\n---\nkind: Pod".encode())
    assert [each.is_warmup for each in manifests(file)] == [True, False]
    assert [each.value for each in warmups(file)] == [OURS]
