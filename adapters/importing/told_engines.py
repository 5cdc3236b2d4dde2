"""Why the Pods of an engine do not run, as far as material shows them, or Events of them.

A running controller reads the Pods of a workload that is not available. Here those that were
recorded are kept, and answer the same question. Material may lack them, so that nothing is said of
a workload of which neither a Pod nor an Event was ever shown.
"""

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from adapters.importing.sights import Raw
from adapters.importing.told_events import EventBook
from adapters.kubernetes.fields import mapping, text
from adapters.kubernetes.reading_engine_pods import label_of, said_of_engine
from engine.events import Event
from machines.observations import EventsRead
from machines.replicas.asking import engine_questions
from machines.replicas.kinds import WORKLOADS
from machines.states import State

MOST_WORKLOADS = 20_000  # whose Pods are kept
# Rows about these may open a question; those about nothing say that a kind was listed.
_OPENING = frozenset({*WORKLOADS, "ModelReplica", "InferenceCluster", "Namespace", ""})
_METADATA = (
    "name", "namespace", "uid", "generateName", "creationTimestamp", "deletionTimestamp",
    "resourceVersion",
)  # fmt: skip


class _Workload(NamedTuple):
    """A workload as its Pods name it."""

    kind: str
    namespace: str
    name: str


class EngineBook:
    """The Pods of one cluster that say by a label of which workload they are."""

    def __init__(
        self, cluster: str, events: EventBook, most_workloads: int = MOST_WORKLOADS
    ) -> None:
        """Begin with none; keep those of so many workloads. `events` are of the same cluster."""
        self._cluster = cluster
        self._events = events
        self._most = most_workloads
        self._pods: OrderedDict[_Workload, dict[str, Raw]] = OrderedDict()  # and by their uid
        self._uids: dict[str, _Workload] = {}  # of these Pods
        self._changed = False
        self._told: set[str] = set()  # uids of workloads of which something was told

    @property
    def kept(self) -> tuple[int, int]:
        """Give of how many workloads Pods are kept, and how many Pods."""
        return len(self._pods), len(self._uids)

    def note(self, raw: Raw, *, gone: bool) -> bool:
        """Take in a Pod as it is, or its end; say whether it is of any workload."""
        workload = _workload_of(raw)
        if workload is None:
            return False
        uid = text(mapping(raw.get("metadata")).get("uid"))
        pods = self._pods.pop(workload, {})
        self._pods[workload] = pods
        self._changed = True
        if gone:
            pods.pop(uid, None)
            self._uids.pop(uid, None)
        else:
            pods[uid] = _lean(raw)
            self._uids[uid] = workload
        if len(self._pods) > self._most:
            for forgotten in self._pods.popitem(last=False)[1]:
                self._uids.pop(forgotten, None)
        return True

    def answers(self, state: State, rows: Iterable[Event]) -> Iterator[EventsRead]:
        """Give why engines do not run that somebody waits for, if there may be news."""
        changed, self._changed = self._changed, False
        if not (changed or self._is_opened(rows) or self._is_spoken_of()):
            return
        for asked in tuple(engine_questions(state)):
            workload = asked.subject
            pods = self._pods.get(_Workload(*workload[:3]), {})
            known = pods or workload.uid in self._told or self._events.about(workload.uid)
            if asked.cluster == self._cluster and known:
                self._told.add(workload.uid)
                found = list(pods.values())
                yield said_of_engine(self._cluster, workload, found, self._events.about)

    def _is_opened(self, rows: Iterable[Event]) -> bool:
        return any(row.subject.partition("/")[0] in _OPENING for row in rows)

    def _is_spoken_of(self) -> bool:
        """Say whether Events came about one of the Pods, or about a workload."""
        return any(uid in self._uids or kind in WORKLOADS for kind, uid in self._events.news())


def _workload_of(raw: Raw) -> _Workload | None:
    metadata = mapping(raw.get("metadata"))
    marks = mapping(metadata.get("labels"))
    if raw.get("kind") == "Pod":
        for kind in WORKLOADS:
            name = text(marks.get(label_of(kind)))
            if name:
                return _Workload(kind, text(metadata.get("namespace")), name)
    return None


def _lean(raw: Raw) -> Raw:
    """Give of a Pod what is read of one of an engine."""
    metadata = mapping(raw.get("metadata"))
    kept = {key: metadata[key] for key in _METADATA if key in metadata}
    return {"metadata": kept, "status": raw.get("status")}
