"""Things: what the invariants speak of, as a reader of them would call it."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from adapters.ports import APPLY_PATCH, JSON_PATCH
from adapters.simulator.storage import Manifest
from engine.canonical_json import dumps
from machines import labels
from machines.domain import WARMLOG
from property_tests import cluster_accounts as clusters
from property_tests.evidence import (
    Ending,
    Evidence,
    Row,
    Sent,
    annotations,
    uid_of,
)  # fmt: skip
from property_tests.fitting import fits
from property_tests.log_accounts import (
    Answer,
    Decision,
    Effect,
    Following,
    Leveled,
    Told,
    accounts_of,
)
from property_tests.reading_statuses import ENDS, is_in_vain
from property_tests.retelling import Projected, Retold, rested, retell, shown_by

_CREATES = ("CreateJobIntended", "CreateIntended", "ApplyIntended")


class Text(NamedTuple):
    """Something written, and the values that must not be in it."""

    where: str
    text: str
    secrets: tuple[str, ...]


class Repair(NamedTuple):
    """A status that was put back, and the last time before that in the same session."""

    sent: Sent
    last: Sent | None


class Left(NamedTuple):
    """An object that stands at the end, and its owner, if that exists."""

    cluster: str
    item: Manifest
    owner: Manifest | None


class Owning(NamedTuple):
    """An object that is wished for, and Jobs and Secrets of its that nobody needs any more."""

    owner: Manifest
    idle: tuple[Manifest, ...]


def rows(evidence: Evidence) -> list[Following]:
    """Every row of every log, with the one before."""
    return accounts_of(evidence).followings


def levels(evidence: Evidence) -> list[Leveled]:
    """Every level that a log tells."""
    return accounts_of(evidence).levels


def decisions(evidence: Evidence) -> list[Decision]:
    """Everything that was decided."""
    return accounts_of(evidence).decisions


def creations(evidence: Evidence) -> Iterator[Decision]:
    """Every decision to make something."""
    return (one for one in decisions(evidence) if one.row.event.type in _CREATES)


def job_creations(evidence: Evidence) -> Iterator[Decision]:
    """Every decision to make a Job that warms a node."""
    return (one for one in decisions(evidence) if one.row.event.type == "CreateJobIntended")


def answers(evidence: Evidence) -> list[Answer]:
    """Every answer to something decided."""
    return accounts_of(evidence).answers


def firings(evidence: Evidence) -> list[Row]:
    """Every deadline that passed."""
    return accounts_of(evidence).firings


def retold(evidence: Evidence) -> list[Retold]:
    """Every log, folded again."""
    return retell(evidence).logs


def texts(evidence: Evidence) -> Iterator[Text]:
    """Everything that was written down, but for the Secrets that are to hold the token."""
    if not evidence.secrets:
        return
    for log in evidence.logs:
        for event in log:
            yield Text(f"row {event.seq}", event.data, evidence.secrets)
    for words in evidence.announced:
        yield Text("an Event", words, evidence.secrets)
    for sent in evidence.sent:
        if sent.kind != "Secret":
            yield Text(str(sent), dumps(sent.request.body), evidence.secrets)


def effects(evidence: Evidence) -> list[Effect]:
    """Everything that was sent to create, change or delete an object."""
    return accounts_of(evidence).effects


def deletes(evidence: Evidence) -> Iterator[Sent]:
    """Every delete that was sent."""
    return (one for one in evidence.effects if one.request.method == "DELETE")


def job_deletes(evidence: Evidence) -> Iterator[Sent]:
    """Every delete of a warmup's Job that was carried out."""
    for one in deletes(evidence):
        warming = labels.TARGET_NODE_UID in annotations(one.before)
        if one.kind == "Job" and warming and one.landed:
            yield one


def hydration_deletes(evidence: Evidence) -> Iterator[Sent]:
    """Every delete of a hydration Job that had ended well, of a claim that is still wanted, and of
    the content that it was made for: what somebody marks as another's counts as another's.
    """
    jobs = [one.after for one in hydration_creates(evidence) if one.after is not None]
    made = {uid_of(job): _content(job) for job in jobs}
    for effect in effects(evidence):
        one = effect.sent
        deleted = one.kind == "Job" and one.request.method == "DELETE" and one.landed
        ended_well = any(row["type"] == "Complete" for row in job_conditions(one))
        if not (deleted and ended_well and effect.wanted) or claim_for(one) is None:
            continue
        job = one.before or {}
        if made.get(uid_of(job), _content(job)) == _content(job):
            yield one


