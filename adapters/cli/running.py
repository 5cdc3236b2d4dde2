"""`warmlog run`: the controller, until it is told to stop."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adapters.cli.exit_codes import ExitCode
from adapters.cli.options import LOG_VARIABLE, Context, Kubeconfig
from adapters.cli.problems import Misuse, Problem
from adapters.cli.recordings import run

if TYPE_CHECKING:
    from adapters.settings import RunSettings


Log = Annotated[
    str,
    typer.Option(metavar="LOG", envvar=LOG_VARIABLE, help="The log's database URL or SQLite file."),
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

ClusterSecrets = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Where kubeconfig Secrets of InferenceClusters are; else modelplane-system if it"
        " exists, else its own namespace.",
    ),
]
WorkloadNamespace = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="One namespace for all that caches and replicas have; else one for each of theirs.",
    ),
]
HealSeconds = Annotated[
    int,
    typer.Option(
        metavar="SECONDS", help="How long a claim waits for a node that is gone before it is freed."
    ),
]
RetrySeconds = Annotated[
    int,
    typer.Option(metavar="SECONDS", help="Before a failed hydration is tried again; it doubles."),
]
HydrationImage = Annotated[str, typer.Option(metavar="IMAGE", help="What hydration Jobs run.")]
HydrationResources = Annotated[
    str, typer.Option(metavar="JSON", help='Like {"requests":{"memory":"2Gi"}}.')
]
HydrationTolerations = Annotated[
    str, typer.Option(metavar="JSON", help='Like [{"key":"gpu","operator":"Exists"}].')
]
HydrationEnv = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help="For hydration Jobs: HTTPS_PROXY, HF_ENDPOINT, PIP_INDEX_URL. May be repeated.",
    ),
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
    cluster_secret_namespace: ClusterSecrets = None,
    workload_namespace: WorkloadNamespace = None,
    heal_seconds: HealSeconds = 300,
    retry_seconds: RetrySeconds = 60,
    hydration_image: HydrationImage = "python:3.11-slim",
    hydration_resources: HydrationResources = "{}",
    hydration_tolerations: HydrationTolerations = "[]",
    hydration_env: HydrationEnv = None,
) -> int:
    """Run the controller on a cluster.

    It stops at SIGTERM or Ctrl-C; a log that is missing is made.
    """
    # The options bear the names of the settings; what was not given has the setting's default.
    given = {name: value for name, value in locals().items() if value is not None}
    given["use_lease"] = given.pop("lease")
    given.setdefault("log_format", "console" if sys.stderr.isatty() else "json")
    return _controlled(checked(given))


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


def checked(given: dict[str, Any]) -> "RunSettings":
    """Check what was given. Raises Misuse, which names the option."""
    from pydantic import ValidationError

    from adapters.settings import RunSettings, own_namespace

    given["own_namespace"] = own_namespace()
    given.setdefault("lease_namespace", given["own_namespace"])
    try:
        return RunSettings(**given)
    except ValidationError as error:
        first = error.errors()[0]
        option = str(first["loc"][0]).replace("_", "-")
        words = first["msg"].removeprefix("Value error, ")
        raise Misuse(f"--{option}: {words}.") from error
