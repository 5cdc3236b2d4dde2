"""Accepting: which spec of a cache is acted on, and which later edits of it are taken over.

What was staged stays what it is: another source, repository or revision, or less storage, is told
and not followed. A Secret, more storage and another selector are.
"""

from engine.canonical_json import loads_or_none
from engine.events import Event, Subject
from machines.caches.indexing import index_cache, unindex_cache
from machines.caches.levels import CacheLevel
from machines.caches.sources import fingerprint
from machines.caches.specs import CacheSpec, parse_cache
from machines.caches.states import Cache
from machines.states import State

_FIXED = {
    "source": "spec.source",
    "repo": "spec.huggingFace.repo",
    "revision": "spec.huggingFace.revision",
}
_SIZE = "spec.huggingFace.sizeGiB"


def begin(state: State, event: Event, subject: Subject, level: CacheLevel) -> None:
    """A ModelCache is seen for the first time."""
    parsed = parse_cache(loads_or_none(level.spec))
    cache = Cache(
        event.cluster,
        subject,
        level,
        parsed.spec,
        level.spec,
        parsed.faults,
        fingerprint(parsed.spec) if parsed.spec else "",
        held=level.held,
        untouched=not level.held,
    )
    state.caches[subject.uid] = cache
    index_cache(state, cache)


def accept(state: State, cache: Cache, level: CacheLevel, event: Event) -> None:
    """A ModelCache is seen again: what may be followed of its spec is."""
    edited = level.spec != cache.level.spec
    if level.held and not cache.held and not cache.open:
        cache.untouched = False  # it is held, but not by what this log asked for
    cache.level, cache.held, cache.gone = level, level.held, False
    if not edited:
        return
    unindex_cache(state, cache)
    changed = _follow(cache, level)
    index_cache(state, cache)
    if changed != cache.spec_changed:
        cache.spec_changed, cache.spec_changed_at = changed, event.at


def _follow(cache: Cache, level: CacheLevel) -> tuple[str, ...]:
    """Take over what may be; give the fields that are not."""
    parsed = parse_cache(loads_or_none(level.spec))
    old, new = cache.spec, parsed.spec
    if old is None:
        cache.spec, cache.faults, cache.spec_text = new, parsed.faults, level.spec
        cache.fingerprint = fingerprint(new) if new else ""
        return ()
    if new is None:
        return tuple(dict.fromkeys(fault.field for fault in parsed.faults))
    changed = _unfollowed(old, new)
    cache.spec = new._replace(
        source=old.source,
        repo=old.repo,
        revision=old.revision,
        size_gib=max(old.size_gib, new.size_gib),
    )
    if not changed:
        cache.spec_text = level.spec
    return changed


def _unfollowed(old: CacheSpec, new: CacheSpec) -> tuple[str, ...]:
    fixed = [path for name, path in _FIXED.items() if getattr(old, name) != getattr(new, name)]
    return (*fixed, *((_SIZE,) if new.size_gib < old.size_gib else ()))
