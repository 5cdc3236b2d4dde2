"""Telling: what one row of the log says, in words for people. Pure, and silent about nothing."""

from collections.abc import Callable
from typing import Any

from engine.canonical_json import loads
from engine.events import Event, Subject
from machines.caches.changes import DONE, ChangeKind, to_do_words
from machines.caches.levels import CACHING_LEVEL_BY_KIND
from machines.caches.recovering import told_phases
from machines.caches.telling import (
    CACHE_TELLERS,
    SHOWN_KIND,
    kind_words,
    object_words,
    thing_words,
)
from machines.intents import (
    Apply,
    Change,
    Create,
    CreateJob,
    Delete,
    DeleteJob,
    Intent,
    Resolve,
    RestoreJob,
    StampTtl,
    intent_from_json,
)
from machines.labels import CONTROL_PLANE, ENABLED, POOL
from machines.levels import JobLevel, JobPods, NamespaceLevel, NodeLevel, PodLevel, WarmupLevel
from machines.messages import cause_text, cut
from machines.recorders import recorded_words
from machines.replicas.kinds import WORKLOADS
from machines.replicas.levels import SERVING_LEVEL_BY_KIND
from machines.replicas.telling import REPLICA_TELLERS
from machines.selecting import shunning
from machines.states import Words

_ANNOTATION_LENGTH = 40  # characters of a value that are shown


def tell(event: Event, intent: Intent | None = None) -> str:
    """Give a row's words; `intent` is what an outcome (IntentDone, …) is the outcome of.

    KeyError for a type that no version has written.
    """
    subject = Subject.parse(event.subject)
    if event.type in REPLICA_TELLERS:
        return REPLICA_TELLERS[event.type](event, subject, loads(event.data))
    if event.type in CACHE_TELLERS:
        return CACHE_TELLERS[event.type](event, subject, loads(event.data))
    return _TELLERS[event.type](event, subject, loads(event.data), intent)


def intent_of(event: Event) -> Intent:
    """Give the intent that a decision's row holds. KeyError for a row that is no decision."""
    return intent_from_json(event.type, loads(event.data))


def intent_words(intent: Intent) -> str:
    """Say what an intent is to do, as in "to create Job j for node n"."""
    match intent:
        case CreateJob():
            return f"to create Job {intent.job_name} for node {intent.node_name}"
        case DeleteJob():
            return f"to delete Job {intent.job_name}"
        case StampTtl():
            return f"to have Job {intent.job_name} removed after {intent.ttl_seconds} s"
        case RestoreJob():
            return f"to put labels, annotations and owner of Job {intent.job_name} back"
        case Resolve():
            return "to look at all nodes once more before calling it done"
        case Create():
            return f"to create {object_words(intent)}"
        case Change():
            return to_do_words(intent.change, object_words(intent))
        case Delete():
            return f"to delete {object_words(intent)}"
        case Apply():
            return f"to apply {object_words(intent)}"


def _session_started(event: Event, subject: Subject, data: Any, intent: Intent | None) -> str:
    version, recorder = data.get("version"), data.get("recorder")
    if recorder:  # nobody decided in it
        return recorded_words(recorder, version)
    return f"warmlog {version} started, term {event.epoch}"


def _synced(event: Event, subject: Subject, data: Any, intent: Intent | None) -> str:
    return f"{kind_words(data['kind'], 'every ')} of cluster {event.cluster} was listed"


def _reachable(event: Event, subject: Subject, data: Any, intent: Intent | None) -> str:
    if event.type == "Reachable":
        return f"cluster {event.cluster} answers again"
    return f"cluster {event.cluster} does not answer: {data.get('words') or 'no words'}"


def _rolled_back(event: Event, subject: Subject, data: Any, intent: Intent | None) -> str:
    return f"cluster {event.cluster} went back to an older past: {data.get('words', '')}"


def _namespace_seen(event: Event, subject: Subject, data: Any, intent: Intent | None) -> str:
    level = NamespaceLevel.from_json(data["level"])
    pool = f"in pool {level.pool}" if level.pool else f"without a pool (no label {POOL})"
    going = ", being deleted" if level.terminating else ""
    return f"namespace {subject.name} seen: {pool}{going}"


