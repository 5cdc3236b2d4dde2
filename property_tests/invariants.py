"""What is promised of every world, whatever happened in it: sentences, each with its predicate.

Each is about things of one sort (`BOOK.of` names it) and holds of every one of
them. They are written from the contracts and the design, not from the code that they judge.
"""

from adapters.simulator.storage import Manifest
from engine.canonical_json import dumps
from engine.events import Event
from machines import labels
from property_tests import cluster_accounts as clusters
from property_tests import reading_statuses as reading
from property_tests import things
from property_tests import truth_accounts as truth
from property_tests.evidence import Ending, Evidence, Row, Sent, annotations, has_ended
from property_tests.fitting import fits
from property_tests.judging import Book, check
from property_tests.log_accounts import Answer, Decision, Effect, Following, Leveled, Told
from property_tests.retelling import Projected, Retold, sent_value

SECOND = 1_000_000_000
BOOK = Book()

# The log.


@BOOK.of(things.rows)
def rows_are_in_order(it: Following) -> bool:
    """Rows are numbered without a gap, and neither time nor term ever goes back."""
    before = it.before.event if it.before else Event(0, 0, 0, "", "", "", 1, "")
    row = it.row.event
    return row.seq == before.seq + 1 and row.at >= before.at and row.epoch >= before.epoch


@BOOK.of(things.rows)
def a_term_begins_with_its_session(it: Following) -> bool:
    """A term begins with SessionStarted and only there: nobody writes in the term of another."""
    new_term = it.before is None or it.row.event.epoch != it.before.event.epoch
    return new_term == (it.row.event.type == "SessionStarted")


@BOOK.of(things.levels)
def a_level_is_told_when_it_is_news(it: Leveled) -> bool:
    """A level equal to the last recorded one of its object appends nothing."""
    return bool(it.last != it.row.data["level"])


@BOOK.of(truth.our_objects)
def what_we_write_is_no_news(it: truth.Known) -> bool:
    """A status of ours is no level: no object has more levels than it had specs and marks."""
    return it.levels <= it.changes


@BOOK.of(truth.endings_told)
def an_outcome_is_the_jobs_own(it: truth.Ended) -> bool:
    """A Job is told Complete or Failed only when it has been so in its cluster."""
    return it.row.data["level"]["outcome"] in it.ways


@BOOK.of(things.decisions)
def decisions_say_what_they_saw(it: Decision) -> bool:
    """A decision names the last fact before it, and the fact that explains it."""
    event = it.row.event
    return event.seen == it.last_fact and 0 < (event.cause or 0) <= it.last_fact


@BOOK.of(things.answers)
def answers_answer_a_question(it: Answer) -> bool:
    """An answer is of one intent, logged before it, that no other answer had closed."""
    return it.question is not None and it.closed_by is None


@BOOK.of(things.firings)
def no_deadline_passes_early(it: Row) -> bool:
    """A deadline passes at its time or later."""
    return bool(it.data["deadline"] <= it.event.at)


@BOOK.of(things.texts)
def no_secret_is_written(it: things.Text) -> bool:
    """The value of a token stands in no row and in no request, but in the Secret made for it."""
    return not any(value in it.text for value in it.secrets)


@BOOK.of(things.retold)
def deciding_again_gives_the_same(it: Retold) -> bool:
    """Where the log decided, deciding again gives the recorded decisions; at its end, none."""
    return not it.divergences


# What is decided.


@BOOK.of(things.decisions)
def nothing_is_decided_on_the_unknown(it: Decision) -> bool:
    """Nothing is decided about a cluster that does not answer, or was not listed in a session."""
    return not it.unknown


@BOOK.of(things.creations)
def nothing_is_made_for_what_goes(it: Decision) -> bool:
    """Nothing is created for an object that is gone or is being deleted."""
    return it.owner is not None and not it.owner.get("deleting")


@BOOK.of(things.job_creations)
def no_job_outside_the_boundary(it: Decision) -> bool:
    """A Job is made for a node that exists, has opted in, and shares a pool with the namespace;
    never for a control-plane node.
    """
    marks = (it.node or {}).get("labels") or {}
    inside = marks.get(labels.ENABLED) == "true" and it.pool and marks.get(labels.POOL) == it.pool
    return bool(inside) and not any(mark in marks for mark in labels.CONTROL_PLANE)


@BOOK.of(things.job_creations)
def no_job_after_its_outcome(it: Decision) -> bool:
    """No Job is made for a node UID whose Job was seen Complete or Failed."""
    return it.ended is None


# What is sent.


@BOOK.of(things.effects)
def nothing_is_sent_without_its_intent(it: Effect) -> bool:
    """Nothing is created, changed or deleted without its intent, by identity and digest, earlier
    in this log.
    """
    return any(fits(it.sent, intent) for intent in it.intents)


@BOOK.of(things.deletes)
def every_delete_is_of_one_uid(it: Sent) -> bool:
    """A delete names the UID and the version that were read, and leaves the rest to the
    background.
    """
    body = it.request.body
    guarded = {"uid", "resourceVersion"} <= set(body["preconditions"])
    return guarded and bool(body["propagationPolicy"] == "Background")


