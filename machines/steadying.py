"""Steadied text: words from outside, without what changes by itself and without secrets.

What a cluster says about one unchanged cause differs each time: the scheduler counts nodes, the
kubelet counts seconds, generated Pod names and request ids come and go. A level holds the steadied
words, so that an unchanged cause stays one row of the log. What is left out is shown as `…`.
Digests, exit codes, ports and HTTP codes stay, because they tell one cause from another.
"""

import re
from functools import lru_cache

LIMIT = 1024  # characters of a message in a level or a status
ELLIPSIS = "…"

# Longer texts are cut before they are looked at, so that no text costs more than this.
_LOOKED_AT = 16 * LIMIT
_WORD_AT_START = re.compile(r"\A[\w+/=.~-]+", re.ASCII)
_WORD_AT_END = re.compile(r"(?<![\w+/=.~-])[\w+/=.~-]+\Z", re.ASCII)

_IMAGE_BACK_OFF = re.compile(r'Back-off pulling image "[^"]*": \w+: ')
_IMAGE_REASONS = frozenset({"ErrImagePull", "ImagePullBackOff"})

_NO_NODE = re.compile(r"\s*0/\d+ nodes are (?:un)?available:\s*")
# What follows the reasons: what preemption would bring, node by node, and what dynamic
# resource allocation tried. Neither is a cause, and both count nodes.
_AFTERTHOUGHT = re.compile(
    r"(?:\.\s+|^)(?:no new claims to deallocate|still not schedulable|preemption: ).*\Z", re.DOTALL
)
_NEXT_REASON = re.compile(r",\s+(?=\d+ )")
_COUNT = re.compile(r"\d+\s+")
# A Pod that is pinned to a node by its name is never meant for any other one: that the others do
# not match is no news, unless nothing else is said.
_OTHER_NODES = re.compile(
    r"node\(s\) didn't (?:match Pod's node affinity(?:/selector)?|match node selector"
    r"|satisfy plugin(?:\(s\))? \[NodeAffinity\])\Z"
)

_SECRETS: tuple[tuple[re.Pattern[str], str], ...] = (
    # hf_transfer and hf_hub_download are programs; a token holds a digit or a capital, or is long.
    (re.compile(r"\bhf_(?=[a-z]*[0-9A-Z]|[a-z]{16})[A-Za-z0-9]{4,}\w*"), "hf_…"),
    # A registry's challenge (`Bearer realm=…`) and plain English about tokens hold no secret.
    (
        re.compile(
            r"\b(Bearer)\s+(?!realm=|(?:auth\w*|credentials?|scheme|tokens?)\b(?![-.~+/=]))"
            r"[^\s\"',;<>]+",
            re.IGNORECASE,
        ),
        r"\1 …",
    ),
    (
        re.compile(r"\b(Authorization[\"']?\s*[:=]\s*[\"']?Basic)\s+[^\s\"',;]+", re.IGNORECASE),
        r"\1 …",
    ),
    (re.compile(r"\beyJ[\w-]{8,512}\.[\w-]{4,}(?:\.[\w-]*)?"), ELLIPSIS),
    (re.compile(r"(\b[A-Za-z][A-Za-z0-9+.-]{0,31}://)[^\s/?#\"'<>]*@"), r"\1…@"),
    # Signed URLs carry their key in the query.
    (re.compile(r"(\bhttps?://[^\s?\"'<>]{1,1024})\?[^\s\"'<>]*"), r"\1?…"),
)

_CHANGING: tuple[tuple[re.Pattern[str], str], ...] = (
    # Dates with times, as RFC 3339 and as Go prints them; times of day.
    (
        re.compile(
            r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?"
            r"(?:Z|\s?[+-]\d\d:?\d\d)?(?: [A-Z]{3,4}\b)?(?: m=[+-][\d.]+)?"
        ),
        ELLIPSIS,
    ),
    (re.compile(r"(?<![\w:.])\d\d:\d\d:\d\d(?:\.\d+)?(?![\w:])"), ELLIPSIS),
    # Durations as Go prints them: they always end in seconds or less, so `100m` of CPU stays.
    (
        re.compile(
            r"(?<![\w:./@=+-])(?:\d+h)?(?:\d+m)?\d+(?:\.\d+)?"
            r"(?:ns|us|[\u00b5\u03bc]s|ms|s)(?![\w-])"
        ),
        ELLIPSIS,
    ),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"), ELLIPSIS),
    # Container and sandbox ids; a digest says its algorithm before.
    (
        re.compile(r"(?<!sha256[:/])(?<!sha512[:/])(?<![0-9A-Za-z])[0-9a-f]{32,}(?![0-9A-Za-z])"),
        ELLIPSIS,
    ),
    (re.compile(r"\b0x[0-9a-f]{6,}\b"), ELLIPSIS),
    # The port of our end of a connection is another one each time.
    (re.compile(r"(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-fA-F:.%\w]+\]):\d+->"), "…->"),
    # Generated Pod names (five characters of Kubernetes' own alphabet), after the word that says
    # that a name follows, and the names of generated volumes.
    (
        re.compile(
            r"(\bpods?[ =:/]+\"?(?:[a-z0-9.-]+/)?[a-z0-9.-]*?-)"
            r"[bcdfghjklmnpqrstvwxz2456789]{5}(?![a-z0-9-])",
            re.IGNORECASE,
        ),
        r"\1…",
    ),
    (re.compile(r"\bkube-api-access-[a-z0-9]{5}\b"), "kube-api-access-…"),
    # Counters.
    (re.compile(r"(, used: )[^,\s]+(?:,[^,\s=]+=[^,\s]+)*"), r"\1…"),
    (re.compile(r"\b((?:attempt|retry|try)(?: (?:number|no\.?))? ?#?)\d+", re.IGNORECASE), r"\1…"),
    (re.compile(r"\(x\d+ over [^)]*\)"), "(…)"),
    (
        re.compile(r"\b(request[ _-]?id[\"']?\s*[:=]?\s*[\"']?)[\w-]*\d[\w-]*", re.IGNORECASE),
        r"\1…",
    ),
)


