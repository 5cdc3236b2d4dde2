"""`warmlog plan`: what would be done with the ModelWarmups of a file, before it is applied."""

import sys
from collections import Counter
from collections.abc import Sequence
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
from adapters.cli.planners import (
    GENERATED_FROM,
    LivePlanner,
    Planner,
    RecordedPlanner,
    Unplannable,
    Wish,
)
from adapters.cli.plans import Report, print_report, report_json
from adapters.cli.printing import Format, print_json
from adapters.cli.problems import Misuse, Problem, complain
from adapters.cli.recordings import recording, run
from adapters.cli.replaying import replayed_at
from adapters.cli.validating import FILES_HELP
from adapters.kubernetes.fields import mapping, text
from adapters.manifests.files import manifest_files
from adapters.manifests.findings import told
from adapters.manifests.headers import is_meant
from adapters.manifests.judging import judge, judge_file
from adapters.manifests.objects import Manifest, manifests
from adapters.texts import names
from machines.states import State

_GENERATED = "00000"  # stands for the five characters that a server puts behind generateName


def register(app: typer.Typer) -> None:
    """Hang the command onto `warmlog`."""
    app.command("plan")(_plan)


def _plan(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help=FILES_HELP)],
    log: RecordedLog = None,
    at: At = None,
    cluster_name: RecordedCluster = None,
    kubeconfig: Kubeconfig = None,
    context: Context = None,
    namespace: Annotated[
        str | None,
        typer.Option(
            "-n", "--namespace", metavar="NAME", help="Of manifests that say none; the context's."
        ),
    ] = None,
    output: Annotated[Format, typer.Option("-o", "--output", help="What to print.")] = Format.TEXT,
) -> ExitCode:
    """Say which nodes and Jobs manifests would bring.

    Each node and why it is a target, the Job that it would get, and what the API server says to a
    dry run of the first. Nothing is changed: a cluster is read, and asked for dry runs only.
    """
    check_places(log, at, cluster_name, kubeconfig, context)
    read = _read(files, namespace or _default_namespace(log, kubeconfig, context))
    return run(_run(read, log, at, cluster_name, (kubeconfig, context), output))


class _Read(NamedTuple):
    """What the files hold: what can be planned, and what is wrong."""

    wishes: tuple[Wish, ...]
    faults: tuple[str, ...]


async def _run(
    read: _Read,
    log: str | None,
    at: str | None,
    cluster_name: str | None,
    access: tuple[str | None, str | None],
    output: Format,
) -> ExitCode:
    ended = ExitCode.OK
    if log is None:
        async with cluster(*access) as api:
            live = LivePlanner(api, timeout_seconds=REQUEST_SECONDS)
            reports, faults = await _planned(live, read.wishes)
    else:
        async with recording(log) as source:
            _, replayed = await replayed_at(source, at)
            place = _cluster_of(replayed.state, cluster_name, source.place)
            recorded = RecordedPlanner(replayed, source.place, place)
            reports, faults = await _planned(recorded, read.wishes)
            ended = source.close_account("planned")
    faults = [*read.faults, *faults]
    _print(reports, faults, output)
    if faults or any(report.refused for report in reports):
        return ExitCode.DIFFERENT
    return ended


async def _planned(planner: Planner, wishes: Sequence[Wish]) -> tuple[list[Report], list[str]]:
    """Plan one after the other; what cannot be planned stops no other."""
    reports, faults = [], []
    for wish in wishes:
        try:
            reports.append(await planner.report(wish))
        except Unplannable as error:
            faults.append(str(error))
    return reports, faults


def _print(reports: Sequence[Report], faults: Sequence[str], output: Format) -> None:
    if output is Format.JSON:
        print_json({"items": [report_json(each) for each in reports], "faults": list(faults)})
        return
    for words in faults:
        complain(words)
    for index, report in enumerate(reports):
        if index:
            sys.stdout.write("\n")
        print_report(report)


def _cluster_of(state: State, wanted: str | None, place: str) -> str:
    """Give the cluster of a recording to plan against."""
    known = sorted(state.clusters)
    if wanted is not None and wanted in known:
        return wanted
    if wanted is not None or not known:
        has = f"it knows {names(known)}" if known else "it knows none yet"
        raise Problem(ExitCode.NOT_FOUND, f"{place} knows no such cluster at that moment: {has}.")
    if len(known) > 1:
        raise Misuse(f"{place} knows the clusters {', '.join(known)}: say --cluster.")
    return known[0]


def _default_namespace(log: str | None, kubeconfig: str | None, context: str | None) -> str:
    from adapters.kubernetes.configuring import default_namespace

    return "default" if log else default_namespace(kubeconfig=kubeconfig, context=context)


def _read(files: Sequence[str], namespace: str) -> _Read:
    """Read the files. Raises Problem when no ModelWarmup is in them."""
    found: list[Manifest] = []
    faults: list[str] = []
    for file in manifest_files(files, sys.stdin.buffer):
        faults += [told(file.name, each) for each in judge_file(file).findings]
        found += manifests(file)
    made = {_name(each): each.value for each in found if _is_namespace(each)}
    wishes = []
    for manifest in found:
        if is_meant(manifest.value):
            wrong = _faults(manifest)
            faults += wrong
            if not wrong:
                wishes.append(_wish(manifest, namespace, made))
    used = {wish.raw["metadata"]["namespace"] for wish in wishes}
    others = Counter(
        _kind(each)
        for each in found
        if isinstance(each.value, dict)
        and not is_meant(each.value)
        and not (_is_namespace(each) and _name(each) in used)
    )
    if others:
        counts = (f"{count} {kind}" for kind, count in others.items())
        complain(f"skipped, for only ModelWarmups are planned: {', '.join(counts)}")
    if not wishes and not faults:
        raise Problem(ExitCode.NOT_FOUND, f"{names(list(files))}: no ModelWarmup is in there.")
    return _Read(tuple(wishes), tuple(faults))


def _faults(manifest: Manifest) -> list[str]:
    found = judge(manifest).findings
    return [told(manifest.file, each) for each in found if not each.is_warning]


def _wish(manifest: Manifest, namespace: str, made: dict[str, dict[str, Any]]) -> Wish:
    metadata = dict(manifest.value["metadata"])
    metadata["namespace"] = namespace = metadata.get("namespace") or namespace
    note = ""
    if not metadata.get("name"):
        metadata["name"] = name = f"{metadata['generateName'][:GENERATED_FROM]}{_GENERATED}"
        note = f"the API server gives it a name when it is created: planned as {name}"
    place = f"{manifest.file}:{manifest.where().line}"
    return Wish(place, {**manifest.value, "metadata": metadata}, made.get(namespace), note)


def _is_namespace(manifest: Manifest) -> bool:
    return _kind(manifest) == "Namespace"


def _kind(manifest: Manifest) -> str:
    return str(mapping(manifest.value).get("kind"))


def _name(manifest: Manifest) -> str:
    return text(mapping(mapping(manifest.value).get("metadata")).get("name"))