@BOOK.of(things.patches)
def every_patch_has_its_guards(it: Sent) -> bool:
    """A patch tests UID and resourceVersion before it writes; a status is written whole."""
    tests = [(one["op"], one["path"]) for one in it.request.body[:2]]
    rest = it.request.body[2:]
    guarded = tests == [("test", "/metadata/uid"), ("test", "/metadata/resourceVersion")]
    shared = it.kind == "InferenceCluster"  # of its status one clusters.condition is ours
    whole = shared or [(one["op"], one["path"]) for one in rest] == [("add", "/status")]
    return guarded and (whole or not it.is_status)


@BOOK.of(things.applies)
def every_apply_is_of_what_was_read(it: Sent) -> bool:
    """A server-side apply carries the version last read, or is sent where a read found nothing."""
    return it.missed or "resourceVersion" in it.request.body["metadata"]


@BOOK.of(things.touches)
def only_ours_is_touched(it: Effect) -> bool:
    """What names another ModelCache or ModelReplica as its owner is neither changed nor deleted."""
    return things.is_own(it)


@BOOK.of(things.job_deletes)
def only_unfinished_jobs_are_deleted(it: Sent) -> bool:
    """A warmup's Job that has ended is left to its TTL; only an unfinished one is deleted."""
    return it.before is not None and not has_ended(it.before)


@BOOK.of(clusters.stampings)
def the_end_is_stored_before_the_ttl(it: clusters.Stamping) -> bool:
    """A finished Job gets its TTL only when the server has held the warmup's terminal status."""
    return it.stored


@BOOK.of(clusters.makings)
def nothing_is_made_before_it_is_held(it: clusters.Making) -> bool:
    """Nothing is made for a ModelCache or ModelReplica before it bore our finalizer."""
    return it.held


@BOOK.of(things.repairs)
def repairs_are_few(it: things.Repair) -> bool:
    """A status that somebody else changed is put back at most once a minute."""
    return it.last is None or it.sent.at - it.last.at >= 60 * SECOND


# Clusters.


@BOOK.of(clusters.crowds)
def active_jobs_stay_within_the_limit(it: clusters.Crowd) -> bool:
    """No more Jobs of a warmup run at once than its parallelism, unless a backup brought them, or a
    create that was on its way when the lease was lost.
    """
    return it.restored or len(it.working) <= it.limit


@BOOK.of(clusters.crowds)
def never_two_jobs_for_one_node(it: clusters.Crowd) -> bool:
    """There are never two Jobs for one warmup and node UID."""
    return len(it.existing) == len(set(it.existing))


@BOOK.of(things.hydration_creates)
def one_job_at_a_time_writes_to_a_claim(it: Sent) -> bool:
    """A hydration Job is made only where no other one, and no Pod of one, still writes."""
    return not list(clusters.writers_beside(it))


@BOOK.of(things.hydration_deletes)
def the_latch_comes_before_the_job_goes(it: Sent) -> bool:
    """A hydration Job that ended well is deleted only when its claim, if it is still wanted, bears
    the latch.
    """
    claim = things.claim_for(it)
    return claim is not None and labels.HYDRATED in annotations(claim)


@BOOK.of(clusters.claim_deletes)
def no_claim_in_use_is_deleted(it: clusters.ClaimDelete) -> bool:
    """No claim is deleted while a Pod mounts it, or a replica that stays was composed with it."""
    return not it.users


@BOOK.of(clusters.rollouts)
def pods_restart_for_a_reason(it: clusters.Rollout) -> bool:
    """A workload's Pod template changes only when the replica's spec did, a Ready mount did, or
    somebody had edited it.
    """
    if it.last is None or clusters.template_of(it.before) == clusters.template_of(it.after):
        return True
    edited = clusters.template_of(it.before) != clusters.template_of(it.last)
    return edited or it.news or clusters.claim_of(it.before) != clusters.claim_of(it.after)


@BOOK.of(clusters.compositions)
def a_mount_is_published_or_kept(it: clusters.Composition) -> bool:
    """A workload gets a claim of its cache that was seen hydrated there, else what it had, else
    what its replica had; and none only where the replica asks for none, or had none.
    """
    return it.claim in it.applied.staged or it.claim in it.kept


@BOOK.of(clusters.holdings)
def a_replica_held_has_no_workload(it: clusters.Holding) -> bool:
    """A replica that waits for its cache has no workload anywhere."""
    return not it.running


# Statuses.


@BOOK.of(things.projections)
def every_status_is_the_projection(it: Projected) -> bool:
    """A status that is sent is, to the byte, what the log until then gives for that object."""
    return it.status is not None and sent_value(it.sent) == dumps(it.status)


@BOOK.of(things.statuses)
def every_status_says_whose_it_is(it: clusters.Shown) -> bool:
    """A status names its object's UID, a position that the log has, and no later generation."""
    origin, position = it.status["warmlog"], it.sent.position
    told = it.sent.request.body[0]["value"] == origin["uid"] and origin["position"] <= position
    return told and clusters.is_of_a_known_generation(it)


