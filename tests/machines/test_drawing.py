"""The page about the machines, drawn from their tables."""

from pathlib import Path

import pytest

from adapters.cli.documenting import PAGES, is_fresh, main
from machines.drawing import MACHINES, draw, markdown, mermaid


def test_every_move_is_an_arrow() -> None:
    """A diagram has one arrow for each legal pair of state and trigger, and no other."""
    for table in MACHINES:
        arrows = {line.strip() for line in mermaid(table).splitlines() if ": " in line}
        assert arrows == {
            f"{source.value} --> {dest.value}: {trigger.value}"
            for (source, trigger), dest in table.moves.items()
        }


def test_final_states_are_marked() -> None:
    """A state that no trigger leaves has an arrow to the end, and only such a one."""
    for table in MACHINES:
        ends = {line.split()[0] for line in mermaid(table).splitlines() if line.endswith("[*]")}
        assert ends == {state.value for state in table.states if not table.legal_triggers(state)}


def test_the_page_tells_every_state_and_trigger() -> None:
    """The page holds each machine's essay, all of its states, and a row for each of its moves."""
    page = markdown()
    for table in MACHINES:
        assert draw(table) in page
        for state in table.states:
            assert f"- **{state.value}**: " in draw(table)
        for (source, trigger), dest in table.moves.items():
            assert f"| {source.value} | `{trigger.value}` | {dest.value} |" in draw(table)


def test_the_page_in_the_repository_is_fresh() -> None:
    """What is drawn from the code says what the code says today; --check exits with 0."""
    assert main(["--check"]) == 0


@pytest.mark.parametrize("page", PAGES)
def test_writing_and_checking(
    page: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """--check exits with 1 and names the page until it was written; then both agree."""
    written = tmp_path / page
    assert main(["--check", "--folder", str(tmp_path)]) == 1
    assert str(written) in capsys.readouterr().err
    assert main(["--folder", str(tmp_path)]) == 0
    assert is_fresh(written)
    written.write_text(written.read_text(encoding="utf-8") + "more", encoding="utf-8")
    assert main(["--check", "--folder", str(tmp_path)]) == 1
