"""The composition root of `warmlog run`: the one place where the real parts are put together."""

import asyncio
import os
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import chain
from uuid import uuid4

import structlog

from adapters.code_digests import code_digest, code_version
from adapters.http.guarding import Guard as PageGuard
from adapters.http.pages import pages_over
from adapters.http.serving import serving
from adapters.kubernetes.configuring import access_from_kubeconfig, load_access
from adapters.kubernetes.http_api import HttpApi
from adapters.kubernetes.leases import LeaseHolder, LeaseLost, LeaseTerms
from adapters.kubernetes.reviewing import ApiReviews
from adapters.kubernetes.timing import SystemTimer
from adapters.ports import Api, Connect
from adapters.running.announcing import Announcer
from adapters.running.announcing_caches import CacheAnnouncer
from adapters.running.announcing_replicas import ReplicaAnnouncer
from adapters.running.clocks import SteadyClock
from adapters.running.controller import Controller
from adapters.running.crd_watching import PROJECTED, Projected, lack_announcement, watch_crd
from adapters.running.guarding import Guard, GuardedApi, Unguarded
from adapters.running.health import ControllerHealth
from adapters.running.limits import Limits
from adapters.running.logs_opening import begin_patiently, open_patiently, vault_patiently
from adapters.running.outboxes import Outbox
from adapters.running.sessions import Means
from adapters.running.snapshotting import replay_quickly, save
from adapters.running.stopping import until_signalled
from adapters.running.writing import Identity
from adapters.settings import RunSettings
from adapters.store.databases import SqlLog
from adapters.store.locations import Kind, Location, parse_location
from engine.errors import Fenced, LogUnreadable, PositionTaken, WarmlogError
from engine.replaying import Replayed
from machines.caches.reaching import REMOTE
from machines.states import State

STOPPED, LOST = 0, 3  # exit codes; see docs/command-line.md
ANNOUNCERS = (Announcer, CacheAnnouncer, ReplicaAnnouncer)
SUPERSEDED = (Fenced, PositionTaken)

_log = structlog.get_logger("warmlog")


class SettingsConflict(WarmlogError):
    """Two settings that cannot both hold."""


async def run_controller(settings: RunSettings) -> int:
    """Run until a signal comes or another writer takes over; give the exit code.

    Raises WarmlogError for what a person has to mend before it can run at all.
    """
    _check_times(settings)
    place = parse_location(settings.log)
    _require_folder(place)
    health = ControllerHealth(place.path.absolute() if place.kind is Kind.SQLITE else None)
    access = await load_access(kubeconfig=settings.kubeconfig, context=settings.context)
    api = HttpApi(settings.cluster_name, access)
    try:
        seconds = settings.request_timeout_seconds
        reviews = ApiReviews(api, time.monotonic, timeout_seconds=seconds)
        pages = pages_over(settings.log, PageGuard(settings.listen.host, reviews))
        async with serving(health, *settings.listen, pages) as port:
            _log.info("listening", host=settings.listen.host, port=port)
            return await _until_stopped(settings, health, api)
    finally:
        await api.close()


def _require_folder(place: Location) -> None:
    """A folder that is missing is a slip of the pen: said now, and not at the first failover."""
    folder = place.path.absolute().parent
    if place.kind is Kind.SQLITE and not folder.is_dir():
        raise LogUnreadable(f"There is no folder {folder}: make it, or give another --log.")


def _check_times(settings: RunSettings) -> None:
    """A request leaves only while the lease outlives it: there has to be time for that."""
    if (
        settings.use_lease
        and settings.request_timeout_seconds * 2 > settings.lease_duration_seconds
    ):
        raise SettingsConflict(
            f"--request-timeout-seconds {settings.request_timeout_seconds:g} is more than half of"
            f" --lease-duration-seconds {settings.lease_duration_seconds}: lower it"
        )


async def _until_stopped(settings: RunSettings, health: ControllerHealth, api: Api) -> int:
    try:
        await until_signalled(_work(settings, health, api), lambda: _log.info("stopping"))
    except SUPERSEDED as error:
        return _lost(error)
    except BaseExceptionGroup as group:
        superseded, rest = group.split(SUPERSEDED)
        if superseded is None or rest is not None:
            raise
        return _lost(_leaves(superseded)[0])
    return STOPPED


def _lost(error: BaseException) -> int:
    _log.error("another process writes now", words=str(error))
    return LOST


def _leaves(group: BaseExceptionGroup[BaseException]) -> list[BaseException]:
    """Give the errors of a group, however deep they are nested."""
    found: list[BaseException] = []
    for error in group.exceptions:
        found += _leaves(error) if isinstance(error, BaseExceptionGroup) else [error]
    return found


