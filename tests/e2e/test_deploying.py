"""deploy/ on a real API server: what is applied, and what its accounts may do."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import NamedTuple

import aiohttp
import pytest
import pytest_asyncio

from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import Json, request, wait_until
from tests.repository import ROOT

pytestmark = pytest.mark.e2e

SYSTEM = "warmlog-system"
WARMUPS = "modelwarmups.model.aibrix.ai"
CACHES = "modelcaches.modelplane.ai"
REPLICAS = "modelreplicas.modelplane.ai"
CLUSTERS = "inferenceclusters.modelplane.ai"
LEASES = "leases.coordination.k8s.io"
EVENTS = "events.events.k8s.io"
CRDS = "customresourcedefinitions.apiextensions.k8s.io"
REMOTE = "warmlog-remote"


class Access(NamedTuple):
    """Something one may do or not."""

    verb: str
    resource: str  # resource[.group][/subresource]
    namespace: str = "default"
    name: str = ""

    def attributes(self) -> Json:
        """As an access review wants it."""
        whole, _, subresource = self.resource.partition("/")
        resource, _, group = whole.partition(".")
        return {
            "verb": self.verb,
            "resource": resource,
            "group": group,
            "subresource": subresource,
            "namespace": self.namespace,
            "name": self.name,
        }


READING = ("get", "list", "watch")
KINDS = (WARMUPS, CACHES, REPLICAS, CLUSTERS)
HELD = (CACHES, REPLICAS)  # objects that bear a finalizer of ours
# What an engine is composed of.
COMPOSED = (
    "deployments.apps",
    "leaderworkersets.leaderworkerset.x-k8s.io",
    "services",
    "resourceclaimtemplates.resource.k8s.io",
)
MANAGED = ("jobs.batch", "persistentvolumeclaims", "secrets", *COMPOSED)
MANAGING = ("get", "list", "watch", "create", "delete", "patch")

# What may be done wherever models are staged, as (verbs, groups, resources, names): all of it.
WORKLOAD_RULES = {
    ("create get list watch", "", "namespaces", ""),
    ("get list watch", "", "nodes", ""),
    ("delete get list watch", "", "pods", ""),
    ("create delete get list patch watch", "batch", "jobs", ""),
    ("create delete get list patch watch", "", "persistentvolumeclaims", ""),
    ("get", "", "persistentvolumes", ""),
    ("get list watch", "storage.k8s.io", "storageclasses", ""),
    ("list", "", "events", ""),
    ("create delete get list patch watch", "", "secrets", ""),
    ("create delete get list patch watch", "apps", "deployments", ""),
    (
        "create delete get list patch watch",
        *("leaderworkerset.x-k8s.io", "leaderworkersets", ""),
    ),
    ("create delete get list patch watch", "", "services", ""),
    ("create delete get list patch watch", "resource.k8s.io", "resourceclaimtemplates", ""),
}
# The rules of the controller's own roles on the cluster that it runs in, beside those.
CLUSTER_RULES = WORKLOAD_RULES | {
    ("get list watch", "", "namespaces nodes pods", ""),
    ("get list watch", "model.aibrix.ai", "modelwarmups", ""),
    ("patch", "model.aibrix.ai", "modelwarmups/status", ""),
    ("update", "model.aibrix.ai", "modelwarmups/finalizers", ""),
    ("get list patch watch", "modelplane.ai", "modelcaches modelreplicas", ""),
    ("get list watch", "modelplane.ai", "inferenceclusters", ""),
    (
        *("patch", "modelplane.ai"),
        *("inferenceclusters/status modelcaches/status modelreplicas/status", ""),
    ),
    ("update", "modelplane.ai", "modelcaches/finalizers modelreplicas/finalizers", ""),
    ("create delete get list patch watch", "batch", "jobs", ""),
    ("list", "", "events", ""),
    ("create", "events.k8s.io", "events", ""),
    ("create", "authentication.k8s.io", "tokenreviews", ""),
    ("create", "authorization.k8s.io", "subjectaccessreviews", ""),
    ("get", "apiextensions.k8s.io", "customresourcedefinitions", " ".join(sorted(KINDS))),
}
LEASE_RULES = {
    ("create", "coordination.k8s.io", "leases", ""),
    ("get update", "coordination.k8s.io", "leases", "warmlog"),
}

# What warmlog asks of any cluster on which models are staged.
STAGING = [
    *[
        Access(verb, kind)
        for kind in ("namespaces", "nodes", "pods", "storageclasses.storage.k8s.io")
        for verb in ("get", "list", "watch")
    ],
    *[Access(verb, kind) for kind in MANAGED for verb in MANAGING],
    Access("create", "namespaces"),
    Access("delete", "pods"),
    Access("get", "persistentvolumes"),
    Access("list", "events"),
]
CONTROLLER_MAY = [
    *STAGING,
    *[Access(verb, kind) for kind in KINDS for verb in READING],
    *[Access("patch", kind) for kind in HELD],
    *[Access("patch", kind + "/status") for kind in KINDS],
    *[Access("update", kind + "/finalizers") for kind in (WARMUPS, *HELD)],
    Access("create", EVENTS),
    Access("create", "tokenreviews.authentication.k8s.io"),
    Access("create", "subjectaccessreviews.authorization.k8s.io"),
    *[Access("get", CRDS, name=kind) for kind in KINDS],
    Access("create", LEASES, SYSTEM),
    *[Access(verb, LEASES, SYSTEM, "warmlog") for verb in ("get", "update")],
]
# What it asks of none, and what nobody may do with its token.
NOT_STAGING = [
    *[Access(verb, "pods") for verb in ("create", "patch", "update")],
    Access("create", "pods/exec"),
    *[Access(verb, "nodes") for verb in ("patch", "update", "delete")],
    *[Access(verb, "namespaces") for verb in ("patch", "update", "delete")],
    *[Access(verb, "persistentvolumes") for verb in ("list", "patch", "delete")],
    *[Access(verb, kind) for kind in MANAGED for verb in ("update", "deletecollection")],
    *[Access(verb, f"{kind}/scale") for kind in COMPOSED[:2] for verb in ("patch", "update")],
    *[Access(verb, f"{kind}/status") for kind in COMPOSED[:3] for verb in ("patch", "update")],
    *[Access(verb, "events") for verb in ("get", "watch", "create")],
    Access("create", "serviceaccounts/token", SYSTEM, "warmlog"),
    Access("bind", "clusterroles.rbac.authorization.k8s.io"),
    Access("escalate", "clusterroles.rbac.authorization.k8s.io"),
]
CONTROLLER_MAY_NOT = [
    *NOT_STAGING,
    *[
        Access(verb, kind)
        for kind in (WARMUPS, CLUSTERS)
        for verb in ("create", "update", "patch", "delete")
    ],
    *[Access(verb, kind) for kind in HELD for verb in ("create", "update", "delete")],
    *[Access(verb, kind + "/status") for kind in KINDS for verb in ("get", "update")],
    *[Access(verb, EVENTS) for verb in ("get", "list", "patch", "delete")],
    *[Access(verb, CRDS) for verb in ("list", "watch", "create")],
    Access("get", CRDS, name="others.example.com"),
    Access("patch", CRDS, name=WARMUPS),
    Access("create", LEASES, "default"),
    Access("update", LEASES, "kube-system", "kube-scheduler"),
    Access("update", LEASES, SYSTEM, "another"),
    Access("patch", LEASES, SYSTEM, "warmlog"),
    Access("delete", LEASES, SYSTEM, "warmlog"),
    Access("list", LEASES, SYSTEM),
]

WRITING = ("create", "update", "patch", "delete", "deletecollection")
# The cluster's role -> what it lets people do with warmups, and what it does not.
PEOPLE = {
    "view": (READING, WRITING),
    "edit": (READING + WRITING, ()),
    "admin": (READING + WRITING, ()),
}


@pytest.fixture(scope="module")
def deployed(control_plane: ControlPlane) -> ControlPlane:
    """A control plane on which deploy/ was applied twice: the second time changes nothing."""
    for _ in range(2):
        control_plane.kubectl("apply", "--server-side", "-k", str(ROOT / "deploy"))
    return control_plane


@pytest_asyncio.fixture
async def controller(deployed: ControlPlane) -> AsyncIterator[aiohttp.ClientSession]:
    """A session with the controller's own token."""
    token = deployed.kubectl("create", "token", "warmlog", "-n", SYSTEM).strip()
    async with deployed.open_session(token) as session:
        yield session


