"""What can be wrong with a question about a log: one sentence each, with what to do."""

from engine.errors import WarmlogError


class Misasked(WarmlogError):
    """The question means nothing: a reference, a moment or a cluster that cannot be."""


class NotHeld(WarmlogError):
    """The log holds nothing of the sort at that moment."""
