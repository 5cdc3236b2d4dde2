"""Opening the files of a recording: new ones, and those that are gone on with."""

from pathlib import Path

from adapters.store.databases import SqlLog
from adapters.store.growing_files import GrowingFile, key_beside
from adapters.store.locations import Kind, parse_location
from adapters.store.opening import open_log
from engine.canonical_json import loads
from engine.errors import WarmlogError
from engine.logs import EventReader
from machines.recorders import RECORD

RecordingLog = GrowingFile | SqlLog


class NoRecording(WarmlogError):
    """A place to record into that holds something else, or cannot hold a recording."""


class OtherCluster(NoRecording):
    """A recording that knows the cluster by another name."""


def check_place(location: str) -> Path:
    """Give the file that is meant. Raises NoRecording, LogUnreadable."""
    place = parse_location(location)
    folder = place.path.absolute().parent
    if place.kind in {Kind.POSTGRES, Kind.CONTROLLER}:
        raise NoRecording("a recording is a file: name a .jsonl file, or a SQLite file")
    if not folder.is_dir():
        raise NoRecording(f"there is no folder {folder}: make it, or name another")
    return place.path


async def open_recording(path: Path, first: Path, key: bytes | None = None) -> RecordingLog:
    """Open a file to record into, made when nothing is there.

    `first` is the first one of the recording, and `key` what digests are made with in another one
    of it that is open. Raises NoRecording for what somebody else wrote, LogUnreadable,
    LogUnavailable.
    """
    if parse_location(path).kind is Kind.SQLITE:
        if _is_there(path):
            async with await open_log(path, read_only=True) as reader:
                await _require_ours(reader, path)
        return await open_log(path, create=True, secret_key=key)
    log = await GrowingFile.open(path, lambda: key_beside(first))
    try:
        await _require_ours(log, path)
    except BaseException:
        await log.close()
        raise
    return log


async def _require_ours(reader: EventReader, path: Path) -> None:
    """See to it that only a recording is written to: a controller's log would be taken from it."""
    async for batch in reader.read(until=1):
        first = batch[0]
        told = loads(first.data) if first.type == "SessionStarted" else {}
        if told.get("recorder") != RECORD:
            raise NoRecording(f"{path} is no recording of `warmlog record`: name another file")


def _is_there(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0
