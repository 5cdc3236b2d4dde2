"""Fixtures of the end-to-end tests."""

from collections.abc import AsyncIterator, Iterator
from contextlib import suppress

import aiohttp
import pytest
import pytest_asyncio

from tests.e2e.controlplane.building import BuildingError, built_programs
from tests.e2e.controlplane.running import ControlPlane


def pytest_collection_finish(session: pytest.Session) -> None:
    """Build the control plane before any test: it takes longer than a test's timeout allows."""
    if session.config.option.collectonly:
        return
    if any("control_plane" in getattr(item, "fixturenames", ()) for item in session.items):
        # The fixture meets the same error again, and fails only the tests that need it.
        with suppress(BuildingError):
            built_programs()


@pytest.fixture(scope="session")
def control_plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """A running control plane that all tests share; its logs are in pytest's temporary folder."""
    with ControlPlane(tmp_path_factory.mktemp("control-plane")) as running:
        yield running


@pytest_asyncio.fixture
async def session(control_plane: ControlPlane) -> AsyncIterator[aiohttp.ClientSession]:
    """An HTTP session with the API server as its admin."""
    async with control_plane.open_session() as opened:
        yield opened
