"""One whole simulated cluster: an API server and the controllers that live behind it."""

from adapters.simulator.api_server import ApiServer
from adapters.simulator.clock import BEGINNING, Agenda, Chance
from adapters.simulator.collecting import GarbageCollector, NamespaceController, TtlController
from adapters.simulator.controlling import Surroundings
from adapters.simulator.deployment_controller import DeploymentController
from adapters.simulator.job_controller import JobController
from adapters.simulator.kubelet import Kubelets
from adapters.simulator.node_lifecycle import NodeLifecycle
from adapters.simulator.plans import EnginePlan, HydrationPlan, NodePlan, ProvisionerPlan, Timing
from adapters.simulator.protecting import Protection
from adapters.simulator.provisioners import Provisioners
from adapters.simulator.recording import Recorder
from adapters.simulator.registry import Registry
from adapters.simulator.replica_set_controller import ReplicaSetController
from adapters.simulator.resource_claims import ResourceClaimController
from adapters.simulator.scheduler import Scheduler
from adapters.simulator.storage import Storage
from adapters.simulator.volume_binder import VolumeBinder


class Cluster:
    """A cluster on a virtual clock: nothing happens in it but in `advance` and in requests.

    `api` offers the port of the real adapter. Requests are answered at the instant `now`; what
    follows from them happens later, when `advance` gets there.
    """

    def __init__(self, name: str, seed: int, *, timing: Timing | None = None) -> None:
        """Begin empty. The same seed and the same requests at the same instants give the same."""
        self.storage = Storage()
        self.agenda = Agenda(BEGINNING)
        self.plans: dict[str, NodePlan] = {}  # by node
        self.hydrations: dict[str, HydrationPlan] = {}  # by the beginning of a claim's name
        self.engines: dict[str, EnginePlan] = {}  # by the beginning of a Pod's name
        self.provisioner_plans: dict[str, ProvisionerPlan] = {}  # by storage class
        chance = Chance(seed)
        self.registry = Registry(self.storage, self.agenda, chance)
        self.recorder = Recorder(self.registry, self.agenda, chance)
        self.api = ApiServer(name, self.storage, self.registry)
        self._around = Surroundings(
            self.storage,
            self.registry,
            self.agenda,
            chance,
            timing or Timing(),
            self.recorder,
        )
        self._start_controllers()

    def _start_controllers(self) -> None:
        self.storage.subscribe(self.api.stir)
        self.jobs = JobController(self._around)
        self.replica_sets = ReplicaSetController(self._around)
        self.deployments = DeploymentController(self._around)
        self.resource_claims = ResourceClaimController(self._around)
        self.scheduler = Scheduler(self._around)
        self.volumes = VolumeBinder(self._around)
        self.provisioners = Provisioners(self._around, self.provisioner_plans)
        self.kubelets = Kubelets(self._around, self.plans, self.hydrations, self.engines)
        self.nodes = NodeLifecycle(self._around)
        self.protection = Protection(self._around)
        self.garbage = GarbageCollector(self._around)
        self.ttl = TtlController(self._around)
        self.namespaces = NamespaceController(self._around)

    def restart_controllers(self) -> None:
        """Have every controller and kubelet forget what it was about and look at all again."""
        self.agenda.clear()
        self.storage.unsubscribe_all()
        self._start_controllers()
        for kind, change in list(self.storage.each()):
            self.storage.tell(kind, change)

    def roll_back(self, version: int) -> None:
        """Become what the cluster was at `version`, as after a restore of etcd's backup.

        Time goes on, watches break, and the versions after it are given out a second time.
        """
        self.api.cut_watches("the API server was restarted")
        self.storage.roll_back(version)
        self.restart_controllers()

    def compact(self) -> None:
        """Forget all history: watches and pages that are behind get 410."""
        self.storage.compact(self.storage.version)

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
