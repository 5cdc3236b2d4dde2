"""The composition root of `warmlog record`: a recorder, its file, and a cluster that it reads."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from adapters.code_digests import code_digest, code_version
from adapters.kubernetes.configuring import access_from_kubeconfig, load_access
from adapters.kubernetes.http_api import HttpApi
from adapters.kubernetes.timing import SystemTimer
from adapters.kubernetes.vaults import SecretVault
from adapters.ports import Api
from adapters.recording.opening import OtherCluster
from adapters.recording.reading_only import ReadOnlyApi
from adapters.recording.recorder import Recorder
from adapters.recording.series import Series
from adapters.recording.turning import MEBIBYTE, Bounds, Pages
from adapters.running.clocks import SteadyClock
from adapters.running.limits import Limits
from adapters.running.sessions import Means
from adapters.running.stopping import until_signalled
from adapters.running.writing import Identity, Writer
from adapters.settings import RunSettings
from engine.events import Event
from machines.caches.reaching import REMOTE
from machines.recorders import RECORD
from machines.states import State


class RecordSettings(NamedTuple):
    """What `warmlog record` was told."""

    path: Path
    reading: RunSettings  # how clusters are read; all else of it is of no use here
    max_size_mib: int = 64
    kept_files: int = 0
    duration_seconds: float | None = None


class Listener(Protocol):
    """Who is told how a recording goes."""

    def begin(self, path: Path, writer: Writer, cut_bytes: int) -> None:
        """A session has begun in a file; so much of its end was no whole row."""
        ...

    def show(self, state: State, rows: Sequence[Event]) -> None:
        """These rows are in the file, and that is the state after them."""
        ...

    def turn(self, path: Path, rows: Sequence[Event]) -> None:
        """The recording goes on in another file, which begins with these rows."""
        ...


class Recorded(NamedTuple):
    """What a session has left behind."""

    paths: tuple[Path, ...]  # that it wrote, as far as they are kept
    log_id: str  # of the last of them
    position: int  # where that ends
    rows: int  # of this session, in all of them


async def record_cluster(settings: RecordSettings, listener: Listener) -> Recorded:
    """Record until a signal comes, or the time is up.

    Raises AccessUnusable, NoRecording, LogUnreadable and LogUnavailable for a cluster or a file
    that cannot be used; Fenced and PositionTaken when somebody else writes into it.
    """
    reading = settings.reading
    access = await load_access(kubeconfig=reading.kubeconfig, context=reading.context)
    identity = Identity(code_version(), code_digest(), reading.digest(), reading.caching(), RECORD)
    bounds = Bounds(settings.max_size_mib * MEBIBYTE, settings.kept_files)
    pages = await Pages.open(Series(settings.path), identity, bounds, listener.turn)
    home = HttpApi(reading.cluster_name, access)
    try:
        await until_signalled(_record(settings, home, pages, listener))
        log, rows = await pages.log.identify(), await pages.rows()
    finally:
        await pages.close()
        await home.close()
    return Recorded(pages.paths, log.log_id, log.position, rows)


async def _record(settings: RecordSettings, home: Api, pages: Pages, listener: Listener) -> None:
    vault = SecretVault(await pages.log.secret_key())
    writer = await pages.begin(
        SteadyClock()(), lambda state: require_cluster(state, home.cluster, pages.path)
    )
    listener.begin(pages.path, writer, pages.cut_bytes)
    writer = await pages.turn(writer, writer.cursor.at)  # it may have been full before
    limits = Limits(settings.reading.request_timeout_seconds)
    means = Means(SteadyClock(writer.cursor.at), SystemTimer(), vault, connect, limits)
    recorder = Recorder(writer, ReadOnlyApi(home), means, listener.show, pages.turn)
    try:
        async with asyncio.timeout(settings.duration_seconds):
            await recorder.run()
    except (asyncio.CancelledError, TimeoutError):
        await recorder.finish()


async def connect(cluster: str, kubeconfig: str) -> Api:
    """Give another cluster, to be read. Raises WarmlogError, in words without a secret."""
    return ReadOnlyApi(HttpApi(cluster, await access_from_kubeconfig(kubeconfig)))


def require_cluster(state: State, name: str, path: Path) -> None:
    """What a recording holds is keyed by cluster: under another name none would go on."""
    known = sorted(one for one in state.clusters if one and not one.startswith(REMOTE))
    if known and name not in known:
        raise OtherCluster(
            f"{path} is of cluster {known[0]}: give --cluster-name {known[0]}, or another file"
        )
