"""Driven definitions: which definitions of kinds a driver has found, looked for now and then."""

from adapters.kubernetes.crd_checking import caches_served, replicas_unserved
from adapters.ports import Api
from adapters.running.caches_serving import unserved_facts
from adapters.running.cluster_books import Definitions
from adapters.simulator.clock import SECOND
from adapters.simulator.driven_sessions import TIMEOUT_SECONDS
from machines.observations import Observation

LOOK_AFTER = 10 * SECOND  # between two looks for definitions that are missing


class DefinitionBook:
    """The definitions that are known in one life. Times are UTC nanoseconds."""

    def __init__(self) -> None:
        """Begin with none."""
        self.known = Definitions()
        self._looked_at: int | None = None

    def are_due(self, now: int, *, replicas: bool) -> bool:
        """Say whether to look now for some that are missing; `replicas` says that theirs counts."""
        if self._looked_at is not None and now < self._looked_at + LOOK_AFTER:
            return False
        return self.known != Definitions(caches=True, replicas=replicas)

    async def look(self, api: Api, now: int, *, replicas: bool) -> list[Observation]:
        """Look, if it is time to; that alone lets no time pass."""
        if not self.are_due(now, replicas=replicas):
            return []
        self._looked_at = now
        if not self.known.caches:
            words = await caches_served(api, timeout_seconds=TIMEOUT_SECONDS)
            self.known = Definitions(caches=not words)
        if not self.known.caches or not replicas:
            return []
        unserved = await replicas_unserved(api, timeout_seconds=TIMEOUT_SECONDS)
        self.known = Definitions(caches=True, replicas=unserved is None)
        return list(unserved_facts(api.cluster, unserved))
