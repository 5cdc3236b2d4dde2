"""Material as people really hand it in: cut, compressed, in other encodings, or not what was meant.

What is wrong is counted and named, the rest is used, and nothing is ever stopped by one bad line.
"""

import gzip
import json
import re
from pathlib import Path

import pytest

from adapters.cli.exit_codes import ExitCode
from adapters.importing.making_rows import CUT, DAMAGED, NO_JSON
from adapters.importing.observing import INCOMPLETE
from adapters.importing.telling_kubectl import NO_OBJECT, TABLE
from tests.cli.commands import printed, warmlog
from tests.importing.reading import EARLY, MATERIAL, event, listed, raw, read_files
from tests.recordings import reading

NODE = json.dumps(raw("Node", "good", 1))
LIST = listed(raw("Node", "good", 1)).encode()
DIGITS = b"9" * 5000
HOSTILE: dict[str, tuple[str | bytes, dict[str, int]]] = {
    "a last line that is cut": (NODE + "\n" + NODE[:-9], {CUT: 1}),
    "NULs between two documents": (NODE + "\n\0\0\0\n" + NODE, {NO_JSON: 1}),
    "a NUL in a name": (json.dumps(raw("Node", "b\0d", 1)) + "\n" + NODE, {INCOMPLETE: 1}),
    "half a character in a uid": (
        json.dumps(raw("Node", "bad", 1, metadata={"uid": "\ud800"})) + "\n" + NODE,
        {INCOMPLETE: 1},
    ),
    "a slash in a name": (json.dumps(raw("Node", "b/d", 1)) + "\n" + NODE, {INCOMPLETE: 1}),
    "numbers that are none": (NODE[:-1] + ', "x": NaN}\n' + NODE, {CUT: 1}),
    "values of other types": (
        '{"kind": ["Node"], "apiVersion": {}, "metadata": "x", "items": {}}\n' + NODE,
        {NO_OBJECT: 1},
    ),
    "an audit event whose kind is no text": (
        '{"kind": ["Event"], "apiVersion": "audit.k8s.io/v1", "verb": {}}\n' + NODE,
        {NO_OBJECT: 1},
    ),
    "an event without what names an object": (
        event("ADDED", {"kind": "Node", "apiVersion": "v1", "metadata": {"name": 7}}) + NODE,
        {INCOMPLETE: 1},
    ),
    "a Table": (
        '{"kind": "Table", "apiVersion": "meta.k8s.io/v1", "rows": []}\n' + NODE,
        {TABLE: 1},
    ),
    "YAML after JSON": (NODE + "\napiVersion: v1\nkind: Node\n", {NO_JSON: 2}),
    "a line that is no UTF-8": (b'{"kind": "\xff\xfe"}\n' + NODE.encode(), {CUT: 1}),
    "a gzip file that is cut": (gzip.compress(LIST * 50)[:-20], {DAMAGED: 1}),
}
SOUND = {
    "a mark of byte order": b"\xef\xbb\xbf" + LIST,
    "UTF-16, as PowerShell redirects": LIST.decode().encode("utf-16"),
    "gzip, as API servers put audit logs aside": gzip.compress(LIST),
    "lines that end in CR LF": LIST.replace(b"\n", b"\r\n"),
    "two documents on one line": f"{NODE} {NODE}\n".encode(),
    "a blank before a document": f"   {NODE}\n".encode(),
    "a huge number": NODE[:-1].encode() + b', "x": ' + DIGITS + b"}\n",
    "a time beyond those of any log": json.dumps(
        raw("Node", "good", 1, metadata={"creationTimestamp": "9999-12-31T23:59:59Z"})
    ).encode(),
    "a grace that is none": json.dumps(
        raw(
            "Node",
            "good",
            1,
            metadata={"deletionTimestamp": EARLY, "deletionGracePeriodSeconds": -(10**18)},
        )
    ).encode(),
    "a List of Lists": json.dumps(
        {"kind": "List", "apiVersion": "v1", "items": [json.loads(LIST), json.loads(listed())]}
    ).encode(),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_wrong_is_counted_and_the_rest_is_used(tmp_path: Path, name: str) -> None:
    """A good Node beside it comes in, and the reason why something did not is named."""
    material, unused = HOSTILE[name]
    path = tmp_path / "material"
    path.write_bytes(material if isinstance(material, bytes) else material.encode())
    done = warmlog("import", path, tmp_path / "log.db")
    assert done.exit_code == ExitCode.OK, done.stderr
    for reason, times in unused.items():
        assert f"not used: {reason}, {times} time" in done.stderr
    assert '"Node//good/good-uid"' in printed("export", tmp_path / "log.db")


@pytest.mark.parametrize("name", SOUND)
def test_what_only_looks_odd_is_used_whole(tmp_path: Path, name: str) -> None:
    """Nothing of it is left out."""
    path = tmp_path / "material"
    path.write_bytes(SOUND[name])
    read = read_files(path)
    assert read.account.unused == {}
    assert [row.subject for row in read.rows if row.type == "NodeSeen"] == ["Node//good/good-uid"]
    done = warmlog("import", path, tmp_path / "log.db")
    assert (done.exit_code, done.stderr) == (ExitCode.OK, "")


@pytest.mark.parametrize("name", ["audit.log", "list.json", "watch.json"])
def test_a_value_of_any_other_type_stops_nothing(tmp_path: Path, name: str) -> None:
    """Each field of an object, wherever it stands, may hold a list: the Node behind it comes in."""
    material = (MATERIAL / name).read_text()
    fields = sorted(set(re.findall(r'("[A-Za-z]+": ?)(?:"[^"]*"|\d+|true|false|null)', material)))
    assert fields
    for field in fields:
        pattern = re.escape(field) + r'(?:"[^"]*"|\d+|true|false|null)'
        path = tmp_path / "material"
        path.write_text(re.sub(pattern, f"{field}[7]", material) + "\n" + NODE)
        subjects = {row.subject for row in read_files(path).rows}
        assert "Node//good/good-uid" in subjects, field


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Node\nkind: List\n", "is YAML"),
        ("NAME   STATUS   AGE\na      Ready    5d\n", "is neither a log nor JSON"),
        ("", "is empty"),
    ],
)
def test_what_is_no_material_at_all_is_named(tmp_path: Path, text: str, words: str) -> None:
    """It is said what the file is, and what to do; nothing is made of it."""
    path, log = tmp_path / "given", tmp_path / "log.db"
    path.write_text(text)
    done = warmlog("import", path, log)
    assert done.exit_code == ExitCode.LOG_UNREADABLE
    assert f"The file {path} {words}: record with `kubectl get KIND -A -o json`" in done.stderr
    assert not log.exists()


@pytest.mark.parametrize("name", ["real_a_half_failing_warmup", "demo_caches"])
def test_logs_of_our_own_come_in_whichever_format_they_have(tmp_path: Path, name: str) -> None:
    """A file that was exported, and one that grew while it was recorded, give the same rows."""
    exported = (reading.FOLDER / f"{name}.jsonl").read_bytes()
    head, _, rows = exported.partition(b"\n")
    grown = {"after": 0, "format": 2, "logId": json.loads(head)["logId"], "warmlog": "log"}
    path = tmp_path / "grown.jsonl"
    path.write_bytes(json.dumps(grown, separators=(",", ":")).encode() + b"\n" + rows)
    printed("import", path, tmp_path / "log.db")
    assert printed("export", tmp_path / "log.db").encode() == exported
