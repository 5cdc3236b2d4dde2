"""Measuring: what the state and the controller come to in figures, for a monitoring system.

Nothing is counted along the way: each figure is read off the state as it is, so that it is right
after a restart and cannot drift.
"""

from collections import Counter
from collections.abc import Mapping

from adapters.http.metrics import Labels, Metric, metric
from adapters.running.controller import Controller
from engine.instants import SECOND
from machines.node_jobs import NodeJobState
from machines.phases import PUBLISHED_WARMUP_PHASES, TARGET_PHASE, WARMUP_PHASE
from machines.states import State, Warmup

# Figures of `/readyz?verbose` by the name of their metric.
_FIGURES = {
    "position": ("warmlog_log_position", "number of the last row of the log"),
    "epoch": ("warmlog_log_epoch", "how often a controller has begun to write the log"),
    "unsent rows": ("warmlog_log_unsent_rows", "rows that the store has not taken yet"),
    "unfolded observations": ("warmlog_unfolded_observations", "what was seen and not looked at"),
    "open intents": ("warmlog_open_intents", "requests that are decided and not answered"),
    "unsent statuses": ("warmlog_unsent_statuses", "statuses that the server may not hold yet"),
    "waiting retries": ("warmlog_waiting_retries", "refused requests that will be made again"),
}


def controller_metrics(controller: Controller, figures: Mapping[str, int]) -> list[Metric]:
    """Give how the controller itself fares."""
    told = [metric(*_FIGURES[name], figure) for name, figure in figures.items() if name in _FIGURES]
    trouble = bool(controller.store_words)
    told.append(metric("warmlog_log_trouble", "1 while the store takes no rows", trouble))
    words = "when the last row entered the log, in seconds since 1970"
    told.append(
        metric("warmlog_last_event_timestamp_seconds", words, controller.writer.cursor.at / SECOND)
    )
    listed: dict[Labels, float] = {
        (watch.kind,): watch.synced and not watch.words
        for watch in controller.watch.health
        if not watch.spared
    }
    words = "1 while a kind of object was listed and is watched"
    return [*told, Metric("warmlog_watch_healthy", words, listed, ("kind",))]


def state_metrics(state: State) -> list[Metric]:
    """Give how the ModelWarmups fare, those that ended and still exist included."""
    warmups: dict[Labels, float] = {}
    targets: Counter[str] = Counter(dict.fromkeys(TARGET_PHASE.values(), 0))
    refused: dict[Labels, float] = {}
    for warmup in state.warmups.values():
        if warmup.gone:
            continue
        namespace = warmup.subject.namespace
        for phase in PUBLISHED_WARMUP_PHASES:
            warmups.setdefault((namespace, phase), 0)
        warmups[namespace, WARMUP_PHASE[warmup.state]] += 1
        refused[namespace,] = refused.get((namespace,), 0) + len(warmup.refused)
        targets.update(_targets(warmup))
    shares: dict[Labels, float] = {(phase,): count for phase, count in targets.items()}
    by_phase = ("namespace", "phase")
    return [
        Metric("warmlog_warmups", "ModelWarmups", warmups, by_phase),
        Metric("warmlog_targets", "nodes of all ModelWarmups", shares, ("phase",)),
        Metric(
            "warmlog_refused_targets", "nodes whose Job or Pods the API server refuses",
            refused, ("namespace",),
        ),
    ]  # fmt: skip


def _targets(warmup: Warmup) -> dict[str, int]:
    """Count targets by their published phase, as the status does."""
    past, count = warmup.recovered, warmup.counts.get
    if past is not None:
        ready, failed = TARGET_PHASE[NodeJobState.READY], TARGET_PHASE[NodeJobState.FAILED]
        return {ready: past.succeeded, failed: past.failed}
    counted = {TARGET_PHASE[state]: count(state.value, 0) for state in TARGET_PHASE}
    counted[TARGET_PHASE[NodeJobState.PENDING]] = count("waiting", 0) + count("startable", 0)
    return counted
