"""Held levels: what a custom resource is reduced to that bears a finalizer of ours."""

from typing import Any, NamedTuple, Self

from machines.pairs import Pairs, without_empty


class HeldLevel(NamedTuple):
    """Its spec as it stands, our annotations, our finalizer; each kind has a class of its own."""

    generation: int = 1
    spec: str = "{}"  # canonical JSON text
    annotations: Pairs = ()  # only those of warmlog.dev/
    deleting: bool = False
    held: bool = False  # it bears our finalizer

    def to_json(self) -> dict[str, Any]:
        """Give the shape in the log; the spec stays a text, so that its bytes are kept."""
        return without_empty(
            generation=self.generation,
            spec=self.spec,
            annotations=dict(self.annotations),
            deleting=self.deleting,
            held=self.held,
        )

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Read the shape in the log."""
        return cls(
            generation=data.get("generation", 0),
            spec=data["spec"],
            annotations=tuple(sorted(data.get("annotations", {}).items())),
            deleting=data.get("deleting", False),
            held=data.get("held", False),
        )