def _content(job: Manifest) -> str | None:
    return annotations(job).get(labels.FINGERPRINT)


def hydration_creates(evidence: Evidence) -> Iterator[Sent]:
    """Every hydration Job that was made."""
    for one in evidence.effects:
        made = one.kind == "Job" and one.request.method == "POST" and one.landed
        if made and clusters.claims_in(one.request.body["spec"]["template"]):
            yield one


def patches(evidence: Evidence) -> Iterator[Sent]:
    """Every JSON patch that was sent, of a status or of anything else."""
    return (one for one in evidence.sent if one.request.content_type == JSON_PATCH)


def applies(evidence: Evidence) -> Iterator[Sent]:
    """Every server-side apply that was carried out."""
    for one in evidence.effects:
        if one.request.content_type == APPLY_PATCH and one.landed:
            yield one


def touches(evidence: Evidence) -> Iterator[Effect]:
    """Everything that was sent to an object which was there and says whose it is."""
    for one in effects(evidence):
        if one.sent.request.method != "POST" and clusters.owner_of(one.sent.before):
            yield one


def statuses(evidence: Evidence) -> Iterator[clusters.Shown]:
    """Every status that was sent whole, with the one sent before it."""
    return clusters.statuses(evidence)


def status_changes(evidence: Evidence) -> Iterator[clusters.Shown]:
    """Every status of a ModelWarmup that was sent after another."""
    for one in clusters.statuses(evidence):
        if one.sent.kind == "ModelWarmup" and one.before is not None:
            yield one


def statuses_after_the_end(evidence: Evidence) -> Iterator[clusters.Shown]:
    """Every status of a ModelWarmup that was sent after a terminal one."""
    return (one for one in status_changes(evidence) if one.before["phase"] in ENDS)


def ends(evidence: Evidence) -> Iterator[Told]:
    """Every status of a ModelWarmup that says that it ended."""
    return (one for one in warmup_statuses(evidence) if status_of(one.sent)["phase"] in ENDS)


def warmup_statuses(evidence: Evidence) -> Iterator[Told]:
    """Every status of a ModelWarmup that was sent."""
    return (one for one in accounts_of(evidence).statuses if one.sent.kind == "ModelWarmup")


def cache_statuses(evidence: Evidence) -> Iterator[Told]:
    """Every status of a ModelCache that was sent."""
    return (one for one in accounts_of(evidence).statuses if one.sent.kind == "ModelCache")


def mounting_statuses(evidence: Evidence) -> Iterator[Told]:
    """Every status of a ModelCache that was sent with a mount."""
    for one in cache_statuses(evidence):
        if any("mount" in entry for entry in status_of(one.sent)["clusters"]):
            yield one


def projections(evidence: Evidence) -> list[Projected]:
    """Every status that was sent, beside what the log alone gave for it."""
    return retell(evidence).statuses


def repairs(evidence: Evidence) -> Iterator[Repair]:
    """Every status that was stored although the very same one had been before, in one session."""
    stored: dict[str, tuple[Any, Sent]] = {}
    repaired: dict[str, Sent] = {}
    for shown in clusters.statuses(evidence):
        sent = shown.sent
        if not sent.landed:
            continue
        uid, status = sent.request.body[0]["value"], shown.status
        before = stored.get(uid)
        if before and before[0] == status and _one_session(evidence, before[1], sent):
            last = repaired.get(uid)
            same = last is not None and _one_session(evidence, last, sent)
            yield Repair(sent, last if same else None)
            repaired[uid] = sent
        stored[uid] = status, sent


def _one_session(evidence: Evidence, first: Sent, second: Sent) -> bool:
    """Say whether one life of the controller sent both, by a clock that nobody set in between."""
    log = evidence.logs[second.log]
    if any(first.at <= at <= second.at for at in evidence.clock_sets):
        return False
    return (
        first.log == second.log and log[first.position - 1].epoch == log[second.position - 1].epoch
    )


def endings(evidence: Evidence) -> Iterator[Ending]:
    """How it was at the end."""
    if evidence.ending is not None:
        yield evidence.ending


def shown_at_the_end(evidence: Evidence) -> Iterator[tuple[str, str]]:
    """Every status that stands at the end, as text, beside the one that the log alone gives."""
    if evidence.ending is None:
        return
    shown = shown_by(retell(evidence).logs[-1].state)
    for _, item in evidence.ending.of("ModelWarmup", "ModelCache", "ModelReplica"):
        yield dumps(item.get("status")), shown.pop(uid_of(item), "nothing")
    for _, item in evidence.ending.of("InferenceCluster"):
        reachable = clusters.condition(item.get("status"), "Reachable")
        yield dumps({"conditions": [reachable]}), shown.pop(uid_of(item), "nothing")
    yield from (("nothing", text) for text in shown.values())


