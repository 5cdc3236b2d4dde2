"""The mount that a Ready entry publishes."""

import json

from machines.caches.child_names import claim_name
from machines.caches.mounts import mount


def test_the_mount_is_what_replicas_had_before() -> None:
    """Every byte is as before, so no engine restarts, and it may be written to [C58]"""
    assert json.dumps(mount(claim_name("ml-team", "qwen"))) == (
        '{"volumes": [{"name": "model-cache", "persistentVolumeClaim":'
        ' {"claimName": "modelcache-ml-team-qwen-17db2"}}],'
        ' "volumeMounts": [{"name": "model-cache", "mountPath": "/mnt/models"}],'
        ' "env": [{"name": "HF_HUB_CACHE", "value": "/mnt/models"}]}'
    )


def test_engines_may_ask_the_hub_for_more() -> None:
    """A second repository, as that of a tokenizer, can be fetched: nothing is offline [C63]"""
    assert [entry["name"] for entry in mount("claim")["env"]] == ["HF_HUB_CACHE"]
