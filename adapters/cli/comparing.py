"""`warmlog diff`: where two logs of the same story part."""

import re
from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import Annotated, Any, NamedTuple

import typer

from adapters.cli.exit_codes import ExitCode
from adapters.cli.folding import fold_whole
from adapters.cli.options import LOG_HELP
from adapters.cli.printing import Format, Page, print_json
from adapters.cli.recordings import Recording, recording, run
from adapters.texts import counted
from engine.comparing import Courses, Parting, Step, partings
from machines.courses import Recorder
from machines.projecting import projections

_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
# Where a status has messages, and what tells its items apart.
_SPEAKING = (
    ("conditions", "type", "condition"),
    ("targets", "nodeName", "node"),
    ("clusters", "name", "cluster"),
    ("workloads", "engine", "engine"),
)


class Told(NamedTuple):
    """What a log tells of its objects."""

    courses: Courses
    messages: dict[str, dict[str, str]]  # at its end, by object and place


class Word(NamedTuple):
    """A message at the end that is another in the other log; "" where there is none."""

    name: str  # the object's
    place: str
    left: str
    right: str


def register(app: typer.Typer) -> None:
    """Hang the command onto `warmlog`."""
    app.command("diff")(_diff)


def _diff(
    left: Annotated[str, typer.Argument(metavar="A", help=LOG_HELP)],
    right: Annotated[str, typer.Argument(metavar="B", help=LOG_HELP)],
    messages: Annotated[
        bool, typer.Option(help="Compare what statuses say at the end, too.")
    ] = True,
    output: Annotated[Format, typer.Option("-o", "--output", help="What to print.")] = Format.TEXT,
) -> ExitCode:
    """Compare two logs of the same story.

    Objects are the same by kind, namespace and name. Of each the phases, outcomes and mounts that
    it went through are compared, in their order, and the messages at the end; not uids, clusters,
    positions and times.
    """
    return run(_run(left, right, output, messages=messages))


async def _run(left: str, right: str, output: Format, *, messages: bool) -> ExitCode:
    async with AsyncExitStack() as stack:
        sources = [await stack.enter_async_context(recording(each)) for each in (left, right)]
        told = [await _told(each, messages=messages) for each in sources]
        parted = partings(told[0].courses, told[1].courses)
        words = list(_words(told[0], told[1]))
        if output is Format.JSON:
            print_json(_document(sources, parted, words))
        else:
            _print(sources, told, parted, words)
        codes = [each.close_account("compared") for each in sources]
    bad = next((code for code in codes if code is not ExitCode.OK), ExitCode.OK)
    return ExitCode.DIFFERENT if parted or words else bad


async def _told(source: Recording, *, messages: bool) -> Told:
    """Fold a log, and keep of each object no more than its steps, and its words at the end."""
    recorder = Recorder()
    replayed = await fold_whole(source, recorder.take)
    courses = recorder.courses()
    said: dict[str, dict[str, str]] = {}
    for one in projections(replayed.state) if messages else ():
        name = "/".join(one.subject[:3])
        key = name if name in courses else f"{one.cluster} {name}"
        if key in courses:
            said[_written(key)] = dict(_messages(one.status))
    return Told({_written(key): aspects for key, aspects in courses.items()}, said)


def _written(name: str) -> str:
    """Write an object's name as references do: no place is kept for a namespace that is none."""
    return name.replace("//", "/")


def _messages(status: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, key, what in _SPEAKING:
        for row in status.get(name, ()):
            words = _INSTANT.sub("TIME", row.get("message", ""))
            if words:
                yield f"{what} {row[key]}", words


def _words(left: Told, right: Told) -> Iterator[Word]:
    """Give the messages that differ, of objects that both logs have."""
    for name in sorted(left.messages.keys() & right.messages.keys()):
        one, other = left.messages[name], right.messages[name]
        for place in sorted(one.keys() | other.keys()):
            if one.get(place) != other.get(place):
                yield Word(name, place, one.get(place, ""), other.get(place, ""))


def _print(
    sources: list[Recording], told: list[Told], parted: list[Parting], words: list[Word]
) -> None:
    page = Page()
    names = [each.place for each in sources]
    for one in parted:
        page.line(_headline(one))
        for name, step in zip(names, (one.left, one.right), strict=True):
            page.line(f"{name}: {_step(one, step)}", indent=2)
    if words:
        page.line("at the end:")
    for word in words:
        page.line(f"{word.name}, {word.place}", indent=2)
        for name, said in zip(names, (word.left, word.right), strict=True):
            page.line(f"{name}: {said or 'says nothing'}", indent=4)
    both = told[0].courses.keys() & told[1].courses.keys()
    if parted or words:
        page.line(f"{counted(len(parted), 'course')} and {counted(len(words), 'message')} differ")
    else:
        page.line(f"no difference: {counted(len(both), 'object')} went through the same in both")


def _headline(one: Parting) -> str:
    if not one.aspect:
        return f"{one.name}: in one of them only"
    return f"{one.name}, {one.aspect}: {f'after {one.before}' if one.before else 'from the start'}"


def _step(one: Parting, step: Step | None) -> str:
    if step is not None and one.aspect:
        return f"{step.value}, at position {step.position}"
    if step is not None:
        return f"has it from position {step.position} on"
    return "stays so" if one.before else "does not have it"


def _document(sources: list[Recording], parted: list[Parting], words: list[Word]) -> dict[str, Any]:
    return {
        "courses": [
            {
                "aspect": one.aspect,
                "before": one.before,
                "left": one.left._asdict() if one.left else None,
                "object": one.name,
                "right": one.right._asdict() if one.right else None,
                "step": one.step,
            }
            for one in parted
        ],
        "left": _side(sources[0]),
        "messages": [
            {"left": one.left, "object": one.name, "place": one.place, "right": one.right}
            for one in words
        ],
        "right": _side(sources[1]),
    }


def _side(source: Recording) -> dict[str, Any]:
    return {
        "name": source.place,
        "position": source.position,
        "recordedBy": [each._asdict() for each in source.sessions],
    }
