"""Parts of a ModelWarmup's spec, as they are used once it was read."""

from typing import NamedTuple

MAX_TARGETS = 1000  # nodes of one warmup; names in all entries together
MAX_ENTRIES = 32  # of targets, images, pull secrets, and of each custom list
MAX_ARGUMENTS = 64  # of an image's command, and of its args
PULL_POLICIES = ("", "Always", "IfNotPresent", "Never")
OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")


class Requirement(NamedTuple):
    """One term of a label selector."""

    key: str
    operator: str
    values: tuple[str, ...] = ()


class TargetEntry(NamedTuple):
    """One entry of spec.targets: names, or the terms of a selector."""

    names: tuple[str, ...] = ()
    requirements: tuple[Requirement, ...] = ()


class Image(NamedTuple):
    """One image to pull, and the finite command that shows it was."""

    image: str
    command: tuple[str, ...]
    args: tuple[str, ...] = ()
    pull_policy: str = "IfNotPresent"
