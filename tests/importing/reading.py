"""Material of tests, and the rows that it becomes."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from adapters.importing.making_rows import MaterialReader
from adapters.importing.places import Account
from adapters.importing.sources import Named, Sources
from engine.canonical_json import loads
from engine.events import Event
from machines.domain import WARMLOG
from machines.states import State

Raw = dict[str, Any]
MATERIAL = Path(__file__).parent / "material"
EARLY, LATE = "2026-01-01T12:00:00Z", "2026-01-01T12:00:09Z"
_VERSIONS = {
    "Job": "batch/v1", "StorageClass": "storage.k8s.io/v1",
    "ModelWarmup": "model.aibrix.ai/v1alpha1",
    "ModelCache": "modelplane.ai/v1alpha1", "InferenceCluster": "modelplane.ai/v1alpha1",
}  # fmt: skip


class Read:
    """What became of material."""

    def __init__(self, rows: Sequence[Event], account: Account, log_id: str) -> None:
        """Fold the rows, too."""
        self.rows = tuple(rows)
        self.account = account
        self.log_id = log_id
        self.state: State = WARMLOG.initial(log_id)
        for row in rows:
            self.state = WARMLOG.fold(self.state, row)

    @property
    def types(self) -> list[str]:
        """The types of the rows after that of the session."""
        return [row.type for row in self.rows[1:]]

    def data(self, kind: str) -> list[Any]:
        """The data of the rows of a type."""
        return [loads(row.data) for row in self.rows if row.type == kind]

    @property
    def synced(self) -> set[str]:
        """The kinds that were listed."""
        return {data["kind"] for data in self.data("Synced")}

    @property
    def gone(self) -> list[str]:
        """The names of what is gone."""
        return [row.subject.split("/")[2] for row in self.rows if row.type == "Gone"]


def read_files(*paths: Path, clusters: Sequence[str] = ()) -> Read:
    """Read files as one import does, each of its cluster (`local`)."""
    return asyncio.run(_read(paths, clusters or ["local"] * len(paths)))


async def _read(paths: Sequence[Path], clusters: Sequence[str]) -> Read:
    account = Account()
    with Sources([Named("", str(path)) for path in paths], clusters) as sources:
        reader = MaterialReader(sources.opened, sources.survey(), account)
        rows = [row async for batch in reader.read() for row in batch]
        identity = await reader.identify()
    return Read(rows, account, identity.log_id)


def read_text(folder: Path, *texts: str, clusters: Sequence[str] = ()) -> Read:
    """Read texts as one import does, each as a source of its own."""
    paths = []
    for number, text in enumerate(texts):
        paths.append(folder / f"material-{number}")
        paths[-1].write_text(text)
    return read_files(*paths, clusters=clusters)


def raw(kind: str, name: str, version: int, *, at: str = EARLY, **parts: Any) -> Raw:
    """An object as the API server gives it; `labels` and other metadata come as `metadata`."""
    metadata: Raw = {"name": name, "uid": f"{name}-uid", "resourceVersion": str(version)}
    if kind not in {"Node", "Namespace", "StorageClass", "InferenceCluster"}:
        metadata["namespace"] = "team"
    metadata |= {"creationTimestamp": at, **parts.pop("metadata", {})}
    return {
        "apiVersion": _VERSIONS.get(kind, "v1"), "kind": kind, "metadata": metadata, **parts,
    }  # fmt: skip


def listed(*raws: Raw) -> str:
    """A List, as `kubectl get -o json` prints it."""
    body = {"apiVersion": "v1", "items": list(raws), "kind": "List"}
    return json.dumps({**body, "metadata": {"resourceVersion": ""}}, indent=4) + "\n"


def event(kind: str, body: Raw) -> str:
    """An event of a watch, on one line."""
    return json.dumps({"type": kind, "object": body}) + "\n"


def audit(verb: str, resource: str, answer: Raw | None = None, **more: Any) -> str:
    """An event of an audit log, on one line."""
    group, _, plural = resource.rpartition("/")
    about = {"resource": plural, "apiGroup": group, "apiVersion": "v1", **more.pop("about", {})}
    told: Raw = {
        "kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": "RequestResponse",
        "auditID": "a", "stage": "ResponseComplete", "requestURI": more.pop("uri", "/"),
        "verb": verb, "objectRef": about, "responseStatus": {"code": 200},
        "stageTimestamp": LATE, **more,
    }  # fmt: skip
    if answer is not None:
        told["responseObject"] = answer
    return json.dumps(told) + "\n"