def lives(evidence: Evidence) -> Iterator[tuple[str, str]]:
    """The state that the controller had at the end, beside the one that the log alone gives."""
    if evidence.ending is not None:
        live, told = rested(evidence.ending.live), rested(retell(evidence).logs[-1].state)
        # Equal part by part they are equal as texts, which take long to write.
        yield ("equal", "equal") if live == told else (WARMLOG.dump(live), WARMLOG.dump(told))


def wishes(evidence: Evidence) -> Iterator[Manifest]:
    """Everything that is wished for at the end, and was not let go."""
    if evidence.ending is None:
        return
    for _, item in evidence.ending.of("ModelWarmup", "ModelCache", "ModelReplica"):
        if annotations(item).get(labels.ABANDON) != "true":
            yield item


def owners(evidence: Evidence) -> Iterator[Owning]:
    """Every ModelWarmup and ModelCache at the end, with what works for it in vain."""
    ending = evidence.ending
    if ending is None:
        return
    excused = ending.excused | accounts_of(evidence).let_go
    jobs = [item for _, item in ending.of("Job")]
    secrets = [item for _, item in ending.of("Secret")]
    for _, owner in ending.of("ModelWarmup"):
        mine = (job for job in jobs if clusters.controller_of(job) == uid_of(owner))
        yield Owning(owner, tuple(job for job in mine if is_in_vain(owner, job)))
    for _, owner in ending.of("ModelCache"):
        done = all(one["phase"] == "Ready" for one in owner["status"]["clusters"])
        let_go = not done or uid_of(owner) in excused
        own = (one for one in (*jobs, *secrets) if clusters.owner_of(one) == uid_of(owner))
        yield Owning(owner, () if let_go else tuple(own))


def leftovers(evidence: Evidence) -> Iterator[Left]:
    """Everything of ours that stands at the end, with the owner it names."""
    ending = evidence.ending
    if ending is None:
        return
    excused = ending.excused | accounts_of(evidence).let_go
    owners = {uid_of(item): item for _, item in ending.of("ModelCache", "ModelReplica")}
    kinds = ("Job", "Secret", "PersistentVolumeClaim", "Service", "ResourceClaimTemplate")
    for cluster, item in ending.of(*kinds, *clusters.WORKLOADS):
        owner = clusters.owner_of(item)
        shown = labels.CACHE in (item["metadata"].get("labels") or {})
        if ending.forgotten and not shown and labels.CACHE_UID in annotations(item):
            continue  # no watch shows it, and the log that knew of it is lost
        if owner and owner not in excused:
            yield Left(cluster, item, owners.get(owner))


def status_of(sent: Sent) -> Any:
    """Give the status that was sent."""
    return next(one["value"] for one in sent.request.body if one["path"] == "/status")


def without_origin(status: Any) -> Any:
    """Give a status without the position that it is of."""
    return {name: value for name, value in status.items() if name != "warmlog"}


def job_conditions(sent: Sent) -> list[dict[str, Any]]:
    """Give the conditions of a Job before something was done to it."""
    status: dict[str, Any] = (sent.before or {}).get("status") or {}
    return [one for one in status.get("conditions") or () if one["status"] == "True"]


def claim_for(sent: Sent) -> Manifest | None:
    """Give the claim that a hydration Job was bound to, if it stood beside it."""
    claim_uid = annotations(sent.before).get(labels.CLAIM_UID, "")
    return next((one for one in sent.beside if claim_uid and uid_of(one) == claim_uid), None)


def is_own(effect: Effect) -> bool:
    """Say whether what was written to says that it is of the object it was written for."""
    notes = annotations(effect.sent.before)
    named = [
        (notes.get(labels.CACHE_NAMESPACE), notes.get(labels.CACHE_NAME)),
        (notes.get(labels.REPLICA_NAMESPACE), notes.get(labels.REPLICA_NAME)),
    ]
    return any(
        one.subject.uid == clusters.owner_of(effect.sent.before)
        or (one.subject.namespace, one.subject.name) in named
        for one in effect.intents
        if fits(effect.sent, one)
    )


def ends_are_stored(ending: Ending) -> bool:
    """Say whether the log knows of every end that the server holds it."""
    return all(one.stored or one.gone or one.state.value not in {"Ready", "Degraded", "Failed"}
               for one in ending.live.warmups.values())  # fmt: skip
