"""A Deployment's books: its ReplicaSets, how many Pods each is to have, and its status.

Nothing is changed here.
"""

import json
import math
import zlib
from typing import NamedTuple

from adapters.simulator.clock import SECOND, instant, timestamp
from adapters.simulator.conditions import condition_of, is_true, with_condition
from adapters.simulator.storage import Manifest

REVISION = "deployment.kubernetes.io/revision"
HASH_LABEL = "pod-template-hash"

_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
_HASH_LENGTH = 10
_COMPLETE = "NewReplicaSetAvailable"
_TIMED_OUT = "ProgressDeadlineExceeded"


class Rollout(NamedTuple):
    """A Deployment and its ReplicaSets at one look."""

    deployment: Manifest
    new: Manifest  # the ReplicaSet of the present template
    old: list[Manifest]  # the others, oldest first

    @property
    def sets(self) -> list[Manifest]:
        """All ReplicaSets."""
        return [*self.old, self.new]

    @property
    def wanted(self) -> int:
        """How many Pods there are to be in the end."""
        return int(self.deployment["spec"]["replicas"])

    @property
    def bounds(self) -> tuple[int, int]:
        """The fewest available Pods and the most Pods that a rollout may have."""
        strategy = self.deployment["spec"]["strategy"]
        if strategy["type"] != "RollingUpdate":
            return 0, self.wanted
        rolling = strategy["rollingUpdate"]
        surge = _share(rolling["maxSurge"], self.wanted, up=True)
        missing = _share(rolling["maxUnavailable"], self.wanted, up=False)
        if not surge and not missing:
            missing = 1
        return max(self.wanted - missing, 0), self.wanted + surge


def template_hash(deployment: Manifest) -> str:
    """Give the name of a Deployment's template: another for each template."""
    number = zlib.crc32(json.dumps(deployment["spec"]["template"], sort_keys=True).encode())
    letters = []
    for _ in range(_HASH_LENGTH):
        number, index = divmod(number, len(_ALPHABET))
        letters.append(_ALPHABET[index])
    return "".join(letters)


def revision_of(item: Manifest) -> int:
    """Give the revision that is written on a Deployment or a ReplicaSet."""
    return int((item["metadata"].get("annotations") or {}).get(REVISION, "0"))


def size_of(replica_set: Manifest) -> int:
    """Give how many Pods a ReplicaSet is to have."""
    return int(replica_set["spec"]["replicas"])


def count_of(replica_set: Manifest, field: str) -> int:
    """Give one of the counters in a ReplicaSet's status."""
    return int(replica_set["status"].get(field, 0))


def next_sizes(rollout: Rollout) -> dict[str, int]:
    """Say which ReplicaSets are to have another size now, by name."""
    if rollout.deployment["spec"]["strategy"]["type"] == "Recreate":
        return _recreated(rollout)
    fewest, most = rollout.bounds
    new, now = rollout.new, sum(map(size_of, rollout.sets))
    room = max(most - now, 0)
    size = min(rollout.wanted, size_of(new) + room)
    if size != size_of(new):
        return {_name(new): size}
    unavailable = size_of(new) - count_of(new, "availableReplicas")
    spare = now - fewest - max(unavailable, 0)
    changed: dict[str, int] = {}
    for each in rollout.old:  # what does not work goes first
        useless = size_of(each) - count_of(each, "availableReplicas")
        taken = max(min(useless, spare), 0)
        if taken:
            changed[_name(each)] = size_of(each) - taken
            spare -= taken
    available = sum(count_of(each, "availableReplicas") for each in rollout.sets)
    spare = min(spare, available - fewest)
    for each in rollout.old:
        left = changed.get(_name(each), size_of(each))
        taken = max(min(left, spare), 0)
        if taken:
            changed[_name(each)] = left - taken
            spare -= taken
    return changed


def _recreated(rollout: Rollout) -> dict[str, int]:
    gone = {_name(each): 0 for each in rollout.old if size_of(each)}
    if gone or any(count_of(each, "replicas") for each in rollout.old):
        return gone
    if any(count_of(each, "terminatingReplicas") for each in rollout.old):
        return {}
    wanted = rollout.wanted
    return {} if size_of(rollout.new) == wanted else {_name(rollout.new): wanted}


