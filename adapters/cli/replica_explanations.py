"""How explanations of ModelReplicas are printed, or given as JSON."""

from typing import Any

from adapters.cli.cache_explanations import Asked, entry_json
from adapters.cli.chains import line_json, print_chain, print_place
from adapters.cli.printing import STYLES, Page
from adapters.cli.texts import clock, moment
from engine.instants import rfc3339
from machines.replicas.explaining import CachePart, EngineExplanation, ReplicaExplanation
from machines.replicas.holding import NO_CACHE


def print_replica(told: ReplicaExplanation, asked: Asked) -> None:
    """Print why a replica is as it is: itself, its engines, and its cache down to the root."""
    page, subject = Page(), told.subject
    since = f" since {moment(told.since.at)}{asked.ago(told.since.at)}" if told.since else ""
    page.line(
        f"{subject.kind} {subject.namespace}/{subject.name} on cluster {told.on} is "
        f"{told.standing}{since}",
        style=STYLES.get(told.standing, ""),
    )
    if told.headline:
        page.line(told.headline, indent=2)
    if told.keeps and told.keeps not in told.headline:
        page.line(f"Keeps: {told.keeps}", indent=2)
    for note in told.notes:
        if note != told.headline:
            page.line(f"Mind: {note}", style="bold yellow", indent=2)
    page.line(f"Do: {told.advice}", indent=2)
    _print_engines(page, told.engines)
    _print_cache(page, told, asked)
    print_chain(page, "How it came to this", told.causes)
    if told.standing == NO_CACHE or told.keeps:
        _print_way_of_cache(page, told.cache)
    print_place(page, asked.identity, asked.last, told.cluster, asked.recorded)


def replica_json(told: ReplicaExplanation, asked: Asked) -> dict[str, Any]:
    """Give the explanation of a replica as plain JSON values."""
    since = told.since
    return {
        **asked.head(told),
        "on": told.on,
        "standing": told.standing,
        "since": rfc3339(since.at) if since else None,
        "sincePosition": since.position if since else None,
        "summary": told.headline,
        "keeps": told.keeps,
        "conditions": [row._asdict() for row in told.conditions],
        "notes": list(told.notes),
        "do": told.advice,
        "engines": [_engine_json(engine) for engine in told.engines],
        "modelCache": told.cache_name,
        "cache": _cache_json(told.cache) if told.cache is not None else None,
        "causes": [line_json(line) for line in told.causes],
    }


def _print_engines(page: Page, engines: tuple[EngineExplanation, ...]) -> None:
    for engine in engines:
        if not engine.there:
            continue
        page.line()
        is_so = "available" if engine.available else "not available"
        claim = f", with the mount of claim {engine.claim}" if engine.claim else ", without a mount"
        page.line(f"engine {engine.engine}: {engine.workload} is {is_so}{claim}")
        said = ": ".join(part for part in (engine.reason, engine.message) if part)
        if said:
            page.line(said, indent=2)
        if engine.advice:
            page.line(f"Do: {engine.advice}", indent=2)


def _print_cache(page: Page, told: ReplicaExplanation, asked: Asked) -> None:
    part = told.cache
    if part is None:
        return
    entry = part.entry
    page.line()
    kept = ", kept though not wanted any more" if entry.retained else ""
    since = f"{clock(entry.since)}{asked.ago(entry.since)}"
    page.line(
        f"ModelCache {part.subject.namespace}/{part.subject.name} on {entry.cluster}: "
        f"{entry.phase}{kept} since {since}",
        style=STYLES.get(entry.phase, ""),
    )
    if entry.message and entry.message != told.headline:
        page.line(entry.message, indent=2)


def _print_way_of_cache(page: Page, part: CachePart | None) -> None:
    if part is None:
        return
    name = f"{part.subject.namespace}/{part.subject.name}"
    title = f"How ModelCache {name} came to this on {part.entry.cluster} (… is {part.place})"
    by_position = {line.position: line for line in (*part.causes, *part.entry.chain)}
    lines = [line for _, line in sorted(by_position.items())]
    shown = tuple(line._replace(words=line.words.replace(part.place, "…")) for line in lines)
    rest = f"`warmlog explain mc/{name} --on {part.entry.cluster}`"
    print_chain(page, title, shown, rest=rest)


def _engine_json(engine: EngineExplanation) -> dict[str, Any]:
    return {
        "engine": engine.engine,
        "workload": engine.workload,
        "there": engine.there,
        "available": engine.available,
        "claim": engine.claim,
        "reason": engine.reason,
        "message": engine.message,
        "do": engine.advice,
    }


def _cache_json(part: CachePart) -> dict[str, Any]:
    return {
        "namespace": part.subject.namespace,
        "name": part.subject.name,
        "uid": part.subject.uid,
        **entry_json(part.entry),
        "causes": [line_json(line) for line in part.causes],
    }
