"""Cluster accounts: what became of clusters, read from all that was sent and all that changed."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from adapters.simulator.storage import DELETED, Manifest
from machines import labels
from property_tests.evidence import (
    OUR_KINDS,
    Changed,
    Evidence,
    Restored,
    Sent,
    annotations,
    has_ended,
    uid_of,
    written_status,
)
from property_tests.log_accounts import Applied, accounts_of, mounted_claim

FINALIZERS = (labels.CACHE_IN_USE, labels.REPLICA_WORKLOADS)
WORKLOADS = ("Deployment", "LeaderWorkerSet")
OWNERS = (labels.CACHE_UID, labels.REPLICA_UID)


class Crowd(NamedTuple):
    """The Jobs of one ModelWarmup at one moment, by the uid of the node that each is for."""

    warmup: str
    limit: int
    working: tuple[str, ...]  # of those that have not ended, and no elder's late create made
    existing: tuple[str, ...]
    restored: bool  # the cluster was: what ran then runs again


class Making(NamedTuple):
    """Something sent that makes an object for a ModelCache or a ModelReplica."""

    sent: Sent
    held: bool  # its owner bore our finalizer at some moment before


class Stamping(NamedTuple):
    """A TTL that was sent for a Job of a warmup."""

    sent: Sent
    stored: bool  # the server had held a terminal status before


class Shown(NamedTuple):
    """A status that was sent, and the one sent of the same object before."""

    before: Any
    status: Any
    sent: Sent


class Rollout(NamedTuple):
    """A workload that was applied where one stood, so that its Pods may restart."""

    before: Manifest
    after: Manifest
    applied: Applied
    last: Manifest | None  # as our last apply left it
    news: bool  # whether the replica's spec changed since then, as the log knew it


class Composition(NamedTuple):
    """A workload that was applied, the claim it has now, and those it may keep."""

    claim: str  # "" for none
    applied: Applied
    kept: frozenset[str]  # what it had; of a new one, what its replica had; "" where none is fine


class ClaimDelete(NamedTuple):
    """A claim that was deleted, and who still had it."""

    sent: Sent
    users: tuple[str, ...]  # Pods that mount it, workloads of replicas that stay


class Holding(NamedTuple):
    """A replica's status that says it is held, and the workloads that were there then."""

    sent: Sent
    running: tuple[str, ...]


def crowds(evidence: Evidence) -> Iterator[Crowd]:
    """Give the Jobs of each ModelWarmup after each change of one."""
    limits: dict[str, int] = {}
    jobs: dict[str, dict[str, dict[str, Manifest]]] = defaultdict(lambda: defaultdict(dict))
    restored: set[str] = set()
    late = _made_by_elders(evidence)
    for one in evidence.changes("ModelWarmup", "Job"):
        if isinstance(one, Restored):
            restored.add(one.cluster)
            jobs.pop(one.cluster, None)
            continue
        item = one.change.object
        if one.kind == "ModelWarmup":
            limits[uid_of(item)] = (item["spec"].get("policies") or {}).get("parallelism", 8)
            continue
        owner = controller_of(item)
        if owner not in limits or labels.TARGET_NODE_UID not in annotations(item):
            continue
        mine = jobs[one.cluster][owner]
        if one.change.type == DELETED:
            mine.pop(uid_of(item), None)
            continue
        mine[uid_of(item)] = item
        yield Crowd(
            owner,
            limits[owner],
            tuple(
                _node(job) for uid, job in mine.items() if not has_ended(job) and uid not in late
            ),
            tuple(_node(job) for job in mine.values()),
            one.cluster in restored,
        )


def _made_by_elders(evidence: Evidence) -> set[str]:
    """Give the uids of Jobs whose create arrived when another controller had the log already.

    Nothing can call it back; the other one looked for it before it came, and deletes it.
    """
    late = set()
    for sent in evidence.sent:
        if sent.kind == "Job" and sent.request.method == "POST" and sent.landed and sent.after:
            (log, position), rows = sent.arrived, evidence.logs[sent.log]
            if log != sent.log or rows[sent.position - 1].epoch < rows[position - 1].epoch:
                late.add(uid_of(sent.after))
    return late


def _node(job: Manifest) -> str:
    return annotations(job)[labels.TARGET_NODE_UID]


def controller_of(item: Manifest) -> str:
    """Give the uid of what controls an object; "" for nothing."""
    for owner in item["metadata"].get("ownerReferences") or ():
        if owner.get("controller"):
            return str(owner["uid"])
    return ""


def owner_of(item: Manifest | None) -> str:
    """Give the uid of the ModelCache or ModelReplica whose an object says it is."""
    notes = annotations(item)
    return next((notes[key] for key in OWNERS if notes.get(key)), "")