def status_of(rollout: Rollout, now: int) -> Manifest:
    """Give the status that a Deployment is to have."""
    deployment, sets = rollout.deployment, rollout.sets
    available = sum(count_of(each, "availableReplicas") for each in sets)
    counted = {
        "replicas": sum(count_of(each, "replicas") for each in sets),
        "updatedReplicas": count_of(rollout.new, "replicas"),
        "readyReplicas": sum(count_of(each, "readyReplicas") for each in sets),
        "availableReplicas": available,
        "unavailableReplicas": max(sum(map(size_of, sets)) - available, 0),
    }
    status: Manifest = {
        "observedGeneration": deployment["metadata"]["generation"],
        **{field: count for field, count in counted.items() if count},
        "terminatingReplicas": sum(count_of(each, "terminatingReplicas") for each in sets),
        "conditions": list(deployment["status"].get("conditions") or ()),
    }
    enough = available >= rollout.bounds[0]
    words = ("has", "Available") if enough else ("does not have", "Unavailable")
    message = f"Deployment {words[0]} minimum availability."
    available_now = ("Available", f"MinimumReplicas{words[1]}", message)
    status = told(status, available_now, now, holds=enough)
    status = _with_progress(status, rollout, now)
    return _with_failure(status, rollout, now)


def told(status: Manifest, told_as: tuple[str, str, str], now: int, *, holds: bool) -> Manifest:
    """Give a status with a condition (type, reason, message); its time is of its last change."""
    kind, reason, message = told_as
    word = "True" if holds else "False"
    wanted = {"type": kind, "status": word, "reason": reason, "message": message}
    standing = condition_of({"status": status}, kind)
    if standing is not None and (standing["status"], standing["reason"]) == (word, reason):
        return status
    return with_condition(status, {**wanted, "lastUpdateTime": timestamp(now)}, now)


def _with_progress(status: Manifest, rollout: Rollout, now: int) -> Manifest:
    standing = condition_of(rollout.deployment, "Progressing")
    replicas, updated = status.get("replicas", 0), status.get("updatedReplicas", 0)
    complete = standing is not None and standing["reason"] == _COMPLETE
    if replicas == updated and complete:
        return status
    name = _name(rollout.new)
    wanted = rollout.wanted
    if (replicas, updated, status.get("availableReplicas", 0)) == (wanted, wanted, wanted):
        words = f'ReplicaSet "{name}" has successfully progressed.'
        return told(status, ("Progressing", _COMPLETE, words), now, holds=True)
    if _has_progressed(rollout.deployment["status"], status):
        words = f'ReplicaSet "{name}" is progressing.'
        condition = {
            "type": "Progressing",
            "status": "True",
            "reason": "ReplicaSetUpdated",
            "message": words,
            "lastUpdateTime": timestamp(now),
        }
        return with_condition(status, condition, now)
    ends_at = deadline(rollout.deployment)
    if ends_at is not None and now >= ends_at:
        words = f'ReplicaSet "{name}" has timed out progressing.'
        return told(status, ("Progressing", _TIMED_OUT, words), now, holds=False)
    return status


def _has_progressed(old: Manifest, new: Manifest) -> bool:
    def older(status: Manifest) -> int:
        return int(status.get("replicas", 0)) - int(status.get("updatedReplicas", 0))

    more = ("updatedReplicas", "readyReplicas", "availableReplicas")
    return older(new) < older(old) or any(new.get(name, 0) > old.get(name, 0) for name in more)


def deadline(deployment: Manifest) -> int | None:
    """Give the instant at which a rollout counts as stuck, if it is under way."""
    standing = condition_of(deployment, "Progressing")
    seconds = deployment["spec"].get("progressDeadlineSeconds")
    if standing is None or seconds is None or standing["reason"] in {_COMPLETE, _TIMED_OUT}:
        return None
    return instant(standing["lastUpdateTime"]) + int(seconds) * SECOND


def _with_failure(status: Manifest, rollout: Rollout, now: int) -> Manifest:
    """Pass on that a ReplicaSet cannot make its Pods."""
    kind = "ReplicaFailure"
    failing = next((each for each in rollout.sets if is_true(each, kind)), None)
    if failing is None:
        kept = [each for each in status["conditions"] if each["type"] != kind]
        return {**status, "conditions": kept}
    found = condition_of(failing, kind) or {}
    return told(status, (kind, found["reason"], found["message"]), now, holds=True)


def _share(value: int | str, of: int, *, up: bool) -> int:
    if isinstance(value, int):
        return value
    part = of * int(value.rstrip("%")) / 100
    return math.ceil(part) if up else math.floor(part)


def _name(item: Manifest) -> str:
    return str(item["metadata"]["name"])
