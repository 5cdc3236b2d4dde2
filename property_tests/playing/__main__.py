"""Play a seed or a saved story again, and print what happened: `python -m property_tests.playing`.

Exits with 1 when it breaks.
"""

import sys
from pathlib import Path
from typing import Annotated

import typer

from property_tests.playing.drawing import LEAST_ROWS, draw_and_play
from property_tests.playing.performing import Played, try_out
from property_tests.playing.quieting import be_quiet
from property_tests.playing.saving import FOLDER, load, save
from property_tests.playing.shrinking import shrink_played
from property_tests.playing.telling import tell_rows
from property_tests.playing.worlds import WORLDS


def main(
    story: Annotated[Path | None, typer.Argument(help="A saved story; else --seed.")] = None,
    seed: Annotated[int | None, typer.Option(help="Make up the story of this seed.")] = None,
    world: Annotated[str, typer.Option(help=f"{', '.join(WORLDS)}; else as the seed says.")] = "",
    least_rows: Annotated[int, typer.Option(help="How long the story goes on.")] = LEAST_ROWS,
    shrink: Annotated[  # noqa: FBT002 -- a flag of the command line
        bool, typer.Option(help="Shrink it when it breaks.")
    ] = False,
) -> None:
    """Play a story, print what happened and its log, and save both."""
    be_quiet()
    played = _played(story, seed, world, least_rows)
    if shrink and played.breach is not None:
        played = shrink_played(played)
    name = f"{story.stem}-again" if story is not None else ""
    sys.stdout.write(f"{tell_rows(played.rows)}\n\n{save(played, FOLDER, name)}\n")
    raise typer.Exit(played.breach is not None)


def _played(story: Path | None, seed: int | None, world: str, least_rows: int) -> Played:
    if story is not None:
        return try_out(load(story))
    if seed is None:
        raise typer.BadParameter("name the FILE of a story, or a --seed")
    if world and world not in WORLDS:
        raise typer.BadParameter(f"{world!r} is none of {', '.join(WORLDS)}")
    return draw_and_play(seed, world=world or None, least_rows=least_rows)


if __name__ == "__main__":
    typer.run(main)
