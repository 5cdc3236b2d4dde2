"""`make soak`: play worlds for so long, and say what came of it. Exits with 1 when one breaks."""

import os
import sys
import time
from typing import Annotated

import typer

from property_tests.playing.corpora import fewest, write_corpus
from property_tests.playing.soaking import Soak


def main(
    duration_seconds: Annotated[float, typer.Argument(help="For how long.")] = 60,
    workers: Annotated[str, typer.Option(help="Processes; auto: one on each core.")] = "auto",
    first_seed: Annotated[
        int | None, typer.Option(help="Where to begin; else today's seconds, never the same.")
    ] = None,
    keep: Annotated[  # noqa: FBT002 -- a flag of the command line
        bool, typer.Option(help="Keep what reached something new in the corpus.")
    ] = False,
) -> None:
    """Play worlds of all sorts until the time is over."""
    first = int(time.time()) if first_seed is None else first_seed
    soak = Soak(
        duration_seconds, (os.cpu_count() or 1) if workers == "auto" else int(workers), first
    )
    soak.run()
    if keep:
        write_corpus(fewest(soak.tally.features))
    sys.stdout.write(soak.summary() + "\n")
    raise typer.Exit(bool(soak.tally.broken))


if __name__ == "__main__":
    typer.run(main)
