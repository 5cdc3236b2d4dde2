"""A hub and a container of one's own for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hydration.containers import Container, spec_of
from tests.hydration.hub_stub import Hub, serving
from tests.hydration.repositories import REPO, a_small_hub


@pytest.fixture(name="hub")
def served_hub() -> Iterator[Hub]:
    """A small hub that answers."""
    with serving(a_small_hub()) as hub:
        yield hub


@pytest.fixture(name="container")
def new_container(tmp_path: Path, hub: Hub) -> Container:
    """The container that stages the small repository from its default branch."""
    return Container(tmp_path, hub.url, spec_of(REPO))
