"""Planners: make a plan's report against a live cluster, or against a recording."""

import time
from typing import Any, NamedTuple, Protocol

from adapters.cli.plans import Report
from adapters.kubernetes.fields import integer, mapping, text
from adapters.kubernetes.kinds import MODEL_WARMUP, NAMESPACE
from adapters.kubernetes.normalising import normalise
from adapters.kubernetes.probing import HarmlessApi, Probe, probe_job, probe_warmup
from adapters.kubernetes.surveying import NO_VERSION, Survey, Surveyor
from adapters.texts import moment
from engine.replaying import Replayed
from machines.job_names import UNKNOWN_UID, masked
from machines.levels import NamespaceLevel
from machines.observations import Listed, Seen
from machines.planning import example, plan
from machines.states import WARMUP_KINDS, State
from machines.supposing import Standing, Supposed, on_lists, on_recording

GENERATED_FROM = 58  # characters of a prefix from which a server generates names
_FIRST = "1"  # the version of what does not exist yet
# Without these a plan says less, and nothing wrong.
_OPTIONAL = ("Job", "Pod")


class Wish(NamedTuple):
    """A ModelWarmup as a file asks for it."""

    place: str
    raw: dict[str, Any]  # with the namespace that it is meant for
    namespace: dict[str, Any] | None = None  # its Namespace, when the same files make it
    note: str = ""  # what had to be supposed to plan it

    @property
    def name(self) -> tuple[str, str]:
        """Give its namespace and its name."""
        return self.raw["metadata"]["namespace"], self.raw["metadata"]["name"]


class Unplannable(Exception):
    """A spec cannot work; the words name its place and its faults."""


class Planner(Protocol):
    """Makes reports."""

    async def report(self, wish: Wish) -> Report:
        """Say what would be done. Raises Unplannable for a spec that cannot work."""
        ...


class LivePlanner:
    """Plans against a cluster as it is now."""

    def __init__(self, api: HarmlessApi, *, timeout_seconds: float) -> None:
        """Ask `api`; `timeout_seconds` bounds each request."""
        self._api = api
        self._seconds = timeout_seconds
        self._surveyor = Surveyor(api, timeout_seconds=timeout_seconds)

    async def report(self, wish: Wish) -> Report:
        """Read what concerns it, suppose it applied, and ask for dry runs."""
        survey = await self._surveyor.survey(*wish.name)
        notes = [unread.words for unread in survey.unread]
        existing = None
        if survey.existing is not None:
            existing = normalise(self._api.cluster, MODEL_WARMUP, survey.existing)
        lists = [*survey.lists, *self._left_empty(survey)]
        namespace = next(iter(survey.items(NAMESPACE.name)), None)
        if wish.namespace is not None and NAMESPACE.name not in survey.unread_kinds:
            made, note = _namespace_applied(self._api.cluster, wish.namespace, namespace)
            lists = [each for each in lists if each.kind != NAMESPACE.name]
            lists.append(Listed(self._api.cluster, NAMESPACE.name, NO_VERSION, (made,)))
            notes += [note] if note else []
        wanted = _wanted(self._api.cluster, wish)
        supposed = on_lists(lists, wanted, existing, time.time_ns())
        report = _report(wish, supposed, "the cluster as it is now", notes)
        if report.phase:
            status = mapping(mapping(survey.existing).get("status"))
            so_far = tuple(filter(None, [_so_far(status)]))
            phase = text(status.get("phase")) or "without a status yet"
            report = report._replace(phase=phase, notes=report.notes + so_far)
        if wish.namespace is not None and namespace is None:
            return report._replace(unprobed="for its namespace does not exist yet")
        return await self._probed(report, wish, supposed)

    def _left_empty(self, survey: Survey) -> list[Listed]:
        return [
            Listed(self._api.cluster, kind, NO_VERSION, ())
            for kind in _OPTIONAL
            if kind in survey.unread_kinds
        ]

    async def _probed(self, report: Report, wish: Wish, supposed: Supposed) -> Report:
        probes: list[Probe] = []
        if supposed.standing is Standing.NEW:
            probes.append(await probe_warmup(self._api, wish.raw, timeout_seconds=self._seconds))
        shown = example(supposed.state, supposed.warmup, report.plan)
        if shown is None:
            told = report.plan
            why = "no Job would be created" if told.nodes or told.ended else "no node is known"
            return report._replace(probes=tuple(probes), unprobed=f"for {why}")
        name, node = shown.intent.job_name, shown.intent.node_name
        # Pods have as much of their Job's name as leaves room for five characters more.
        shown_name = masked(name, shown.intent.warmup_uid)[:GENERATED_FROM]
        name = name[:GENERATED_FROM]
        asked = await probe_job(self._api, shown.body, timeout_seconds=self._seconds)
        probes += [each._replace(words=each.words.replace(name, shown_name)) for each in asked]
        return report._replace(probes=tuple(probes), probed_node=node, as_if=not shown.gets_it)