async def _work(settings: RunSettings, health: ControllerHealth, api: Api) -> None:
    """Hold one term after the other: a lease that is lost is waited for, as at the start."""
    while True:
        try:
            await _hold_term(settings, health, api)
        except BaseExceptionGroup as group:
            lost, rest = group.split(LeaseLost)
            if lost is None or rest is not None:
                raise
            _log.warning("this session ends: the lease is lost", words=str(_leaves(lost)[0]))
            health.controller = None


async def _hold_term(settings: RunSettings, health: ControllerHealth, api: Api) -> None:
    async with _leased(settings, health, api) as guard:
        health.waiting_for = "the log is opened"
        log = await open_patiently(settings.log, health)
        try:
            await _control(settings, health, api, guard, log)
        finally:
            await log.close()


async def _control(
    settings: RunSettings, health: ControllerHealth, home: Api, guard: Guard, log: SqlLog
) -> None:
    api = GuardedApi(home, guard, SystemTimer())
    identity = Identity(code_version(), code_digest(), settings.digest(), settings.caching())

    async def fold_all() -> Replayed[State]:
        replayed = await replay_quickly(log, identity.code_digest)
        _require_cluster(replayed.state, settings)
        return replayed

    vault = await vault_patiently(log, health)
    writer = await begin_patiently(log, identity, health, clock=time.time_ns, fold_all=fold_all)
    _log.info("session started", epoch=writer.cursor.epoch, position=writer.cursor.position)
    announcers = [each(writer.state) for each in ANNOUNCERS]
    seconds = settings.request_timeout_seconds
    outbox = Outbox(api, instance=f"{socket.gethostname()}-{os.getpid()}", timeout_seconds=seconds)

    def tell(state: State) -> None:
        for announcement in chain(*(one.news(state) for one in announcers)):
            about = "/".join(filter(None, announcement.subject[:3]))
            say = _log.warning if announcement.type == "Warning" else _log.info
            say(announcement.note, about=about, reason=announcement.reason)
            outbox.put(announcement)

    means = Means(
        SteadyClock(writer.cursor.at), SystemTimer(), vault, connector(guard), Limits(seconds)
    )
    controller = Controller(writer, api, means, tell)
    health.controller = controller
    try:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(controller.run())
            tasks.create_task(outbox.run())
            for each in PROJECTED:
                tasks.create_task(_watch_crd(api, each, health, outbox, seconds))
    except asyncio.CancelledError:
        if not writer.unsent_rows:
            await save(log, Replayed(writer.state, writer.cursor, 0), identity.code_digest)
        raise


def connector(guard: Guard) -> Connect:
    """Give how other clusters are reached: their writes wait for the lease as well."""

    async def connect(cluster: str, kubeconfig: str) -> Api:
        api = HttpApi(cluster, await access_from_kubeconfig(kubeconfig))
        return GuardedApi(api, guard, SystemTimer())

    return connect


def _require_cluster(state: State, settings: RunSettings) -> None:
    """What a log holds is keyed by cluster: under another name all of it would be ignored."""
    known = sorted(
        name
        for name, cluster in state.clusters.items()
        if cluster.node_uids and not name.startswith(REMOTE)
    )
    if known and settings.cluster_name not in state.clusters:
        raise SettingsConflict(
            f"--cluster-name {settings.cluster_name}: this log is of cluster {known[0]};"
            f" give --cluster-name {known[0]}, or another --log"
        )


@asynccontextmanager
async def _leased(
    settings: RunSettings, health: ControllerHealth, api: Api
) -> AsyncIterator[Guard]:
    """Hold the lease while the context lasts, and end it when the lease is lost."""
    if not settings.use_lease:
        yield Unguarded()
        return
    terms = LeaseTerms(
        settings.lease_namespace,
        settings.lease_name,
        f"{socket.gethostname()}_{uuid4()}",
        duration_seconds=settings.lease_duration_seconds,
        renew_seconds=settings.lease_duration_seconds / 6,
        request_seconds=settings.lease_duration_seconds / 3,
    )
    holder = LeaseHolder(api, terms, now=time.time_ns)
    health.lease_words = lambda: "" if holder.held else f"waits for the lease: {holder.words}"
    health.waiting_for = f"the lease {terms.namespace}/{terms.name}"
    _log.info("waits for the lease", lease=f"{terms.namespace}/{terms.name}")
    await holder.acquire()
    try:
        async with asyncio.TaskGroup() as tasks:
            keeping = tasks.create_task(holder.keep())
            yield holder
            keeping.cancel()
    finally:
        await holder.release()


async def _watch_crd(
    api: Api, projected: Projected, health: ControllerHealth, outbox: Outbox, seconds: float
) -> None:
    def tell(words: str) -> None:
        health.crd_words[projected.kind.name] = words

    def announce(words: str) -> None:
        outbox.put(lack_announcement(projected.kind, words, time.time_ns()))

    await watch_crd(api, projected, tell, announce, SystemTimer(), timeout_seconds=seconds)