def cut(text: str, limit: int = LIMIT) -> str:
    """Shorten `text` to at most `limit` characters; what was cut is shown as `…` at the end."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + ELLIPSIS


def cut_start(text: str, limit: int = LIMIT) -> str:
    """Shorten `text` to its last `limit` characters: the end of a log says what went wrong."""
    return text if len(text) <= limit else ELLIPSIS + text[1 - limit :].lstrip()


def cut_bytes(text: str, limit: int) -> str:
    """Shorten `text` to at most `limit` bytes of UTF-8, on a character boundary."""
    data = text.encode("utf-8", "replace")
    if len(data) <= limit:
        return data.decode()
    kept = data[: limit - len(ELLIPSIS.encode())].decode("utf-8", "ignore")
    return kept.rstrip() + ELLIPSIS


def scrub(text: str) -> str:
    """Take out what may be a secret: tokens, `Bearer …`, user info and queries of URLs."""
    for pattern, replacement in _SECRETS:
        text = pattern.sub(replacement, text)
    return text


def steady(text: str, owner: str = "") -> str:
    """Give the words of `text` that stay the same while their cause does, at most LIMIT characters.

    `owner` is the name before the five generated characters of Pod names (the Job's name): names
    built from it lose those characters wherever they stand.
    """
    # Most words do not name their owner: then they are looked at once for all owners.
    return _steady(text, owner if owner and owner in text else "")


@lru_cache(maxsize=1024)
def _steady(text: str, owner: str) -> str:
    return cut(_steadied(text, owner))


def steady_end(text: str, owner: str = "") -> str:
    """Steady what a program said last; when it is too long, its end is kept, not its start."""
    return cut_start(_steadied(text, owner, from_end=True))


@lru_cache(maxsize=256)
def steady_scheduling(text: str, *, pinned: bool = True) -> str:
    """Steady the scheduler's words: no counts, no preemption tail, reasons in one order.

    With `pinned` (the Pod names its node) what is said of all other nodes is left out, unless it
    is all that is said. Words of another form are steadied like any other text.
    """
    start = _NO_NODE.match(text)
    if start is None:
        return steady(text)
    said = _AFTERTHOUGHT.sub("", text[start.end() :]).strip().rstrip(".")
    reasons = {_COUNT.sub("", part.strip(), count=1) for part in _NEXT_REASON.split(said)}
    reasons.discard("")
    if pinned:
        reasons = {part for part in reasons if not _OTHER_NODES.match(part)} or reasons
    if not reasons:
        return "no node is available"
    return steady(f"no node is available: {', '.join(sorted(reasons))}")


def steady_waiting(reason: str, message: str, owner: str = "") -> tuple[str, str]:
    """Steady why a container waits: (reason, words).

    The kubelet alternates between ErrImagePull and ImagePullBackOff while one pull goes on
    failing; both are given as ImagePullBackOff, with the registry's words where there are any.
    """
    if reason in _IMAGE_REASONS:
        return "ImagePullBackOff", steady(_IMAGE_BACK_OFF.sub("", message, count=1), owner)
    return reason, steady(message, owner)


def _steadied(text: str, owner: str, *, from_end: bool = False) -> str:
    if len(text) > _LOOKED_AT:
        # A word that the cut goes through might be half a secret, which nothing would recognise.
        text = (
            _WORD_AT_START.sub("", text[-_LOOKED_AT:])
            if from_end
            else _WORD_AT_END.sub("", text[:_LOOKED_AT])
        )
    if owner and owner in text:
        text = re.sub(rf"({re.escape(owner)}-)[a-z0-9]{{5}}(?![a-z0-9-])", r"\1…", text)
    text = scrub(text)
    for pattern, replacement in _CHANGING:
        text = pattern.sub(replacement, text)
    return text.strip()
