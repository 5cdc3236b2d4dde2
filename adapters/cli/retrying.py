"""`warmlog retry`: the manifest of a new ModelWarmup for the nodes at which one failed."""

import sys
from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

import typer

from adapters.cli.clusters import REQUEST_SECONDS, cluster
from adapters.cli.exit_codes import ExitCode
from adapters.cli.options import (
    At,
    Context,
    Kubeconfig,
    RecordedCluster,
    RecordedLog,
    check_places,
)
from adapters.cli.printing import ManifestFormat, print_json, print_manifest
from adapters.cli.problems import Misuse, Problem, complain
from adapters.cli.recordings import recording, run
from adapters.cli.replaying import chosen, replayed_at, the_one
from adapters.explaining import references
from adapters.explaining.references import Reference, parse_warmup
from adapters.kubernetes.fields import mapping, mappings, text
from adapters.kubernetes.surveying import Surveyor, Unread
from adapters.texts import counted, moment, names, one_line
from engine.canonical_json import loads
from machines.domain import WARMLOG
from machines.retrying import (
    Failures,
    failures_of_status,
    failures_of_warmup,
    has_ended,
    retry_manifest,
    retry_names,
)

_NAMED = 5


class Source(NamedTuple):
    """A ModelWarmup whose failures are wanted, as it was found."""

    metadata: Mapping[str, Any]
    spec: Mapping[str, Any]
    status: Mapping[str, Any]
    failures: Failures
    place: str  # where it was read


def register(app: typer.Typer) -> None:
    """Hang the command onto `warmlog`."""
    app.command("retry")(_retry)


def _retry(
    reference: Annotated[str, typer.Argument(metavar="REF", help=references.WARMUP_HELP)],
    log: RecordedLog = None,
    at: At = None,
    cluster_name: RecordedCluster = None,
    kubeconfig: Kubeconfig = None,
    context: Context = None,
    output: Annotated[
        ManifestFormat, typer.Option("-o", "--output", help="What to print.")
    ] = ManifestFormat.YAML,
) -> ExitCode:
    """Print a manifest for the nodes that failed.

    It is a new ModelWarmup with the same spec, and with the failed nodes by name as its targets.
    Nothing is applied: pipe it to `kubectl apply -f -`.
    """
    check_places(log, at, cluster_name, kubeconfig, context)
    wanted = parse_warmup(reference)
    if log is None:
        return run(_retry_live(wanted, kubeconfig, context, output))
    return run(_retry_recorded(wanted, log, at, cluster_name, output))


async def _retry_live(
    wanted: Reference, kubeconfig: str | None, context: str | None, output: ManifestFormat
) -> ExitCode:
    async with cluster(kubeconfig, context) as api:
        surveyor = Surveyor(api, timeout_seconds=REQUEST_SECONDS)
        raw = await surveyor.warmup(wanted.namespace, wanted.name)
        if raw is None:
            raise Problem(ExitCode.NOT_FOUND, f"The cluster holds no {wanted}.")
        if isinstance(raw, Unread):
            raise Problem(ExitCode.NOT_FOUND, f"{wanted} was not found: {raw}.")
        status = mapping(mapping(raw).get("status"))
        failures = failures_of_status(status)
        metadata, spec = mapping(raw.get("metadata")), mapping(raw.get("spec"))
        source = Source(metadata, spec, status, failures, "the cluster")
        _check(wanted, source)
        present = await _present(surveyor, failures.names)
        name = wanted.name
        for name in retry_names(wanted.name):
            if not await surveyor.is_taken(wanted.namespace, name):
                break
    _print(wanted, source, present, name, output)
    return ExitCode.OK


async def _present(surveyor: Surveyor, failed: tuple[str, ...]) -> tuple[str, ...]:
    """Leave out the nodes that do not exist any more. Raises Problem when none does."""
    listed = await surveyor.nodes()
    if isinstance(listed, Unread):
        complain(f"whether the nodes still exist is not known, so all are named: {listed}")
        return failed
    existing = {seen.subject.name for seen in listed.items}
    gone = [name for name in failed if name not in existing]
    if len(gone) == len(failed):
        words = f"None of the nodes that failed exists any more: {names(gone, _NAMED)}."
        raise Problem(ExitCode.NOTHING, words)
    if gone:
        complain(f"left out, for they do not exist any more: {', '.join(gone)}")
    return tuple(name for name in failed if name in existing)


async def _retry_recorded(
    wanted: Reference,
    log: str,
    at: str | None,
    cluster_name: str | None,
    output: ManifestFormat,
) -> ExitCode:
    async with recording(log) as opened:
        _, replayed = await replayed_at(opened, at)
        projections = list(WARMLOG.project(replayed.state))
        found = the_one(chosen(projections, wanted, cluster_name), wanted, opened, replayed)
        warmup = replayed.state.warmups[found.subject.uid]
        failures = failures_of_warmup(replayed.state, warmup)
        if warmup.recovered is not None:
            failures = failures_of_status(found.status)
        metadata = {
            "name": wanted.name, "namespace": wanted.namespace, "uid": found.subject.uid,
            "annotations": dict(warmup.level.annotations),
        }  # fmt: skip
        cursor = replayed.cursor
        place = f"position {cursor.position} of {opened.place}, {moment(cursor.at)}"
        spec = mapping(loads(warmup.spec_text))
        source = Source(metadata, spec, found.status, failures, place)
        _check(wanted, source)
        taken = {
            each.subject.name
            for each in projections
            if (each.cluster, each.subject.namespace) == (found.cluster, wanted.namespace)
        }
        name = next(name for name in retry_names(wanted.name) if name not in taken)
        _print(wanted, source, failures.names, name, output)
        return opened.close_account("read")


def _check(wanted: Reference, source: Source) -> None:
    """See that there is something to retry, and that all of it is known. Raises Problem."""
    status, failures = source.status, source.failures
    phase = text(status.get("phase")) or "without a status"
    if not has_ended(status):
        count = len(failures.names) + failures.hidden
        so_far = f" {counted(count, 'node')} failed so far." if count else ""
        raise Problem(
            ExitCode.NOTHING,
            f"{wanted} has not ended, it is {phase}: wait for its condition Finished.{so_far}",
        )
    if failures.hidden:
        raise Misuse(
            f"The status of {wanted} names {len(failures.names)} of the"
            f" {len(failures.names) + failures.hidden} nodes that failed: say --log LOG, which"
            " knows them all."
        )
    if not failures.names:
        why = f": {_end_words(status)}" if phase != "Succeeded" else ""
        raise Problem(ExitCode.NOTHING, f"No node of {wanted} failed: it is {phase}{why}.")


def _end_words(status: Mapping[str, Any]) -> str:
    for condition in mappings(status.get("conditions")):
        if condition.get("type") == "Failed":
            return f"{text(condition.get('reason'))}, {text(condition.get('message'))}"
    return "its status does not say why"


def _print(
    wanted: Reference,
    source: Source,
    failed: tuple[str, ...],
    name: str,
    output: ManifestFormat,
) -> None:
    metadata = {**source.metadata, "namespace": wanted.namespace}
    manifest = retry_manifest(metadata, source.spec, name, failed)
    if output is ManifestFormat.JSON:
        print_json(manifest)
        return
    uid = text(source.metadata.get("uid"))
    nodes = counted(len(failed), "node")
    sys.stdout.write(
        f"# For {nodes} that failed in {wanted} (uid {one_line(uid)}),\n"
        f"# read from {one_line(source.place)}.\n"
    )
    print_manifest(manifest)
