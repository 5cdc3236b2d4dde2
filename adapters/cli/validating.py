"""`warmlog validate`: what is wrong with manifests, before anybody applies them."""

import sys
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer

from adapters.cli.exit_codes import ExitCode
from adapters.cli.printing import Format, Page, print_json
from adapters.manifests.findings import Finding, told
from adapters.manifests.judged_kinds import CACHE, CLUSTER, JUDGED, REPLICA, WARMUP, JudgedKind
from adapters.manifests.judging import FileJudgement, judge_file, with_twins
from adapters.texts import counted

FILES_HELP = "Files, folders (all *.yaml, *.yml and *.json in them), or - for standard input."
EXAMPLE = "Example: kubectl kustomize DIR | warmlog validate -"


def register(app: typer.Typer) -> None:
    """Hang the command onto `warmlog`."""
    app.command("validate", epilog=EXAMPLE)(_validate)


def _validate(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help=FILES_HELP)],
    output: Annotated[Format, typer.Option("-o", "--output", help="What to print.")] = Format.TEXT,
) -> ExitCode:
    """Say what is wrong with manifests before they are applied.

    Every fault, each with its line and its field, and what is allowed but had better be looked at.
    No cluster is asked. ModelWarmups, ModelCaches, ModelReplicas and InferenceClusters are judged,
    other kinds passed over. A fault ends with code 1, a warning does not.
    """
    from adapters.manifests.files import manifest_files

    judged = list(with_twins(map(judge_file, manifest_files(files, sys.stdin.buffer))))
    faults = [each for each in _findings(judged) if not each[1].is_warning]
    warnings = [each for each in _findings(judged) if each[1].is_warning]
    if output is Format.JSON:
        print_json(
            {
                "caches": _objects_json(judged, CACHE),
                "clusters": _objects_json(judged, CLUSTER),
                "faults": [_finding_json(*each) for each in faults],
                "files": len(judged),
                "others": sum(each.others for each in judged),
                "replicas": _objects_json(judged, REPLICA),
                "valid": not faults,
                "warmups": _objects_json(judged, WARMUP),
                "warnings": [_finding_json(*each) for each in warnings],
            }
        )
    else:
        _print(judged, len(faults), len(warnings))
    return ExitCode.DIFFERENT if faults else ExitCode.OK


def _findings(judged: Sequence[FileJudgement]) -> Iterator[tuple[str, Finding]]:
    """Give every finding with its file, in the order of the files and then of their lines."""
    for file in judged:
        found = [*file.findings, *(each for one in file.objects for each in one.findings)]
        for finding in sorted(found):
            yield file.file.name, finding


def _print(judged: Sequence[FileJudgement], faults: int, warnings: int) -> None:
    page = Page()
    for file, finding in _findings(judged):
        page.line(told(file, finding), "yellow" if finding.is_warning else "red", whole=True)
    page.line(_summary(judged, faults, warnings))


def _summary(judged: Sequence[FileJudgement], faults: int, warnings: int) -> str:
    objects = [each for file in judged for each in file.objects]
    faulty = sum(not each.is_valid for each in objects)
    head = f"{_counted_kinds(judged)} in {counted(len(judged), 'file')}"
    if faulty:
        head += f", {faulty} with faults"
    elif objects:
        head += ", all valid" if len(objects) > 1 else ", valid"
    counts = [counted(faults, "fault")] if faults else []
    counts += [counted(warnings, "warning")] if warnings else []
    others = sum(each.others for each in judged)
    skipped = f"{counted(others, 'object')} of other kinds skipped" if others else ""
    return "; ".join(filter(None, (head, " and ".join(counts), skipped)))


def _counted_kinds(judged: Sequence[FileJudgement]) -> str:
    counts = ((sum(len(file.of(kind)) for file in judged), kind.name) for kind in JUDGED)
    *told, last = [counted(*each) for each in counts if each[0]] or ["nothing to judge"]
    return f"{', '.join(told)} and {last}" if told else last


def _finding_json(file: str, finding: Finding) -> dict[str, Any]:
    return {
        "column": finding.at.column,
        "field": finding.field,
        "file": file,
        "line": finding.at.line,
        "reason": finding.reason.value,
        "words": finding.words,
    }


def _objects_json(judged: Sequence[FileJudgement], kind: JudgedKind) -> list[dict[str, Any]]:
    """Give every object of a kind that was found, with its name as far as it has one."""
    objects = [each for file in judged for each in file.of(kind)]
    return [
        {
            "file": each.manifest.file,
            "line": each.manifest.where().line,
            "name": each.manifest.name,
            "namespace": each.manifest.namespace,
            "valid": each.is_valid,
        }
        for each in objects
    ]
