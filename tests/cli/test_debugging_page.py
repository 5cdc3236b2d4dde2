"""docs/debugging.md shows its commands and their output as they are."""

from tests.cli.debugging_page import PAGE, commands, rewritten


def test_the_page_shows_what_its_commands_print() -> None:
    """Each block holds the output of its command: `python -m tests.cli.debugging_page`."""
    text = PAGE.read_text()
    assert rewritten(text) == text


def test_the_page_tells_its_stories_with_the_commands_that_users_have() -> None:
    """Three stories, each from a status to its explanation."""
    told = [command.split()[1] for command in commands(PAGE.read_text())]
    assert told.count("explain") >= 3
    assert {"replay", "explain", "retry", "verify"} <= set(told)
