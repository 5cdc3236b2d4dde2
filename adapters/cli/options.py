"""Options that several commands have, each declared once, and which of them exclude each other."""

from typing import Annotated

import typer

from adapters.cli.problems import Misuse
from adapters.explaining import moments, references

LOG_HELP = "A database URL, a SQLite or .jsonl file, or http://HOST:PORT of a running controller."
LOG_VARIABLE = "WARMLOG_LOG"

At = Annotated[str | None, typer.Option("--at", metavar="SEQ|TIME", help=moments.HELP)]
OnlyObject = Annotated[
    str | None,
    typer.Option("--object", metavar="REF", help=f"Only this object: {references.HELP}"),
]
Kubeconfig = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Else KUBECONFIG, the Pod's account, or ~/.kube/config."),
]
Context = Annotated[str | None, typer.Option(metavar="NAME", help="A context of the kubeconfig.")]

# Of commands that ask a cluster, or with --log a recording.
RecordedLog = Annotated[
    str | None,
    typer.Option("--log", metavar="LOG", help=f"Read a recording, not the cluster. {LOG_HELP}"),
]
RecordedCluster = Annotated[
    str | None,
    typer.Option("--cluster", metavar="NAME", help="Where the log knows several clusters."),
]


def check_places(
    log: str | None,
    at: str | None,
    cluster_name: str | None,
    kubeconfig: str | None,
    context: str | None,
) -> None:
    """Refuse options of a recording with a cluster, and the other way round. Raises Misuse."""
    if log is None and (at or cluster_name):
        raise Misuse("--at and --cluster are about a recording: say --log LOG.")
    if log is not None and (kubeconfig or context):
        raise Misuse("--log reads a recording: leave out --kubeconfig and --context.")
