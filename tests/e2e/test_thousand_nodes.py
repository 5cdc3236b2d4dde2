"""A thousand nodes at once: warmlog keeps up with a script that only creates the Jobs."""

from pathlib import Path

import pytest

from benchmarks.bench_thousand_nodes import BAR, measure

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(1200)]


async def test_a_thousand_nodes_take_at_most_twice_as_long_as_a_bare_script(
    tmp_path: Path,
) -> None:
    """With parallelism 1,000 all end `Succeeded`, and the wall time stays within the bar."""
    result = await measure(tmp_path)
    assert result.phase == "Succeeded"
    assert result.ratio <= BAR, result
