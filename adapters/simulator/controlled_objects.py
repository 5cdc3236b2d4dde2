"""Controlled objects: how what a controller makes says whose it is, and Pods made by a template."""

from typing import Any

from adapters.simulator.resources import Resource
from adapters.simulator.storage import Manifest


def controller_reference(owner: Manifest, resource: Resource) -> Manifest:
    """Give the owner reference of what is controlled by `owner`, an object of that resource."""
    metadata = owner["metadata"]
    return {
        "apiVersion": resource.api_version,
        "kind": resource.kind,
        "name": metadata["name"],
        "uid": metadata["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }


def pod_of(owner: Manifest, resource: Resource, **more: Any) -> Manifest:
    """Give the Pod that an owner's template calls for; `more` is metadata."""
    template = owner["spec"]["template"]
    given = {
        **template["metadata"],
        "generateName": f"{owner['metadata']['name']}-",
        "ownerReferences": [controller_reference(owner, resource)],
        **more,
    }
    return {"kind": "Pod", "apiVersion": "v1", "metadata": given, "spec": template["spec"]}
