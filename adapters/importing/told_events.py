"""Events in material: kept until something in the log waits, and asks what they say.

A running controller reads the Events of a Job or Pod that is silent, of a claim that is not bound,
and of a workload without Pods. Here those that were recorded are kept by what they are about, and
answer the same questions. Of each object the newest few are kept, and of objects the ones that were
spoken of last.
"""

from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from adapters.importing.recognising import group_of
from adapters.importing.sights import Raw
from adapters.kubernetes.fields import mapping, text
from adapters.kubernetes.kinds import CLAIM, HYDRATION_JOB, HYDRATION_POD, JOB, POD, Kind
from adapters.kubernetes.reading_cache_events import said_of
from adapters.kubernetes.reading_events import answer_to
from engine.events import Event, Subject
from machines.asking import question_about
from machines.caches.asking import cache_events
from machines.observations import EventsRead
from machines.replicas.kinds import WORKLOADS
from machines.states import Known, State

MOST_OBJECTS = 20_000  # whose Events are kept
MOST_EVENTS = 16  # of one object
_GROUPS = frozenset({"", "events.k8s.io"})
_CACHE_KINDS = {"Job": HYDRATION_JOB, "Pod": HYDRATION_POD, CLAIM.served_as: CLAIM}
_ASKED_KINDS = frozenset({*_CACHE_KINDS, *WORKLOADS})
# Rows about these open questions about others of their namespace, or of any.
_OPEN_NEAR = frozenset({CLAIM.name, HYDRATION_JOB.name, HYDRATION_POD.name})
_OPEN_ANY = frozenset(
    {"ModelWarmup", "ModelCache", "InferenceCluster", "Node", "Namespace", "StorageClass", ""}
)
_KEPT = ("type", "reason", "series", "eventTime")


def is_event(raw: Raw) -> bool:
    """Say whether a raw object is an Event, of either of the groups that serve them."""
    return raw.get("kind") == "Event" and group_of(text(raw.get("apiVersion"))) in _GROUPS


class _About(NamedTuple):
    """What Events are about: an object as Kubernetes names it."""

    subject: Subject
    events: deque[Raw]


class EventBook:
    """The Events of one cluster."""

    def __init__(self, cluster: str) -> None:
        """Begin with none."""
        self._cluster = cluster
        self._about: OrderedDict[str, _About] = OrderedDict()  # by uid
        self._changed: set[str] = set()

    @property
    def kept(self) -> tuple[int, int]:
        """Give of how many objects Events are kept, and how many Events."""
        return len(self._about), sum(len(one.events) for one in self._about.values())

    def note(self, raw: Raw) -> bool:
        """Take in an Event; say whether it is about something of which anybody asks."""
        about = mapping(raw.get("involvedObject") or raw.get("regarding"))
        kind, uid = text(about.get("kind")), text(about.get("uid"))
        if kind not in _ASKED_KINDS or not uid:
            return False
        subject = Subject(kind, text(about.get("namespace")), text(about.get("name")), uid)
        found = self._about.pop(uid, None) or _About(subject, deque(maxlen=MOST_EVENTS))
        self._about[uid] = found
        found.events.append(_lean(raw))
        self._changed.add(uid)
        if len(self._about) > MOST_OBJECTS:
            self._about.popitem(last=False)
        return True

    def about(self, uid: str) -> Sequence[Raw]:
        """Give the Events that are kept about an object."""
        found = self._about.get(uid)
        return tuple(found.events) if found is not None else ()

    def news(self) -> Iterator[tuple[str, str]]:
        """Give kind and uid of whatever was spoken of since questions were answered last."""
        for uid in self._changed:
            if uid in self._about:
                yield self._about[uid].subject.kind, uid

    def answers(self, state: State, rows: Iterable[Event]) -> Iterator[EventsRead]:
        """Give what Events say of whatever may be asked about, now that these rows came."""
        changed, self._changed = self._changed, set()
        if self._about:
            for uid in sorted(changed | self._touched(state, rows)):
                if uid in self._about:
                    yield from self._answers(state, *self._about[uid])

    def _touched(self, state: State, rows: Iterable[Event]) -> set[str]:
        touched: set[str] = set()
        for row in rows:
            subject = Subject.parse(row.subject)
            touched.add(subject.uid)
            if subject.kind in {JOB.name, POD.name}:
                asked = question_about(state, self._job_of(state, subject))
                touched |= {asked.subject.uid} if asked else set()
            elif subject.kind in _OPEN_ANY:
                touched |= self._about.keys()
            elif subject.kind in _OPEN_NEAR:
                there = subject.namespace
                touched |= {u for u, one in self._about.items() if one.subject.namespace == there}
        return touched

    def _answers(
        self, state: State, subject: Subject, events: Iterable[Raw]
    ) -> Iterator[EventsRead]:
        if subject.kind not in _CACHE_KINDS:
            return  # of workloads their Pods are asked first
        told = list(events)
        asked = question_about(state, self._job_of(state, subject))
        if asked is not None and asked.subject.uid == subject.uid:
            yield answer_to(asked, told)
        known = self._known(state, _CACHE_KINDS[subject.kind], subject.uid)
        if known is not None and cache_events(state, self._cluster, known.subject) is not None:
            yield said_of(self._cluster, known.subject, told)

    def _known(self, state: State, kind: Kind, uid: str) -> Known | None:
        there = state.clusters.get(self._cluster)
        return there.objects[kind.name].get(uid) if there else None

    def _job_of(self, state: State, subject: Subject) -> str:
        """Give the uid of the Job that an object is, or that a Pod is of; "" when none is known."""
        if subject.kind != POD.name:
            return subject.uid
        known = self._known(state, POD, subject.uid)
        if known is not None:
            return str(getattr(known.level, "job_uid", ""))
        return next((uid for uid in state.unwatched if _has_read(state, uid, subject.uid)), "")


def _has_read(state: State, job_uid: str, pod_uid: str) -> bool:
    pods = state.jobs[job_uid].pods
    return pods is not None and pod_uid in pods.live


def _lean(raw: Raw) -> dict[str, Any]:
    """Give of an Event what its words and its age are read from, in the form of the core group."""
    version = mapping(raw.get("metadata")).get("resourceVersion")
    last = raw.get("lastTimestamp") or raw.get("deprecatedLastTimestamp")
    first = raw.get("firstTimestamp") or raw.get("deprecatedFirstTimestamp")
    return {
        **{name: raw.get(name) for name in _KEPT},
        "message": raw.get("message") or raw.get("note"),
        "lastTimestamp": last,
        "firstTimestamp": first,
        "metadata": {"resourceVersion": version},
    }
