"""Conditions of a ModelCache: what a person or a script can wait for, each with reason and words.

| type            | True                         | False, the first that holds                     |
|-----------------|------------------------------|-------------------------------------------------|
| ClustersMatched | Matched                      | NoClusters                                      |
| ArtifactReady   | Staged: on one cluster or    | NoClusters, AuthSecretMissing, Failed, Partial, |
|                 | more, and on every one       | Hydrating                                       |
| Ready           | as ArtifactReady             | as ArtifactReady                                |

The others are there only while they have something to say: Valid (False: a field that can never
work), SpecChanged (True: fields that were edited and are not acted on), SizeApplied (False: a
volume that does not have the size asked for), Terminating (True), Contested (True).
"""

from collections.abc import Iterator
from typing import Any

from machines.caches.entries import EntryState
from machines.caches.messages import Messages
from machines.caches.obstacles import (
    blindness,
    leaving_words,
    refusal_words,
    still,
    users_words,
)
from machines.caches.sights import sight_of, token_sight
from machines.caches.sizes import size_trouble
from machines.caches.states import Cache, Entry
from machines.condition_rows import Row, contested_row, published
from machines.messages import cut
from machines.states import State

NAMED = 5  # clusters in a sentence


def cache_conditions(
    state: State, cache: Cache, rows: list[Row] | None = None
) -> list[dict[str, Any]]:
    """Give every condition of one ModelCache, in a fixed order; of `rows`, if they are known."""
    told = condition_rows(state, cache) if rows is None else rows
    return published(told, cache.condition_times, cache.level.generation)


def condition_rows(state: State, cache: Cache, said: Messages | None = None) -> list[Row]:
    """Give every condition as the state has it now; `said` are the messages worked out already."""
    matched = matched_entries(cache)
    artifact = _artifact(state, cache, matched, Messages(state, cache) if said is None else said)
    rows = [_matched(cache, matched), artifact, artifact._replace(type="Ready")]
    return [*rows, *_troubles(state, cache)]


def changed_words(cache: Cache) -> str:
    """Name the fields that were edited in the stored spec, and are not acted on."""
    fields = ", ".join(cache.spec_changed)
    return f"{fields} edited: not acted on, create a new ModelCache instead"


def staged_words(matched: list[Entry]) -> str:
    """Say on which clusters the model is ready, once it is on all that are selected."""
    every = "all " if len(matched) > 1 else ""
    return f"staged on {every}{named([one.cluster for one in matched])}"


def matched_entries(cache: Cache) -> list[Entry]:
    """Give the entries of the selected clusters, by name: those that the summary counts."""
    return [entry for _, entry in sorted(cache.entries.items()) if entry.selected]


def _matched(cache: Cache, matched: list[Entry]) -> Row:
    if matched:
        return Row("ClustersMatched", "True", "Matched", named([one.cluster for one in matched]))
    return Row("ClustersMatched", "False", "NoClusters", _nothing_matched(cache))


def _nothing_matched(cache: Cache) -> str:
    if cache.level.deleting:
        return "the ModelCache is being deleted"
    selector = cache.spec.selector if cache.spec else ()
    labels = ", ".join(f"{key}={value}" for key, value in selector)
    return f"no InferenceCluster has {labels}" if labels else "there is no InferenceCluster"


def _artifact(state: State, cache: Cache, matched: list[Entry], said: Messages) -> Row:
    ready = [one for one in matched if one.state is EntryState.READY]
    failed = [one for one in matched if one.state is EntryState.FAILED]
    if not matched:
        return _lacking("NoClusters", _nothing_matched(cache))
    token = token_sight(state, cache)
    if token.missing and len(ready) < len(matched) and not cache.faults:
        also = f"; {_first(said, failed, 'failed on ')}" if failed else ""
        return _lacking("AuthSecretMissing", token.trouble + also)
    if failed:
        return _lacking("Failed", _first(said, failed, "failed on "))
    if len(ready) == len(matched):
        return Row("ArtifactReady", "True", "Staged", staged_words(matched))
    waiting = [one for one in matched if one.state is not EntryState.READY]
    first = _first(said, waiting, "missing on ")
    words = f"{len(ready)} of {len(matched)} ready; {first}"
    return _lacking("Partial" if ready else "Hydrating", words)


def _lacking(reason: str, message: str) -> Row:
    return Row("ArtifactReady", "False", reason, message)


def _first(said: Messages, entries: list[Entry], what: str) -> str:
    """Give the words of the first entry; of several, name the clusters before."""
    first = entries[0]
    every = f"{what}{named([one.cluster for one in entries])}; " if entries[1:] else ""
    return f"{every}{first.cluster} {first.state.value}: {said.of(first)}"


def _troubles(state: State, cache: Cache) -> Iterator[Row]:
    if cache.faults:
        said = "; ".join(str(fault) for fault in cache.faults)
        yield Row("Valid", "False", "InvalidSpec", cut(said))
    if cache.spec_changed:
        yield Row("SpecChanged", "True", "EditIgnored", changed_words(cache))
    reason, said = size_trouble(state, cache)
    if reason:
        yield Row("SizeApplied", "False", reason, cut(said))
    if cache.level.deleting:
        yield _terminating(state, cache)
    if cache.contested_by:
        yield contested_row(cache.contested_by)


def _terminating(state: State, cache: Cache) -> Row:
    sights = [sight_of(state, cache, one) for _, one in sorted(cache.entries.items())]
    used = [sight for sight in sights if users_words(sight) or still(sight)]
    if used:
        said = [f"{sight.entry.cluster}: {leaving_words(sight)}" for sight in used]
        return Row("Terminating", "True", "InUse", cut("; ".join(said)))
    some = next(iter(cache.entries.values()), None)
    refused = [
        refusal_words(sight_of(state, cache, some), what, refusal)
        for what, refusal in sorted(cache.refusals.items())
        if some is not None
    ]
    left = f"what it has on {named(sorted(cache.entries))} is being let go" if some else ""
    said = [*refused, left, *dict.fromkeys(map(blindness, sights))]
    return Row("Terminating", "True", "CleaningUp", cut("; ".join(filter(None, said))))


def named(clusters: list[str]) -> str:
    """Give a count of clusters and the names of the first ones."""
    count = f"{len(clusters)} cluster{'' if len(clusters) == 1 else 's'}"
    more = f" and {len(clusters) - NAMED} more" if len(clusters) > NAMED else ""
    return f"{count}: {', '.join(clusters[:NAMED])}{more}"
