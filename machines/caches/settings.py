"""Caching settings: what the controller was told that decides what it does.

They are in the log, in `SessionStarted`, because decisions and the bodies of what is created follow
from them; so none of them may hold a secret.
"""

from typing import Any, NamedTuple

from machines.caches.hydration_settings import HydrationSettings

DEFAULT_HEAL_SECONDS = 300
DEFAULT_RETRY_SECONDS = 60
LONGEST_RETRY_SECONDS = 3600


class CachingSettings(NamedTuple):
    """What `warmlog run` was told of caches."""

    secret_namespace: str = ""  # of kubeconfigs; "": modelplane-system if it exists, else our own
    own_namespace: str = "warmlog-system"
    workload_namespace: str = ""  # one for all; "": one for each namespace with caches
    heal_seconds: int = DEFAULT_HEAL_SECONDS  # that a chosen node is gone before a claim is healed
    retry_seconds: int = DEFAULT_RETRY_SECONDS  # before a failed hydration's first retry
    hydration: HydrationSettings = HydrationSettings()
    replicas: bool = False  # ModelReplicas are served, or known not to be: older logs have none

    def to_json(self) -> dict[str, Any]:
        """Give the shape in the log."""
        return {**self._asdict(), "hydration": self.hydration.to_json()}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "CachingSettings":
        """Read the shape in the log; what is not there has its default."""
        known = {name: data[name] for name in cls._fields if name in data}
        known["hydration"] = HydrationSettings.from_json(data.get("hydration", {}))
        return cls(**known)


DEFAULT_SETTINGS = CachingSettings()
