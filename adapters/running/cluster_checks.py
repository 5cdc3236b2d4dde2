"""Checks of clusters: what is watched on each. Only what warmups need makes warmlog unready.

A cluster that models are staged to may be down for a week, and everything else goes on.
"""

from adapters.http.serving import Check, Mark
from adapters.kubernetes.watch_health import WatchHealth
from adapters.running.controller import Controller
from machines.states import WARMUP_KINDS


def cluster_checks(controller: Controller) -> list[Check]:
    """Say how every kind of every cluster fares, the one that warmlog runs in first."""
    caches, replicas = controller.caches_words, controller.replicas_words
    checks = [Check("ModelCaches", _mark(caches), caches)]
    if replicas:
        checks.append(Check("ModelReplicas", _mark(replicas), replicas))
    for name, session in controller.keeper.sessions.items():
        is_home = session is controller.keeper.home
        where = "" if is_home else f" of {name}"
        for watch in session.watch.health:
            needed = is_home and watch.kind in WARMUP_KINDS
            checks.append(_watch_check(watch, where, Mark.FAIL if needed else Mark.WARN))
    for name, words in controller.keeper.troubles.items():
        checks.append(Check(f"cluster {name}", Mark.WARN, words))
    return checks


def _watch_check(watch: WatchHealth, where: str, bad: Mark) -> Check:
    well = watch.spared or (watch.synced and not watch.words)
    words = watch.words or ("" if watch.synced else "not listed yet")
    return Check(f"watch {watch.kind}{where}", Mark.OK if well else bad, words)


def _mark(words: str) -> Mark:
    return Mark.WARN if words else Mark.OK
