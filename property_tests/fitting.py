"""Fitting: whether what was sent is what an intent of the log says."""

import hashlib
from typing import Any

from adapters.ports import APPLY_PATCH
from engine.canonical_json import dumps
from machines import labels
from property_tests.evidence import Row, Sent

_TTL = "/spec/ttlSecondsAfterFinished"


def fits(sent: Sent, intent: Row) -> bool:
    """Say whether a request does to that very thing what the intent says."""
    name, data, body = intent.event.type, intent.data, sent.request.body
    uid = data.get("uid") or data.get("job_uid")
    if sent.request.method == "POST":
        # A Secret's value is filled in when it is sent: no log may hold it, nor a digest of it.
        return bool(sent.kind == "Secret" or digest(body) == data["digest"])
    if sent.request.method == "DELETE":
        return bool(body["preconditions"].get("uid") == uid)
    if sent.request.content_type == APPLY_PATCH:
        applied = body["metadata"]["annotations"][labels.APPLIED]
        return name == "ApplyIntended" and applied == data["digest"]
    written = {one["path"]: one["value"] for one in body if one["op"] != "remove"}
    stamped: bool = name != "StampTtlIntended" or written.get(_TTL) == data["ttl_seconds"]
    return stamped and bool(body[0]["value"] == uid)


def digest(body: Any) -> str:
    """Give the sha256 of a body's canonical JSON."""
    return hashlib.sha256(dumps(body).encode()).hexdigest()