def _node_seen(event: Event, subject: Subject, data: Any, intent: Intent | None) -> str:
    level = NodeLevel.from_json(data["level"])
    labels = dict(level.labels)
    pool = labels.get(POOL, "")
    parts = [
        {"True": "ready", "False": "not ready"}.get(level.ready, "readiness unknown"),
        f"in pool {pool}" if pool else "in no pool",
        "opted in" if labels.get(ENABLED) == "true" else "not opted in",
    ]
    if any(key in labels for key in CONTROL_PLANE):
        parts.append("control plane")
    shunned = shunning(level).removeprefix("node is ").replace("node has", "with")
    return f"node {subject.name} seen: {', '.join([*parts, *([shunned] if shunned else [])])}"


def _warmup_seen(event: Event, subject: Subject, data: Any, intent: Intent | None) -> str:
    level = WarmupLevel.from_json(data["level"])
    parts = [f"generation {level.generation}"]
    parts += [f"{name}={cut(value, _ANNOTATION_LENGTH)}" for name, value in level.annotations]
    if level.deleting:
        parts.append("being deleted")
    return f"ModelWarmup {subject.namespace}/{subject.name} seen: {', '.join(parts)}"


def _job_seen(event: Event, subject: Subject, data: Any, intent: Intent | None) -> str:
    level = JobLevel.from_json(data["level"])
    said = cause_text(Words(level.reason, level.message))
    state = {"": "unfinished", "Finishing": "finishing"}.get(level.outcome, level.outcome)
    parts = [f"{state}: {said}" if said else state]
    if level.failed_attempts:
        times = "attempt" if level.failed_attempts == 1 else "attempts"
        parts.append(f"{level.failed_attempts} failed {times}")
    if level.ttl_seconds:
        parts.append(f"removed {level.ttl_seconds} s after its end")
    if level.deleting:
        parts.append("being deleted")
    return f"Job {subject.name} seen: {', '.join(parts)}"


def _pod_seen(event: Event, subject: Subject, data: Any, intent: Intent | None) -> str:
    level = PodLevel.from_json(data["level"])
    where = f" on {level.node_name}" if level.node_name else ""
    said = cause_text(Words(level.reason, level.message))
    going = ", being deleted" if level.deleting else ""
    return f"Pod {subject.name} seen: {level.phase}{where}{going}{': ' if said else ''}{said}"


def _events_read(event: Event, subject: Subject, data: Any, intent: Intent | None) -> str:
    said = cause_text(Words(data.get("reason", ""), data.get("message", "")))
    thing = f"{SHOWN_KIND.get(subject.kind, subject.kind)} {subject.name}"
    if subject.kind in WORKLOADS:
        return f"Pods of {thing}: {said or 'they say nothing more'}"
    return f"Events of {thing}: {said or 'they say nothing more'}"


def _gone(event: Event, subject: Subject, data: Any, intent: Intent | None) -> str:
    inferred = " (no complete list holds it any more)" if data.get("inferred") else ""
    if subject.kind in CACHING_LEVEL_BY_KIND or subject.kind in SERVING_LEVEL_BY_KIND:
        return f"{thing_words(*subject[:3])} is gone{inferred}"
    place = f"{subject.namespace}/" if subject.kind == "ModelWarmup" else ""
    return f"{subject.kind} {place}{subject.name} is gone{inferred}"


def _pods_read(event: Event, subject: Subject, data: Any, intent: Intent | None) -> str:
    pods = JobPods.from_json(data)
    count = f"{len(pods.live)} Pod{'' if len(pods.live) == 1 else 's'}" if pods.live else "no Pod"
    said = f"{count} of Job {subject.name} read"
    for level in (pods.newest, pods.failed):
        if level is not None:
            why = cause_text(Words(level.reason, level.message))
            said += f"; {level.phase}{': ' if why else ''}{why}"
    return said


