"""Syntaxes of Kubernetes' names, labels and images.

They are Kubernetes' own, as regular expressions for a whole text, without anchors, in the subset
that Python and the API server read alike.
"""

import re
from typing import NamedTuple


class Syntax(NamedTuple):
    """What texts of one kind look like."""

    noun: str
    pattern: str
    longest: int

    def refusal(self, text: str) -> str:
        """Say why a text is none of this kind, or "" when it is one."""
        if not text:
            return "must not be empty" if not re.fullmatch(self.pattern, text) else ""
        if len(text) > self.longest:
            return f"must have at most {self.longest} characters, and has {len(text)}"
        if not re.fullmatch(self.pattern, text):
            return f"is not {self.noun}: {text!r}"
        return ""


_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_VALUE = "[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"

DNS_LABEL = Syntax("a name of lower-case letters, digits and '-'", _LABEL, 63)
# A Service may not begin with a digit.
SERVICE_NAME = Syntax(
    "a name of lower-case letters, digits and '-' that begins with a letter",
    "[a-z]([-a-z0-9]*[a-z0-9])?",
    63,
)
DNS_SUBDOMAIN = Syntax("a name of lower-case letters, digits, '-' and '.'", _SUBDOMAIN, 253)
LABEL_VALUE = Syntax("the value of a label", f"({_VALUE})?", 63)
# A name of its own, or one after a subdomain and a slash.
LABEL_KEY = Syntax("the key of a label", f"({_SUBDOMAIN}/)?{_VALUE}", 253 + 1 + 63)

# Kubernetes refuses a Pod with an image that begins or ends with what Unicode calls white space;
# white space inside is for the kubelet to judge.
_BLANK = r"\t-\r \x85\xa0" + "\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
IMAGE_PATTERN = rf"[^{_BLANK}]([\s\S]*[^{_BLANK}])?"


def label_key_refusal(key: str) -> str:
    """Say why a text is no label's key, or "" when it is one."""
    prefix = key.rpartition("/")[0]
    return LABEL_KEY.refusal(key) or (DNS_SUBDOMAIN.refusal(prefix) if prefix else "")


def image_refusal(image: str) -> str:
    """Say why no Pod can have an image of this name, or "" when one can."""
    if re.fullmatch(IMAGE_PATTERN, image):
        return ""
    if not image.strip():
        return "must not be empty"
    return "must not begin or end with white space"
