"""Foreign logs: what is said of objects where no controller recorded what there is.

Such a log holds facts alone. Nothing shows whether anybody acts on them, so that nothing may be
promised: neither that it goes on, nor that it is tried again. `warmlog what-if` shows what warmlog
would do.
"""

import re

from machines.advising import BY_REASON, NOT_LOOKED_FOR, NOTHING_TO_DO
from machines.caches.explaining import CacheExplanation, ClusterExplanation, EntryExplanation
from machines.explaining import Explanation, NodeExplanation
from machines.replicas.explaining import CachePart, EngineExplanation, ReplicaExplanation

WHAT_IF = (
    "no controller wrote this log, so it is not known whether anybody acts: "
    "`warmlog what-if LOG` shows what warmlog would do"
)
_TO_IMPORT = (
    "import what was not listed, too: `kubectl get modelwarmups,namespaces,nodes,jobs,pods -A "
    "-o json` lists all of it; `warmlog import --none KIND` says that there was none"
)
# What is said of a controller's own doing, and what is known of it without one.
_PROMISES = (
    (NOTHING_TO_DO, WHAT_IF),
    (BY_REASON[NOT_LOOKED_FOR], _TO_IMPORT),
    ("nothing yet: it is tried again; to see", "Kubernetes starts another Pod of it; to see"),
    ("nothing: the choice is taken back by itself,", "warmlog would take the choice back,"),
    ("nothing: it is being cleared away", "it is being deleted; warmlog would clear it away"),
    ("a refused Job is tried again by itself while", "warmlog would try a refused Job again while"),
    ("it is tried again", "warmlog would try it again"),
    ("; tried again at", "; warmlog would try again at"),
    ("has it tried at once", "has warmlog try it at once"),
    (" lets it go on", " has warmlog go on"),
    (" to have it go on", " to have warmlog go on"),
    ("the claim goes once", "warmlog would let the claim go once"),
    ("; what it left is being cleaned up", "; warmlog would clean up what it left"),
    ("; nothing is decided before every kind is", "; what there is of them is not known"),
    ("; nothing is decided before", "; what there is of them is not known"),
    (" is made anew", " would be made anew by warmlog"),
    ("has the claim made anew, and the model staged again", "has warmlog make the claim anew"),
)
_RETRYING = re.compile(r"^tried again at")
_OF_A_CONTROLLER = ("the API server to take the final status", "the clean-up of ")

ExplainedAs = Explanation | CacheExplanation | ClusterExplanation | ReplicaExplanation


def honest(words: str) -> str:
    """Give words without what only a controller could promise."""
    for promise, known in _PROMISES:
        words = words.replace(promise, known)
    return _RETRYING.sub("warmlog would try again at", words)


def without_promises(told: ExplainedAs) -> ExplainedAs:
    """Give an explanation that promises nothing."""
    match told:
        case Explanation():
            return _warmup(told)
        case CacheExplanation():
            return _cache(told)
        case ClusterExplanation():
            return _cluster(told)
        case ReplicaExplanation():
            return _replica(told)


def _warmup(told: Explanation) -> Explanation:
    return told._replace(
        headline=honest(told.headline),
        notes=_all(told.notes),
        waits_for=tuple(
            honest(words) for words in told.waits_for if not words.startswith(_OF_A_CONTROLLER)
        ),
        advice=_all(told.advice),
        nodes=tuple(map(_node, told.nodes)),
    )


def _node(told: NodeExplanation) -> NodeExplanation:
    words = told.view.words._replace(message=honest(told.view.words.message))
    return told._replace(
        view=told.view._replace(words=words),
        waits_for=honest(told.waits_for),
        advice=honest(told.advice),
    )


def _cache(told: CacheExplanation) -> CacheExplanation:
    return told._replace(
        headline=honest(told.headline),
        notes=_all(told.notes),
        advice=_all(told.advice),
        entries=tuple(map(_entry, told.entries)),
    )


def _entry(told: EntryExplanation) -> EntryExplanation:
    return told._replace(message=honest(told.message), advice=honest(told.advice))


def _cluster(told: ClusterExplanation) -> ClusterExplanation:
    caches = tuple((name, phase, honest(message)) for name, phase, message in told.caches)
    return told._replace(message=honest(told.message), advice=honest(told.advice), caches=caches)


def _replica(told: ReplicaExplanation) -> ReplicaExplanation:
    return told._replace(
        headline=honest(told.headline),
        keeps=honest(told.keeps),
        notes=_all(told.notes),
        advice=honest(told.advice),
        conditions=tuple(row._replace(message=honest(row.message)) for row in told.conditions),
        engines=tuple(map(_engine, told.engines)),
        cache=_part(told.cache) if told.cache is not None else None,
    )


def _engine(told: EngineExplanation) -> EngineExplanation:
    return told._replace(message=honest(told.message), advice=honest(told.advice))


def _part(told: CachePart) -> CachePart:
    return told._replace(entry=_entry(told.entry))


def _all(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(honest, words))
