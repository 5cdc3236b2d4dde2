"""What the hydration Job's script says when it is refused, and what it keeps to itself."""

from pathlib import Path

import pytest

from machines.caches.specs import CacheSpec
from tests.hydration.containers import Container, spec_of, watched_python
from tests.hydration.hub_stub import Hub, Repo
from tests.hydration.repositories import (
    FILES,
    GOOD,
    NEW,
    REPO,
    WEIGHTS,
    WRONG,
    about,
    assert_staged,
)


@pytest.mark.parametrize(
    ("spec", "token", "words"),
    [
        (spec_of(REPO, "v9"), "", f"{REPO} has no revision v9"),
        (spec_of("acme/none", token=True), GOOD, "the hub knows no acme/none"),
        (spec_of("acme/none"), "", "acme/none is gated, private or unknown"),
        (spec_of("acme/gated"), "", "acme/gated is gated, private or unknown: the hub wants a"),
        (spec_of("acme/gated", token=True), "hf_known", "the hub refused the token for acme/gated"),
        (spec_of("acme/gated", token=True), WRONG, "the hub refused the token for acme/gated"),
        (spec_of(REPO, token=True), WRONG, f"the hub refused the token for {REPO}"),
        (
            spec_of("acme/private", token=True),
            "hf_known",
            "the hub knows no acme/private, or hides",
        ),
        (spec_of(REPO, token=True), "hf_a\nhf_b", f"the token for {REPO} is no token"),
    ],
)
def test_a_refusal_is_told_at_the_end(
    hub: Hub, tmp_path: Path, spec: CacheSpec, token: str, words: str
) -> None:
    """One line names the repository and what was refused, and no token is in it [C52]"""
    hub.valid.add("hf_known")
    hub.repos["acme/gated"] = Repo({NEW: FILES}, {"main": NEW}, gated=True)
    hub.repos["acme/private"] = Repo({NEW: FILES}, {"main": NEW}, private=True)
    container = Container(tmp_path, hub.url, spec, token)
    ended = container.run()
    assert (ended.code, container.markers()) == (1, [])
    assert ended.said.startswith(words)
    assert len(ended.said.splitlines()) == 1
    assert not token or not any(part in ended.said for part in token.split())


def test_a_rotated_token_gets_on(hub: Hub, tmp_path: Path) -> None:
    """After a refusal the next attempt with another token completes, on the same volume."""
    hub.repos[REPO].gated = True
    container = Container(tmp_path, hub.url, spec_of(REPO, token=True), WRONG)
    assert container.run().code == 1
    container.token = f"{GOOD}\n"  # a line break at the end is how many Secrets are made
    assert_staged(container, container.run())


def test_the_token_is_nowhere(hub: Hub, tmp_path: Path) -> None:
    """Neither output, nor any file, nor an argument of a process has the token in it [C44]"""
    container = Container(tmp_path, hub.url, spec_of(REPO, token=True), GOOD)
    arguments = watched_python(container)
    hub.cut_after = 1_000_000  # the library warns, and names the URL
    ended = container.run()
    assert_staged(container, ended)
    assert "Trying to resume" in ended.said
    assert "signature-that-nobody" not in ended.said
    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not [content for content in written if GOOD.encode() in content]
    assert GOOD not in ended.said + arguments.read_text()
    # It goes to the hub, and not to where the hub keeps large files.
    assert [each for each in hub.asked if GOOD in each.authorization]
    assert not [each for each in about(hub, WEIGHTS.etag) if each.authorization]


@pytest.mark.parametrize(
    ("repo", "revision"),
    [
        ("acme/tiny;touch ran", ""),
        ("acme/`touch ran`", "'; touch ran; '"),
        ("$(touch ran)/x", '"$(touch ran)"'),
        ("acme/$(HF_TOKEN)", "$(HF_HUB_CACHE)"),
        ("--help", "--version"),
        ("acme/tiny\nPROGRAM\ntouch ran", ""),
        ("../../tiny", "../../x"),
    ],
)
def test_values_are_never_code(hub: Hub, tmp_path: Path, repo: str, revision: str) -> None:
    """Even a name that validation would refuse runs nothing and is replaced by nothing [C50]"""
    container = Container(tmp_path, hub.url, spec_of(repo, revision, token=True), GOOD)
    ended = container.run()
    assert (ended.code, container.markers()) == (1, [])
    assert container.environment()["WARMLOG_REPO"] == repo
    assert container.environment()["WARMLOG_REVISION"] == revision
    assert not list(tmp_path.rglob("ran"))
    assert not [each for each in hub.asked if GOOD in each.path]
    assert sorted(path.name for path in container.volume.iterdir()) == ["lost+found"]


def test_a_hub_out_of_reach_is_told(hub: Hub, tmp_path: Path) -> None:
    """Where nobody listens, the last words name the address and the system's own words."""
    container = Container(tmp_path, "http://127.0.0.1:9", spec_of(REPO))
    ended = container.run()
    assert (ended.code, container.markers()) == (1, [])
    told = f"cannot fetch {REPO} at its default branch from http://127.0.0.1:9: "
    assert ended.last_words.startswith(told)
    assert "refused" in ended.last_words
