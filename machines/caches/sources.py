"""Sources: the one place where what a ModelCache stages turns into a Job, a fingerprint and words.

A source says how its content lies in the volume (its layout), which script brings it there, and
with which environment. Everything else treats sources alike.
"""

import hashlib
from collections.abc import Callable
from typing import NamedTuple

from engine.canonical_json import dumps
from machines.caches.hydration_scripts import SCRIPT
from machines.caches.specs import HUGGING_FACE, CacheSpec
from machines.pairs import Pairs

# The library that the script was tested with; where an image has one, that one is used.
HUB_VERSION = "2.4.0"

_FINGERPRINT_LENGTH = 12


class Source(NamedTuple):
    """What is particular about a source."""

    layout: str
    script: str
    token_variable: str
    environment: Callable[[CacheSpec], Pairs]
    words: Callable[[CacheSpec], str]


def fingerprint(spec: CacheSpec) -> str:
    """Give 12 hex digits that differ whenever something else would have to be staged."""
    layout = source_of(spec).layout
    identity = dumps([spec.source, spec.repo, spec.revision, layout]).encode("ascii")
    return hashlib.sha256(identity).hexdigest()[:_FINGERPRINT_LENGTH]


def marker(spec: CacheSpec) -> str:
    """Give the name of the file that says that all of this source lies in the volume.

    Its first line is `claim` and the claim's UID: a volume may come back under another claim.
    """
    return f".warmlog-hydrated-{fingerprint(spec)}"


def words(spec: CacheSpec) -> str:
    """Say what is staged, as messages name it."""
    return source_of(spec).words(spec)


def environment(spec: CacheSpec, claim_uid: str) -> Pairs:
    """Give what the script is told: what to stage, its marker, and the claim that this names."""
    about = (("WARMLOG_MARKER", marker(spec)), ("WARMLOG_CLAIM_UID", claim_uid))
    return (*source_of(spec).environment(spec), *about)


def source_of(spec: CacheSpec) -> Source:
    """Give the source of a spec that can work."""
    return _SOURCES[spec.source]


def _hub_environment(spec: CacheSpec) -> Pairs:
    return (
        ("WARMLOG_REPO", spec.repo),
        ("WARMLOG_REVISION", spec.revision),
        ("WARMLOG_HUB_VERSION", HUB_VERSION),
    )


def _hub_words(spec: CacheSpec) -> str:
    return f"{spec.repo} at {spec.revision or 'its default branch'}"


_SOURCES = {
    HUGGING_FACE: Source("hub", SCRIPT, "HF_TOKEN", _hub_environment, _hub_words),
}
