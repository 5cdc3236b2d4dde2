"""Importing material: what kubectl or an API server recorded, told with what was not used of it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from adapters.cli.counters import Counter
from adapters.cli.exit_codes import ExitCode
from adapters.cli.printing import Format, Page, print_json
from adapters.cli.problems import Misuse, Problem, complain
from adapters.cli.recordings import run
from adapters.importing.places import Account, Mention
from adapters.importing.recognising import kinds_called
from adapters.importing.sources import Named, Sources, is_log, looks_like_yaml
from adapters.kubernetes.kinds import Kind
from adapters.texts import counted
from engine.errors import LogUnreadable
from engine.logs import LogIdentity


def import_material(
    given: Sequence[Named],
    clusters: Sequence[str],
    log: str,
    output: Format,
    absent: Sequence[Kind] = (),
) -> ExitCode:
    """Make a log of foreign material, each source of its cluster. Raises Problem.

    Of the kinds that are `absent` there was no object at the beginning.
    """
    account = Account()
    identity = run(_run(given, clusters, log, account, absent))
    for reason, count in sorted(account.unused.items()):
        first = "; ".join(_mentioned(each) for each in account.mentions[reason])
        more = ", first" if count > len(account.mentions[reason]) else ""
        complain(f"not used: {reason}, {counted(count, 'time')}{more}: {first}")
    if output is Format.JSON:
        print_json(_account_json(identity, clusters, account))
        return ExitCode.OK
    beside = ", ".join(f"{what} ({count})" for what, count in sorted(account.strange.items()))
    if beside:
        complain(f"passed over: {beside}")
    Page().line(
        f"{counted(identity.position, 'row')} of log {identity.log_id} made of "
        f"{counted(account.documents, 'document')}"
    )
    return ExitCode.OK


def absent_kinds(words: Sequence[str]) -> list[Kind]:
    """Give the kinds that a person names, as `kubectl` would understand them. Raises Misuse."""
    absent: list[Kind] = []
    for word in words:
        kinds = kinds_called(word)
        if not kinds:
            raise Misuse(f"--none {word!r} is no kind that warmlog reads: write Job, Pod, Node.")
        absent += kinds
    return absent


def require_log(path: str) -> None:
    """Refuse a file that is neither a log nor material. Raises Problem."""
    if is_log(path):
        return
    if Path(path).is_dir():
        raise Problem(ExitCode.LOG_UNREADABLE, f"{path} is a folder: name the files in it.")
    if not Path(path).exists():
        words = f"There is no file {path}: check the path; `-` reads standard input."
        raise Problem(ExitCode.LOG_UNREADABLE, words)
    if path.endswith(".jsonl") or not Path(path).is_file():
        return  # what opens it as a log says what is wrong with it
    what = "is YAML" if looks_like_yaml(path) else "is neither a log nor JSON"
    if not Path(path).stat().st_size:
        what = "is empty"
    advice = "record with `kubectl get KIND -A -o json`, or give an audit log."
    raise Problem(ExitCode.LOG_UNREADABLE, f"The file {path} {what}: {advice}")


async def require_room(log: str) -> None:
    """Refuse a place that holds a log with rows. Raises Problem."""
    from adapters.store import locations
    from adapters.store.opening import open_log

    place = locations.parse_location(log)
    if place.kind in {locations.Kind.JSON_LINES, locations.Kind.CONTROLLER}:
        raise Misuse(f"{place.name}: a log is imported into a database; `export` makes .jsonl.")
    try:
        reader = await open_log(log, read_only=True)
    except LogUnreadable:
        return  # no log is there; what else is, the import itself says
    async with reader:
        if (await reader.identify()).position:
            raise Problem(
                ExitCode.EXISTS,
                f"The log {place.name} holds rows already: import into a new place.",
            )


async def _run(
    given: Sequence[Named],
    clusters: Sequence[str],
    log: str,
    account: Account,
    absent: Sequence[Kind],
) -> LogIdentity:
    from adapters.importing.making_rows import MaterialReader
    from adapters.store.copying import import_log

    await require_room(log)
    said = ",".join(kind.name for kind in absent)
    with (
        Counter("reading", of_bytes=True) as counter,
        Sources(given, clusters, counter.advance) as sources,
    ):
        counter.total = sources.to_read_bytes
        reader = MaterialReader(sources.opened, sources.survey(said), account, absent)
        if reader.is_empty:
            raise Problem(ExitCode.LOG_UNREADABLE, _nothing(given, account))
        return await import_log(reader, log)


def _nothing(given: Sequence[Named], account: Account) -> str:
    names = ", ".join(source.path for source in given)
    words = f"Nothing of {names} can be used"
    found = [*account.unused.items(), *account.strange.items()]
    if found:
        words += ": it holds " + ", ".join(f"{what} ({count})" for what, count in sorted(found))
    return f"{words}. Record with `kubectl get KIND -A -o json`, or give an audit log with bodies."


def _mentioned(mention: Mention) -> str:
    about = f" {mention.about}" if mention.about else ""
    words = f" ({mention.words})" if mention.words else ""
    return f"{mention.place}{about}{words}"


def _account_json(
    identity: LogIdentity, clusters: Sequence[str], account: Account
) -> dict[str, Any]:
    return {
        "clusters": sorted(set(clusters)),
        "documents": account.documents,
        "epoch": identity.epoch,
        "log": identity.log_id,
        "notUsed": [
            {
                "reason": reason,
                "times": times,
                "first": [
                    {
                        "source": each.place.source,
                        "document": each.place.document or None,
                        "line": each.place.line,
                        "object": each.about,
                        "words": each.words,
                    }
                    for each in account.mentions[reason]
                ],
            }
            for reason, times in sorted(account.unused.items())
        ],
        "passedOver": dict(account.strange),
        "rows": identity.position,
        "used": account.used,
    }
