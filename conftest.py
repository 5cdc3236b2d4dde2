"""What every run of the tests obeys: profiles of Hypothesis, PostgreSQL, and no silent skips.

WARMLOG_TEST_POSTGRES is the SQLAlchemy URL of a PostgreSQL superuser. Without it the tests
marked `postgres` are skipped, and one line says so. With WARMLOG_REQUIRE_ALL=1 a run that
skipped anything fails. `--hypothesis-profile=soak` searches longer.
"""

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# No deadlines: parallel workers share the machine, so one would measure the neighbours.
# pytest-timeout ends what hangs.
_COMMON: dict[str, Any] = {
    "deadline": None,
    "print_blob": True,
    "suppress_health_check": [HealthCheck.too_slow],
}
# The quick profile tries the same examples each time, so that who changes something learns of that
# alone; what nobody has tried yet is for the soak, which has the time to tell its story.
settings.register_profile(
    "quick", max_examples=30, stateful_step_count=30, derandomize=True, **_COMMON
)
settings.register_profile("default", settings.get_profile("quick"))
settings.register_profile("soak", max_examples=5000, stateful_step_count=100, **_COMMON)
settings.load_profile("quick")

# Its asserts are in no test file; here, before the conftest that imports it.
pytest.register_assert_rewrite("tests.e2e.controllers")

NO_POSTGRES = "WARMLOG_TEST_POSTGRES is not set"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs PostgreSQL where there is none."""
    if os.environ.get("WARMLOG_TEST_POSTGRES"):
        return
    for item in items:
        if item.get_closest_marker("postgres"):
            item.add_marker(pytest.mark.skip(reason=NO_POSTGRES))


def _skipped(config: pytest.Config) -> list[pytest.TestReport]:
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    return [] if reporter is None else reporter.stats.get("skipped", [])


def _why(report: pytest.TestReport) -> str:
    longrepr = report.longrepr
    return longrepr[2] if isinstance(longrepr, tuple) else str(longrepr)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say in one line that PostgreSQL's part was left out, or name every skip if none may be."""
    skipped = _skipped(config)
    if os.environ.get("WARMLOG_REQUIRE_ALL") == "1":
        for report in skipped:
            terminalreporter.write_line(
                f"SKIPPED though WARMLOG_REQUIRE_ALL=1: {report.nodeid}: {_why(report)}", red=True
            )
        return
    left_out = sum(NO_POSTGRES in _why(report) for report in skipped)
    if left_out:
        terminalreporter.write_line(
            f"PostgreSQL: {left_out} tests skipped, for {NO_POSTGRES}; make test-postgres runs them"
        )


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run that must be whole and was not."""
    whole = os.environ.get("WARMLOG_REQUIRE_ALL") != "1" or not _skipped(session.config)
    if not whole and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
