"""`warmlog demo` in a pipe: what it prints, where its log goes, what it leaves alone."""

import json
import re
from pathlib import Path

import pytest
import yaml

from adapters.cli.demo_worlds import DemoSettings, node_names, sample
from adapters.cli.exit_codes import ExitCode
from tests.cli.commands import REF, SAMPLE, printed, warmlog


def test_every_node_of_the_sample_ends_ready(tmp_path: Path) -> None:
    """The demo ends with every node of the pool Ready, those outside the boundary named as such."""
    text = printed("demo", "--nodes", "4", "--log", tmp_path / "demo.db")
    table = text[text.index("NODE ") :]
    assert re.findall(r"^(gpu-\d+) +Ready$", table, re.MULTILINE) == node_names(4)
    assert re.search(r"^control-plane-1 +skipped +it is a control-plane node$", table, re.MULTILINE)
    assert re.search(r"^outside-1 +skipped +its label .* is not \"true\"$", table, re.MULTILINE)
    assert "4 of 4 nodes are Ready" in table


def test_each_change_is_a_line_of_its_own(tmp_path: Path) -> None:
    """In a pipe each node's way is told line by line: asked for, running, ready, in this order."""
    text = printed("demo", "--nodes", "1", "--log", tmp_path / "demo.db")
    lines = [
        line for line in text.splitlines() if re.match(r"\d\d:\d\d:\d\d\.\d{3}Z  gpu-01 ", line)
    ]
    states = [line.split()[2].rstrip(":") for line in lines]
    assert states == ["Pending", "Hydrating", "Ready"]
    assert "\x1b" not in text


def test_the_story_of_a_cordoned_and_a_late_node_is_told(tmp_path: Path) -> None:
    """A cordoned node says that it cannot be scheduled; one that opts in late still joins."""
    text = printed("demo", "--nodes", "3", "--log", tmp_path / "demo.db")
    assert "gpu-02  Hydrating: Unschedulable" in text
    assert text.index("gpu-03  (somebody opts it in)") < text.index("gpu-03  Pending")
    assert text.index("gpu-02  (somebody uncordons it)") < text.index("gpu-02  Ready")


def test_nodes_that_fail_have_their_reason_in_the_last_table(tmp_path: Path) -> None:
    """With every Pod failing, each node stands as Failed with the words of its container."""
    text = printed("demo", "--nodes", "2", "--fail-rate", "1", "--log", tmp_path / "demo.db")
    table = text[text.index("NODE ") :]
    failed = re.findall(r"^(gpu-\d+) +Failed +(.*)$", table, re.MULTILINE)
    assert [node for node, _ in failed] == node_names(2)
    assert all("exit code 1" in why and "no space left" in why for _, why in failed)
    assert "0 of 2 nodes are Ready" in table


@pytest.mark.parametrize("nodes", [1, 3])
def test_the_commands_that_it_names_work(nodes: int, tmp_path: Path) -> None:
    """The demo ends with commands to try; each of them runs as it is printed."""
    text = printed("demo", "--nodes", str(nodes), "--log", tmp_path / "a demo.db")
    commands = re.findall(r"^  warmlog (.*)$", text, re.MULTILINE)
    assert [command.split()[0] for command in commands] == ["replay", "explain", "verify"]
    for command in commands:
        unquoted = command.replace(f"'{tmp_path}/a demo.db'", "LOG").split()
        printed(*(str(tmp_path / "a demo.db") if word == "LOG" else word for word in unquoted))


def test_without_a_path_each_demo_has_a_log_of_its_own() -> None:
    """Without --log nothing is refused: each run names a new file, which holds its log."""
    places = [
        Path(json.loads(printed("demo", "--nodes", "1", "-o", "json"))["location"])
        for _ in range(2)
    ]
    assert places[0] != places[1]
    for place in places:
        printed("verify", place)
        place.unlink()
        place.parent.rmdir()


def test_json_is_one_document_at_the_end(tmp_path: Path) -> None:
    """With -o json only the end is printed: nodes with their states, and the whole status."""
    document = json.loads(printed("demo", "--nodes", "2", "-o", "json", "--log", tmp_path / "d.db"))
    assert [(node["node"], node["state"]) for node in document["nodes"]] == [
        ("gpu-01", "Ready"), ("gpu-02", "Ready"),
    ]  # fmt: skip
    assert document["status"]["phase"] == "Succeeded"
    shown = printed("replay", tmp_path / "d.db", "--object", REF, "-o", "json")
    assert json.loads(shown) == document["status"]


