"""What is said of a kind that cannot be read."""

import pytest

from adapters.kubernetes.kinds import JOB
from adapters.kubernetes.reflecting import ReadRefused
from adapters.kubernetes.watch_health import refused_words


@pytest.mark.parametrize(
    ("cluster", "remedy"),
    [
        ("prod", "`kubectl apply -k deploy/`. It"),
        ("ic/west", "`kubectl apply -k deploy/workload-cluster` there. It"),
    ],
)
def test_the_roles_that_lack_are_those_of_the_cluster(cluster: str, remedy: str) -> None:
    """Another cluster needs less than the one that warmlog runs in, and has its own folder."""
    words = refused_words(cluster, JOB, ReadRefused(403, "jobs.batch is forbidden"))
    assert f"in cluster {cluster}: apply its roles with {remedy} was told: jobs.batch" in words
