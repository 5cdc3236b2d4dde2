"""Random rounds of requests about Jobs, Pods, claims and Nodes, by seed, for clusters at work.

Within a round each object is touched once at most, with the Node and claim of its Pods, and between
two rounds all comes to rest: so what becomes of a round depends on how controllers work, and not
on how quick each of them is.
"""

import random
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from adapters.ports import Request
from adapters.simulator.plans import Ending, NodePlan
from adapters.simulator.resources import CLAIM, JOB, NODE, POD, VOLUME, path_of
from tests.simulator import cases
from tests.simulator.building import job_body
from tests.simulator.cases_storage import claim, volume
from tests.simulator.comparing import Known

Body = dict[str, Any]

# The words in their names tell a real cluster's fake kubelets what to do.
NODES = {
    "well": NodePlan(),
    "failing": NodePlan(ending=Ending.FAIL),
    "hanging": NodePlan(ending=Ending.HANG),
    "hanging-too": NodePlan(ending=Ending.HANG),
}
ROUNDS = 5
DELETING = 3  # of so many seeds one ends early with a Node that is deleted: its Pods go slowly
MOST_REQUESTS = 5  # in a round
POLICIES = ("Background", "Foreground", "Orphan", None)
EFFECTS = ("NoSchedule", "NoExecute")
HELD = "example.com/held"


class PodOf(NamedTuple):
    """What is asked of a Pod of a Job: whichever it is on a cluster, for its name is generated."""

    job: str
    options: Body  # of its deletion


Asked = Request | PodOf


