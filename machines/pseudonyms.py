"""Pseudonyms: another name for each name, the same one wherever it stands, and no way back.

A pseudonym is made under a key that nobody who reads the result has. A name that belongs to others
(a Job's, made of its ModelWarmup's) keeps belonging to them: what it is made of is replaced.
"""

import hashlib
import hmac
import re

_DIGITS = 8
_SEPARATED = re.compile(r"[^/:@,=?&#\s\"'`{}\[\]()<>|;]+")
_HARMLESS = re.compile(
    r"v?\d+(\.\d+){0,2}(m|[kKMGTPE]i?|s|h|%)?"  # numbers, quantities, versions of programs
    r"|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"  # uids
    r"|\d{4}-\d{2}-\d{2}T\d{2}|\d{2}|\d{2}(\.\d+)?Z"  # parts of times
    r"|[\W_]+"  # no letter of any script, and no digit
)
# What generators append to a name.
_SUFFIX = re.compile(r"[0-9a-f]{5,12}|[bcdfghjklmnpqrstvwxz2456789]{5,10}|\d{1,3}")
_PROSE = re.compile(r"[A-Za-z][a-z]*[.,]?|[A-Z][A-Za-z]+[.,]?")  # words, and reasons in CamelCase
# Names that everybody has, and what warmlog itself writes.
COMMON = frozenset({
    "default", "kube-system", "kube-public", "kube-node-lease", "warmlog", "warmlog-system",
    "modelplane-system", "local", "demo", "sim", "true", "false", "True", "False", "Unknown",
    "mnt", "models", "model-cache", "engine", "kubeconfig", "HF_HUB_CACHE", "HF_TOKEN",
    "linux", "amd64", "arm64", "", "ic",
})  # fmt: skip
# Labels, annotations, taints and finalizers whose names everybody has.
_PUBLIC = re.compile(
    r"(?!node-restriction\.)"  # below these two stand names that people give
    r"(?!node-role\.kubernetes\.io/(?!(control-plane|master|worker)$))"
    r"([a-z0-9-]+\.)*(kubernetes\.io|k8s\.io|x-k8s\.io|aibrix\.ai|modelplane\.ai|warmlog\.dev)"
    r"/[A-Za-z0-9._-]+"
)


class Pseudonyms:
    """Replaces names in texts; what it has to keep together is told it first."""

    def __init__(self, key: bytes) -> None:
        """Make pseudonyms under `key`, which must not be known to whoever reads them."""
        self._key = key
        self._known: dict[str, str] = {}  # names that others are made of, and those made of them
        self._names: set[str] = set()  # every name met outside of prose

    def relate(self, name: str, pseudonym: str) -> None:
        """Say what a name that is made of others becomes."""
        self._known[name] = pseudonym

    def name(self, text: str) -> str:
        """Give the pseudonym of one name."""
        known = self._known.get(text)
        if known is not None:
            return known
        if text in COMMON or _HARMLESS.fullmatch(text):
            return text
        self._names.add(text)
        made = self._made_of_others(text) or self._digest(text)
        self._known[text] = made
        return made

    def value(self, text: str) -> str:
        """Replace every name in a value: an image, a path, the key of a label."""
        if _PUBLIC.fullmatch(text):
            return text
        return _SEPARATED.sub(lambda found: self.name(found[0]), text)

    def prose(self, text: str) -> str:
        """Replace the names in a sentence, and keep its words."""
        return _SEPARATED.sub(lambda found: self._spoken(found[0]), text)

    def _spoken(self, word: str) -> str:
        bare = word.strip(".,;:!?")
        if bare in self._names or bare in self._known:
            return word.replace(bare, self.name(bare))
        return word if _PROSE.fullmatch(word) else self.name(word)

    def _made_of_others(self, text: str) -> str:
        """Replace the longest known name that it begins with, and keep what was generated."""
        parts = text.split("-")
        for length in range(len(parts) - 1, 0, -1):
            known = self._known.get("-".join(parts[:length]))
            if known is not None:
                rest = [self._known.get(part) or self._suffix(part) for part in parts[length:]]
                return "-".join([known, *rest])
        return ""

    def _suffix(self, part: str) -> str:
        return part if _SUFFIX.fullmatch(part) else self._digest(part)

    def _digest(self, text: str) -> str:
        digest = hmac.new(self._key, text.encode("utf-8", "surrogatepass"), hashlib.sha256)
        return f"x{digest.hexdigest()[:_DIGITS]}"
