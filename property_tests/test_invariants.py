"""Each invariant is about something that happens in worlds, and each can be broken."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from adapters.ports import Request
from property_tests.evidence import Evidence, Sent
from property_tests.invariants import INVARIANTS
from property_tests.judging import Invariant, check
from property_tests.playing.breaking import Broken
from property_tests.playing.performing import play
from property_tests.playing.stories import from_json

FOLDER = Path(__file__).parent / "exercising"
SORTS = ("warmups", "caches", "replicas")
BY_NAME = {one.name: one for one in INVARIANTS}

Spoil = Callable[[Any], Any]  # gives a thing that is changed in one place


@cache
def evidence(sort: str) -> Evidence:
    """What a told world leaves behind."""
    return play(from_json((FOLDER / f"{sort}.json").read_text())).world.witness.evidence


def things(invariant: Invariant[Any]) -> list[Any]:
    """Everything that an invariant is about in the told worlds."""
    return [thing for sort in SORTS for thing in invariant.things(evidence(sort))]


def with_event(row: Any, **changes: Any) -> Any:
    """A row whose event is another one."""
    return row._replace(event=row.event._replace(**changes))


def with_row(it: Any, **changes: Any) -> Any:
    """Something about a row, whose event is another one."""
    return it._replace(row=with_event(it.row, **changes))


def with_body(sent: Sent, body: Any) -> Sent:
    """Something sent, with another body."""
    return replace(sent, request=sent.request._replace(body=body))


def with_status(it: Any, **changes: Any) -> Any:
    """Something about a status that was sent, in which some fields are others."""
    *tests, operation = it.sent.request.body
    status = {**operation["value"], **changes}
    sent = with_body(it.sent, [*tests, {**operation, "value": status}])
    return it._replace(sent=sent, **({"status": status} if hasattr(it, "status") else {}))


def status_of(it: Any) -> dict[str, Any]:
    """The status that was sent."""
    found: dict[str, Any] = it.sent.request.body[-1]["value"]
    return found


def with_entries(it: Any, **changes: Any) -> Any:
    """A cache's status with one more entry."""
    return with_status(it, clusters=[*status_of(it)["clusters"], {"name": "x", **changes}])


def wordless(it: Any) -> Any:
    """A status that says nothing of why it is not done."""
    found = status_of(it)
    if it.sent.kind == "ModelCache":
        return with_status(it, clusters=[{"name": "x", "phase": "Pending"}])
    rows = [{**row, "status": "False", "message": "", "reason": ""} for row in found["conditions"]]
    return with_status(it, conditions=rows, **({"phase": "Running"} if "phase" in found else {}))


def used(it: Sent) -> Sent:
    """A hydration Job beside another one that is at work."""
    job = {**it.request.body, "status": {}, "kind": "Job"}
    return replace(it, beside=(*it.beside, job))


def without_latch(it: Sent) -> Sent:
    """A hydration Job whose claim bears no latch."""
    return replace(it, beside=tuple(
        {**one, "metadata": {**one["metadata"], "annotations": {}}} for one in it.beside
    ))  # fmt: skip


def rolled(it: Any) -> Any:
    """A workload whose Pods restart although nothing called for it."""
    after = {**it.after, "spec": {**it.after["spec"]}}
    key = "template" if "template" in after["spec"] else "leaderWorkerTemplate"
    after["spec"][key] = {**after["spec"][key], "metadata": {"labels": {"a": "b"}}}
    return it._replace(before=it.after, last=it.after, after=after, news=False)


def unguarded(it: Sent) -> Sent:
    """A delete of whatever has the name."""
    return with_body(it, {**it.request.body, "preconditions": {}})


def unread(it: Sent) -> Sent:
    """An apply of no version that followed on no read."""
    metadata = dict(it.request.body["metadata"])
    metadata.pop("resourceVersion", None)
    return replace(with_body(it, {**it.request.body, "metadata": metadata}), missed=False)


