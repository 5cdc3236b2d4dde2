"""The mount: what an engine's Pod needs to find a staged model, as a Ready entry publishes it.

Byte-equal to what Modelplane's replicas were composed with before there was a published mount: any
other key, or another order, would restart every engine.
"""

from typing import Any

VOLUME = "model-cache"
PATH = "/mnt/models"


def mount(claim_name: str) -> dict[str, Any]:
    """Give the mount of this claim; read-write, since engines write locks and compiled files."""
    return {
        "volumes": [{"name": VOLUME, "persistentVolumeClaim": {"claimName": claim_name}}],
        "volumeMounts": [{"name": VOLUME, "mountPath": PATH}],
        "env": [{"name": "HF_HUB_CACHE", "value": PATH}],
    }
