"""`warmlog import` of foreign material: recognised by its content, counted, and explained."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from adapters.cli.exit_codes import ExitCode
from adapters.cli.main import app
from tests.cli.commands import printed, sample, warmlog
from tests.importing.reading import MATERIAL, audit, event, listed, raw

REF = "modelwarmup/troubled/doomed"
NAMES = ["list.json", "watch.json", "audit.log"]


@pytest.mark.parametrize("name", NAMES)
def test_an_imported_warmup_names_image_node_and_the_registrys_words(
    name: str, tmp_path: Path
) -> None:
    """Why it waits is told with the positions of the rows that say so."""
    log = tmp_path / "log.db"
    assert "of log" in printed("import", MATERIAL / name, log)
    told = printed("explain", REF, "--log", log)
    for words in ("unpullable: Hydrating", 'image "busybox:1.36"', "failed to resolve reference"):
        assert words in told
    chain = told[told.index("How unpullable came to this") :]
    row = r"^ +\d+ .*Pod .* seen: Pending on unpullable: ImagePullBackOff"
    assert re.search(row, chain, re.MULTILINE)
    assert "imported by warmlog" in told
    assert not re.search(r"by itself|tried again at|to take the final status", told)


@pytest.mark.parametrize("name", NAMES)
def test_equal_material_gives_equal_bytes(name: str, tmp_path: Path) -> None:
    """Imported twice, from a file or from stdin, it is the same log."""
    first, second = tmp_path / "first.db", tmp_path / "second.db"
    printed("import", MATERIAL / name, first)
    data = (MATERIAL / name).read_bytes()
    done = CliRunner().invoke(app, ["import", "-", str(second)], input=data)
    assert done.exit_code == 0, done.stderr
    assert printed("export", first) == printed("export", second)


def test_several_sources_become_one_log(tmp_path: Path) -> None:
    """The first one is of home; another name is that of an InferenceCluster."""
    home, west = tmp_path / "home.json", tmp_path / "west.json"
    home.write_text(listed(raw("Node", "a", 1)))
    west.write_text(listed(raw("Node", "b", 1)))
    log = tmp_path / "log.db"
    told = json.loads(printed("import", f"home={home}", f"west={west}", log, "-o", "json"))
    assert told["clusters"] == ["home", "ic/west"]
    told = json.loads(printed("import", home, f"west={west}", tmp_path / "two.db", "-o", "json"))
    assert told["clusters"] == ["ic/west", "local"]
    told = json.loads(
        printed("import", home, tmp_path / "three.db", "--cluster", "east", "-o", "json")
    )
    assert told["clusters"] == ["east"]


def test_what_was_not_used_is_said_and_the_rest_is_used(tmp_path: Path) -> None:
    """On stderr in words, with -o json as data; the code is that of success."""
    path = tmp_path / "material"
    foreign = raw("ConfigMap", "settings", 3)
    path.write_text("noise\n" + listed(raw("Node", "a", 1), foreign, raw("Pod", "theirs", 4)))
    done = warmlog("import", path, tmp_path / "log.db")
    assert done.exit_code == ExitCode.OK
    assert f"a line that is no JSON, 1 time: {path}, line 1" in done.stderr
    assert "ConfigMap/team/settings" in done.stderr
    assert "passed over: Pods that are not ours (1)" in done.stderr
    told = json.loads(printed("import", path, tmp_path / "again.db", "-o", "json"))
    assert [each["reason"] for each in told["notUsed"]] == [
        "a line that is no JSON", "an object of a kind that warmlog does not read",
    ]  # fmt: skip
    assert told["notUsed"][1]["first"][0]["object"] == "ConfigMap/team/settings"
    assert told["passedOver"] == {"Pods that are not ours": 1}


@pytest.mark.parametrize(
    "material",
    [
        '{"neither": "object"}\n',
        audit("create", "nodes", stage="RequestReceived"),
        event("ADDED", raw("ConfigMap", "settings", 3)),
        listed(),
    ],
)
def test_material_of_which_nothing_can_be_used_makes_no_log(material: str, tmp_path: Path) -> None:
    """What it holds is said, and how to record; no file is left behind."""
    path, log = tmp_path / "material", tmp_path / "log.db"
    path.write_text(material)
    done = warmlog("import", path, log)
    assert done.exit_code == ExitCode.LOG_UNREADABLE
    assert f"Nothing of {path} can be used" in done.stderr
    assert "kubectl get" in done.stderr
    assert not log.exists()


def test_a_log_of_our_own_is_imported_alone(exported: Path, tmp_path: Path) -> None:
    """It has an identity of its own, and clusters that it names itself."""
    other = tmp_path / "list.json"
    other.write_text(listed(raw("Node", "a", 1)))
    for arguments in ((other, exported), (exported, other)):
        done = warmlog("import", *arguments, tmp_path / "log.db")
        assert done.exit_code == ExitCode.USAGE
        assert "it is imported alone" in done.stderr
    done = warmlog("import", exported, tmp_path / "log.db", "--cluster", "east")
    assert done.exit_code == ExitCode.USAGE


def test_a_source_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """Nothing is made of the other one either."""
    one = tmp_path / "list.json"
    one.write_text(listed(raw("Node", "a", 1)))
    done = warmlog("import", one, tmp_path / "missing.json", tmp_path / "log.db")
    assert done.exit_code == ExitCode.LOG_UNREADABLE
    assert "missing.json cannot be read" in done.stderr


def test_a_kind_of_which_there_was_none_may_be_named(tmp_path: Path) -> None:
    """It counts as listed from the beginning; a kind that is not read is refused."""
    path, log = tmp_path / "list.json", tmp_path / "log.db"
    path.write_text(listed(raw("Node", "a", 1)))
    printed("import", "--none", "jobs", "--none", "Pod", path, log)
    rows = printed("export", log)
    assert all(f'"kind":"{kind}"' in rows for kind in ("Job", "HydrationJob", "Pod", "Node"))
    done = warmlog("import", "--none", "gadgets", path, tmp_path / "other.db")
    assert done.exit_code == ExitCode.USAGE
    assert "gadgets" in done.stderr


def test_nodes_that_were_never_looked_for_are_unknown_and_not_gone(tmp_path: Path) -> None:
    """A ModelWarmup names the kinds that were not listed, and what to import, until they are."""
    path, log = tmp_path / "list.json", tmp_path / "log.db"
    warm = {**raw("ModelWarmup", "warm", 10), "spec": sample()["spec"]}
    warm["spec"]["targets"] = [{"nodes": {"names": ["a", "b"]}}]
    path.write_text(listed(warm, raw("Node", "a", 11)))
    printed("import", path, log)
    told = printed("explain", "mw/team/warm", "--log", log)
    assert "which nodes it wants is not known: not every kind was listed yet" in told
    assert "(Namespace, Job, Pod)" in told
    assert "namespaces,nodes,jobs,pods -A -o json" in told
    assert "is not known" in printed("replay", log)
    none = [part for kind in ("namespaces", "jobs", "pods") for part in ("--none", kind)]
    printed("import", *none, path, tmp_path / "whole.db")
    told = printed("explain", "mw/team/warm", "--log", tmp_path / "whole.db")
    assert "is not known" not in told


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nope.json", "There is no file {}: check the path; `-` reads standard input."),
        ("nope.jsonl", "There is no file {}: check the path; `-` reads standard input."),
        ("folder", "{} is a folder: name the files in it."),
    ],
)
def test_a_source_that_is_no_file_is_named(name: str, words: str, tmp_path: Path) -> None:
    """What is wrong with it is said in words about files, and nothing is begun."""
    (tmp_path / "folder").mkdir()
    result = warmlog("import", tmp_path / name, tmp_path / "new.db")
    assert result.exit_code == ExitCode.LOG_UNREADABLE
    assert result.stderr == f"warmlog: {words.format(tmp_path / name)}\n"
    assert not (tmp_path / "new.db").exists()