def unowned(it: Any) -> Any:
    """Something done for an owner of another name and uid."""
    other = [row._replace(subject=row.subject._replace(name="x", uid="x")) for row in it.intents]
    return it._replace(intents=tuple(other))


def decided_otherwise(it: Any) -> Any:
    """An intent of another digest, for another uid."""
    other = {"digest": "x", "uid": "x", "job_uid": "x"}
    request: Request = it.sent.request
    rows = [row._replace(data={**row.data, **other}) for row in it.intents]
    kind = it.sent.kind == "Secret" and request.method == "POST"
    return it._replace(intents=() if kind else tuple(rows))


def failed(it: Any) -> Any:
    """A status in which a node fails by its Job, which nobody has seen fail."""
    row = {"nodeName": "nx", "jobName": "j", "phase": "Failed", "reason": "DeadlineExceeded"}
    return with_status(it, targets=[row])._replace(recovered=False)


def secret_in(it: Any) -> Any:
    """A text with a token in it."""
    return it._replace(text=f"{it.text}{it.secrets[0]}")


SPOILED: dict[str, Spoil] = {
    "rows_are_in_order": lambda it: with_row(it, seq=it.row.event.seq + 1),
    "a_term_begins_with_its_session": lambda it: with_row(it, type="SessionStarted")
    if it.row.event.type != "SessionStarted" else with_row(it, type="Gone"),
    "a_level_is_told_when_it_is_news": lambda it: it._replace(last=it.row.data["level"]),
    "what_we_write_is_no_news": lambda it: it._replace(levels=it.changes + 1),
    "an_outcome_is_the_jobs_own": lambda it: it._replace(ways=frozenset()),
    "decisions_say_what_they_saw": lambda it: with_row(it, seen=0),
    "answers_answer_a_question": lambda it: it._replace(question=None),
    "no_deadline_passes_early": lambda it: with_event(it, at=0),
    "no_secret_is_written": secret_in,
    "deciding_again_gives_the_same": lambda it: it._replace(divergences=("another",)),
    "nothing_is_decided_on_the_unknown": lambda it: it._replace(unknown="it does not answer"),
    "nothing_is_made_for_what_goes": lambda it: it._replace(owner={"deleting": True}),
    "no_job_outside_the_boundary": lambda it: it._replace(pool="another"),
    "no_job_after_its_outcome": lambda it: it._replace(ended=it.row),
    "nothing_is_sent_without_its_intent": decided_otherwise,
    "every_delete_is_of_one_uid": unguarded,
    "every_patch_has_its_guards": lambda it: with_body(it, it.request.body[1:]),
    "every_apply_is_of_what_was_read": unread,
    "only_ours_is_touched": unowned,
    "only_unfinished_jobs_are_deleted": lambda it: replace(
        it, before={**it.before, "status": {"conditions": [{"type": "Complete", "status": "True"}]}}
    ),
    "the_end_is_stored_before_the_ttl": lambda it: it._replace(stored=False),
    "nothing_is_made_before_it_is_held": lambda it: it._replace(held=False),
    "repairs_are_few": lambda it: it._replace(last=it.sent),
    "active_jobs_stay_within_the_limit": lambda it: it._replace(working=("a",) * 9, restored=False),
    "never_two_jobs_for_one_node": lambda it: it._replace(existing=("a", "a")),
    "one_job_at_a_time_writes_to_a_claim": used,
    "the_latch_comes_before_the_job_goes": without_latch,
    "no_claim_in_use_is_deleted": lambda it: it._replace(users=("Pod engine",)),
    "pods_restart_for_a_reason": rolled,
    "a_mount_is_published_or_kept": lambda it: it._replace(claim="another"),
    "a_replica_held_has_no_workload": lambda it: it._replace(running=("chat in east",)),
    "every_status_is_the_projection": lambda it: it._replace(status={}),
    "every_status_says_whose_it_is": lambda it: with_status(
        it, warmlog={**it.status["warmlog"], "position": it.sent.position + 1}
    ),
    "every_status_fits": lambda it: with_status(it, conditions=[{"message": "x" * 1025}]),
    "the_end_sticks": lambda it: with_status(it, phase="Running"),
    "outcomes_stick": lambda it: with_status(it, succeededNodes=it.before["succeededNodes"] - 1),
    "success_is_a_job_seen_complete": lambda it: with_status(it, succeededNodes=99)._replace(
        recovered=False
    ),
    "failure_is_a_job_seen_failed": failed,
    "a_job_counts_for_its_own_machine": lambda it: it._replace(node_uid="another"),
    "the_end_is_decided_on_a_fresh_look": lambda it: it._replace(looked=False, recovered=False),
    "a_mount_exactly_while_ready": lambda it: with_entries(it, phase="Hydrating", mount={}),
    "a_mount_is_of_a_hydrated_claim": lambda it: it._replace(staged=frozenset(), recovered=False),
    "what_is_not_done_says_why": wordless,
    "everything_settles": lambda it: replace(it, unsent=1),
    "at_rest_nothing_changes": lambda it: replace(it, news=["a row"]),
    "what_is_there_is_not_gone": lambda it: with_event(it, type="Gone"),
    "every_wish_settles": lambda it: {**it, "status": {
        **it["status"], "phase": "Running", "targets": [{"nodeName": "n", "phase": "Pending"}],
        "clusters": [{"name": "east", "phase": "Hydrating", "message": ""}],
        "conditions": [{"type": name, "status": "False", "message": "", "reason": ""}
                       for name in ("Progressing", "Ready", "ModelAccepted")],
    }},
    "the_server_holds_the_projection": lambda it: (it[0], f"{it[1]} "),
    "replay_equals_live": lambda it: (it[0], f"{it[1]} "),
    "nothing_is_left_of_what_went": lambda it: it._replace(owner=None),
    "nobody_works_for_nothing": lambda it: it._replace(idle=({"kind": "Job"},)),
}  # fmt: skip


