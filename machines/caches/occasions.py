"""Occasions: what of a cache or a cluster is worth a Kubernetes Event, as long as it holds.

Each has a key that stays the same while its cause does, whatever its words are; so whoever keeps
the keys tells each cause once, and again only if it went and came back.
"""

from collections.abc import Iterator
from typing import NamedTuple

from machines.caches import causes
from machines.caches.conditions import changed_words, matched_entries, named, staged_words
from machines.caches.entries import EntryState
from machines.caches.finding import site_of
from machines.caches.messages import entry_message, fault_words
from machines.caches.obstacles import (
    hindrance,
    leaving_words,
    refusal_words,
    still,
    token_trouble,
    users_words,
)
from machines.caches.selecting import is_abandoned, storage_class
from machines.caches.sights import Sight, sight_of, token_sight
from machines.caches.states import Cache, Entry, ServedCluster
from machines.caches.statuses import REACHABLE, cluster_row
from machines.states import State

NORMAL, WARNING = "Normal", "Warning"
# What is told by an Occasion of its own, or is no trouble.
_TOLD_ELSEWHERE = frozenset({causes.REFUSED, causes.UNBOUND, causes.DOWNLOADING, causes.CLASS_KEPT})

Key = tuple[str, ...]


class Occasion(NamedTuple):
    """One thing that holds; without a note it counts as told."""

    key: Key
    type: str
    reason: str
    note: str


def cache_occasions(state: State, cache: Cache) -> Iterator[Occasion]:
    """Give everything that holds of a cache, in a fixed order."""
    matched = matched_entries(cache)
    if matched:
        yield _staging(state, cache, matched)
        if all(entry.state is EntryState.READY for entry in matched):
            yield Occasion(("staged",), NORMAL, "Staged", staged_words(matched))
        else:
            yield from _token(state, cache)
    yield from _of_the_whole(cache)
    for _, entry in sorted(cache.entries.items()):
        sight = sight_of(state, cache, entry)
        yield from _of_entry(sight)
        yield from _refusals(sight, entry.cluster)
    some = next(iter(cache.entries.values()), None)
    if some is not None:
        yield from _refusals_of_cache(sight_of(state, cache, some))
    for cluster, said in sorted(cache.abandoned.items()):
        note = f"cluster {cluster}: {said.words}"
        yield Occasion(("left", cluster, said.reason), WARNING, "LeftBehind", note)


def cluster_occasions(state: State, served: ServedCluster) -> Iterator[Occasion]:
    """Give how a cluster is reached, or why it is not."""
    status, reason, message = cluster_row(state, served)
    if status != "Unknown":
        kind = NORMAL if status == "True" else WARNING
        note = message or f"cluster {served.subject.name} answers"
        yield Occasion((REACHABLE, reason), kind, reason, note)


def _staging(state: State, cache: Cache, matched: list[Entry]) -> Occasion:
    """Told once, of a cache that is new, where nothing of it was before."""
    known = not cache.untouched or any(_was_there(state, cache, entry) for entry in matched)
    repo = cache.spec.repo if cache.spec else ""
    note = f"staging {repo} to {named([entry.cluster for entry in matched])}"
    return Occasion(("staging",), NORMAL, "Staging", "" if known or not repo else note)


def _was_there(state: State, cache: Cache, entry: Entry) -> bool:
    """Say whether a claim was seen before it was wanted; one that was made since is no sign."""
    site = site_of(state, cache, entry)
    claim = site.claim if site else None
    return entry.recovered or (claim is not None and claim.at < entry.since)


def _token(state: State, cache: Cache) -> Iterator[Occasion]:
    token = token_sight(state, cache)
    if token.missing and not cache.faults:
        yield Occasion(("token", token.trouble), WARNING, "AuthSecretMissing", token.trouble)


def contested_occasion(manager: str) -> Occasion:
    """Give the occasion of a status that somebody else keeps writing."""
    note = f"{manager} keeps writing this status, which is warmlog's"
    return Occasion(("contested", manager), WARNING, "StatusEdited", note)


def _of_the_whole(cache: Cache) -> Iterator[Occasion]:
    if cache.faults:
        yield Occasion(("faults",), WARNING, "InvalidSpec", fault_words(cache))
    if cache.spec_changed:
        key = "edited", *cache.spec_changed
        yield Occasion(key, WARNING, "SpecChanged", changed_words(cache))
    if cache.contested_by:
        yield contested_occasion(cache.contested_by)


def _of_entry(sight: Sight) -> Iterator[Occasion]:
    if is_abandoned(sight.cache):
        return  # that all of it stays as it is was told
    entry, cluster = sight.entry, sight.entry.cluster
    for node in entry.healed:
        note = f"cluster {cluster}: {sight.claim_words} waited for a node that is gone; the choice "
        healed = note + "was taken back, so that the scheduler chooses another"
        yield Occasion(("healed", cluster, node), NORMAL, "ClaimHealed", healed)
    if not entry.selected:
        kept = users_words(sight) and (entry.retained or sight.cache.level.deleting)
        if kept or still(sight):
            note = f"cluster {cluster}: {leaving_words(sight)}"
            yield Occasion(("used", cluster), NORMAL, "InUse", note)
        return
    yield from _kept_class(sight)
    if sight.cache.faults or entry.state is EntryState.READY:
        return
    cause = causes.own_cause(sight)
    words = _own_words(sight)
    if words and cause.reason not in _TOLD_ELSEWHERE:
        named_already = words.startswith(f"cluster {cluster} ")
        note = words if named_already else f"cluster {cluster}: {words}"
        yield Occasion(("cause", cluster, *cause), WARNING, cause.reason, note)


def _own_words(sight: Sight) -> str:
    """Give the words of an entry's own cause; of a missing token an Event of its own tells."""
    if token_trouble(sight) and sight.entry.state is not EntryState.FAILED:
        return hindrance(sight)
    return entry_message(sight.state, sight.cache, sight.entry)


def _kept_class(sight: Sight) -> Iterator[Occasion]:
    """A claim's class is for ever: one that is reported since is told, and not followed."""
    claim, served, cluster = sight.claim, sight.served, sight.cluster
    if claim is None or served is None or cluster is None or not sight.entry.claim_uid:
        return
    wanted = storage_class(served, cluster)
    if wanted and claim.storage_class and claim.storage_class != wanted:
        name = sight.entry.cluster
        note = (
            f"cluster {name}: {sight.claim_words} keeps storage class {claim.storage_class}; new "
            f"claims there get {wanted}"
        )
        yield Occasion(("class", name, wanted), WARNING, "StorageClassKept", note)


def _refusals_of_cache(sight: Sight) -> Iterator[Occasion]:
    for what, refusal in sorted(sight.cache.refusals.items()):
        note = refusal_words(sight, what, refusal)
        yield Occasion(("refused", what, refusal.reason), WARNING, "ChangeRefused", note)


def _refusals(sight: Sight, cluster: str) -> Iterator[Occasion]:
    for what, refusal in sorted(sight.entry.refusals.items()):
        note = f"cluster {cluster}: {refusal_words(sight, what, refusal)}"
        yield Occasion(("refused", cluster, what, refusal.reason), WARNING, "ChangeRefused", note)
