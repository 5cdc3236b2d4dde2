"""Stories of facts in an order in which no cluster tells them now, told to the core alone.

A Job ends before it is known, a status of another log says what no fact does, a list comes late:
what leads through the rows of the machines' tables that the other stories never meet. Their facts
are those of the property tests (`property_tests.chaos`, `cache_chaos` and `replica_chaos`).
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from adapters.running.writing import Identity
from engine.canonical_json import dumps, loads
from engine.events import Event
from machines.caches.levels import CacheLevel
from machines.observations import Observation
from property_tests import actions as act
from property_tests import cache_actions as cached
from property_tests import replica_actions as serving
from property_tests.cache_chaos import SPECS, CacheChaos, cache_subject
from property_tests.chaos import Chaos
from property_tests.making import LogInTheMaking
from property_tests.replica_chaos import ReplicaChaos
from tests.caches.builders import HOME

Happening = Any  # an action of the property tests, or what makes observations of a log


class AnyOrder(NamedTuple):
    """What is told, one after the other, to which core."""

    making: Callable[[], LogInTheMaking]
    told: Sequence[Happening]


def rows_of(story: AnyOrder, writer: Identity) -> list[Event]:
    """Tell a story, as this writer."""
    made: Any = story.making()
    made.restart()
    for happening in story.told:
        if isinstance(happening, _Past):
            made.tell(list(happening.observed(made)))
        else:
            made.take(happening)
    return [
        row._replace(data=dumps({**writer.to_json(), **loads(row.data)}))
        if row.type == "SessionStarted"
        else row
        for row in made.rows
    ]


class _Past(NamedTuple):
    """A ModelCache whose spec can never work, and whose status of another log tells this."""

    phases: tuple[tuple[str, str], ...]

    def observed(self, made: CacheChaos) -> Sequence[Observation]:
        subject = cache_subject(0)
        clusters = [{"name": name, "phase": phase} for name, phase in self.phases]
        past = {"clusters": clusters, "warmlog": {"uid": subject.uid, "log": "older"}}
        level = CacheLevel(5, dumps(SPECS[4]), (), deleting=False, held=False)
        return [made.seen(HOME, subject, level, past)]


_POOL = act.NamespaceSeen(pool="p", terminating=False)
_NO_POOL = _POOL._replace(pool="")
_NODE = act.NodeSeen(node=0, life=0, pool="p", gpu=True, cordoned=False, late=False)
_WARMUP = act.WarmupSeen(warmup=0, spec=0, wait="", deleting=False, past="", suspended=False)
_NAMING = act.WarmupSeen(warmup=1, spec=1, wait="", deleting=False, past="", suspended=False)
_PLACE = (_POOL, _NODE, act.AllListed())

_ONE = cached.ClusterIs(cluster=0, life=0, labelled=True, storage="c")
_TWO = _ONE._replace(cluster=1)
_TOKEN = cached.TokenIs(digest="d1")
_CACHE = cached.CacheIs(life=0, spec=1, deleting=False, held=False, notes=0, past="")
_LISTED = cached.AllListed()
_JOB = cached.JobIs(cluster=0, life=0, outcome="Failed", owner=0, right=True, deleting=False)
_CLAIM = cached.ClaimIs(
    cluster=0, life=0, phase="Bound", owner=0, node="", latched=0, deleting=False
)
_ENGINE = serving.PartIs(
    cluster=0, part=0, life=0, owner=0, applied=0, mount=0, available=True, scaled=False,
    deleting=False,
)  # fmt: skip


def _goes_well(turns: int, outcome: str = "") -> cached.AllGoesWell:
    return cached.AllGoesWell(turns=turns, outcome=outcome)


def _answered(intent: int) -> cached.GoesWell:
    return cached.GoesWell(intent=intent, seen=True)


_STAGED = (
    _TOKEN, _CACHE, _LISTED, _goes_well(4), _LISTED, _goes_well(3, "Complete"),
)  # fmt: skip

STORIES: dict[str, AnyOrder] = {
    "a_job_ends_before_it_is_known": AnyOrder(
        Chaos, (*_PLACE, _WARMUP, act.GoesWell(intent=1, outcome="Complete"))
    ),
    "a_job_ends_after_its_node_left": AnyOrder(
        Chaos,
        (
            *_PLACE, _WARMUP, _NODE._replace(gpu=False),
            act.GoesWell(intent=0, outcome="Complete"),
        ),
    ),
    "a_pool_is_left_and_joined_again": AnyOrder(Chaos, (*_PLACE, _WARMUP, _NO_POOL, _POOL)),
    "a_named_node_leaves_and_returns": AnyOrder(
        Chaos,
        (*_PLACE, _NAMING, _NO_POOL, _POOL, act.GoesWell(intent=3, outcome=""), _NO_POOL),
    ),
    "an_image_has_no_such_name": AnyOrder(
        Chaos,
        (
            *_PLACE, _WARMUP, act.GoesWell(intent=1, outcome="Finishing"),
            act.PodSeen(
                job=9, pod=1, node=0, phase="Pending", reason="InvalidImageName", deleting=False
            ),
        ),
    ),
    "a_job_is_refused_for_good": AnyOrder(
        Chaos, (*_PLACE, _WARMUP, act.AnswerComes(intent=0, answer=3))
    ),
    "a_warmup_can_never_work": AnyOrder(Chaos, (*_PLACE, _WARMUP._replace(spec=3))),
    "a_cache_can_never_work": AnyOrder(
        CacheChaos, (_ONE, _LISTED, _CACHE._replace(spec=4))
    ),
    "a_staged_cache_can_never_work": AnyOrder(
        CacheChaos, (_ONE, _TWO, _Past((("one", "Ready"), ("two", "Hydrating"))), _LISTED)
    ),
    "a_failed_hydration_gets_a_token": AnyOrder(
        CacheChaos, (_ONE, _CACHE, _LISTED, _goes_well(3), _JOB, _TOKEN)
    ),
    "a_failure_is_told_and_nothing_else": AnyOrder(
        CacheChaos,
        (_TWO, _LISTED, _CACHE._replace(life=1, spec=2, notes=1, past="ours")),
    ),
    "a_failed_hydration_is_made_good": AnyOrder(
        CacheChaos,
        (
            _ONE, _LISTED, _TOKEN, _CACHE, _LISTED, _goes_well(3, "Complete"),
            _goes_well(2, "Failed"), _JOB._replace(outcome="Complete", owner=1),
            _answered(1), _answered(3),
        ),
    ),
    "a_claim_is_lost_with_a_backup": AnyOrder(
        CacheChaos, (_TWO, _CACHE, _LISTED, _goes_well(3), cached.GoesBack(cluster=1))
    ),
    "a_job_fails_before_its_claim_is_bound": AnyOrder(
        CacheChaos,
        (_ONE, _TOKEN, _CACHE, _LISTED, _CLAIM._replace(phase="Pending"), _JOB, _CLAIM),
    ),
    "a_staged_claim_is_found": AnyOrder(
        CacheChaos, (_ONE, _TOKEN, _CACHE, _LISTED, _CLAIM._replace(latched=1))
    ),
    "a_staged_claim_is_lost_with_a_backup": AnyOrder(
        CacheChaos, (_TWO, *_STAGED, _goes_well(3, "Complete"), cached.GoesBack(cluster=1))
    ),
    "another_claim_takes_the_name": AnyOrder(
        CacheChaos, (_ONE, *_STAGED, _answered(1), _CLAIM._replace(life=1))
    ),
    "a_staged_cache_has_a_failed_job": AnyOrder(
        CacheChaos,
        (_ONE, _TOKEN, _CACHE._replace(held=True, past="ours"), _CLAIM, _JOB, _LISTED),
    ),
    "an_engine_serves_before_its_replica": AnyOrder(
        ReplicaChaos,
        (
            _ONE, _TWO, serving.EverythingListed(), _ENGINE,
            serving.ReplicaIs(life=0, spec=0, held=True), serving.EverythingListed(),
        ),
    ),
}  # fmt: skip
