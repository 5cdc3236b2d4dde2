"""Fixtures of the end-to-end tests."""

import asyncio
from collections.abc import AsyncIterator, Generator, Iterator
from contextlib import suppress
from pathlib import Path

import aiohttp
import pytest
import pytest_asyncio

from tests.crds.refusals import BAD
from tests.e2e import admitting, lws
from tests.e2e.caches import Team
from tests.e2e.conditions import JOBS, WARMUPS
from tests.e2e.controllers import ControllerProcess, deploy
from tests.e2e.controlplane.building import BuildingError, built_programs
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import request, wait_until
from tests.e2e.devices import add_engine_node, take_away
from tests.e2e.joining import open_team, staging_controller
from tests.e2e.replicas import Fleet
from tests.e2e.taking_turns import Turn
from tests.repository import ROOT
from tests.store.databases import fresh_database

# Each group runs in a worker of its own, on control planes of its own, beside the others: most of
# its time it waits for Kubernetes. A file goes to the first group with a beginning of its name, and
# otherwise to `WARMUPS_GROUP`, which needs a single cluster.
GROUPS = {
    "replicas": ("test_replica", "test_rollouts", "test_composing", "test_lws", "test_thousand"),
    "caches": (
        "test_cache",
        "test_control_plane",
        "test_importing",
        "test_namespace_pools",
        "test_recording",
        "test_staging",
        "test_uninstalling",
    ),
    "waiting": ("test_crashing", "test_storage_facts", "test_troubles"),
}
WARMUPS_GROUP, FOLDERS_GROUP = "warmups", "waiting"
COMPARING = "conformance"  # the folder of those that have a control plane of their own
BROWSING = "page"  # the folder of those that need none, but a browser
MEASURED = ("test_replica_latency", "test_thousand_nodes")  # at last, when all others are done
# A failure beside controllers of which none waits for another counts when it comes again, or when
# there are more of its kind: how it looked is printed in any case, to be looked into.
UNSTEADY_AT_MOST = 2
TURN = Turn()


def pytest_itemcollected(item: pytest.Item) -> None:
    """Part the tests among the workers, before the names of the groups are read off them."""
    item.add_marker(pytest.mark.xdist_group(_group_of(item.path)))


def _group_of(path: Path) -> str:
    if path.parent.name in {BROWSING, COMPARING}:
        return FOLDERS_GROUP
    fitting = (group for group, names in GROUPS.items() if path.name.startswith(names))
    return next(fitting, WARMUPS_GROUP)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put those last that measure; the control plane of those that compare starts late, too."""
    items.sort(key=lambda item: (item.path.name.startswith(MEASURED), _compares(item)))


def _compares(item: pytest.Item) -> bool:
    return item.path.parent.name == COMPARING


def pytest_collection_finish(session: pytest.Session) -> None:
    """Build the control plane before any test: it takes longer than a test's timeout allows."""
    if session.config.option.collectonly:
        return
    TURN.begin(session.config)
    wanted = {name for item in session.items for name in getattr(item, "fixturenames", ())}
    # The fixture meets the same error again, and fails only the tests that need it.
    if wanted & {"control_plane", "second_control_plane"}:
        with suppress(BuildingError):
            built_programs()
    if wanted & {"with_gangs", "second_with_gangs"}:
        with suppress(BuildingError):
            lws.crd_file()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Measure when no other worker has a test left; only then the test's timeout begins."""
    if item.path.name.startswith(MEASURED):
        TURN.wait_for_others()
    return (yield)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show how those failed that held when they were run again."""
    unsteady = terminalreporter.stats.get("rerun", [])
    if unsteady:
        terminalreporter.write_sep("=", f"UNSTEADY, at most {UNSTEADY_AT_MOST} may be")
    for report in unsteady:
        terminalreporter.write_sep("_", report.nodeid)
        terminalreporter.write_line(report.longreprtext)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run in which too many had to be run again."""
    TURN.end()
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    unsteady = [] if reporter is None else reporter.stats.get("rerun", [])
    if len(unsteady) > UNSTEADY_AT_MOST and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def control_plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """A running control plane that all tests share; its logs are in pytest's temporary folder."""
    with ControlPlane(tmp_path_factory.mktemp("control-plane")) as running:
        yield running


@pytest.fixture(scope="session")
def second_control_plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """A second cluster, started by the first test that asks for it; for all tests that do."""
    with ControlPlane(tmp_path_factory.mktemp("second-control-plane")) as running:
        yield running


@pytest_asyncio.fixture
async def session(control_plane: ControlPlane) -> AsyncIterator[aiohttp.ClientSession]:
    """An HTTP session with the API server as its admin."""
    async with control_plane.open_session() as opened:
        yield opened


