"""A Job's podFailurePolicy: what the failure of one Pod means to its Job."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from adapters.simulator.storage import Manifest


class Verdict(NamedTuple):
    """Whether a failed Pod counts towards backoffLimit, or ends the Job at once."""

    counts: bool = True
    fails_job: bool = False
    message: str = ""


def verdict_on(job: Manifest, pod: Manifest) -> Verdict:
    """Say what the first rule that matches a failed Pod says; without one, it counts."""
    policy = job["spec"].get("podFailurePolicy") or {}
    if pod["status"].get("phase") != "Failed":
        return Verdict()
    for index, rule in enumerate(policy.get("rules") or ()):
        words = _matching(rule, pod)
        if words is None:
            continue
        match rule.get("action"):
            case "Ignore":
                return Verdict(counts=False)
            case "FailJob":
                return Verdict(
                    fails_job=True, message=f"{words} matching FailJob rule at index {index}"
                )
            case _:
                return Verdict()
    return Verdict()


def _matching(rule: Mapping[str, Any], pod: Manifest) -> str | None:
    """Give the words for what matched; None when nothing did."""
    metadata = pod["metadata"]
    where = f"{metadata['namespace']}/{metadata['name']}"
    conditions: Iterable[Manifest] = pod["status"].get("conditions") or ()
    for pattern in rule.get("onPodConditions") or ():
        for condition in conditions:
            if (condition["type"], condition["status"]) == (
                pattern["type"],
                pattern.get("status", "True"),
            ):
                return f"Pod {where} has condition {condition['type']}"
    codes = rule.get("onExitCodes")
    if not codes:
        return None
    for container in pod["status"].get("containerStatuses") or ():
        ended = (container.get("state") or {}).get("terminated")
        if ended is None or codes.get("containerName", container["name"]) != container["name"]:
            continue
        listed = ended["exitCode"] in codes["values"]
        if ended["exitCode"] and listed == (codes["operator"] == "In"):
            failed = f"Container {container['name']} for pod {where} failed"
            return f"{failed} with exit code {ended['exitCode']}"
    return None
