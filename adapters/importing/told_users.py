"""Who mounts a claim, as far as material shows: the Pods that were recorded, whoever's they are.

Material may lack some, so nobody is said to mount a claim only after somebody was said to.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from adapters.importing.sights import Raw
from adapters.kubernetes.fields import mapping, text
from adapters.kubernetes.kinds import CLAIM
from adapters.kubernetes.reading_claim_users import claims_mounted, users_of
from engine.events import Event
from machines.caches.asking import release_questions
from machines.observations import ClaimUsersRead
from machines.states import State

# Rows about these may open a question; those about nothing say that a kind was listed.
_OPENING = frozenset(
    {CLAIM.name, "ModelCache", "InferenceCluster", "HydrationJob", "HydrationPod", ""}
)


class UserBook:
    """The Pods of one cluster that mount claims."""

    def __init__(self, cluster: str) -> None:
        """Begin with none."""
        self._cluster = cluster
        self._pods: dict[tuple[str, str], dict[str, Raw]] = {}  # by namespace and claim, and uid
        self._changed = False
        self._told: set[str] = set()  # uids of claims that somebody was said to mount

    def note(self, raw: Raw, *, gone: bool) -> bool:
        """Take in a Pod as it is, or its end; say whether it mounts any claim."""
        metadata = mapping(raw.get("metadata"))
        claims = claims_mounted(raw)
        for claim in claims:
            pods = self._pods.setdefault((text(metadata.get("namespace")), claim), {})
            pods.pop(text(metadata.get("uid")), None)
            if not gone:
                pods[text(metadata.get("uid"))] = _lean(raw)
            self._changed = True
        return bool(claims)

    def answers(self, state: State, rows: Iterable[Event]) -> Iterator[ClaimUsersRead]:
        """Give who mounts the claims that are to be released, if there may be news."""
        changed, self._changed = self._changed, False
        opened = any(row.subject.partition("/")[0] in _OPENING for row in rows)
        if not self._pods or not (changed or opened):
            return
        for asked in tuple(release_questions(state)):
            claim = asked.subject
            pods = self._pods.get((claim.namespace, claim.name), {})
            if asked.cluster == self._cluster and (pods or claim.uid in self._told):
                self._told.add(claim.uid)
                yield users_of(self._cluster, claim, pods.values())


def _lean(raw: Raw) -> dict[str, Any]:
    """Give of a Pod what is read of a user of a claim."""
    metadata, spec = mapping(raw.get("metadata")), mapping(raw.get("spec"))
    volumes = [{"persistentVolumeClaim": {"claimName": claim}} for claim in claims_mounted(raw)]
    return {
        "metadata": {"name": metadata.get("name")},
        "spec": {"volumes": volumes, "nodeName": spec.get("nodeName")},
        "status": {"phase": mapping(raw.get("status")).get("phase")},
    }