@pytest_asyncio.fixture
async def second_session(
    second_control_plane: ControlPlane,
) -> AsyncIterator[aiohttp.ClientSession]:
    """An HTTP session with the API server of the second cluster as its admin."""
    async with second_control_plane.open_session() as opened:
        yield opened


@pytest.fixture(scope="session")
def with_crds(control_plane: ControlPlane) -> ControlPlane:
    """The control plane, serving what crds/ holds, with a namespace for what is only admitted."""
    admitting.apply_crds(control_plane, "-k", ROOT / "crds", *admitting.NAMES)
    control_plane.kubectl("create", "namespace", admitting.NAMESPACE)
    return control_plane


@pytest.fixture(scope="module")
def with_gangs(control_plane: ControlPlane) -> ControlPlane:
    """The control plane, serving LeaderWorkerSets from now on."""
    lws.install(control_plane)
    return control_plane


@pytest.fixture(scope="module")
def second_with_gangs(second_control_plane: ControlPlane) -> ControlPlane:
    """The second cluster, serving LeaderWorkerSets from now on."""
    lws.install(second_control_plane)
    return second_control_plane


@pytest_asyncio.fixture
async def server(
    with_crds: ControlPlane, session: aiohttp.ClientSession
) -> AsyncIterator[aiohttp.ClientSession]:
    """An admin's session with that control plane; a test's warmups are deleted at its end."""
    await admitting.wait_for_refusal(session, BAD["a mount although there are no volumes"].spec)
    yield session
    await request(session, "DELETE", admitting.WARMUPS)


@pytest.fixture
def kubeconfig(control_plane: ControlPlane, tmp_path: Path) -> Path:
    """A kubeconfig with the controller's own token; the CRD and the roles are applied."""
    token = deploy(control_plane)
    pool = "resource-pool.aibrix.ai/name=latency-pool"
    control_plane.kubectl("label", "namespace", "default", "--overwrite", pool)
    return control_plane.kubeconfig_for(token, tmp_path / "kubeconfig")


@pytest.fixture(scope="module")
def controller(
    control_plane: ControlPlane, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ControllerProcess]:
    """A controller that the tests of one module share, each with a pool of its own."""
    folder = tmp_path_factory.mktemp("controller")
    kubeconfig = control_plane.kubeconfig_for(deploy(control_plane), folder / "kubeconfig")
    with ControllerProcess(kubeconfig, folder) as running:
        # How soon something is told must not depend on how long a start takes.
        asyncio.run(running.wait_until_quiet())
        yield running


@pytest.fixture(scope="module")
def staging(
    control_plane: ControlPlane,
    second_control_plane: ControlPlane,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[ControllerProcess]:
    """A controller that stages models on two clusters, for the tests of one module."""
    folder = tmp_path_factory.mktemp("staging")
    with staging_controller(control_plane, second_control_plane, folder) as running:
        asyncio.run(running.wait_until_quiet())
        yield running


@pytest_asyncio.fixture
async def team(
    staging: ControllerProcess,
    session: aiohttp.ClientSession,
    second_session: aiohttp.ClientSession,
) -> AsyncIterator[Team]:
    """A namespace for the ModelCaches of one test."""
    async with open_team(session, second_session) as opened:
        yield opened


@pytest_asyncio.fixture
async def fleet(
    with_gangs: ControlPlane, second_with_gangs: ControlPlane, team: Team
) -> AsyncIterator[Fleet]:
    """The ModelReplicas of one test, and a Node with GPUs on each cluster.

    A test that asks for `staging`, too, uses both `with_gangs` first: what a cluster begins to
    serve later is only noticed at the next look.
    """
    for site in team.sites:
        await add_engine_node(site)
    yield Fleet(team)
    for site in team.sites:
        await take_away(site.session)


@pytest.fixture
def uncontrolled(control_plane: ControlPlane) -> Iterator[None]:
    """Nobody but the test changes anything in the real cluster, as no time passes in the other."""
    control_plane.stop_component("kube-controller-manager", crash=True)
    yield
    control_plane.start_component("kube-controller-manager")


@pytest_asyncio.fixture
async def clean(session: aiohttp.ClientSession) -> AsyncIterator[None]:
    """Whatever the test leaves of warmups, Jobs and Nodes is gone after it."""
    yield
    background = {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background"}
    for path in (WARMUPS, JOBS):
        await request(session, "DELETE", path, background)
    await wait_until(session, JOBS, lambda jobs: not jobs)
    await wait_until(session, "/api/v1/namespaces/default/pods", lambda pods: not pods)
    await request(session, "DELETE", "/api/v1/nodes")


@pytest_asyncio.fixture
async def postgres_log() -> AsyncIterator[str]:
    """The URL of an empty PostgreSQL schema of the test's own."""
    async with fresh_database() as url:
        yield url
