"""References: how a person names an object."""

from typing import NamedTuple

from adapters.cli.problems import Misuse

HELP = "KIND/NAMESPACE/NAME, as in modelwarmup/default/runtime-image-warmup."

_KINDS = {"modelwarmup": "ModelWarmup", "modelwarmups": "ModelWarmup", "mw": "ModelWarmup"}


class Reference(NamedTuple):
    """An object by name."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        """Give it as it is written."""
        return "/".join(self)


def parse_reference(text: str) -> Reference:
    """Read KIND/NAMESPACE/NAME; the kind in any case, plural, short, or with its group.

    Raises Misuse.
    """
    parts = text.strip().split("/")
    if len(parts) != len(Reference._fields) or not all(parts):
        raise Misuse(f"{text!r} names no object: write {HELP}")
    kind = _KINDS.get(parts[0].partition(".")[0].lower())
    if kind is None:
        raise Misuse(f"warmlog knows nothing of kind {parts[0]!r}: write {HELP}")
    return Reference(kind, parts[1], parts[2])
