"""Figures of what stands on InferenceClusters, cluster by cluster."""

from collections.abc import Iterable, Sequence

from adapters.http.metrics import Labels
from engine.instants import SECOND


def counted(stands: Sequence[tuple[str, str]], states: Sequence[str]) -> dict[Labels, float]:
    """Count by cluster and state what `stands` pairs; a state in which none is counts 0."""
    figures: dict[Labels, float] = {
        (cluster, state): 0 for cluster, _ in stands for state in states
    }
    for cluster, state in stands:
        figures[cluster, state] += 1
    return figures


def earliest(moments: Iterable[tuple[str, int]]) -> dict[Labels, float]:
    """Give the first moment of each cluster in seconds, of pairs with it in nanoseconds."""
    figures: dict[Labels, float] = {}
    for cluster, moment in moments:
        seconds = moment / SECOND
        figures[cluster,] = min(figures.get((cluster,), seconds), seconds)
    return figures
