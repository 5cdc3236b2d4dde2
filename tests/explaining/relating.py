"""Relating: which rows of a log are about something by its name, told by their text alone."""

import json
from typing import Any, NamedTuple

SHOWN = {
    "Job": "Job", "HydrationJob": "Job", "PersistentVolumeClaim": "PersistentVolumeClaim",
    "Node": "Node", "Pod": "Pod", "HydrationPod": "Pod", "Secret": "Secret",
    **{kind: kind for kind in (
        "Deployment", "LeaderWorkerSet", "Service", "ResourceClaimTemplate", "Namespace",
        "StorageClass",
    )},
}  # fmt: skip
Row = dict[str, Any]  # as in a JSON Lines file


class Named(NamedTuple):
    """A name that objects on a cluster bore."""

    cluster: str
    kind: str
    namespace: str
    name: str


def own(row: Row) -> Named | None:
    """What a row is of, when that has a name of the kinds that are explained by it."""
    kind, namespace, name, _ = row["subject"].split("/")
    return Named(row["cluster"], SHOWN[kind], namespace, name) if kind in SHOWN else None


def related(rows: list[Row], named: Named) -> set[int]:
    """The positions of rows about an object, about what runs in or on it, or decided about it."""
    uids = {row["subject"].rpartition("/")[2] for row in rows if own(row) == named}
    words = {f'"{word}"' for word in (*uids, named.name) if word}
    words.add(f'"Secret/{named.namespace}/{named.name}"')
    told = {
        row["seq"]
        for row in rows
        if row["cluster"] == named.cluster
        and (own(row) == named or any(word in json.dumps(row["data"]) for word in words))
    }
    things = {row["subject"] for row in rows if row["seq"] in told and own(row) is not None}
    answers = {row["seq"] for row in rows if row["cause"] in told}
    made = {row["data"].get("uid") for row in rows if row["seq"] in answers}
    ran = {row["subject"] for row in rows if own(row) is not None and _is_of(row, made)}
    about = told | answers | {row["seq"] for row in rows if row["subject"] in things | ran}
    uids = {subject.rpartition("/")[2] for subject in things | ran} | made
    decided = {row["seq"] for row in rows if not uids.isdisjoint(_decided_about(row))}
    return about | decided | {row["seq"] for row in rows if row["cause"] in decided}


def _decided_about(row: Row) -> set[str]:
    """The uid of what a row decides about, if it decides anything."""
    is_decision = row["type"].endswith("Intended")
    return (
        {row["data"].get(key) for key in ("uid", "job_uid")} - {None, ""} if is_decision else set()
    )


def _is_of(row: Row, made: set[str]) -> bool:
    """Say whether a row is of a Job that was made, or of what runs in one."""
    uid, level = row["subject"].rpartition("/")[2], row["data"].get("level", {})
    return not made.isdisjoint({uid, level.get("jobUid")})
