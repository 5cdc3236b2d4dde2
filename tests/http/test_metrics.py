"""Metrics: what is given comes back from Prometheus' own parser."""

from prometheus_client.parser import text_string_to_metric_families

from adapters.http.metrics import Metric, exposition, metric


def test_figures_come_back() -> None:
    """Names, labels of any characters and numbers of any size are read as they were given."""
    odd = 'a"b\\c\nd é'
    given = [
        metric("warmlog_ready", "words", value=True),
        Metric("warmlog_x", "more words", {("n", odd): 12, ("n", ""): 2**40}, ("one", "two")),
        Metric("warmlog_none", "nothing to count", {}, ("one",)),
    ]
    body, _ = exposition(given, "")
    told = {family.name: family for family in text_string_to_metric_families(body.decode())}
    assert list(told) == ["warmlog_ready", "warmlog_x", "warmlog_none"]
    assert {family.type for family in told.values()} == {"gauge"}
    assert [sample.value for sample in told["warmlog_ready"].samples] == [1]
    found = {tuple(sample.labels.items()): sample.value for sample in told["warmlog_x"].samples}
    assert found == {
        (("one", "n"), ("two", odd)): 12,
        (("one", "n"), ("two", "")): 2**40,
    }
    assert told["warmlog_none"].samples == []
