"""`warmlog uninstall`: what stays behind when warmlog leaves, and letting go of it."""

import os
from collections.abc import Sequence
from typing import Annotated, NamedTuple

import typer

from adapters.cli.clusters import REQUEST_SECONDS, changeable_cluster
from adapters.cli.exit_codes import ExitCode
from adapters.cli.inventories import Report, print_report, report_json
from adapters.cli.options import Context, Kubeconfig
from adapters.cli.printing import Format, print_json
from adapters.cli.problems import complain
from adapters.cli.recordings import run
from adapters.cli.running import ClusterSecrets, LeaseName, LeaseNamespace
from adapters.kubernetes.lease_watching import SeenLease, is_renewed, see_lease
from adapters.kubernetes.leftovers import Held, Inventory
from adapters.kubernetes.probing import HarmlessApi
from adapters.kubernetes.timing import SystemTimer
from adapters.ports import Api

_KEY_BYTES = 32  # of digests that nobody compares
_STOP = (
    "stop it first, `kubectl -n warmlog-system scale deployment/warmlog --replicas=0`, or say"
    " --force"
)


class _Options(NamedTuple):
    """What was asked for."""

    secret_namespace: str
    own_namespace: str
    lease: tuple[str, str]
    yes: bool
    force: bool


def register(app: typer.Typer) -> None:
    """Hang the command onto `warmlog`."""
    app.command("uninstall")(_uninstall)


def _uninstall(
    kubeconfig: Kubeconfig = None,
    context: Context = None,
    cluster_secret_namespace: ClusterSecrets = None,
    lease_namespace: LeaseNamespace = None,
    lease_name: LeaseName = "warmlog",
    yes: Annotated[
        bool, typer.Option("--yes", help="Take warmlog's finalizer off all that has it.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="With --yes: even if a controller may still run.")
    ] = False,
    output: Annotated[Format, typer.Option("-o", "--output", help="What to print.")] = Format.TEXT,
) -> ExitCode:
    """List what stays behind when warmlog leaves, and let go of it.

    ModelCaches and ModelReplicas that wait for warmlog when they are deleted, and what each has on
    every cluster that can be reached. Nothing is changed without --yes; no data is ever deleted.
    """
    from adapters.settings import own_namespace

    own = own_namespace()
    lease = (lease_namespace or own, lease_name)
    options = _Options(cluster_secret_namespace or "", own, lease, yes, force)
    return run(_run((kubeconfig, context), options, output))


async def _run(
    access: tuple[str | None, str | None], options: _Options, output: Format
) -> ExitCode:
    async with changeable_cluster(*access) as api:
        lease = await see_lease(api, *options.lease, timeout_seconds=REQUEST_SECONDS)
        inventory = await _inventory(HarmlessApi(api), options)
        running = await _running(api, lease, options)
        released = None
        if options.yes and not running:
            released = await _released(api, inventory.held)
    report = Report(inventory, lease, released)
    if output is Format.JSON:
        print_json(report_json(report))
    else:
        print_report(report)
    if running:
        complain(running)
        return ExitCode.STILL_RUNNING
    if released and any(released.values()):
        return ExitCode.DIFFERENT
    return ExitCode.CLUSTER_UNUSABLE if inventory.unread else ExitCode.OK


async def _inventory(api: Api, options: _Options) -> Inventory:
    from adapters.kubernetes.searching import Searcher, Where
    from adapters.kubernetes.vaults import SecretVault

    vault = SecretVault(os.urandom(_KEY_BYTES))
    searcher = Searcher(api, vault, _connect, timeout_seconds=REQUEST_SECONDS)
    return await searcher.inventory(Where(options.secret_namespace, options.own_namespace))


async def _connect(name: str, kubeconfig: str) -> Api:
    """Open another cluster, to be read and nothing else."""
    from adapters.kubernetes.configuring import access_from_kubeconfig
    from adapters.kubernetes.http_api import HttpApi

    return HarmlessApi(HttpApi(name, await access_from_kubeconfig(kubeconfig)))


async def _running(api: Api, lease: SeenLease, options: _Options) -> str:
    """Say why nothing may be released: a controller would put its finalizers back."""
    if not options.yes or options.force:
        return ""
    if lease.trouble:
        return (
            f"Whether a controller runs is not known, the Lease {lease.place} cannot be read:"
            f" {lease.trouble}; if none does, say --force"
        )
    if not lease.holder:
        return ""
    complain(
        f"the Lease {lease.place} is held by {lease.holder}; whether that still renews it shows"
        f" within {lease.duration} s"
    )
    renewed = await is_renewed(api, lease, SystemTimer(), timeout_seconds=REQUEST_SECONDS)
    words = f"A controller runs, {lease.holder}, and would put its finalizers back: {_STOP}"
    return words if renewed else ""


async def _released(api: Api, held: Sequence[Held]) -> dict[str, str]:
    """Let go of each; give why not by uid, "" where it was."""
    from adapters.kubernetes.releasing import release

    return {each.uid: await release(api, each, timeout_seconds=REQUEST_SECONDS) for each in held}
