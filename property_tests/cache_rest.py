"""What was promised of caches, checked once worlds have come to rest."""

from collections.abc import Mapping
from typing import Any

from adapters.kubernetes.fields import mapping
from adapters.simulator.driving import Driver
from adapters.simulator.resources import CACHE, CLAIM, INFERENCE_CLUSTER, JOB, REPLICA, SECRET
from adapters.store.memory_logs import MemoryLog
from engine.canonical_json import dumps
from engine.replaying import replay
from machines import labels
from machines.domain import WARMLOG
from property_tests.rest import rested
from property_tests.running import run
from property_tests.staged_worlds import StagedWorld, hold_no_secret

NOBODY = "nobody"  # the owner that somebody wrote onto something by hand
LOST = "the log"  # among what was let go of: the log, and with it what nobody else can show


def check_rest(
    home: StagedWorld, worlds: Mapping[str, StagedWorld], driver: Driver, left: set[str]
) -> None:
    """Every entry is Ready or says what it waits for, and nothing is there that nobody wants."""
    state = driver.writer.state
    assert not state.open, f"intents without an answer: {state.open}"
    assert driver.book.unsent(state) == 0, "statuses that were not sent"
    assert driver.conditions.unsent(state) == 0, "conditions that were not sent"
    alive = {item["metadata"]["uid"]: item for item in home.listed(CACHE.kind)}
    for item in alive.values():
        hold_no_secret(dumps(item))
        notes = item["metadata"].get("annotations") or {}
        for entry in item["status"]["clusters"]:
            if notes.get(labels.ABANDON) == "true":
                continue
            words = entry.get("message", "")
            beside = any(one in words for one in ("does not answer", "is kept for"))
            assert (not words) == (entry["phase"] == "Ready") or beside, entry
            if entry["phase"] in {"Failed", "Hydrating"}:
                allowed = ("Secret", "older one", "does not answer", "belongs to", "cannot be read")
                assert any(one in words for one in allowed), entry
        if item["metadata"].get("deletionTimestamp"):
            why = ("does not", "cannot", "older", "is kept for")
            entries = dumps(item["status"]["clusters"])
            held = any(words in entries for words in why)
            assert held, f"still there: {dumps(item)}"
    for world in worlds.values():
        for kind in (JOB.kind, SECRET.kind, CLAIM.kind):
            for thing in world.listed(kind):
                check_wanted(world, thing, alive, left)


def check_wanted(world: StagedWorld, thing: Any, alive: Mapping[str, Any], left: set[str]) -> None:
    """What bears our annotations is of a ModelCache that exists, or may stay."""
    notes = mapping(thing["metadata"].get("annotations"))
    uid = notes.get(labels.CACHE_UID)
    if not uid or uid in left or (uid == NOBODY and left):
        return
    if LOST in left and labels.CACHE not in mapping(thing["metadata"].get("labels")):
        return  # no watch shows it, and the log that knew of it is lost
    name = thing["metadata"]["name"]
    assert uid in alive, f"{thing['kind']} {name} is left over in {world.cluster.api.cluster}"
    if thing["kind"] == JOB.kind:
        assert any(entry["phase"] != "Ready" for entry in alive[uid]["status"]["clusters"]), name


def check_statuses(home: StagedWorld, driver: Driver, log: MemoryLog) -> None:
    """The server holds, to the byte, what the log alone gives."""
    replayed = run(replay(WARMLOG, log))
    shown = {one.subject.uid: one.status for one in WARMLOG.project(replayed.state)}
    for item in (*home.listed(CACHE.kind), *home.listed(REPLICA.kind)):
        uid = item["metadata"]["uid"]
        assert dumps(item["status"]) == dumps(shown.pop(uid)), uid
    for item in home.listed(INFERENCE_CLUSTER.kind):
        uid = item["metadata"]["uid"]
        ours = [row for row in item["status"]["conditions"] if row["type"] == "Reachable"]
        assert dumps({"conditions": ours}) == dumps(shown.pop(uid)), uid
    assert not shown, shown
    assert WARMLOG.dump(rested(replayed.state)) == WARMLOG.dump(rested(driver.writer.state))
