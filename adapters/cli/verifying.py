"""`warmlog verify`: whether this code would have decided and shown what the recordings did."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Annotated, Any

import typer

from adapters.cli.divergences import JsonReport, Report, TextReport, Verified
from adapters.cli.exit_codes import ExitCode
from adapters.cli.expectations import (
    Expectation,
    expectation_json,
    read_expectations,
    write_expectations,
)
from adapters.cli.options import LOG_HELP
from adapters.cli.printing import Format
from adapters.cli.problems import Problem, code_of, complain
from adapters.cli.recordings import Recording, recording, run
from adapters.code_digests import code_version
from engine.errors import WarmlogError
from engine.narrowing import Narrowed, Narrowing
from engine.verifying import Divergence, Judge, Verification
from machines.attesting import Attesting
from machines.courses import Recorder
from machines.domain import WARMLOG
from machines.expecting import Expecting
from machines.states import State

MakeJudge = Callable[[], Judge[State]]


def register(app: typer.Typer) -> None:
    """Hang the command onto `warmlog`."""
    app.command("verify")(_verify)


def _verify(
    logs: Annotated[list[str], typer.Argument(metavar="LOG…", help=LOG_HELP)],
    all_of_them: Annotated[
        bool, typer.Option("--all", help="Every divergence, not only the first of each log.")
    ] = False,
    expect: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="What the objects went through when that was written."),
    ] = None,
    write_expected: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write what the objects go through, for --expect."),
    ] = None,
    output: Annotated[Format, typer.Option("-o", "--output", help="What to print.")] = Format.TEXT,
) -> ExitCode:
    """Decide again, and compare.

    Wherever a recording decided, this code decides too, and what it says of statuses must be so
    here; the first difference is printed, with the fields and the objects that it takes.

    What another version recorded is judged by phases, outcomes and mounts alone.
    """
    expected = read_expectations(expect) if expect else None
    verifying = _Verifying(expected, all_of_them, output, many=len(logs) > 1)
    return run(verifying.run(logs, write_expected))


class _Verifying:
    """One run of the command."""

    def __init__(
        self,
        expected: dict[str, Expectation] | None,
        all_of_them: bool,
        output: Format,
        *,
        many: bool,
    ) -> None:
        self._expected = expected
        self._all = all_of_them
        self._many = many
        self._report: Report = JsonReport() if output is Format.JSON else TextReport()
        self._keep: dict[str, dict[str, Any]] | None = None

    async def run(self, logs: list[str], write: Path | None) -> ExitCode:
        """Verify each log; a log that cannot be read stops no other one."""
        self._keep = {} if write else None
        codes = []
        for log in logs:
            try:
                codes.append(await self._verify(log))
            except WarmlogError as error:
                complain(f"{log}: {error}" if self._many else str(error))
                self._report.broken(log, str(error))
                codes.append(code_of(error))
        self._report.end()
        if write and self._keep is not None:
            write_expectations(write, self._keep)
        bad = [code for code in codes if code is not ExitCode.OK]
        return ExitCode.DIFFERENT if ExitCode.DIFFERENT in bad else next(iter(bad), ExitCode.OK)

    async def _verify(self, log: str) -> ExitCode:
        async with recording(log) as source:
            log_id = (await source.identify()).log_id
            make_judge = self._judge_of(source, log_id)
            self._report.begin(f"{source.place}: " if self._many else "")
            count = 0
            async with aclosing(self._divergences(source, log_id, make_judge())) as found:
                async for each in found:
                    count += 1
                    if count == 1 or self._all:
                        narrowed = await _look_into(log, each, make_judge) if count == 1 else None
                        self._report.divergence(each, narrowed)
                    if not self._all and self._keep is None:
                        break
            self._report.close(Verified(source, log_id, count, self._all))
            code = source.close_account("verified")
            return ExitCode.DIFFERENT if count else code

    def _judge_of(self, source: Recording, log_id: str) -> MakeJudge:
        if self._expected is None:
            return lambda: Attesting(code_version())
        one = self._expected.get(log_id)
        if one is None:
            words = f"nothing is expected of the log {source.place} ({log_id}): leave it out, or "
            raise Problem(ExitCode.USAGE, f"{words}add it with --write-expected.")
        return lambda: Expecting(Attesting(code_version()), one.courses, one.position)

    async def _divergences(
        self, source: Recording, log_id: str, judge: Judge[State]
    ) -> AsyncGenerator[Divergence, None]:
        verification, recorder = Verification(WARMLOG, log_id, judge), Recorder()
        async with aclosing(source.read()) as batches:
            async for batch in batches:
                for event in batch:
                    found = verification.take(event)
                    if self._keep is not None:
                        recorder.take(verification.state, event)
                    if found is not None:
                        yield found
        found = verification.end()
        # What the recording decided at its end may stand behind a cut.
        if found is not None and source.cut is None:
            yield found
        if self._keep is not None:
            self._keep[log_id] = expectation_json(recorder, source.position)


async def _look_into(log: str, each: Divergence, make_judge: MakeJudge) -> Narrowed:
    async with recording(log) as source:
        return await Narrowing(WARMLOG, each, make_judge).look_into(source)
