"""The scripts inside the samples, run for real with programs of the test's own beside them."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.samples.manifests import container, manifest

NODE, ENGINES = "node-precheck", ("vllm-qwen-warmup", "sglang-qwen-warmup")
ENOUGH_DISK = {NODE: 1048576, **dict.fromkeys(ENGINES, 10485760)}
ENOUGH_MEMORY = 4194304
FOUND = "Server:\t\t10.96.0.10\n\nName:\thuggingface.co\nAddress: 18.164.174.23"
NOT_FOUND = "Server:\t\t10.96.0.10\n\n** server can't find huggingface.co: NXDOMAIN"


class Node:
    """What a script finds on its node: the folder, and what the programs there say."""

    def __init__(self, root: Path) -> None:
        """A node where all is well for every sample."""
        self.folder = root / "models"
        self.folder.mkdir()
        self._programs = root / "programs"
        self._programs.mkdir()
        self._memory = root / "meminfo"
        self.has_disk(ENOUGH_DISK[ENGINES[0]])
        self.has_processors(2)
        self.has_memory(ENOUGH_MEMORY)
        # What some resolvers do: the name has no address of the other family.
        self.says("nslookup", FOUND, exit_code=1)

    def has_disk(self, kibibytes: int) -> None:
        """Free disk."""
        header = "Filesystem 1024-blocks Used Available Capacity Mounted on"
        self.says("df", f"{header}\n/dev/sda1 99999999 7 {kibibytes} 1% /models")

    def has_processors(self, count: int) -> None:
        """Processors."""
        self.says("nproc", str(count))

    def has_memory(self, kibibytes: int) -> None:
        """Available memory, among lines that look like it."""
        lines = ("MemTotal: 99999999 kB", f"MemAvailable: {kibibytes} kB", "MemFree: 99999999 kB")
        self._memory.write_text("\n".join(lines))

    def says(self, program: str, words: str, exit_code: int = 0) -> None:
        """Let a program of this node say something."""
        file = self._programs / program
        file.write_text(f"#!/bin/sh\ncat <<'END'\n{words}\nEND\nexit {exit_code}\n")
        file.chmod(0o755)

    def really_has(self, program: str) -> None:
        """Let a program be the machine's own."""
        (self._programs / program).unlink()

    def runs(self, sample: str, folder: str | Path = "") -> tuple[int, list[str]]:
        """Run a sample's precheck; give the exit code and the lines of what it wrote."""
        precheck = container(sample, "precheck")
        assert precheck["command"] == ["sh", "-c"]
        [script] = precheck["args"]
        script = script.replace("/proc/meminfo", str(self._memory))
        script = script.replace("/models", str(folder or self.folder))
        done = subprocess.run(
            ["sh", "-c", script],
            env={"PATH": f"{self._programs}:/usr/local/bin:/usr/bin:/bin"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout.splitlines()


@pytest.fixture
def node(tmp_path: Path) -> Node:
    """A node where all is well, just so."""
    return Node(tmp_path)


@pytest.mark.parametrize("sample", ENOUGH_DISK)
def test_a_node_with_just_enough_passes(node: Node, sample: str) -> None:
    """The least of everything is enough, the folder stays empty, and one line says so."""
    node.has_disk(ENOUGH_DISK[sample])
    code, said = node.runs(sample)
    assert (code, len(said)) == (0, 1), said
    assert list(node.folder.iterdir()) == []


@pytest.mark.parametrize("sample", ENOUGH_DISK)
def test_too_little_disk_fails_with_both_figures(node: Node, sample: str) -> None:
    """One KiB less than needed is too little; what is there and what is needed are said."""
    needed = ENOUGH_DISK[sample]
    node.has_disk(needed - 1)
    code, [said] = node.runs(sample)
    assert code == 1
    assert str(needed) in said
    assert str(needed - 1) in said


@pytest.mark.parametrize("sample", ENOUGH_DISK)
def test_an_unwritable_folder_fails(node: Node, sample: str) -> None:
    """Where not even root can make a file, the check fails and names the folder."""
    code, said = node.runs(sample, folder="/proc")
    assert code == 1
    assert "/proc cannot be written to" in said
    assert len(said) == 2, "the program's own words why, and ours"


@pytest.mark.parametrize("sample", ENOUGH_DISK)
def test_a_disk_that_says_nothing_is_not_enough(node: Node, sample: str) -> None:
    """When df fails, its figure is unknown, and unknown is not enough."""
    node.says("df", "df: /models: can't find mount point", exit_code=1)
    code, said = node.runs(sample)
    assert code == 1
    assert any("unknown" in line for line in said)


def test_the_machines_own_df_is_understood(node: Node) -> None:
    """The figure is found in what a real df prints."""
    node.really_has("df")
    _, [said] = node.runs(NODE)
    [free] = [int(word) for word in said.split() if word.isdigit()][:1]
    assert free * 1024 == pytest.approx(shutil.disk_usage(node.folder).free, rel=0.2)


@pytest.mark.parametrize("sample", ENGINES)
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda node: node.has_processors(1), "processors: 1 of at least 2 CPUs"),
        (
            lambda node: node.has_memory(4194303),
            "available memory: 4194303 of at least 4194304 KiB",
        ),
        (lambda node: node.says("nslookup", NOT_FOUND), "no DNS for huggingface.co"),
    ],
    ids=["processors", "memory", "DNS"],
)
def test_what_an_engine_lacks_is_said(
    node: Node, sample: str, change: Callable[[Node], None], words: str
) -> None:
    """Too few processors, too little memory and a name that cannot be resolved each fail."""
    change(node)
    assert node.runs(sample) == (1, [words])


@pytest.mark.parametrize("sample", ENGINES)
def test_all_that_an_engine_lacks_is_said_at_once(node: Node, sample: str) -> None:
    """One run of the check names every fault of the node."""
    node.has_disk(1)
    node.has_processors(1)
    node.has_memory(1)
    node.says("nslookup", NOT_FOUND)
    code, said = node.runs(sample)
    assert (code, len(said)) == (1, 4)


def test_the_command_of_sglang_prints_its_version(tmp_path: Path) -> None:
    """The Python in the sample runs, and prints the version of the package that it finds."""
    (tmp_path / "sglang.py").write_text('__version__ = "0.5.5.post3"\n')
    [image] = manifest("sglang-qwen-warmup")["spec"]["imagePreload"]["images"]
    program, *arguments = image["command"]
    assert program == "python3"
    printed = subprocess.run(
        [sys.executable, *arguments],
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert printed.stdout == "0.5.5.post3\n"
