"""`warmlog run`: the controller, until it is told to stop."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adapters.cli.exit_codes import ExitCode
from adapters.cli.options import Context, Kubeconfig
from adapters.cli.problems import Misuse, Problem
from adapters.cli.recordings import run

if TYPE_CHECKING:
    from adapters.settings import RunSettings


Log = Annotated[
    str,
    typer.Option(
        metavar="LOG", envvar="WARMLOG_LOG", help="The log's database URL or SQLite file."
    ),
]
Listen = Annotated[str, typer.Option(metavar="HOST:PORT", help="Where health is served.")]
ClusterName = Annotated[
    str, typer.Option(metavar="NAME", help="What the cluster is called in the log.")
]
Lease = Annotated[
    bool, typer.Option(help="Hold a Lease, so that a second controller waits its turn.")
]
LeaseNamespace = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Where the Lease is; else the Pod's own, or warmlog-system."),
]
LeaseName = Annotated[str, typer.Option(metavar="NAME", help="What the Lease is called.")]
LeaseSeconds = Annotated[
    int,
    typer.Option(
        metavar="SECONDS", help="How long the Lease holds if it is not renewed, 3 to 3600."
    ),
]
MessageFormat = Annotated[
    str | None,
    typer.Option(
        metavar="json|console",
        help="How its own messages are written to stderr; else console on a terminal.",
    ),
]
RequestSeconds = Annotated[
    float, typer.Option(metavar="SECONDS", help="How long one request to a cluster may take.")
]


def register(app: typer.Typer) -> None:
    """Hang the command onto `warmlog`."""
    app.command("run")(_run)


def _run(
    log: Log = "sqlite:///warmlog.db",
    listen: Listen = "127.0.0.1:8080",
    kubeconfig: Kubeconfig = None,
    context: Context = None,
    cluster_name: ClusterName = "local",
    lease: Lease = True,
    lease_namespace: LeaseNamespace = None,
    lease_name: LeaseName = "warmlog",
    lease_duration_seconds: LeaseSeconds = 30,
    log_format: MessageFormat = None,
    request_timeout_seconds: RequestSeconds = 10.0,
) -> int:
    """Run the controller on a cluster.

    It stops at SIGTERM or Ctrl-C; a log that is missing is made.
    """
    settings = _checked(
        log=log,
        listen=listen,
        kubeconfig=kubeconfig,
        context=context,
        cluster_name=cluster_name,
        use_lease=lease,
        lease_namespace=lease_namespace,
        lease_name=lease_name,
        lease_duration_seconds=lease_duration_seconds,
        log_format=log_format or ("console" if sys.stderr.isatty() else "json"),
        request_timeout_seconds=request_timeout_seconds,
    )
    return _controlled(settings)


def _controlled(settings: "RunSettings") -> int:
    from adapters.cli.messages import configure
    from adapters.composing import SettingsConflict, run_controller
    from adapters.http.serving import ListenRefused
    from adapters.kubernetes.configuring import AccessUnusable

    configure(settings.log_format)
    try:
        return run(run_controller(settings))
    except (SettingsConflict, ListenRefused) as error:
        raise Misuse(str(error)) from error
    except AccessUnusable as error:
        raise Problem(ExitCode.CLUSTER_UNUSABLE, str(error)) from error


def _checked(**given: Any) -> "RunSettings":
    """Check what was given. Raises Misuse, which names the option."""
    from pydantic import ValidationError

    from adapters.settings import RunSettings, own_namespace

    given["lease_namespace"] = given["lease_namespace"] or own_namespace()
    try:
        return RunSettings(**given)
    except ValidationError as error:
        first = error.errors()[0]
        option = str(first["loc"][0]).replace("_", "-")
        words = first["msg"].removeprefix("Value error, ")
        raise Misuse(f"--{option}: {words}.") from error
