"""A ModelCache's spec, read: what is to be staged, and on which clusters.

`parse_cache` takes the stored spec as it stands and never raises: what admission let through, or
what was stored before there was a rule, comes back as faults, each naming its field. Fields,
bounds and defaults are those of Modelplane's public API (modelplane.ai/v1alpha1).

What a repository and a revision may be called is what the hub's own library takes. Both become
parts of paths and of command lines, so nothing that climbs a folder or looks like an option is
a name of either.
"""

from typing import Any, NamedTuple

from machines.faults import Fault, Faults
from machines.pairs import Pairs
from machines.syntaxes import DNS_SUBDOMAIN, LABEL_VALUE, Syntax, label_key_refusal

HUGGING_FACE = "HuggingFace"
SOURCES = (HUGGING_FACE,)
DEFAULT_TOKEN_KEY = "HF_TOKEN"  # noqa: S105 -- the key of a Secret, no secret
MAX_SIZE_GIB = 100_000

_WORD = "[A-Za-z0-9_]"
# Neither two dots nor two hyphens in a row: the hub's layout writes `--` for the slash.
_REPO_PART = rf"{_WORD}(\.?(-\.)*-?{_WORD})*"
_REVISION_PART = rf"{_WORD}(\.?[A-Za-z0-9_+@=-])*"

REPO = Syntax(
    "a repository of the hub, as name or owner/name", f"({_REPO_PART}/)?{_REPO_PART}", 96 + 1 + 96
)
NO_REPO_ENDING = ".git"
# Empty is the default branch of the repository, as when there is none.
REVISION = Syntax(
    "a branch, tag, commit or refs/pr/N", f"({_REVISION_PART}(/{_REVISION_PART})*)?", 255
)
# Empty is the default key.
SECRET_KEY = Syntax("a key of a Secret", "[-._A-Za-z0-9]*", 253)

_SOURCE = "spec.huggingFace"


class CacheSpec(NamedTuple):
    """A spec that can work."""

    source: str
    repo: str
    revision: str  # "" is the default branch
    secret_name: str  # "" when the repository needs no token
    secret_key: str
    size_gib: int
    selector: Pairs  # labels that a cluster must have; none: every cluster


class ParsedCache(NamedTuple):
    """A spec that can work, or why it cannot."""

    spec: CacheSpec | None
    faults: tuple[Fault, ...]


def parse_cache(raw: Any) -> ParsedCache:
    """Read a stored spec; every fault at once, in the order of the fields."""
    faults = Faults()
    spec = faults.mapping(raw, "spec")
    source = faults.text(spec.get("source"), "spec.source")
    if source not in SOURCES:
        faults.add("spec.source", f"must be {' or '.join(SOURCES)}")
    hub = spec.get("huggingFace")
    if hub is None and source == HUGGING_FACE:
        faults.add(_SOURCE, f"must be given: spec.source is {source}")
    repo, revision, secret, size = _hub(faults, hub)
    selector = _selector(faults, spec.get("clusterSelector"))
    if faults.found():
        return ParsedCache(None, faults.found())
    return ParsedCache(CacheSpec(source, repo, revision, *secret, size, selector), ())


def _hub(faults: Faults, raw: Any) -> tuple[str, str, tuple[str, str], int]:
    hub = faults.mapping(raw, _SOURCE)
    if raw is None or faults.has(_SOURCE):
        return "", "", ("", ""), 0
    repo = faults.named(hub.get("repo"), f"{_SOURCE}.repo", REPO)
    if repo.endswith(NO_REPO_ENDING):
        faults.add(f"{_SOURCE}.repo", f"must not end in {NO_REPO_ENDING}")
    revision = faults.named(hub.get("revision"), f"{_SOURCE}.revision", REVISION)
    secret = _secret(faults, hub.get("authSecret"), f"{_SOURCE}.authSecret")
    field = f"{_SOURCE}.sizeGiB"
    if hub.get("sizeGiB") is None:
        faults.add(field, "must be given")
    size = faults.number(hub.get("sizeGiB"), field, 0, 1, MAX_SIZE_GIB)
    return repo, revision, secret, size


def _secret(faults: Faults, raw: Any, field: str) -> tuple[str, str]:
    secret = faults.mapping(raw, field)
    if raw is None or faults.has(field):
        return "", DEFAULT_TOKEN_KEY
    name = faults.named(secret.get("name"), f"{field}.name", DNS_SUBDOMAIN)
    key = faults.named(secret.get("key"), f"{field}.key", SECRET_KEY)
    return name, key or DEFAULT_TOKEN_KEY


def _selector(faults: Faults, raw: Any) -> Pairs:
    field = "spec.clusterSelector.matchLabels"
    labels = faults.mapping(faults.mapping(raw, "spec.clusterSelector").get("matchLabels"), field)
    pairs = []
    for key in sorted(key for key, value in labels.items() if value is not None):
        place = f"{field}.{key}"
        value = faults.text(labels[key], place)
        faults.unless_fine(place, label_key_refusal(key))
        faults.unless_fine(place, LABEL_VALUE.refusal(value))
        pairs.append((key, value))
    return tuple(pairs)
