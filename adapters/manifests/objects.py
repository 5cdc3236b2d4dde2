"""Objects: what of a document is a ModelWarmup, by itself or in a list."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from adapters.manifests.documents import Document, Misreading, Position, child, item
from adapters.manifests.files import ManifestFile
from machines.labels import GROUP, VERSION

KIND = "ModelWarmup"
API_VERSION = f"{GROUP}/{VERSION}"
_INDEX = re.compile(r"\[([0-9]+)\](?=[.\[]|$)")


class Manifest(NamedTuple):
    """One object as it stands in a file."""

    file: str
    document: Document
    path: str  # of the object in its document: "" or, in a list, items[0]
    value: Any
    misreadings: tuple[Misreading, ...] = ()  # of what stands in this very object

    @property
    def is_warmup(self) -> bool:
        """Whether it says that it is a ModelWarmup, in exactly these words."""
        return (
            isinstance(self.value, dict)
            and self.value.get("kind") == KIND
            and self.value.get("apiVersion") == API_VERSION
        )

    @property
    def name(self) -> str | None:
        """Its name, if it has one."""
        return self._of_metadata("name")

    @property
    def namespace(self) -> str | None:
        """Its namespace, if it says one."""
        return self._of_metadata("namespace")

    def _of_metadata(self, field: str) -> str | None:
        metadata = self.value.get("metadata") if isinstance(self.value, dict) else None
        found = metadata.get(field) if isinstance(metadata, dict) else None
        return found if isinstance(found, str) and found else None

    def place(self, field: str) -> str:
        """Give the path in the document of a field of this object."""
        if not self.path or not field:
            return self.path or field
        return f"{self.path}{field}" if field.startswith("[") else f"{self.path}.{field}"

    def where(self, field: str = "") -> Position:
        """Give where a field of this object stands, or the nearest one around it."""
        return self.document.where(self.place(field))


def manifests(file: ManifestFile) -> Iterator[Manifest]:
    """Give every object of a file in its order; lists, of whatever kind, by their items."""
    for document in file.documents:
        if document.value is not None:
            misreadings = document.misreadings
            yield from _objects(Manifest(file.name, document, "", document.value, misreadings))


def warmups(file: ManifestFile) -> list[Manifest]:
    """Give the ModelWarmups of a file."""
    return [each for each in manifests(file) if each.is_warmup]


def _objects(manifest: Manifest) -> Iterator[Manifest]:
    value = manifest.value
    kind = value.get("kind") if isinstance(value, dict) else None
    is_list = isinstance(kind, str) and kind.endswith("List")
    if not is_list or not isinstance(value.get("items"), list):
        yield manifest
        return
    prefix = child(manifest.path, "items")
    misread = _by_index(manifest.misreadings, prefix)
    for index, each in enumerate(value["items"]):
        entry = manifest._replace(
            path=item(prefix, index), value=_named(each, value), misreadings=misread.get(index, ())
        )
        yield from _objects(entry)


def _by_index(
    misreadings: tuple[Misreading, ...], prefix: str
) -> dict[int, tuple[Misreading, ...]]:
    """Give each misreading to the entry in which it stands, of the list at `prefix`."""
    found: dict[int, list[Misreading]] = {}
    for each in misreadings:
        index = _INDEX.match(each.field.removeprefix(prefix))
        if index is not None and each.field.startswith(prefix):
            found.setdefault(int(index[1]), []).append(each)
    return {index: tuple(those) for index, those in found.items()}


def _named(entry: Any, whole: dict[str, Any]) -> Any:
    """Give an item of a list with its kind, which a list of one kind says for all of them."""
    if not isinstance(entry, dict) or "kind" in entry or whole["kind"] == "List":
        return entry
    kind = whole["kind"].removesuffix("List")
    return {"apiVersion": whole.get("apiVersion"), "kind": kind, **entry}
