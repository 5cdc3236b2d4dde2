"""Versions: what a log holds of the resourceVersions of a cluster's objects.

A list that is older than they are, or that shows an object as it was before, is of another past.
"""

from collections.abc import Mapping
from typing import NamedTuple

from machines.replicas.kinds import COMPOSED
from machines.states import Cluster, State


class KnownVersion(NamedTuple):
    """The newest version of an object that the log holds."""

    number: int  # 0: none that could be compared
    ended: bool = False  # the object went in that version, for good


def known_versions(state: State, cluster_name: str) -> dict[str, dict[str, KnownVersion]]:
    """Give the versions that the log holds of a cluster, by kind and uid.

    What replicas are composed of does not count as ended when it is gone: it may have become
    somebody else's, and come back.
    """
    cluster = state.clusters.get(cluster_name) or Cluster(cluster_name)
    versions = {
        kind: {uid: KnownVersion(known.version) for uid, known in objects.items()}
        for kind, objects in cluster.objects.items()
    }
    for uid, end in cluster.buried.items():
        versions[end.kind][uid] = KnownVersion(end.version, ended=end.kind not in COMPOSED)
    return versions


def newest_of(versions: Mapping[str, KnownVersion]) -> str:
    """Give the newest of these versions as the API server writes it; "" when there is none."""
    newest = max((one.number for one in versions.values()), default=0)
    return str(newest) if newest else ""