def test_the_told_worlds_exercise_every_invariant() -> None:
    """No invariant holds for want of anything that it is about."""
    assert [one.name for one in INVARIANTS if not things(one)] == []
    assert len(INVARIANTS) >= 20


@pytest.mark.parametrize("invariant", INVARIANTS, ids=str)
def test_each_invariant_can_be_broken(invariant: Invariant[Any]) -> None:
    """A thing of a real world that is changed in one place breaks it, and only then."""
    found = [thing for thing in things(invariant) if invariant.holds(thing)]
    assert len(found) == len(things(invariant))
    spoiled = [SPOILED[invariant.name](thing) for thing in found[:50]]
    assert any(not invariant.holds(thing) for thing in spoiled)


def test_no_spoiled_thing_is_of_an_invariant_that_is_no_more() -> None:
    """The table above and the invariants name the same."""
    assert list(SPOILED) == list(BY_NAME)


def test_what_is_broken_is_said_with_its_sentence() -> None:
    """Who reads of a failure reads the sentence first, then what breaks it."""
    invariant = Invariant(lambda _: ["this thing"], BY_NAME["the_end_sticks"].holds)
    invariant.holds = lambda _: False
    with pytest.raises(Broken) as raised:
        check(Evidence(), [invariant])
    assert str(raised.value).splitlines()[0] == invariant.sentence
    assert "this thing" in str(raised.value)


def test_every_invariant_is_a_sentence() -> None:
    """A person can read and agree with each: it begins with a capital and ends with a full stop."""
    assert [one.name for one in INVARIANTS if not one.sentence.endswith(".")] == []
    assert [one.name for one in INVARIANTS if not one.sentence[0].isupper()] == []
    assert len(BY_NAME) == len(INVARIANTS)