def test_an_existing_log_is_refused_and_force_replaces_it(tmp_path: Path) -> None:
    """A second demo leaves the first one's log alone, unless --force is said."""
    path = tmp_path / "demo.db"
    printed("demo", "--nodes", "1", "--log", path)
    held = path.read_bytes()
    refused = warmlog("demo", "--nodes", "2", "--log", path)
    assert refused.exit_code == ExitCode.EXISTS
    assert refused.stderr == (
        f"warmlog: {path} exists already: name another file, or say --force.\n"
    )
    assert path.read_bytes() == held
    assert "2 of 2 nodes are Ready" in printed("demo", "--nodes", "2", "--log", path, "--force")


@pytest.mark.parametrize("what", ["text", "foreign log"])
def test_force_replaces_nothing_but_the_log_of_a_demo(
    what: str, tmp_path: Path, exported: Path
) -> None:
    """--force leaves alone what is no log, and a log that no demo wrote."""
    path = tmp_path / "kept.db"
    if what == "text":
        path.write_text("a diary")
    else:
        renamed = tmp_path / "real.jsonl"
        renamed.write_bytes(exported.read_bytes().replace(b'"logId":"demo-', b'"logId":"real-', 1))
        printed("import", renamed, path)
    held = path.read_bytes()
    refused = warmlog("demo", "--log", path, "--force")
    assert refused.exit_code == ExitCode.EXISTS
    assert "--force leaves it alone" in refused.stderr
    assert path.read_bytes() == held


def test_a_demo_needs_a_folder_and_a_database(tmp_path: Path) -> None:
    """A folder that is missing, and a file that cannot be a database, are said before it begins."""
    nowhere = warmlog("demo", "--log", tmp_path / "no" / "demo.db")
    assert nowhere.exit_code == ExitCode.OUTPUT_FAILED
    assert f"There is no folder {tmp_path / 'no'}" in nowhere.stderr
    lines = warmlog("demo", "--log", tmp_path / "demo.jsonl")
    assert lines.exit_code == ExitCode.USAGE
    assert "warmlog export" in lines.stderr


def test_a_demo_does_not_go_to_a_server() -> None:
    """A database URL is refused in a sentence that says so, and shows no password."""
    refused = warmlog("demo", "--log", "postgresql://me:secret@host/db")
    assert refused.exit_code == ExitCode.USAGE
    assert "takes its path, not a database URL" in refused.stderr
    assert "secret" not in refused.stderr


def test_what_every_node_goes_through_has_no_reason_beside_it(tmp_path: Path) -> None:
    """A node that runs or waits for its turn is told by its state alone."""
    text = printed("demo", "--nodes", "2", "--log", tmp_path / "demo.db")
    assert "gpu-01  Hydrating\n" in text
    assert "JobRunning" not in text
    assert "WaitingForSlot" not in text


@pytest.mark.parametrize(
    "option", [("--nodes", "0"), ("--nodes", "1001"), ("--fail-rate", "1.5"), ("--seed", "x")]
)
def test_numbers_out_of_range_are_refused(option: tuple[str, str]) -> None:
    """A number that makes no demo is a wrong command line, said in one line."""
    refused = warmlog("demo", *option)
    assert refused.exit_code == ExitCode.USAGE
    assert refused.stderr.count("\n") == 1
    assert option[0] in refused.stderr


def test_the_sample_is_the_repositorys_own() -> None:
    """The demo's manifest, which the wheel holds, is the sample that the repository shows."""
    assert sample() == yaml.safe_load(SAMPLE.read_text())


def test_names_sort_as_they_count() -> None:
    """The names of a thousand nodes stand in the same order by text and by number."""
    names = node_names(1000)
    assert names == sorted(names)
    assert (names[0], names[-1]) == ("gpu-0001", "gpu-1000")


def test_a_log_is_told_by_its_settings() -> None:
    """Nodes, seed and fail rate make the log's id, and each of them makes another one."""
    first = DemoSettings(5, 1, 0.0)
    others = [DemoSettings(6, 1, 0.0), DemoSettings(5, 2, 0.0), DemoSettings(5, 1, 0.5)]
    assert len({each.log_id for each in [first, *others]}) == 4
    assert len({each.digest() for each in [first, *others]}) == 4
    assert DemoSettings(5, 1, 0.0).log_id == first.log_id