class RecordedPlanner:
    """Plans against what a log knew at one moment."""

    def __init__(self, replayed: Replayed[State], place: str, cluster: str) -> None:
        """Suppose on copies of a state, replayed from the log that people call `place`."""
        self._replayed = replayed
        self._cluster = cluster
        cursor = replayed.cursor
        self._basis = (
            f"position {cursor.position} of {place}, {moment(cursor.at)}, cluster {cluster}"
        )

    async def report(self, wish: Wish) -> Report:
        """Suppose it applied at that moment."""
        from machines.states import copy_state

        state = copy_state(self._replayed.state)
        cluster = state.clusters[self._cluster]
        notes = []
        if not cluster.reachable:
            notes.append(f"the cluster did not answer then ({cluster.words})")
        unlisted = [kind for kind in WARMUP_KINDS if kind not in cluster.synced]
        if unlisted:
            kinds = ", ".join(unlisted)
            notes.append(f"not listed again since the last start, so as known before: {kinds}")
        namespace = None
        if wish.namespace is not None:
            known = cluster.objects["Namespace"].get(cluster.namespace_uids.get(wish.name[0], ""))
            seen = Seen(self._cluster, known.subject, _FIRST, known.level) if known else None
            namespace, note = _namespace_applied(self._cluster, wish.namespace, seen)
            notes += [note] if note else []
        supposed = on_recording(state, _wanted(self._cluster, wish), namespace)
        report = _report(wish, supposed, self._basis, notes)
        dated = supposed.standing in {Standing.SAME, Standing.ALIKE}
        return report._replace(dated=dated, unprobed="for a recording answers nothing")


def _report(wish: Wish, supposed: Supposed, basis: str, notes: list[str]) -> Report:
    warmup = supposed.warmup
    if warmup.spec is None:
        raise Unplannable(f"{wish.place}: {'; '.join(map(str, warmup.faults))}")
    told = plan(supposed.state, warmup, warmup.spec)
    phase = "" if supposed.standing in {Standing.NEW, Standing.OTHER} else told.phase
    notes = [*filter(None, [wish.note]), *notes]
    return Report(wish.place, told, supposed.standing, basis, phase, tuple(notes))


def _so_far(status: dict[str, Any]) -> str:
    """Say what the status of one that exists tells; "" when it has none."""
    names = {
        "succeededNodes": "succeeded", "failedNodes": "failed",
        "activeNodes": "running", "desiredNodes": "wanted in all",
    }  # fmt: skip
    told = [f"{integer(status.get(field)) or 0} {word}" for field, word in names.items()]
    return f"by its status so far: {', '.join(told)}" if text(status.get("phase")) else ""


def _wanted(cluster: str, wish: Wish) -> Seen:
    """Give the object as a controller would see it if it were created now."""
    metadata = {**wish.raw["metadata"], "uid": UNKNOWN_UID, "resourceVersion": _FIRST}
    metadata.pop("deletionTimestamp", None)
    return normalise(cluster, MODEL_WARMUP, {**wish.raw, "metadata": metadata, "status": None})


def _namespace_applied(
    cluster: str, raw: dict[str, Any], existing: Seen | None
) -> tuple[Seen, str]:
    """Give a Namespace as it stands once its manifest is applied, and what that changes."""
    metadata = {**raw["metadata"], "uid": "namespace", "resourceVersion": _FIRST}
    made = normalise(cluster, NAMESPACE, {"metadata": metadata})
    name = made.subject.name
    if existing is None:
        return made, f"namespace {name} does not exist yet: planned as the same files make it"
    old, new = existing.level, made.level
    if not isinstance(old, NamespaceLevel) or not isinstance(new, NamespaceLevel):
        return existing, ""
    if not new.pool or new.pool == old.pool:
        return existing, ""
    note = (
        f"namespace {name} is in pool {old.pool or '(none)'} now: planned with pool {new.pool},"
        " into which the same files put it"
    )
    return existing._replace(level=old._replace(pool=new.pool)), note
