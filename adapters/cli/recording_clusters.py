"""`warmlog record`: a live cluster into a file, without changing anything in it."""

import shlex
import sys
import time
from typing import Annotated, Any

import typer

from adapters.cli.exit_codes import ExitCode
from adapters.cli.options import Context, Kubeconfig
from adapters.cli.printing import Format, Page, print_json
from adapters.cli.problems import Misuse, Problem
from adapters.cli.recording_screens import Account, screen
from adapters.cli.recordings import run
from adapters.cli.running import ClusterName, ClusterSecrets, RequestSeconds, WorkloadNamespace
from adapters.cli.texts import command
from adapters.texts import counted

Out = Annotated[str, typer.Option("--out", metavar="FILE", help="A .jsonl file, or a SQLite file.")]
MaxSize = Annotated[
    int,
    typer.Option(
        metavar="MIB", min=0, help="How large a file grows before the next one; 0: without end."
    ),
]
Keep = Annotated[
    int,
    typer.Option(metavar="N", min=0, help="How many files are kept, the newest ones; 0: all."),
]
Duration = Annotated[
    float | None,
    typer.Option(metavar="SECONDS", min=0, help="When to stop; else at Ctrl-C or SIGTERM."),
]


def register(app: typer.Typer) -> None:
    """Hang the command onto `warmlog`."""
    app.command("record")(_record)


def _record(
    out: Out,
    kubeconfig: Kubeconfig = None,
    context: Context = None,
    cluster_name: ClusterName = "local",
    max_size_mib: MaxSize = 64,
    keep: Keep = 0,
    duration_seconds: Duration = None,
    request_timeout_seconds: RequestSeconds = 10.0,
    cluster_secret_namespace: ClusterSecrets = None,
    workload_namespace: WorkloadNamespace = None,
    output: Annotated[Format, typer.Option("-o", "--output", help="What to print.")] = Format.TEXT,
) -> ExitCode:
    """Record what a controller would see of a cluster, and change nothing there.

    It stops at SIGTERM or Ctrl-C, and goes on where it stopped when it is started again.
    """
    given = {
        "kubeconfig": kubeconfig,
        "context": context,
        "cluster_name": cluster_name,
        "request_timeout_seconds": request_timeout_seconds,
        "cluster_secret_namespace": cluster_secret_namespace,
        "workload_namespace": workload_namespace,
    }
    told = {name: value for name, value in given.items() if value is not None}
    begun = time.monotonic()
    account = _recorded(out, told, max_size_mib, keep, duration_seconds)
    seconds = time.monotonic() - begun
    if output is Format.JSON:
        print_json(account.to_json(seconds))
    else:
        _print_end(account, seconds)
    return ExitCode.INCOMPLETE if account.missing else ExitCode.OK


def _recorded(
    out: str, told: dict[str, Any], max_size_mib: int, keep: int, duration_seconds: float | None
) -> Account:
    from adapters.cli.messages import configure
    from adapters.cli.running import checked
    from adapters.kubernetes.configuring import AccessUnusable
    from adapters.recording.composing import RecordSettings, record_cluster
    from adapters.recording.opening import NoRecording, check_place
    from adapters.settings import LogFormat

    configure(LogFormat.CONSOLE, "error")  # all else is said in sentences
    try:
        path = check_place(out)
        settings = RecordSettings(path, checked(told), max_size_mib, keep, duration_seconds)
        with screen() as shown:
            recorded = run(record_cluster(settings, shown))
    except NoRecording as error:
        raise Misuse(f"--out: {error}") from error
    except AccessUnusable as error:
        raise Problem(ExitCode.CLUSTER_UNUSABLE, str(error)) from error
    return shown.ended(recorded)


def _print_end(account: Account, seconds: float) -> None:
    page = Page()
    files = ", ".join(map(str, account.paths))
    told = f"{counted(account.rows, 'row')} recorded in {seconds:.1f} s into {files}"
    page.line(told, whole=True)
    newest, typed = shlex.quote(str(account.paths[-1])), command()
    page.line("Look at it with", whole=True)
    page.line(f"{typed} replay {newest}", indent=2, whole=True)
    if account.example:
        page.line(f"{typed} explain {account.example} --log {newest}", indent=2, whole=True)
    page.line(f"{typed} what-if {newest}", indent=2, whole=True)
    sys.stdout.flush()
