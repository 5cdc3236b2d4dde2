"""One whole simulated cluster: an API server and the controllers that live behind it."""

from adapters.simulator.api_server import ApiServer
from adapters.simulator.clock import BEGINNING, Agenda, Chance
from adapters.simulator.collecting import GarbageCollector, NamespaceController, TtlController
from adapters.simulator.controlling import Surroundings
from adapters.simulator.job_controller import JobController
from adapters.simulator.kubelet import Kubelets
from adapters.simulator.node_lifecycle import NodeLifecycle
from adapters.simulator.plans import NodePlan, Timing
from adapters.simulator.recording import Recorder
from adapters.simulator.registry import Registry
from adapters.simulator.scheduler import Scheduler
from adapters.simulator.storage import Storage


class Cluster:
    """A cluster on a virtual clock: nothing happens in it but in `advance` and in requests.

    `api` offers the port of the real adapter. Requests are answered at the instant `now`; what
    follows from them happens later, when `advance` gets there.
    """

    def __init__(self, name: str, seed: int, *, timing: Timing | None = None) -> None:
        """Begin empty. The same seed and the same requests at the same instants give the same."""
        self.storage = Storage()
        self.agenda = Agenda(BEGINNING)
        self.plans: dict[str, NodePlan] = {}
        chance = Chance(seed)
        self.registry = Registry(self.storage, self.agenda, chance)
        self.recorder = Recorder(self.registry, self.agenda, chance)
        self.api = ApiServer(name, self.storage, self.registry)
        around = Surroundings(
            self.storage,
            self.registry,
            self.agenda,
            chance,
            timing or Timing(),
            self.recorder,
        )
        self.jobs = JobController(around)
        self.scheduler = Scheduler(around)
        self.kubelets = Kubelets(around, self.plans)
        self.nodes = NodeLifecycle(around)
        self.garbage = GarbageCollector(around)
        self.ttl = TtlController(around)
        self.namespaces = NamespaceController(around)

    @property
    def now(self) -> int:
        """The instant at which the cluster stands, UTC nanoseconds."""
        return self.agenda.now

    def next_at(self) -> int | None:
        """Give the next instant at which anything is due; None when all is quiet."""
        return self.agenda.next_at()

    def advance(self, to_at: int) -> None:
        """Let everything happen that is due up to `to_at`, in a fixed order; then it is `to_at`.

        Never goes back: an instant that has passed changes nothing.
        """
        self.agenda.run_until(to_at)
