"""What was promised, checked once a world has come to rest: of the log, the cluster, the server."""

from adapters.simulator.driving import Driver
from adapters.simulator.resources import JOB, WARMUP
from adapters.store.memory_logs import MemoryLog
from engine.canonical_json import dumps
from engine.replaying import replay
from machines.domain import WARMLOG
from machines.node_jobs import UNFINISHED
from machines.states import State
from machines.warmups import TERMINAL
from property_tests.chaos import intent_in
from property_tests.laws import divergences
from property_tests.running import run
from property_tests.warmup_laws import ALWAYS, BETWEEN, DECIDED, disagreements
from property_tests.watched_worlds import WatchedWorld, has_ended, is_marked, node_of, owner_of


def check_log(log: MemoryLog) -> None:
    """Every row keeps every invariant, and today's code decides what the log says."""
    log_id = run(log.identify()).log_id
    state = WARMLOG.initial(log_id)
    for row in log.rows:
        if WARMLOG.is_decision(row.type):
            wrong = [holds.__doc__ for holds in DECIDED if not holds(state, intent_in(row))]
            assert not wrong, str(row)
        before, state = WARMLOG.copy(state), WARMLOG.fold(state, row)
        broken = [holds.__doc__ for holds in ALWAYS if not holds(state)]
        broken += [holds.__doc__ for holds in BETWEEN if not holds(before, row, state)]
        assert not broken, [str(row), *disagreements(state)]
    assert run(divergences(log)) == []


def check_rest(world: WatchedWorld, driver: Driver) -> None:
    """Every warmup ended or says what it waits for, and nothing runs that nobody wants."""
    state: State = driver.writer.state
    assert not state.open, "intents without an answer"
    assert driver.book.unsent(state) == 0, "statuses that were not sent"
    wanted = set()
    for warmup in state.warmups.values():
        for key, target in warmup.targets.items():
            if target.state in UNFINISHED and warmup.state not in TERMINAL:
                wanted.add((warmup.subject.uid, key))
                assert target.words.reason, f"{target} does not say what it waits for"
        assert warmup.state not in TERMINAL or warmup.stored, "an end that was not stored"
    for job in world.listed(JOB.kind):
        whose = owner_of(job), node_of(job)
        owner = state.warmups.get(owner_of(job))
        over = owner is None or owner.state in TERMINAL
        assert over or is_marked(job), f"{job['metadata']['name']} lacks its label"
        assert has_ended(job) or whose in wanted, f"nobody wants {job['metadata']['name']}"


def check_statuses(world: WatchedWorld, driver: Driver, log: MemoryLog) -> None:
    """The server holds, to the byte, what the log alone gives."""
    replayed = run(replay(WARMLOG, log))
    shown = {each.subject.uid: each.status for each in WARMLOG.project(replayed.state)}
    held = {item["metadata"]["uid"]: item.get("status") for item in world.listed(WARMUP.kind)}
    assert held.keys() == shown.keys(), "the log and the server know other ModelWarmups"
    for uid, status in shown.items():
        assert dumps(held[uid]) == dumps(status), f"{uid} is held as {held[uid]}, not {status}"
    assert WARMLOG.dump(rested(replayed.state)) == WARMLOG.dump(rested(driver.writer.state))


def rested(state: State) -> State:
    """Give a state as it is once everything in it has been decided upon."""
    copied = WARMLOG.copy(state)
    WARMLOG.rest(copied)
    return copied
