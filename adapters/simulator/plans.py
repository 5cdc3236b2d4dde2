"""How a simulated cluster behaves: how long things take, and what becomes of a node's Pods."""

from enum import StrEnum
from typing import NamedTuple

from adapters.simulator.clock import MILLISECOND, MINUTE, SECOND, Span

_NOT_FOUND = (
    'failed to pull and unpack image "{image}": failed to resolve reference "{image}": '
    "{image}: not found"
)


class Ending(StrEnum):
    """What a node's containers do once they run."""

    SUCCEED = "succeed"
    FAIL = "fail"
    HANG = "hang"


class NodePlan(NamedTuple):
    """What becomes of the Pods on one node. Spans are drawn anew for each Pod."""

    pull: Span = Span(SECOND, 3 * SECOND)
    run: Span = Span(SECOND, 3 * SECOND)
    stop: Span = Span(100 * MILLISECOND, SECOND)  # from SIGTERM to the end of the containers
    ending: Ending = Ending.SUCCEED
    failures: int | None = None  # with FAIL: how many Pods of a Job fail first; None: all
    fail_rate: float = 0.0  # chance of each Pod to fail, whatever `ending` says
    exit_code: int = 1
    message: str = ""  # what a failing container writes to its termination log
    pull_failures: int | None = 0  # how many pulls of a Pod fail first; None: all
    pull_words: str = _NOT_FOUND  # the registry's words; {image} stands for the image
    starts: bool = True  # False: the kubelet takes the Pod and gets no further

    @property
    def pulls_never(self) -> bool:
        """Whether no pull ever works."""
        return self.pull_failures is None


class HydrationPlan(NamedTuple):
    """What becomes of the Pods that fill a claim, wherever they run."""

    run: Span = Span(5 * SECOND, 20 * SECOND)
    ending: Ending = Ending.SUCCEED
    failures: int | None = None  # with FAIL: how many Pods fail first on the claim; None: all
    exit_code: int = 1
    message: str = ""  # the last that a failing container prints


class EnginePlan(NamedTuple):
    """What becomes of the Pods of a Deployment, wherever they run. Spans count from each start."""

    ready: Span | None = Span(5 * SECOND, 15 * SECOND)  # for those with a probe; None: never
    crash: Span | None = None  # after that long the first container ends; None: it does not
    crashes: int | None = None  # how many times a Pod does so; None: for ever
    exit_code: int = 1
    message: str = ""  # what a crashing container writes to its termination log


class ProvisionerPlan(NamedTuple):
    """What a provisioner makes of the claims of its class."""

    take: Span = Span(SECOND, 3 * SECOND)
    failures: int | None = 0  # how many attempts for a claim fail first; None: all
    words: str = "rpc error: code = ResourceExhausted desc = no capacity left in the pool"
    on_one_node: bool = False  # volumes lie on the node that the scheduler chose
    gives_back: bool = False  # takes the chosen node off a claim whose node is gone
    grows: bool = True  # False: an expansion that the class allows fails for ever


class Timing(NamedTuple):
    """How long the parts of a cluster take."""

    job_sync: Span = Span(5 * MILLISECOND, 50 * MILLISECOND)
    pod_batch: Span = Span(SECOND, SECOND + 50 * MILLISECOND)  # Pod changes reach Jobs in batches
    workload_sync: Span = Span(5 * MILLISECOND, 50 * MILLISECOND)
    scheduling: Span = Span(5 * MILLISECOND, 30 * MILLISECOND)
    kubelet_sync: Span = Span(10 * MILLISECOND, 100 * MILLISECOND)
    collecting: Span = Span(10 * MILLISECOND, 500 * MILLISECOND)  # garbage collector
    binding: Span = Span(MILLISECOND, 4 * MILLISECOND)  # volume controllers: before the scheduler
    volume_resync: Span = Span(SECOND, 15 * SECOND)  # what they see only when they look at all
    volume_wait: int = 10 * MINUTE  # how long the scheduler waits for a Pod's claims
    config_retry: Span = Span(SECOND, 10 * SECOND)  # kubelet: a Secret that was missing
    claims_backoff: int = SECOND  # device claims of a Pod whose template is missing
    claims_backoff_limit: int = MINUTE
    provision_backoff: int = SECOND
    provision_backoff_limit: int = 5 * MINUTE
    lifecycle: Span = Span(10 * MILLISECOND, 100 * MILLISECOND)  # taints that follow conditions
    node_grace: int = 50 * SECOND  # without a kubelet, until the Node is Unknown
    orphan_quarantine: Span = Span(40 * SECOND, MINUTE)  # Pods of a Node that is gone
    job_backoff: int = 10 * SECOND
    job_backoff_limit: int = 10 * MINUTE
    pull_backoff: int = 10 * SECOND
    pull_backoff_limit: int = 5 * MINUTE
    scheduling_backoff: int = SECOND
    scheduling_backoff_limit: int = 10 * SECOND


def doubled(base: int, times: int, limit: int) -> int:
    """Give a back-off: `base` doubled `times` times, at most `limit`."""
    return min(base << min(times, 40), limit)