def makings(evidence: Evidence) -> Iterator[Making]:
    """Give what was sent to make an object for a ModelCache or a ModelReplica."""
    held: set[str] = set()
    for one in evidence.happened:
        if isinstance(one, Changed) and one.kind in {"ModelCache", "ModelReplica"}:
            item = one.change.object
            if any(mark in FINALIZERS for mark in item["metadata"].get("finalizers") or ()):
                held.add(uid_of(item))
        elif isinstance(one, Sent) and isinstance(one.request.body, dict):
            owner = owner_of(one.request.body)
            if owner and one.request.method in {"POST", "PATCH"}:
                yield Making(one, owner in held)


def stampings(evidence: Evidence) -> Iterator[Stamping]:
    """Give the TTLs that were sent for finished Jobs."""
    ended: set[str] = set()
    for one in evidence.happened:
        if isinstance(one, Changed) and one.kind == "ModelWarmup":
            phase = (one.change.object.get("status") or {}).get("phase")
            if phase in {"Succeeded", "Degraded", "Failed"}:
                ended.add(uid_of(one.change.object))
        elif isinstance(one, Sent) and one.kind == "Job" and one.request.method == "PATCH":
            paths = [operation["path"] for operation in one.request.body]
            if "/spec/ttlSecondsAfterFinished" in paths and one.before is not None:
                yield Stamping(one, controller_of(one.before) in ended)


def statuses(evidence: Evidence) -> Iterator[Shown]:
    """Give the statuses that were sent whole, each with the one before."""
    last: dict[str, Any] = {}
    undone: set[str] = set()  # uids of which a backup may have brought back another status
    for sent in evidence.happened:
        if isinstance(sent, Restored):
            undone |= last.keys()
        if isinstance(sent, Changed) and sent.kind in OUR_KINDS and sent.change.type == DELETED:
            last.pop(uid_of(sent.change.object), None)  # a backup may bring it back, as new
        if not isinstance(sent, Sent) or not sent.is_status:
            continue
        status = written_status(sent)
        if status is None or sent.kind not in OUR_KINDS or sent.kind == "InferenceCluster":
            continue
        uid = sent.request.body[0]["value"]
        if uid in undone and _was_forgotten(evidence, sent, uid):
            last.pop(uid, None)  # neither the server nor the log has what was
        undone.discard(uid)
        yield Shown(last.get(uid), status, sent)
        last[uid] = status


def _was_forgotten(evidence: Evidence, sent: Sent, uid: str) -> bool:
    """Say whether the log had an object recorded as gone before a status of it was sent."""
    rows = evidence.rows[sent.log][: sent.position]
    return any(row.event.type == "Gone" and row.subject.uid == uid for row in rows)


def rollouts(evidence: Evidence) -> Iterator[Rollout]:
    """Give the applies that changed a workload which was there."""
    last: dict[str, Applied] = {}
    for applied in accounts_of(evidence).applied:
        before, after = applied.sent.before, applied.sent.after
        if after is None:
            continue
        past = last.get(uid_of(after))
        if applied.sent.landed and before is not None and uid_of(before) == uid_of(after):
            news = past is not None and applied.generation > past.generation
            yield Rollout(before, after, applied, past.sent.after if past else None, news)
        last[uid_of(after)] = applied


def compositions(evidence: Evidence) -> Iterator[Composition]:
    """Give every workload that was applied, with the claims that it may keep."""
    applied = {id(one.sent): one for one in accounts_of(evidence).applied}
    had: dict[str, set[str]] = defaultdict(set)  # by uid of the replica
    for one in evidence.happened:
        if isinstance(one, Changed) and one.kind == "ModelReplica":
            status = one.change.object.get("status") or {}
            if status.get("composed") or status.get("mount"):
                had[uid_of(one.change.object)].add(mounted_claim(status.get("mount")))
        elif isinstance(one, Sent) and id(one) in applied and one.after is not None:
            owner, none = owner_of(one.after), {""} if not applied[id(one)].wanted else set()
            kept = {claim_of(one.before)} if one.before else had[owner]
            if one.landed:
                yield Composition(claim_of(one.after), applied[id(one)], frozenset(kept | none))
            had[owner].add(claim_of(one.after))