def _recovered(event: Event, subject: Subject, data: Any, intent: Intent | None) -> str:
    phases = told_phases(data)  # of a ModelCache; a ModelWarmup has one phase
    told = ", ".join(f"{name} {phase}" for name, phase in sorted(phases.items()))
    return f"its status told of a past that this log does not hold: {told or data.get('phase')}"


def _intended(event: Event, subject: Subject, data: Any, intent: Intent | None) -> str:
    return f"decided {intent_words(intent_from_json(event.type, data))}"


def _done(event: Event, subject: Subject, data: Any, intent: Intent | None) -> str:
    already = bool(data.get("found"))
    match intent:
        case CreateJob():
            how = "was there already" if already else "was created"
            return f"Job {intent.job_name} {how}"
        case DeleteJob():
            how = "had gone already" if already else "was deleted"
            return f"Job {intent.job_name} {how}"
        case StampTtl():
            return f"Job {intent.job_name} is to go {intent.ttl_seconds} s after its end"
        case RestoreJob():
            return f"Job {intent.job_name} bears its labels, annotations and owner again"
        case Resolve():
            return "all nodes were looked at once more"
        case Create():
            return f"{object_words(intent)} {'was there already' if already else 'was created'}"
        case Change():
            words = DONE[ChangeKind(intent.change)].replace("{}", object_words(intent))
            return f"{words}{', as before' if already else ''}"
        case Delete():
            return f"{object_words(intent)} {'had gone already' if already else 'was deleted'}"
        case Apply():
            return f"{object_words(intent)} was applied{', as before' if already else ''}"
    return "done as intended"


def _refused(event: Event, subject: Subject, data: Any, intent: Intent | None) -> str:
    said = cause_text(Words(data.get("reason", ""), data.get("words", "")))
    return f"the API server refused{_what(intent)}: {data.get('code')} {said}"


def _unknown(event: Event, subject: Subject, data: Any, intent: Intent | None) -> str:
    return f"no answer{_what(intent)}: {data.get('words', '')}; it has to be looked up"


def _absent(event: Event, subject: Subject, data: Any, intent: Intent | None) -> str:
    return f"nothing was done{_what(intent)}"


def _status_stored(event: Event, subject: Subject, data: Any, intent: Intent | None) -> str:
    return "the API server holds the final status"


def _contested(event: Event, subject: Subject, data: Any, intent: Intent | None) -> str:
    if event.type == "Uncontested":
        return "nobody else has written its status for an hour"
    return f"{data.get('manager')} keeps writing its status"


def _deadline_passed(event: Event, subject: Subject, data: Any, intent: Intent | None) -> str:
    return "a deadline passed"


def _what(intent: Intent | None) -> str:
    return f" {intent_words(intent)}" if intent is not None else ""


_TELLERS: dict[str, Callable[[Event, Subject, Any, Intent | None], str]] = {
    "SessionStarted": _session_started,
    "Synced": _synced,
    "Reachable": _reachable,
    "Unreachable": _reachable,
    "ClusterRolledBack": _rolled_back,
    "NamespaceSeen": _namespace_seen,
    "NodeSeen": _node_seen,
    "ModelWarmupSeen": _warmup_seen,
    "JobSeen": _job_seen,
    "PodSeen": _pod_seen,
    "JobPodsRead": _pods_read,
    "EventsRead": _events_read,
    "Gone": _gone,
    "Recovered": _recovered,
    "CreateJobIntended": _intended,
    "DeleteJobIntended": _intended,
    "StampTtlIntended": _intended,
    "RestoreJobIntended": _intended,
    "ResolveIntended": _intended,
    "CreateIntended": _intended,
    "ChangeIntended": _intended,
    "DeleteIntended": _intended,
    "ApplyIntended": _intended,
    "IntentDone": _done,
    "IntentRefused": _refused,
    "IntentUnknown": _unknown,
    "IntentAbsent": _absent,
    "StatusStored": _status_stored,
    "Contested": _contested,
    "Uncontested": _contested,
    "DeadlinePassed": _deadline_passed,
}
TOLD = frozenset(_TELLERS) | frozenset(CACHE_TELLERS) | frozenset(REPLICA_TELLERS)