@BOOK.of(things.statuses)
def every_status_fits(it: clusters.Shown) -> bool:
    """A status has at most 256 details of targets, and no message of more than 1,024 characters."""
    rows = [*it.status["conditions"], *it.status.get("targets", ()), *it.status.get("clusters", ())]
    return len(it.status.get("targets", ())) <= 256 and all(
        len(row.get("message", "")) <= 1024 for row in rows
    )


@BOOK.of(things.statuses_after_the_end)
def the_end_sticks(it: clusters.Shown) -> bool:
    """A warmup that is Succeeded, Degraded or Failed stays so, with the counts it ended with."""
    kept = ("phase", "succeededNodes", "failedNodes", "completionTime")
    return all(it.status[name] == it.before[name] for name in kept)


@BOOK.of(things.status_changes)
def outcomes_stick(it: clusters.Shown) -> bool:
    """A node that succeeded or failed is counted so for ever, and a failure keeps its words."""
    counts = all(it.status[one] >= it.before[one] for one in ("succeededNodes", "failedNodes"))
    return counts and reading.failures(it.before) <= reading.failures(it.status)


@BOOK.of(things.warmup_statuses)
def success_is_a_job_seen_complete(it: Told) -> bool:
    """As many nodes have succeeded as had their Job seen Complete, at most."""
    return it.recovered or things.status_of(it.sent)["succeededNodes"] <= it.succeeded


@BOOK.of(things.warmup_statuses)
def failure_is_a_job_seen_failed(it: Told) -> bool:
    """A node has failed by its Job's own reason only when that Job was seen Failed."""
    return it.recovered or reading.failed_by_their_jobs(things.status_of(it.sent)) <= it.failed


@BOOK.of(truth.counted)
def a_job_counts_for_its_own_machine(it: truth.Counted) -> bool:
    """A node counts as succeeded or failed only by a Job that was made for it, by its UID."""
    return it.node_uid in it.machines


@BOOK.of(things.ends)
def the_end_is_decided_on_a_fresh_look(it: Told) -> bool:
    """A warmup ends when a look taken after the last outcome found nothing more, or by its spec."""
    return it.looked or it.recovered or reading.is_ended_by_spec(things.status_of(it.sent))


@BOOK.of(things.cache_statuses)
def a_mount_exactly_while_ready(it: Told) -> bool:
    """A cache's entry has a mount exactly while it is Ready."""
    entries = things.status_of(it.sent)["clusters"]
    return all(("mount" in entry) == (entry["phase"] == "Ready") for entry in entries)


@BOOK.of(things.mounting_statuses)
def a_mount_is_of_a_hydrated_claim(it: Told) -> bool:
    """A mount is published of a claim that was seen there with the latch of its own UID, or that
    the cache's own status told a new log of.
    """
    entries = things.status_of(it.sent)["clusters"]
    return it.recovered or {one["name"] for one in entries if "mount" in one} <= it.staged


@BOOK.of(things.statuses)
def what_is_not_done_says_why(it: clusters.Shown) -> bool:
    """Everything that is not done says what it waits for: each target, each entry, each replica."""
    return reading.says_why(it.sent.kind, it.status)


# The end: faults have ended, inputs rest.


@BOOK.of(things.endings)
def everything_settles(it: Ending) -> bool:
    """Within bounded time no intent is open, no status is unsent, and every end is stored."""
    return not it.live.open and not it.unsent and things.ends_are_stored(it)


@BOOK.of(things.endings)
def at_rest_nothing_changes(it: Ending) -> bool:
    """From then on there are no rows, no writes and no Events."""
    return not it.news


@BOOK.of(truth.rows_of_what_stands)
def what_is_there_is_not_gone(it: Row) -> bool:
    """What stands in a cluster is not recorded as gone: no answer was taken for an empty one."""
    return it.event.type != "Gone"


@BOOK.of(things.wishes)
def every_wish_settles(it: Manifest) -> bool:
    """Every warmup is terminal, every entry Ready and every replica Ready, or they name what they
    wait for.
    """
    return reading.is_settled(it)


@BOOK.of(things.shown_at_the_end)
def the_server_holds_the_projection(it: tuple[str, str]) -> bool:
    """Every status stands on the server as the log alone gives it, to the byte."""
    return it[0] == it[1]


@BOOK.of(things.lives)
def replay_equals_live(it: tuple[str, str]) -> bool:
    """Folding the log gives the state that the controller has."""
    return it[0] == it[1]


@BOOK.of(things.leftovers)
def nothing_is_left_of_what_went(it: things.Left) -> bool:
    """Nothing of ours is left of an owner that is gone, unless it was let go."""
    return it.owner is not None


@BOOK.of(things.owners)
def nobody_works_for_nothing(it: things.Owning) -> bool:
    """At rest a Job or a token Secret of ours stands only where something is still to be done, and
    a warmup's Jobs bear its label.
    """
    return not it.idle


INVARIANTS = tuple(BOOK.invariants)


def judge(evidence: Evidence) -> None:
    """Raise Broken, with the sentence, when the evidence breaks one."""
    check(evidence, INVARIANTS)
