"""Mutate, judge, report: `python -m property_tests.mutating --sample 60 --seed 1`, or `--all`.

What came of each mutant of a whole run is kept in `out/mutants`, by module, and not tried again
unless it survived and `--again` is asked for, best with `--patience 10`: each may then take so many
times as long as usual, and stands nearly all that comes by it. Ends with 1 when a mutant survives
that `survivors.toml` does not list; with `--least 0.6` only when less than that share is killed.
"""

import argparse
import random
import sys
from pathlib import Path
from typing import Any

from property_tests.mutating import again, examples, hand_written
from property_tests.mutating.checking_types import refusals
from property_tests.mutating.judging import judge_all
from property_tests.mutating.keeping import Kept
from property_tests.mutating.mutants import Mutant, all_mutants
from property_tests.mutating.reaching import measure
from property_tests.mutating.reporting import Report

EVERY = 25  # so many mutants between two lines of progress, and two states of the report


def main() -> int:
    """Do it."""
    options = _options()
    mutants = [
        one for one in all_mutants(wide=options.wide) if _is_asked_for(one.path, options.module)
    ]
    kept, report = Kept(), Report()
    if options.sample:
        mutants = random.Random(options.seed).sample(mutants, min(options.sample, len(mutants)))
    else:
        for one in kept.of(mutants):
            if not (options.again and one[1].survived):
                report.add(*one)
    known = {mutant for mutant, _ in report.judged}
    left = [one for one in mutants if one not in known]
    random.Random(options.seed).shuffle(left)  # so that a part of a run stands for all of it
    if left:
        _judge(left, kept, report, options)
    report.refuse(refusals(report.unlisted))
    report.write(options.report)
    _say(report.words())
    if options.least is not None:
        return int(report.score().killed_share < options.least)
    return 1 if report.unlisted else 0


def _judge(mutants: list[Mutant], kept: Kept, report: Report, options: argparse.Namespace) -> None:
    drawn: dict[str, list[Any]] = {}
    made: list[hand_written.Made] = []
    tried = [*hand_written.trials(made), *examples.trials(drawn), *again.trials(drawn, made)]
    _say(f"{len(mutants)} mutants, {len(tried)} trials")
    reach = measure(tried, options.workers)
    how = {"apart": options.apart, "patience": options.patience}
    every = judge_all(mutants, reach, options.workers, **how)
    for number, (mutant, verdict) in enumerate(every, 1):
        report.add(mutant, verdict)
        if not options.sample:
            kept.keep(mutant, verdict)
        if verdict.survived:
            _say(f"survived: {mutant}")
        if number % EVERY == 0:
            _say(f"{number} of {len(mutants)}: {report.score().killed_share:.1%} killed")
            kept.write()
            report.write(options.report)
    kept.write()


def _is_asked_for(path: str, asked: str) -> bool:
    return any(one in path for one in asked.split(","))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m property_tests.mutating")
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--sample", type=int, help="judge so many of them")
    which.add_argument("--all", action="store_true", help="judge each that was not judged yet")
    parser.add_argument("--again", action="store_true", help="with --all: survivors once more")
    parser.add_argument("--wide", action="store_true", help="change more than rows and branches")
    parser.add_argument("--apart", action="store_true", help="say which only recorded logs kill")
    parser.add_argument("--seed", type=int, default=1, help="which sample")
    parser.add_argument("--module", default="", help="those whose paths hold one of these, A,B")
    parser.add_argument("--least", type=float, help="the share that has to be killed, 0 to 1")
    parser.add_argument("--patience", type=float, default=1.0, help="times the usual seconds")
    parser.add_argument("--workers", type=int, default=2, help="processes at a time")
    parser.add_argument("--report", type=Path, default=Path("out/mutants.json"))
    return parser.parse_args()


def _say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
