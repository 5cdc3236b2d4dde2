"""Our annotations on a ModelWarmup: what they ask for, and which of them have no effect."""

from machines.labels import SUSPEND, TARGET_WAIT_SECONDS
from machines.pairs import Pairs
from machines.states import Warmup

DEFAULT_WAIT_SECONDS = 300
LONGEST_WAIT_SECONDS = 365 * 24 * 3600  # what is longer is used as this
_MEANT = (TARGET_WAIT_SECONDS, SUSPEND)


def wait_seconds(warmup: Warmup) -> int:
    """Give how long an absent name may wait: our annotation, or the default if it is no number."""
    text = dict(warmup.level.annotations).get(TARGET_WAIT_SECONDS, "")
    if not (text.isascii() and text.isdigit()):
        return DEFAULT_WAIT_SECONDS
    return min(int(text.lstrip("0")[:20] or "0"), LONGEST_WAIT_SECONDS)


def is_suspended(annotations: Pairs) -> bool:
    """Say whether our annotation asks for no new Jobs."""
    return dict(annotations).get(SUSPEND) == "true"


def ignored_annotations(annotations: Pairs) -> str:
    """Say which of our annotations have no effect, and why; "" when all have."""
    said = []
    for name, value in annotations:
        if name == TARGET_WAIT_SECONDS and not (value.isascii() and value.isdigit()):
            said.append(f"{name} {value!r} is no whole number of seconds and is not used")
        elif name == SUSPEND and value not in ("true", "false"):
            said.append(f'{name} {value!r} is neither "true" nor "false" and is not used')
        elif name not in _MEANT:
            said.append(f"{name} is no annotation of warmlog, which has {' and '.join(_MEANT)}")
    return "; ".join(said)
