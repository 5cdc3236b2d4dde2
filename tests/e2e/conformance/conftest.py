"""Fixtures of the tests that compare the simulator with a real cluster."""

from collections.abc import Iterator

import pytest

from tests.e2e.controlplane.running import ControlPlane


@pytest.fixture(scope="session")
def control_plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """A control plane without any controller of ours: what these tests leave, none shall find.

    Among it are objects whose namespace is gone, as a real server has them while its controllers
    are away: a controller would try for ever to write their status.
    """
    with ControlPlane(tmp_path_factory.mktemp("compared")) as running:
        yield running
