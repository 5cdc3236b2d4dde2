"""Mutate, judge, report: `python -m property_tests.mutating --sample 60 --seed 1`, or `--all`.

Ends with 1 when a mutant survives that `survivors.toml` does not list.
"""

import argparse
import random
import sys
from pathlib import Path

from property_tests.mutating.examples import trials
from property_tests.mutating.judging import judge_all
from property_tests.mutating.mutants import Mutant, all_mutants
from property_tests.mutating.reaching import measure
from property_tests.mutating.reporting import Report

EVERY = 25  # so many mutants between two lines of progress, and two states of the report


def main() -> int:
    """Do it."""
    options = _options()
    mutants = _chosen(list(all_mutants()), options)
    tried = list(trials())
    _say(f"{len(mutants)} mutants, {len(tried)} trials")
    reach = measure(tried, options.workers)
    report = Report()
    for mutant, verdict in judge_all(mutants, reach, options.workers):
        report.add(mutant, verdict)
        if verdict.survived:
            _say(f"survived: {mutant}")
        if len(report.judged) % EVERY == 0:
            score = report.score()
            _say(f"{score.mutants} of {len(mutants)}: {score.raw:.1%} killed")
            report.write(options.report)
    report.write(options.report)
    _say(report.words())
    return 1 if report.unlisted else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m property_tests.mutating")
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--sample", type=int, help="judge so many of them")
    which.add_argument("--all", action="store_true", help="judge each")
    parser.add_argument("--seed", type=int, default=1, help="which sample")
    parser.add_argument("--module", default="", help="only those of paths that hold this text")
    parser.add_argument("--workers", type=int, default=2, help="processes at a time")
    parser.add_argument("--report", type=Path, default=Path("out/mutants.json"))
    return parser.parse_args()


def _chosen(mutants: list[Mutant], options: argparse.Namespace) -> list[Mutant]:
    found = [one for one in mutants if options.module in one.path]
    if options.all:
        return found
    return random.Random(options.seed).sample(found, min(options.sample, len(found)))


def _say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