async def may(session: aiohttp.ClientSession, access: Access) -> bool:
    """Whether the session's account may do something: the question of `kubectl auth can-i`."""
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": access.attributes()},
    }
    path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    answer = await request(session, "POST", path, review)
    return bool(answer["status"]["allowed"])


async def rules(session: aiohttp.ClientSession, namespace: str) -> set[tuple[str, ...]]:
    """What an account may do in a namespace, rule for rule."""
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectRulesReview",
        "spec": {"namespace": namespace},
    }
    path = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"
    found = (await request(session, "POST", path, review))["status"]["resourceRules"]
    parts = ("verbs", "apiGroups", "resources", "resourceNames")
    return {tuple(" ".join(sorted(rule.get(part, []))) for part in parts) for rule in found}


async def own_rules(
    deployed: ControlPlane, session: aiohttp.ClientSession, namespace: str
) -> set[tuple[str, ...]]:
    """What an account may do there beyond what any account may."""
    token = deployed.kubectl("create", "token", "default").strip()
    async with deployed.open_session(token) as anybody:
        return await rules(session, namespace) - await rules(anybody, namespace)


async def test_the_controller_may_do_what_it_needs(controller: aiohttp.ClientSession) -> None:
    """The shipped account may make every request that the controller makes [W106]"""
    assert [each for each in CONTROLLER_MAY if not await may(controller, each)] == []


