"""Metrics: figures as Prometheus reads them, taken afresh at each request."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

Labels = tuple[str, ...]


class Metric(NamedTuple):
    """One figure, or one for each set of label values. All are gauges: they may go down."""

    name: str
    words: str
    samples: dict[Labels, float]
    labels: Labels = ()


def metric(name: str, words: str, value: float) -> Metric:
    """Give a figure without labels."""
    return Metric(name, words, {(): value})


def exposition(metrics: Iterable[Metric], accept: str) -> tuple[bytes, str]:
    """Give the body and the content type, in the form that the asker accepts."""
    registry = CollectorRegistry()
    registry.register(_Given(metrics))
    encode, content_type = choose_encoder(accept)
    return encode(registry), content_type


class _Given(Collector):
    """Metrics that are there already."""

    def __init__(self, metrics: Iterable[Metric]) -> None:
        self._metrics = list(metrics)

    def collect(self) -> Iterator[GaugeMetricFamily]:
        for one in self._metrics:
            family = GaugeMetricFamily(one.name, one.words, labels=one.labels)
            for values, figure in one.samples.items():
                family.add_metric(values, figure)
            yield family
