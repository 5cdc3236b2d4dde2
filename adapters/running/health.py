"""Health of a running controller, in sentences: what holds it up, and what is under way."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from adapters.http.metrics import Metric, metric
from adapters.http.serving import Check, Mark
from adapters.running.cluster_checks import cluster_checks
from adapters.running.controller import Controller
from adapters.running.measuring import controller_metrics, state_metrics
from adapters.running.measuring_caches import cache_metrics
from adapters.running.measuring_replicas import replica_metrics
from machines.states import State

# Timers of what is only waited for, and was not refused.
_NO_RETRIES = ("wait:", "words:", "heal:", "made:", "hydrate:", "repair:")

FULL_AT = 0.8  # of the log's volume


class ControllerHealth:
    """What the health server asks. Before the controller exists, `waiting_for` says why."""

    def __init__(self, log_file: Path | None, share: Callable[[Path], float] | None = None) -> None:
        """`log_file` is the log when it is one; `share` gives a volume's used share."""
        self.waiting_for = "it starts"
        self.crd_words: dict[str, str] = {}  # by kind
        self.lease_words: Callable[[], str] = str
        self.controller: Controller | None = None
        self._log_file = log_file
        self._log_identity: tuple[int, int] | None = None
        self._used_share = share or used_share

    def live(self) -> list[Check]:
        """Say that the process answers: it does, or nobody would read this."""
        return [Check("process", Mark.OK)]

    def ready(self) -> list[Check]:
        """Say what keeps the controller from its job."""
        checks = [self._log(), self._lease()]
        if self.controller is None:
            return [*checks, Check("controller", Mark.FAIL, f"not running yet: {self.waiting_for}")]
        checks += cluster_checks(self.controller)
        lacking = " ".join(words for _, words in sorted(self.crd_words.items()) if words)
        checks.append(Check("CRD", Mark.WARN if lacking else Mark.OK, lacking))
        troubles = self.controller.book.troubles() | self.controller.conditions.troubles()
        checks += [Check(f"status {uid}", Mark.WARN, words) for uid, words in troubles.items()]
        return checks

    def figures(self) -> Mapping[str, int]:
        """Count what is under way; all zero means that the log and the cluster agree."""
        if self.controller is None:
            return {}
        writer, book = self.controller.writer, self.controller.book
        return {
            "position": writer.cursor.position,
            "epoch": writer.cursor.epoch,
            "unfolded observations": self.controller.waiting_observations,
            "open intents": len(writer.state.open),
            "unsent rows": writer.unsent_rows,
            "unsent statuses": book.unsent(writer.state)
            + self.controller.conditions.unsent(writer.state),
            "waiting retries": waiting_retries(writer.state),
        }

    def metrics(self) -> list[Metric]:
        """Give the same, and how warmups, caches and replicas fare, for a monitoring system."""
        ready = all(check.mark is not Mark.FAIL for check in self.ready())
        told = [metric("warmlog_ready", "1 when it can do its job, as /readyz says", ready)]
        if self.controller is not None:
            told += controller_metrics(self.controller, self.figures())
            told += state_metrics(self.controller.writer.state)
            told += cache_metrics(self.controller.writer.state)
            told += replica_metrics(self.controller.writer.state)
        return told

    def _log(self) -> Check:
        if self.controller is not None and self.controller.store_words:
            return Check("log", Mark.FAIL, self.controller.store_words)
        if self._log_file is not None and self.controller is not None:
            identity = file_identity(self._log_file)
            self._log_identity = self._log_identity or identity
            if identity is None or identity != self._log_identity:
                words = f"the file {self._log_file.name} is not the one that was opened any more"
                return Check("log", Mark.FAIL, f"{words}: put it back, and start again")
        if self._log_file is not None:
            share = self._used_share(self._log_file.parent)
            if share >= FULL_AT:
                words = f"the volume of the log is {share:.0%} full: enlarge it, or archive the log"
                return Check("log", Mark.WARN, words)
        return Check("log", Mark.OK)

    def _lease(self) -> Check:
        words = self.lease_words()
        return Check("lease", Mark.FAIL if words else Mark.OK, words)


def file_identity(path: Path) -> tuple[int, int] | None:
    """Give device and inode of a file, None when there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def waiting_retries(state: State) -> int:
    """Count what the API server refused and what waits to be tried again."""
    return sum(not what.startswith(_NO_RETRIES) for _, _, what in state.timers)


def used_share(folder: Path) -> float:
    """Give the used share of a folder's volume, 0 to 1; 0 when it cannot be told."""
    try:
        usage = shutil.disk_usage(folder)
    except OSError:
        return 0.0
    return (usage.total - usage.free) / usage.total if usage.total else 0.0