def holdings(evidence: Evidence) -> Iterator[Holding]:
    """Give the statuses of replicas that say they are held, with the workloads there then."""
    there: dict[str, dict[str, str]] = defaultdict(dict)  # names by uid, by cluster
    owners: dict[str, str] = {}
    let_go: set[str] = set()  # uids of replicas that were, at any time
    for one in evidence.happened:
        if isinstance(one, Changed) and one.kind == "ModelReplica":
            if annotations(one.change.object).get(labels.ABANDON) == "true":
                let_go.add(uid_of(one.change.object))
        elif isinstance(one, Restored):
            there.pop(one.cluster, None)
        elif isinstance(one, Changed) and one.kind in WORKLOADS:
            item = one.change.object
            if one.change.type == DELETED:
                there[one.cluster].pop(uid_of(item), None)
            else:
                there[one.cluster][uid_of(item)] = item["metadata"]["name"]
                owners[uid_of(item)] = owner_of(item)
        elif isinstance(one, Sent) and one.kind == "ModelReplica" and one.is_status:
            uid, status = one.request.body[0]["value"], written_status(one)
            held = condition(status, "ModelAccepted").get("reason") == "WaitingForCache"
            if held and uid not in let_go:
                found = [
                    f"{name} in {cluster}"
                    for cluster, names in there.items()
                    for other, name in names.items()
                    if owners[other] == uid
                ]
                yield Holding(one, tuple(found))


def claim_deletes(evidence: Evidence) -> Iterator[ClaimDelete]:
    """Give the claims that were deleted, with who had them then."""
    staying: set[str] = set()  # uids of replicas
    for one in evidence.happened:
        if isinstance(one, Changed) and one.kind == "ModelReplica":
            item = one.change.object
            abandoned = annotations(item).get(labels.ABANDON) == "true"
            goes = abandoned or "deletionTimestamp" in item["metadata"]
            if goes or one.change.type == DELETED:
                staying.discard(uid_of(item))
            else:
                staying.add(uid_of(item))
        elif isinstance(one, Sent) and one.kind == "PersistentVolumeClaim" and one.landed:
            yield from _claim_delete(one, staying)


def _claim_delete(sent: Sent, staying: set[str]) -> Iterator[ClaimDelete]:
    if sent.request.method == "DELETE":
        yield ClaimDelete(sent, tuple(_users(sent, staying)))


def _users(sent: Sent, staying: set[str]) -> Iterator[str]:
    name = sent.place.name
    for pod in mounted_by(sent, name):
        yield f"Pod {pod['metadata']['name']}"
    for item in sent.beside:
        if item["kind"] in WORKLOADS and claim_of(item) == name and owner_of(item) in staying:
            yield f"{item['kind']} {item['metadata']['name']}"


def condition(status: Any, name: str) -> dict[str, Any]:
    """Give one condition of a status; empty when there is none."""
    rows: list[dict[str, Any]] = (status or {}).get("conditions") or []
    return next((row for row in rows if row["type"] == name), {})


def template_of(workload: Manifest) -> Any:
    """Give the templates of a workload's Pods."""
    spec = workload["spec"]
    return spec.get("template") or spec.get("leaderWorkerTemplate")


def claim_of(workload: Manifest) -> str:
    """Give the claim that a workload's Pods mount; "" when they mount none."""
    template = template_of(workload)
    template = template.get("leaderTemplate", template)
    for volume in template["spec"].get("volumes") or ():
        if volume["name"] == "model-cache":
            return str(volume["persistentVolumeClaim"]["claimName"])
    return ""


def mounted_by(sent: Sent, claim: str) -> Iterator[Manifest]:
    """Give the Pods beside that mount a claim and have not ended."""
    for item in sent.beside:
        if item["kind"] == "Pod" and claim in claims_in(item) and not has_ended(item):
            yield item


def writers_beside(sent: Sent) -> Iterator[Manifest]:
    """Give the hydration Jobs and their Pods that write to the claims of a Job to be made."""
    claims = set(claims_in(sent.request.body["spec"]["template"]))
    for item in sent.beside:
        hydrates = item["kind"] == "Job" or labels.CACHE in (item["metadata"].get("labels") or {})
        if not hydrates or item["kind"] == "PersistentVolumeClaim" or has_ended(item):
            continue
        pod = item["spec"]["template"] if item["kind"] == "Job" else item
        if claims & set(claims_in(pod)):
            yield item


def is_of_a_known_generation(shown: Shown) -> bool:
    """Say whether a status speaks of no later generation than its object has."""
    before, status = shown.sent.before, shown.status
    if before is None or uid_of(before) != status["warmlog"]["uid"]:
        return True
    return bool(status["observedGeneration"] <= before["metadata"]["generation"])


def claims_in(pod: Manifest) -> list[str]:
    """Give the claims that a Pod, or a template of Pods, mounts."""
    return [
        volume["persistentVolumeClaim"]["claimName"]
        for volume in pod["spec"].get("volumes") or ()
        if "persistentVolumeClaim" in volume
    ]
