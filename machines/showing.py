"""Showing: what of a warmup can be read in its status, and whether an event changed any of it.

A status carries as `position` the seq of the event that last changed it, and a replay has to give
the very bytes that the server holds. So what a status shows is defined once, here: a few figures
of the whole (`face`), and the details of the first targets listed. Words are cut to a share of the
status that depends on nothing but how many details there are, so that one target's words never
change how another's are shown.
"""

from bisect import bisect_left, insort
from typing import NamedTuple

from engine.canonical_json import dumps
from engine.instants import SECOND
from machines.annotations import ignored_annotations
from machines.indexing import entry_of
from machines.messages import cut
from machines.node_jobs import NodeJobState
from machines.progressing import progress
from machines.states import Target, Warmup, Words

SHOWN_TARGETS = 256  # details in a status; the API's own bound
STATUS_BYTES = 512 * 1024  # of canonical JSON, which is longer than what the server stores
CONDITION_BYTES = 2048  # of one condition's message in JSON
_WHOLE_BYTES = 24 * 1024  # everything but the details: nine conditions, counters, times
_NAMES_BYTES = 800  # a detail without its words, its node's name at its longest

_BYTES_OF_A_CHARACTER = 12  # at most: a surrogate pair in JSON's ASCII form


class Detail(NamedTuple):
    """What is shown of one target."""

    node_name: str
    first_entry: int
    entries: int
    state: NodeJobState
    job_name: str
    words: Words
    changed_at: int  # whole seconds


def share(listed: int) -> int:
    """Give how many bytes of JSON each detail may use for its words when so many are listed."""
    details = max(1, min(listed, SHOWN_TARGETS))
    return (STATUS_BYTES - _WHOLE_BYTES) // details - _NAMES_BYTES


def shown_words(words: Words, size: int) -> Words:
    """Give words as they are shown within `size` bytes of JSON; at most 1,024 characters each."""
    reason = cut_to_bytes(cut(words.reason), size // 3)
    return Words(reason, cut_to_bytes(cut(words.message), size - _json_bytes(reason)))


def cut_to_bytes(text: str, size: int) -> str:
    """Cut a text on a character's boundary so that it takes at most `size` bytes in JSON."""
    if len(text) * _BYTES_OF_A_CHARACTER <= size or _json_bytes(text) <= size:
        return text
    low, high = 0, len(text)  # the longest cut that fits is `low` characters long, or none does
    while low + 1 < high:
        middle = (low + high) // 2
        if _json_bytes(cut(text, middle)) <= size:
            low = middle
        else:
            high = middle
    return cut(text, low) if low else ""


def detail(target: Target, size: int) -> Detail:
    """Give what is shown of a target whose words have `size` bytes."""
    return Detail(
        target.node_name,
        target.first_entry,
        target.entries,
        target.state,
        target.job_name,
        shown_words(target.words, size),
        target.changed_at // SECOND,
    )


def face(warmup: Warmup) -> tuple[object, ...]:
    """Give everything that a status shows beside the details, or that decides how it shows it."""
    own = (
        warmup.state.value,
        warmup.level.generation,
        warmup.spec_changed_at // SECOND if not warmup.faults else 0,
        warmup.spec_changed and not warmup.faults,
        ignored_annotations(warmup.level.annotations),
        warmup.contested_by,
        warmup.contested_at // SECOND,
        warmup.recovered is not None,
    )
    if warmup.recovered is not None:
        return own
    count = warmup.counts.get
    return (
        *own,
        *progress(warmup),
        warmup.refused_at // SECOND,
        len(warmup.refused),
        len(warmup.targets) - count(NodeJobState.WITHDRAWN, 0),
        count(NodeJobState.HYDRATING, 0),
        count(NodeJobState.READY, 0),
        count(NodeJobState.FAILED, 0),
        len(warmup.skipped),
    )


def details_changed(warmup: Warmup, before: dict[str, Target | None]) -> bool:
    """Say whether the details shown differ, given the targets that an event touched as they were.

    Asked only when the face is unchanged, hence the number of details is, too.
    """
    if warmup.recovered is not None:
        return False
    size = share(len(warmup.listed))
    for key, old in before.items():
        new = warmup.targets.get(key)
        place = entry_of(new)
        if place != entry_of(old):
            return _windows_differ(warmup, before)
        if place is None or old is None or new is None or old is new:
            continue
        within = bisect_left(warmup.listed, place) < SHOWN_TARGETS
        if within and _shown_otherwise(old, new, size):
            return True
    return False


def _shown_otherwise(old: Target, new: Target, size: int) -> bool:
    """Say whether the details of two targets differ; words that are alike are cut alike."""
    alike = old.words == new.words
    return detail(old, size) != detail(new, size) if not alike else _bare(old) != _bare(new)


def _bare(target: Target) -> Target:
    """Give a target with nothing but what is shown of it beside its words."""
    return Target(
        "", target.node_name, target.state, named=False, first_entry=target.first_entry,
        entries=target.entries, job_name=target.job_name, changed_at=target.changed_at // SECOND,
    )  # fmt: skip


def _windows_differ(warmup: Warmup, before: dict[str, Target | None]) -> bool:
    """Compare what is shown with what was: needed only when targets came, went or changed rank."""
    old_targets = {**warmup.targets, **before}
    old_listed = [entry for entry in warmup.listed if entry[2] not in before]
    for target in before.values():
        entry = entry_of(target)
        if entry is not None:
            insort(old_listed, entry)
    size = share(len(warmup.listed))
    for entry, old_entry in zip(
        warmup.listed[:SHOWN_TARGETS], old_listed[:SHOWN_TARGETS], strict=True
    ):
        old, new = old_targets[old_entry[2]], warmup.targets[entry[2]]
        if old is not new and (old is None or detail(old, size) != detail(new, size)):
            return True
    return False


def _json_bytes(text: str) -> int:
    return len(dumps(text)) - 2
