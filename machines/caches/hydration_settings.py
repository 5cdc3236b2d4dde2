"""Hydration settings: how the Job is run that stages a model."""

from typing import Any, NamedTuple

from engine.canonical_json import dumps

DEFAULT_IMAGE = "python:3.11-slim"


class HydrationSettings(NamedTuple):
    """What the operator chose for hydration Jobs. Texts are canonical JSON, so that they compare.

    `env` are plain variables of the container: proxies, a mirror's HF_ENDPOINT, PIP_INDEX_URL.
    """

    image: str = DEFAULT_IMAGE
    resources: str = "{}"  # canonical JSON of the container's resources
    tolerations: str = "[]"  # canonical JSON of the Pod's tolerations
    env: tuple[tuple[str, str], ...] = ()  # sorted by name

    def to_json(self) -> dict[str, Any]:
        """Give the shape in the log."""
        return {**self._asdict(), "env": dict(self.env)}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "HydrationSettings":
        """Read the shape in the log; what is not there has its default."""
        default = cls()
        return cls(
            image=data.get("image", default.image),
            resources=data.get("resources", dumps({})),
            tolerations=data.get("tolerations", dumps([])),
            env=tuple(sorted(data.get("env", {}).items())),
        )
