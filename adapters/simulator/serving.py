"""Which kinds an API server serves: a definition may not be installed, a group be switched off."""

from adapters.simulator import answers
from adapters.simulator.resources import LEADER_WORKER_SET, RESOURCES, Place, place_of


class Served:
    """The kinds that are served, which may become more and fewer."""

    def __init__(self) -> None:
        """Serve all but what nobody has who did not install it."""
        self.missing: set[str] = {LEADER_WORKER_SET.kind}

    def place(self, path: str) -> Place:
        """Read a request's path; refuses with 404 where the server has nothing."""
        place = place_of(path)
        if place is None or place.resource.kind in self.missing:
            raise answers.no_such_path(in_group=self._is_in_group(path))
        return place

    def _is_in_group(self, path: str) -> bool:
        """Say whether a path lies in a group and version that the server knows."""
        return any(
            path.startswith(f"{resource.root}/")
            for resource in RESOURCES
            if resource.kind not in self.missing
        )
