"""Entering: `warmlog` as a program, which imports no more than the command that was called.

With it all it would take a second before anything is read. Whatever is no command's name, such as
an option, is for the whole of `main`.
"""

import contextlib
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from adapters.cli.exit_codes import ExitCode
from adapters.cli.problems import Problem, code_of, complain
from engine.errors import WarmlogError

# Modules of this package, by the commands that they hang in.
MODULES = {
    "run": "running",
    "demo": "demonstrating",
    "record": "recording_clusters",
    "replay": "replaying",
    "explain": "explaining",
    "watch": "watching",
    "timeline": "charting",
    "validate": "validating",
    "plan": "planning",
    "retry": "retrying",
    "verify": "verifying",
    "diff": "comparing",
    "lint": "linting",
    "what-if": "supposing",
    "export": "exporting",
    "import": "importing",
    "machines": "diagrams",
    "uninstall": "uninstalling",
}


class Commands(TyperGroup):
    """The commands; whatever a user can cause ends in one sentence and a documented code."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command until all that it printed is out."""
        try:
            code = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError as error:
            _silence_output()
            raise Problem(ExitCode.PIPE_CLOSED, "") from error
        return code

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command and exit with its code."""
        try:
            code = super().main(
                args,
                prog_name,
                complete_var,
                windows_expand_args=windows_expand_args,
                standalone_mode=False,
                **extra,
            )
        except Exception as error:
            code = _explained(error)
            if code is None:
                raise
        if not standalone_mode:
            return code
        sys.exit(code or ExitCode.OK)


def _explained(error: Exception) -> ExitCode | None:
    """Say what a user can do about an error, and give its code; None for an error of ours."""
    match error:
        case Problem():
            if error.code is not ExitCode.PIPE_CLOSED:  # who left does not listen
                complain(str(error))
            return error.code
        case WarmlogError():
            complain(str(error))
            return code_of(error)
        case typer.TyperException():
            return _misused(error)
        case typer.Abort():
            return ExitCode.INTERRUPTED
        case ExceptionGroup():
            return _explained_together(error)
        case OSError():
            where = f" ({error.filename})" if error.filename else ""
            complain(f"The output cannot be written: {error.strerror}{where}.")
            _silence_output()
            return ExitCode.OUTPUT_FAILED
    return None


def _explained_together(group: ExceptionGroup[Exception]) -> ExitCode | None:
    """Explain the first of several errors, if a user can cause each of them."""
    errors = _leaves(group)
    if not all(isinstance(error, WarmlogError | Problem) for error in errors):
        return None
    return _explained(errors[0])


def _leaves(group: ExceptionGroup[Exception]) -> list[Exception]:
    found: list[Exception] = []
    for error in group.exceptions:
        found += _leaves(error) if isinstance(error, ExceptionGroup) else [error]
    return found


def _misused(error: typer.TyperException) -> ExitCode:
    words = error.format_message()
    context = getattr(error, "ctx", None)
    if context is None:
        complain(words)
    elif len(words.splitlines()) > 1:  # no arguments at all: its words are the help
        sys.stderr.write(words + "\n")
    else:
        complain(f"{words.rstrip('.')}. Try `{context.command_path} --help`.")
    return ExitCode.USAGE


def _silence_output() -> None:
    """Let nothing be written when Python flushes at its end: nobody reads any more."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def new_app() -> typer.Typer:
    """Give `warmlog` without a command."""
    app = typer.Typer(
        name="warmlog",
        cls=Commands,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_warmlog)
    return app


def app_for(arguments: Sequence[str]) -> typer.Typer:
    """Give `warmlog` with the command that is called, or with all where none is."""
    module = MODULES.get(arguments[0]) if arguments else None
    if module is None:
        whole: typer.Typer = import_module("adapters.cli.main").app
        return whole
    app = new_app()
    import_module(f"adapters.cli.{module}").register(app)
    return app


def _show_version(wanted: bool) -> None:
    if wanted:
        from adapters.code_digests import code_digest, code_version

        typer.echo(f"warmlog {code_version()} (code {code_digest()[:8]})")
        raise typer.Exit


def _warmlog(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Get models onto nodes before traffic arrives, and say why not yet.

    LOG is a database URL, a SQLite or .jsonl file, or http://HOST:PORT of a running controller.
    """


def main() -> None:
    """Run `warmlog`."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets its code instead of a traceback.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    app_for(sys.argv[1:])()


if __name__ == "__main__":
    main()
