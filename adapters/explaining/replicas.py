"""How explanations of ModelReplicas are told, or given as JSON."""

from typing import Any

from adapters.explaining.caches import entry_json
from adapters.explaining.chains import line_json, tell_chain
from adapters.explaining.passages import NOTE, Passage, Sheet, Table
from adapters.explaining.places import Place, tell_place
from adapters.texts import clock, moment
from engine.instants import rfc3339
from machines.replicas.explaining import CachePart, EngineExplanation, ReplicaExplanation
from machines.replicas.holding import NO_CACHE


def tell_replica(told: ReplicaExplanation, place: Place) -> tuple[Passage | Table, ...]:
    """Tell why a replica is as it is: itself, its engines, and its cache down to the root."""
    sheet, subject = Sheet(), told.subject
    since = f" since {moment(told.since.at)}{place.ago(told.since.at)}" if told.since else ""
    sheet.line(
        f"{subject.kind} {subject.namespace}/{subject.name} on cluster {told.on} is "
        f"{told.standing}{since}",
        role=told.standing,
    )
    if told.headline:
        sheet.line(told.headline, indent=2)
    if told.keeps and told.keeps not in told.headline:
        sheet.line(f"Keeps: {told.keeps}", indent=2)
    for note in told.notes:
        if note != told.headline:
            sheet.line(f"Mind: {note}", role=NOTE, indent=2)
    sheet.line(f"Do: {told.advice}", indent=2)
    _tell_engines(sheet, told.engines)
    _tell_cache(sheet, told, place)
    tell_chain(sheet, "How it came to this", told.causes)
    if told.standing == NO_CACHE or told.keeps:
        _tell_way_of_cache(sheet, told.cache, place)
    tell_place(sheet, place, told.cluster)
    return sheet.passages


def replica_json(told: ReplicaExplanation, place: Place) -> dict[str, Any]:
    """Give the explanation of a replica as plain JSON values."""
    since = told.since
    return {
        **place.head(told.cluster, told.subject),
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


def _tell_engines(sheet: Sheet, engines: tuple[EngineExplanation, ...]) -> None:
    for engine in engines:
        if not engine.there:
            continue
        sheet.line()
        is_so = "available" if engine.available else "not available"
        claim = f", with the mount of claim {engine.claim}" if engine.claim else ", without a mount"
        sheet.line(f"engine {engine.engine}: {engine.workload} is {is_so}{claim}")
        said = ": ".join(part for part in (engine.reason, engine.message) if part)
        if said:
            sheet.line(said, indent=2)
        if engine.advice:
            sheet.line(f"Do: {engine.advice}", indent=2)


def _tell_cache(sheet: Sheet, told: ReplicaExplanation, place: Place) -> None:
    part = told.cache
    if part is None:
        return
    entry = part.entry
    sheet.line()
    kept = ", kept though not wanted any more" if entry.retained else ""
    since = f"{clock(entry.since)}{place.ago(entry.since)}"
    sheet.line(
        f"ModelCache {part.subject.namespace}/{part.subject.name} on {entry.cluster}: "
        f"{entry.phase}{kept} since {since}",
        role=entry.phase,
    )
    if entry.message and entry.message != told.headline:
        sheet.line(entry.message, indent=2)


def _tell_way_of_cache(sheet: Sheet, part: CachePart | None, place: Place) -> None:
    if part is None:
        return
    name = f"{part.subject.namespace}/{part.subject.name}"
    title = f"How ModelCache {name} came to this on {part.entry.cluster} (… is {part.place})"
    by_position = {line.position: line for line in (*part.causes, *part.entry.chain)}
    lines = [line for _, line in sorted(by_position.items())]
    shown = tuple(line._replace(words=line.words.replace(part.place, "…")) for line in lines)
    rest = place.typed(f"warmlog explain mc/{name} --on {part.entry.cluster}")
    tell_chain(sheet, title, shown, rest=f"`{rest}`")


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
