"""Why a Pod does not run, or failed: the nearest cause, in steadied words."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from adapters.kubernetes.fields import integer, mapping, mappings, text
from machines.causes import COMMAND_FAILED, DISRUPTED, HOPELESS
from machines.steadying import (
    LIMIT,
    cut,
    cut_start,
    steady,
    steady_end,
    steady_scheduling,
    steady_waiting,
)

# What every container goes through on its way; no cause of anything.
_ON_ITS_WAY = frozenset({"PodInitializing", "ContainerCreating"})

# How kubelets call a command that did not even begin to run, each with the image at hand.
_NOT_STARTED = frozenset({"StartError", "ContainerCannotRun", "RunContainerError"})
# What a runtime that looks for the command before it starts it says of one that is not there.
_NO_COMMAND = re.compile(r'executable file|exec format error|exec: "')
_IMAGE_THERE = "the image is there, but container"

_NAME = 64  # characters of a container's name
_REASON = 256  # characters of a reason word


class Cause(NamedTuple):
    """A reason word, the words that explain it, and the exit code of what failed, if anything."""

    reason: str = ""
    message: str = ""
    exit_code: int | None = None


class _Container(NamedTuple):
    name: str
    regular: bool  # it runs beside the others, not before them
    pulled: bool  # it was created once, which takes its image
    waiting: dict[str, Any]
    ended: dict[str, Any]


def pod_cause(raw: dict[str, Any], *, pinned: bool = True) -> Cause:
    """Give the nearest cause of a Pod's not running; an empty one when all is well.

    In order: a disruption (reason `DisruptionTarget`, words that begin with the kubelet's or the
    evictor's own reason), the Pod's own reason (DeadlineExceeded, …), the first container that
    ended with another exit code than 0 (`CommandFailed` when its image had been pulled), a
    container that waits, the scheduler (of a Pod that is `pinned` to its node, or not).
    """
    status = mapping(raw.get("status"))
    if status.get("phase") == "Succeeded":
        return Cause()
    metadata = mapping(raw.get("metadata"))
    owner = text(metadata.get("generateName")).removesuffix("-")
    failed = _failed(raw, owner)
    cause = (
        _disruption(status, owner)
        or _own_reason(status, owner)
        or failed
        or _waiting(raw, owner)
        or _scheduling(status, pinned=pinned)
    )
    if cause is None and status.get("phase") == "Failed":
        return Cause("PodFailed", "the Pod failed without a word")
    if cause is None:
        return Cause()
    return cause._replace(
        reason=cut(cause.reason, _REASON), exit_code=failed.exit_code if failed else None
    )


def hydration_cause(raw: dict[str, Any]) -> Cause:
    """Give the nearest cause as for any Pod, but of a container that failed its own last words.

    What it ran is all that a hydration is for, so nothing else has to be told of its end.
    """
    cause = pod_cause(raw, pinned=False)
    status = mapping(raw.get("status"))
    if cause.exit_code is None or cause.reason in {DISRUPTED, text(status.get("reason"))}:
        return cause
    ends = ((container.name, container.ended) for container in _containers(raw))
    return _last_words(raw, ends) or cause


def engine_cause(raw: dict[str, Any]) -> Cause:
    """Give the nearest cause as of a hydration, also of what failed before and runs again.

    Until it serves, an engine that is started again and again is told as one that fails.
    """
    cause = hydration_cause(raw)
    if cause.reason:
        return cause
    again = (
        (text(one.get("name")), mapping(mapping(one.get("lastState")).get("terminated")))
        for one in mappings(mapping(raw.get("status")).get("containerStatuses"))
        if one.get("ready") is not True
    )
    return _last_words(raw, again) or cause


def _last_words(raw: dict[str, Any], ends: Iterable[tuple[str, dict[str, Any]]]) -> Cause | None:
    """Give what the first container that ended badly said last."""
    owner = text(mapping(raw.get("metadata")).get("generateName")).removesuffix("-")
    for name, ended in ends:
        code = integer(ended.get("exitCode"))
        if code:
            reason = cut(text(ended.get("reason")) or "Error", _REASON)
            words = steady_end(text(ended.get("message")), owner)
            said = f"container {cut(name, _NAME)} failed with exit code {code} and said nothing"
            return Cause(reason, words or said, code)
    return None


def _disruption(status: dict[str, Any], owner: str) -> Cause | None:
    condition = _condition(status, DISRUPTED)
    if condition.get("status") != "True":
        return None
    reason = text(status.get("reason")) or text(condition.get("reason"))
    words = text(status.get("message")) or text(condition.get("message"))
    said = ": ".join(part for part in (reason, steady(words, owner)) if part)
    return Cause(DISRUPTED, cut(said))


def _own_reason(status: dict[str, Any], owner: str) -> Cause | None:
    reason = text(status.get("reason"))
    if not reason:
        return None
    return Cause(reason, steady(text(status.get("message")), owner))


def _failed(raw: dict[str, Any], owner: str) -> Cause | None:
    status = mapping(raw.get("status"))
    deleting = "deletionTimestamp" in mapping(raw.get("metadata"))
    for container in _containers(raw):
        code = integer(container.ended.get("exitCode"))
        if not code:
            continue
        reason, said = _ending(container, code, deleting=deleting)
        if container.regular and _others_work(status):
            said += ", while others of its Pod are still at work"
        words = steady_end(text(container.ended.get("message")), owner)
        if words:
            said += ": "
            # The end of what a program said last is worth more than its start.
            said += cut_start(words, LIMIT - len(said))
        return Cause(reason, said, code)
    return None


def _ending(container: _Container, code: int, *, deleting: bool) -> tuple[str, str]:
    """Give reason and words of a container's bad end.

    A Pod that is being deleted had its containers killed: that is no failure of what they ran.
    """
    reason = text(container.ended.get("reason")) or "Error"
    if reason in _NOT_STARTED:
        said = f"{_IMAGE_THERE} {container.name} could not start its command"
        return COMMAND_FAILED, f"{said} ({cut(reason, _NAME)}, exit code {code})"
    if reason == "Error" and container.pulled and not deleting:
        return COMMAND_FAILED, f"{_IMAGE_THERE} {container.name} failed with exit code {code}"
    return reason, f"container {container.name} failed with exit code {code}"


def _others_work(status: dict[str, Any]) -> bool:
    """Say whether a regular container has not ended: before they all have, no Pod has failed."""
    if status.get("phase") == "Failed":
        return False
    states = [mapping(one.get("state")) for one in mappings(status.get("containerStatuses"))]
    return not all(state.get("terminated") for state in states)


def _waiting(raw: dict[str, Any], owner: str) -> Cause | None:
    first: Cause | None = None
    for container in _containers(raw):
        reason = text(container.waiting.get("reason"))
        if not reason or reason in _ON_ITS_WAY:
            continue
        reason, words = steady_waiting(reason, text(container.waiting.get("message")), owner)
        cause = Cause(reason, words or f"container {container.name} waits")
        if reason in _NOT_STARTED or (
            reason == "CreateContainerError" and _NO_COMMAND.search(words)
        ):
            said = f"{_IMAGE_THERE} {container.name} cannot start its command"
            cause = Cause(COMMAND_FAILED, cut(f"{said}: {words}" if words else said))
        if reason in HOPELESS:
            return cause  # said before any other container's: waiting does not help
        first = first or cause
    return first


def _scheduling(status: dict[str, Any], *, pinned: bool) -> Cause | None:
    condition = _condition(status, "PodScheduled")
    if condition.get("status") != "False":
        return None
    reason = text(condition.get("reason")) or "Unschedulable"
    return Cause(reason, steady_scheduling(text(condition.get("message")), pinned=pinned))


def _containers(raw: dict[str, Any]) -> Iterator[_Container]:
    """Give the containers' states, those that run first first."""
    status = mapping(raw.get("status"))
    for field in ("initContainerStatuses", "containerStatuses"):
        for one in mappings(status.get(field)):
            state = mapping(one.get("state"))
            waiting = mapping(state.get("waiting"))
            ended = mapping(state.get("terminated"))
            if waiting and not ended:  # it failed before, and waits to be started again
                ended = mapping(mapping(one.get("lastState")).get("terminated"))
            pulled = bool(text(one.get("imageID")))
            regular = field == "containerStatuses"
            yield _Container(cut(text(one.get("name")), _NAME), regular, pulled, waiting, ended)


def _condition(status: dict[str, Any], name: str) -> dict[str, Any]:
    for condition in mappings(status.get("conditions")):
        if condition.get("type") == name:
            return condition
    return {}
