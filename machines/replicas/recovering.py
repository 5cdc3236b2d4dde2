"""Recovering: what a replica's own status tells when the log lacks its history.

That it was composed before, whether it served, and the mount that was kept: so a workload that
somebody deleted meanwhile comes back with it. A workload that is there says it better. A status
that is later than an older log, and tells of another mount, overtakes what that one knows of
mounts. One of another uid proves nothing, and is not recorded; a mount in it that is not plain
counts as none told at all.
"""

from typing import Any

from engine.canonical_json import dumps
from machines.origins import is_later, is_of
from machines.replicas.mounts import MountRefused, read_mount
from machines.replicas.replicas import ReplicaState
from machines.replicas.states import Replica
from machines.replicas.stirring import stir_replica
from machines.states import State


def tells_of(uid: str, status: Any) -> bool:
    """Say whether a status is warmlog's own, of this very object, and says that it was composed."""
    return is_of(uid, status) and status.get("composed") is True


def tells_of_later(state: State, replica: Replica, status: Any) -> bool:
    """Say whether a status tells what was composed after an older log ended."""
    if not tells_of(replica.subject.uid, status):
        return False
    if not is_later(status, state.log_id, replica.position):
        return False
    return not replica.composed or _told_mount(status) not in (None, replica.kept)


def fold_replica_recovered(state: State, replica: Replica, status: dict[str, Any]) -> None:
    """Keep what the status tells; what is known of workloads is read off them anew."""
    stir_replica(state, replica.subject.uid)
    mount = _told_mount(status)
    if mount is None:
        return
    if not replica.composed and _served(status):
        replica.state = ReplicaState.SERVING  # until facts of its cluster say otherwise
    replica.composed, replica.kept = True, mount
    under_way = {name: one for name, one in replica.engines.items() if one.applying is not None}
    replica.engines = under_way


def _told_mount(status: dict[str, Any]) -> str | None:
    """Give the mount that a status tells of, as text; None when it is not plain."""
    try:
        mount = read_mount(status.get("mount"))
    except MountRefused:
        return None
    return "" if mount.is_empty else dumps(mount.to_json())


def _served(status: dict[str, Any]) -> bool:
    rows = status.get("conditions")
    found = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return any((row.get("type"), row.get("status")) == ("ModelReady", "True") for row in found)