class RoundDrawer:
    """Makes up what people ask of two clusters."""

    def __init__(self, seed: int, namespace: str) -> None:
        """Make up the rounds of this seed, for a namespace; Nodes and volumes bear its name."""
        self._random = random.Random(f"rounds {seed}")
        self._deletes = seed % DELETING == 0
        self._namespace = namespace
        self._jobs: dict[str, frozenset[str]] = {}  # the role of its Node, its claim, its owners
        self._claims: list[str] = []
        self._touched: set[str] = set()  # in this round, each of these
        self._busy: set[str] = set()  # Nodes, claims and owners, by way of a Job
        self._marked: set[str] = set()  # Nodes, claims and Jobs themselves

    def draw(self) -> Iterator[list[Asked]]:
        """Give the rounds."""
        rounds = 2 if self._deletes else ROUNDS
        for number in range(rounds):
            self._touched, self._busy, self._marked = set(), set(), set()
            asked: list[Asked] = []
            if self._deletes and number == rounds - 1:
                asked.append(cases.delete(self._node(self._some_thing(NODES))))
            for _ in range(3 if number == 0 else 0):
                asked += self.create_job()
            for _ in range(self._random.randint(2, MOST_REQUESTS)):
                (way,) = self._random.choices(_WAYS, _WEIGHTS)
                asked += way(self)
            yield asked

    def node_name(self, role: str) -> str:
        """Give the name of a Node."""
        return f"{self._namespace}-{role}"

    def _node(self, role: str) -> str:
        return f"{path_of(NODE)}/{self.node_name(role)}"

    def _path(self, name: str) -> str:
        return f"{path_of(JOB, self._namespace)}/{name}"

    def _some(self, names: Iterable[str]) -> str:
        """Give one that was not touched in this round; "" when there is none."""
        free = [name for name in names if name not in self._touched]
        name = self._random.choice(free) if free else ""
        self._touched.add(name)
        return name

    def _some_job(self) -> str:
        """Give a Job that was not touched, nor what its Pods need: that is touched with it."""
        name = self._some_thing(
            job for job, needs in self._jobs.items() if not needs & self._marked
        )
        self._busy |= self._jobs.get(name, frozenset())
        return name

    def _some_thing(self, names: Iterable[str]) -> str:
        """Give a Node by its role, a claim or a Job that no request of this round is about."""
        name = self._some(name for name in names if name not in self._busy)
        self._marked.add(name)
        return name

    def create_job(self) -> list[Asked]:
        """Somebody makes a Job; now and then it is another one's, or mounts a claim."""
        pick, name = self._random, f"j{len(self._jobs)}"
        role = pick.choice([role for role in NODES if role not in self._marked])
        hangs = "hanging" in role  # else a deadline may pass before a Pod has ended, or after it
        spec: Body = {"backoffLimit": pick.choice((0, 0, 0, 1))}
        for field, values in (
            ("ttlSecondsAfterFinished", (None, None, 1, 3)),
            ("activeDeadlineSeconds", (None, None, 4) if hangs else (None,)),
            ("suspend", (None, None, None, True)),
            ("completions", (None, None, 2)),
            ("podReplacementPolicy", (None, None, "Failed")),
        ):
            value = pick.choice(values)
            spec |= {} if value is None else {field: value}
        if "completions" in spec:  # of two that fail at once, one may end the other's Job
            spec["parallelism"] = 1 if role == "failing" else pick.choice((1, 2))
        body = job_body(name, self.node_name(role), **spec)
        body["metadata"]["namespace"] = self._namespace
        pod = body["spec"]["template"]["spec"]
        pod |= {"automountServiceAccountToken": False, "terminationGracePeriodSeconds": 1}
        needs = {role}
        owners = [job for job, other in self._jobs.items() if not {job, *other} & self._marked]
        if owners and pick.random() < 0.3:
            owner = pick.choice(owners)
            body["metadata"]["ownerReferences"] = [self._owner(owner)]
            needs |= {owner, *(one for one in self._jobs[owner] if one in self._jobs)}
        elif pick.random() < 0.2:
            body["metadata"]["finalizers"] = [HELD]
        claims = [claim for claim in self._claims if claim not in self._marked]
        if claims and pick.random() < 0.5:
            source = {"claimName": pick.choice(claims)}
            pod["volumes"] = [{"name": "data", "persistentVolumeClaim": source}]
            needs |= {*source.values()}
        self._jobs[name] = frozenset(needs)
        self._touched.add(name)
        self._busy |= needs
        return [cases.post(path_of(JOB, self._namespace), body)]

    def _owner(self, name: str) -> Body:
        """Name another Job as an owner, or one that nobody ever saw."""
        uid: Any = Known(self._path(name), "uid")
        if self._random.random() < 0.1:
            uid = "00000000-0000-0000-0000-000000000000"
        self._touched.add(name)  # who owns something is not deleted in the moment in which it does
        blocks = self._random.random() < 0.5
        return {"apiVersion": "batch/v1", "kind": "Job", "name": name, "uid": uid,
                "controller": False, "blockOwnerDeletion": blocks}  # fmt: skip

    def delete_job(self) -> list[Asked]:
        """Somebody deletes a Job, in one of the ways in which what it owns may go, or stay."""
        name, policy = self._some_job(), self._random.choice(POLICIES)
        options = {"propagationPolicy": policy} if policy else {}
        return [cases.delete(self._path(name), **options)] if name else []

    def delete_pod(self) -> list[Asked]:
        """Somebody deletes a Pod."""
        name = self._some_job()
        options = self._random.choice(({}, {}, {"gracePeriodSeconds": 0}))
        return [PodOf(name, options)] if name else []

    def change_job(self) -> list[Asked]:
        """Somebody suspends a Job or lets it go on, gives it a TTL, or takes its finalizers."""
        name = self._some_job()
        changes: tuple[Body, ...] = (
            {"spec": {"suspend": True}},
            {"spec": {"suspend": False}},
            {"spec": {"ttlSecondsAfterFinished": 1}},
            {"spec": {"parallelism": 0}},
            {"spec": {"parallelism": 1 if "failing" in self._jobs.get(name, ()) else 2}},
            {"metadata": {"finalizers": None}},
            {"metadata": {"ownerReferences": None}},
        )
        change = self._random.choice(changes)
        return [cases.merge(self._path(name), change)] if name else []

    def create_claim(self) -> list[Asked]:
        """Somebody makes a claim, with a volume that is bound to it or without one."""
        name = f"c{len(self._claims)}"
        self._claims.append(name)
        self._touched.add(name)
        path = path_of(CLAIM, self._namespace)
        if self._random.random() < 0.4:
            return [cases.post(path, claim(name))]
        bound = f"{self._namespace}-{name}"
        made = volume(bound, claimRef={"namespace": self._namespace, "name": name})
        return [cases.post(path_of(VOLUME), made), cases.post(path, claim(name, volumeName=bound))]

    def delete_claim(self) -> list[Asked]:
        """Somebody deletes a claim."""
        name = self._some_thing(self._claims)
        return [cases.delete(f"{path_of(CLAIM, self._namespace)}/{name}")] if name else []

    def mark_node(self) -> list[Asked]:
        """Somebody taints a Node, or cordons it, or neither any more."""
        role = self._some_thing(NODES)
        taint = {"key": "k", "value": "v", "effect": self._random.choice(EFFECTS)}
        spec: Body = self._random.choice(
            (
                {"taints": [taint]},
                {"taints": None},
                {"unschedulable": True},
                {"unschedulable": None},
            )
        )
        return [cases.merge(self._node(role), {"spec": spec})] if role else []


_Way = Callable[[RoundDrawer], list[Asked]]
_WEIGHTED: tuple[tuple[_Way, float], ...] = (
    (RoundDrawer.create_job, 4),
    (RoundDrawer.delete_job, 3),
    (RoundDrawer.delete_pod, 2),
    (RoundDrawer.change_job, 3),
    (RoundDrawer.create_claim, 1),
    (RoundDrawer.delete_claim, 1),
    (RoundDrawer.mark_node, 1),
)
_WAYS = tuple(way for way, _ in _WEIGHTED)
_WEIGHTS = tuple(weight for _, weight in _WEIGHTED)


def pod_path(namespace: str, name: str) -> str:
    """Give the path of a Pod."""
    return f"{path_of(POD, namespace)}/{name}"