async def test_the_controller_may_do_nothing_else(controller: aiohttp.ClientSession) -> None:
    """It may neither write warmups, nor run Pods of its own, nor touch others' Leases [W110]"""
    assert [each for each in CONTROLLER_MAY_NOT if await may(controller, each)] == []


async def test_another_cluster_grants_just_what_staging_needs(deployed: ControlPlane) -> None:
    """The account of a kubeconfig may stage models, and has nothing to do with our own kinds."""
    for _ in range(2):
        deployed.kubectl("apply", "--server-side", "-k", str(ROOT / "deploy/workload-cluster"))
    token = deployed.kubectl("create", "token", REMOTE, "-n", SYSTEM).strip()
    forbidden = [
        *NOT_STAGING,
        *[Access(verb, kind) for kind in KINDS for verb in READING],
        Access("create", LEASES, SYSTEM),
        Access("get", CRDS, name=CACHES),
    ]
    async with deployed.open_session(token) as remote:
        assert [each for each in STAGING if not await may(remote, each)] == []
        assert [each for each in forbidden if await may(remote, each)] == []
        assert await own_rules(deployed, remote, SYSTEM) == WORKLOAD_RULES


@pytest.mark.parametrize("namespace", ["default", SYSTEM])
async def test_the_controllers_rules_are_exactly_these(
    deployed: ControlPlane, controller: aiohttp.ClientSession, namespace: str
) -> None:
    """What the account may do beyond any account is its own roles, rule for rule."""
    own = await own_rules(deployed, controller, namespace)
    assert own == CLUSTER_RULES | (LEASE_RULES if namespace == SYSTEM else set())


@pytest.mark.parametrize("role", PEOPLE)
@pytest.mark.parametrize("kind", [WARMUPS, CACHES, REPLICAS])
async def test_people_get_our_kinds_with_the_clusters_own_roles(
    deployed: ControlPlane, session: aiohttp.ClientSession, kind: str, role: str
) -> None:
    """Who has view, edit or admin may read or also write them, never a status or a cluster."""
    allowed, forbidden = PEOPLE[role]
    binding = f"people-{role}"
    deployed.kubectl("create", "rolebinding", binding, f"--clusterrole={role}", f"--user={role}")

    async def person_may(verb: str, resource: str = kind) -> bool:
        attributes = Access(verb, resource).attributes()
        review = {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SubjectAccessReview",
            "spec": {"user": role, "resourceAttributes": attributes},
        }
        path = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
        return bool((await request(session, "POST", path, review))["status"]["allowed"])

    async with asyncio.timeout(30):  # a controller joins the rules a moment after they are applied
        while not all([await person_may(verb) for verb in allowed]):
            await asyncio.sleep(0.1)
    assert [verb for verb in forbidden if await person_may(verb)] == []
    for others in (kind + "/status", CLUSTERS):
        assert [verb for verb in WRITING if await person_may(verb, others)] == []
    deployed.kubectl("delete", "rolebinding", binding)


async def test_the_pod_is_admitted(deployed: ControlPlane, session: aiohttp.ClientSession) -> None:
    """In a namespace that enforces the restricted profile, the Deployment gets its one Pod."""
    namespace = json.loads(deployed.kubectl("get", "namespace", SYSTEM, "-o", "json"))
    enforced = namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"]
    assert enforced == "restricted"
    selector = "app.kubernetes.io/name=warmlog"
    path = f"/api/v1/namespaces/{SYSTEM}/pods"
    pods = await wait_until(session, path, lambda found: len(found) > 0, label_selector=selector)
    [pod] = pods.values()
    assert pod["spec"]["serviceAccountName"] == "warmlog"
    [container] = pod["spec"]["containers"]
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert container["readinessProbe"]["httpGet"]["path"] == "/readyz"
    assert container["livenessProbe"]["httpGet"]["path"] == "/healthz"
    mounted = [mount["mountPath"] for mount in container["volumeMounts"]]
    assert "/var/run/secrets/kubernetes.io/serviceaccount" in mounted


def test_nothing_is_deprecated(deployed: ControlPlane) -> None:
    """The server has no warning for anything in deploy/: no old API, no unsafe Pod."""
    flags = ("--server-side", "--dry-run=server", "--warnings-as-errors")
    deployed.kubectl("apply", *flags, "-k", str(ROOT / "deploy"))
