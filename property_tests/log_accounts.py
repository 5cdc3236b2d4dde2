"""Log accounts: what each log knew at each of its rows, and what was decided and sent upon it.

Read from the rows as they stand, by no code of the controller's.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from engine.canonical_json import loads
from machines import labels
from property_tests.evidence import Evidence, Row, Sent
from property_tests.knowledge import Knowledge, Level, know, log_name, owner_of, see, served

ANSWERS = ("IntentDone", "IntentRefused", "IntentAbsent", "IntentUnknown")
_AS_KUBERNETES = {"HydrationJob": "Job", "HydrationPod": "Pod"}
_VERBS = {"CreateJob": "POST", "Create": "POST", "DeleteJob": "DELETE", "Delete": "DELETE"}


class Following(NamedTuple):
    """A row, and the one before it."""

    before: Row | None
    row: Row


class Leveled(NamedTuple):
    """A row that tells a level, and the one last told of the same object."""

    last: Level | None
    row: Row


class Decision(NamedTuple):
    """A decision, and what was known when it was made."""

    row: Row
    last_fact: int
    unknown: str  # what was not known of its cluster; "" when all was
    owner: Level | None  # for whom: as last seen; None when it is gone or was never seen
    node: Level | None  # of a Job to be made: its node
    pool: str  # of a Job to be made: its namespace's
    ended: Row | None  # of a Job to be made: the outcome that its node has already


class Answer(NamedTuple):
    """An answer, the question, and an answer that had closed it before."""

    row: Row
    question: Row | None
    closed_by: Row | None


class Effect(NamedTuple):
    """Something sent, and the intents that the log had then of the same thing."""

    sent: Sent
    intents: tuple[Row, ...]
    wanted: bool  # whether the ModelCache that it is for was to be there, as far as was known


class Told(NamedTuple):
    """A status that was sent, and what the log said then that it should rest upon."""

    sent: Sent
    succeeded: int  # nodes whose Job was seen Complete
    failed: frozenset[str]  # names of nodes whose Job was seen Failed
    looked: bool  # once more, and since the last outcome
    staged: frozenset[str]  # names of clusters whose claim was seen hydrated
    recovered: bool  # whether this object's own status told of a past


class Applied(NamedTuple):
    """A workload that was applied, and what the log knew of its replica then."""

    sent: Sent
    generation: int
    staged: frozenset[str]  # names of claims there of its cache that were seen hydrated
    wanted: str  # the name of its cache; "" when it asks for none


@dataclass
class Accounts:
    """All that the logs tell."""

    followings: list[Following] = field(default_factory=list)
    levels: list[Leveled] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    statuses: list[Told] = field(default_factory=list)
    applied: list[Applied] = field(default_factory=list)
    firings: list[Row] = field(default_factory=list)
    let_go: set[str] = field(default_factory=set)  # uids of owners that may leave something behind


def accounts_of(evidence: Evidence) -> Accounts:
    """Give what the logs tell; read once."""
    found: Accounts | None = evidence.__dict__.get("_log_accounts")
    if found is None:
        found = evidence.__dict__["_log_accounts"] = _read(evidence)
    return found


def _read(evidence: Evidence) -> Accounts:
    accounts = Accounts()
    sent: dict[int, list[Sent]] = defaultdict(list)
    for one in evidence.sent:
        sent[one.log].append(one)
    for index, rows in enumerate(evidence.rows):
        knowledge, before = Knowledge(index), None
        waiting = iter(sent[index])
        following = next(waiting, None)
        for row in rows:
            accounts.followings.append(Following(before, row))
            _take(accounts, knowledge, row)
            before = row
            while following is not None and following.position <= row.event.seq:
                _note_sent(accounts, knowledge, following)
                following = next(waiting, None)
        accounts.let_go |= knowledge.let_go
    return accounts


def _take(accounts: Accounts, knowledge: Knowledge, row: Row) -> None:
    """Note what a row is, against what was known before it; then know it."""
    name = row.event.type
    if name.endswith("Intended"):
        accounts.decisions.append(_decision(knowledge, row))
        knowledge.intents[row.event.seq] = row
        knowledge.by_place[_place_of_intent(row)].append(row)
        return
    knowledge.last_fact = row.event.seq
    if name.endswith("Seen"):
        last = knowledge.of(row.event.cluster, row.subject.uid)
        accounts.levels.append(Leveled(last, row))
        see(knowledge, row)
    elif name in ANSWERS:
        cause = row.event.cause or 0
        question, closed_by = knowledge.intents.get(cause), knowledge.closed.get(cause)
        accounts.answers.append(Answer(row, question, closed_by))
        if name != "IntentUnknown":
            knowledge.closed[cause] = row
        if name == "IntentDone" and question and question.event.type == "ResolveIntended":
            knowledge.looked[row.subject.uid] = row.event.seq
    elif name == "DeadlinePassed":
        accounts.firings.append(row)
    else:
        know(knowledge, row)


def _decision(knowledge: Knowledge, row: Row) -> Decision:
    cluster, data = row.event.cluster, row.data
    owner = owner_of(knowledge, row)
    if row.event.type != "CreateJobIntended":
        unknown = knowledge.unknown(row)
        return Decision(row, knowledge.last_fact, unknown, owner, None, "", None)
    namespace = knowledge.named(cluster, "Namespace", "", data["namespace"]) or {}
    return Decision(
        row,
        knowledge.last_fact,
        knowledge.unknown(row),
        owner,
        knowledge.of(cluster, data["node_uid"]),
        namespace.get("pool", ""),
        knowledge.outcomes[data["warmup_uid"]].get(data["node_uid"]),
    )


def _place_of_intent(row: Row) -> tuple[str, str, str, str]:
    """Give method, kind, namespace and name of what an intent is about."""
    data, name = row.data, row.event.type.removesuffix("Intended")
    kind = data.get("kind", "Job")
    named = data.get("name") or data.get("job_name", "")
    place = _AS_KUBERNETES.get(kind, kind), data["namespace"], named
    return _VERBS.get(name, "PATCH"), *place


def _note_sent(accounts: Accounts, knowledge: Knowledge, sent: Sent) -> None:
    if sent.is_status:
        accounts.statuses.append(_told(knowledge, sent))
        return
    method, place = sent.request.method, sent.place
    name = place.name or sent.request.body["metadata"]["name"]
    intents = knowledge.by_place.get((method, sent.kind, place.namespace, name), [])
    wanted = bool(intents) and _is_wanted(knowledge, intents[-1])
    accounts.effects.append(Effect(sent, tuple(intents), wanted))
    if sent.kind in {"Deployment", "LeaderWorkerSet"} and "spec" in sent.request.body:
        accounts.applied.append(_applied(knowledge, sent, intents[-1] if intents else None))


def _applied(knowledge: Knowledge, sent: Sent, intent: Row | None) -> Applied:
    if intent is None:
        return Applied(sent, 0, frozenset(), "")
    cluster = intent.event.cluster
    replica = owner_of(knowledge, intent) or {"spec": "{}"}
    wanted = (loads(replica["spec"]).get("modelCacheRef") or {}).get("name", "")
    staged = frozenset(
        known.row.subject.name
        for (there, uid), known in knowledge.objects.items()
        if there == cluster and uid in knowledge.latched
        if wanted in {known.level.get("label"), *known.level.get("owner", ())}
    )
    return Applied(sent, replica.get("generation", 0), staged, wanted)


def _is_wanted(knowledge: Knowledge, intent: Row) -> bool:
    """Say whether a ModelCache stays, and selects the cluster that something was decided for."""
    cache = owner_of(knowledge, intent)
    if cache is None or cache.get("deleting") or labels.ABANDON in cache.get("annotations", {}):
        return False
    wanted = loads(cache["spec"]).get("clusterSelector", {}).get("matchLabels", {})
    return any(
        wanted.items() <= known.level.get("labels", {}).items()
        for name, known in served(knowledge).items()
        if log_name(name, known) == intent.event.cluster
    )


def _told(knowledge: Knowledge, sent: Sent) -> Told:
    tests = {one["path"]: one["value"] for one in sent.request.body if one["op"] == "test"}
    uid = tests.get("/metadata/uid", "")
    ended = knowledge.outcomes[uid].values()
    seen = [row for row in ended if row.data["level"]["outcome"] == "Complete"]
    failed = (row for row in ended if row.data["level"]["outcome"] == "Failed")
    look = knowledge.looked.get(uid, 0)
    # What a backup brings after the look that ended a warmup changes its end no more.
    past = next((seq for seq in knowledge.rolled_back if seq > look), sent.position + 1)
    newest = max((row.event.seq for row in ended if row.event.seq < past), default=0)
    return Told(
        sent,
        len(seen),
        frozenset(row.data["level"].get("nodeName", "") for row in failed),
        look > newest,
        frozenset(_staged(knowledge, sent)) if sent.kind == "ModelCache" else frozenset(),
        uid in knowledge.recovered,
    )


def _staged(knowledge: Knowledge, sent: Sent) -> Iterator[str]:
    """Give the InferenceClusters that have a hydrated claim which a mount of this status names."""
    claims = {
        (known.row.event.cluster, known.row.subject.name)
        for (_, uid), known in knowledge.objects.items()
        if uid in knowledge.latched
    }
    clusters = served(knowledge)
    for operation in sent.request.body:
        if operation["path"] == "/status":
            for entry in operation["value"].get("clusters", ()):
                named = mounted_claim(entry.get("mount"))
                known = clusters.get(entry["name"])
                here = log_name(entry["name"], known) if known else ""
                if (here, named) in claims:
                    yield entry["name"]


def mounted_claim(mount: Any) -> str:
    """Give the claim that a mount names; "" for none."""
    for volume in (mount or {}).get("volumes") or ():
        return str(volume["persistentVolumeClaim"]["claimName"])
    return ""
