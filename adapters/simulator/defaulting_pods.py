"""What the API server adds to the spec of a Pod, wherever one stands."""

from typing import Any

from adapters.simulator.storage import Manifest

_POD_SPEC_DEFAULTS: Manifest = {
    "restartPolicy": "Always",
    "terminationGracePeriodSeconds": 30,
    "dnsPolicy": "ClusterFirst",
    "securityContext": {},
    "schedulerName": "default-scheduler",
}
_CONTAINER_DEFAULTS: Manifest = {
    "resources": {},
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
}
_PROBE_DEFAULTS: Manifest = {
    "timeoutSeconds": 1,
    "periodSeconds": 10,
    "successThreshold": 1,
    "failureThreshold": 3,
}
_GET_DEFAULTS: Manifest = {"path": "/", "scheme": "HTTP"}
_PORT_DEFAULTS: Manifest = {"protocol": "TCP"}
_FILES_DEFAULTS: Manifest = {"defaultMode": 0o644}
_VOLUME_DEFAULTS: dict[str, Manifest] = {
    "secret": _FILES_DEFAULTS,
    "configMap": _FILES_DEFAULTS,
    "downwardAPI": _FILES_DEFAULTS,
    "projected": _FILES_DEFAULTS,
    "hostPath": {"type": ""},
}
_PROBES = ("readinessProbe", "livenessProbe", "startupProbe")


def defaulted_pod_spec(spec: Manifest) -> Manifest:
    """Give a new dict: the spec of a Pod with its defaults."""
    spec = {**_POD_SPEC_DEFAULTS, **spec}
    for part in ("containers", "initContainers"):
        if isinstance(spec.get(part), list):
            spec[part] = [_container(container) for container in spec[part]]
    if spec.get("volumes"):
        spec["volumes"] = [_volume(volume) for volume in spec["volumes"]]
    return spec


def _container(container: Manifest) -> Manifest:
    image = container.get("image") or ""
    pull = "Always" if _tag(image) == "latest" else "IfNotPresent"
    added = {"imagePullPolicy": pull, **_CONTAINER_DEFAULTS, **container}
    if added.get("ports"):
        added["ports"] = [{**_PORT_DEFAULTS, **port} for port in added["ports"]]
    if added.get("env"):
        added["env"] = [_variable(variable) for variable in added["env"]]
    for name in _PROBES:
        if added.get(name):
            added[name] = _probe(added[name])
    return added


def _probe(probe: Manifest) -> Manifest:
    probe = {**_PROBE_DEFAULTS, **probe}
    if probe.get("httpGet"):
        probe["httpGet"] = {**_GET_DEFAULTS, **probe["httpGet"]}
    return probe


def _variable(variable: Manifest) -> Manifest:
    reference = (variable.get("valueFrom") or {}).get("fieldRef")
    if not reference:
        return variable
    source = {**variable["valueFrom"], "fieldRef": {"apiVersion": "v1", **reference}}
    return {**variable, "valueFrom": source}


def _volume(volume: Manifest) -> Manifest:
    sources: dict[str, Any] = {
        name: {**_VOLUME_DEFAULTS[name], **source} if name in _VOLUME_DEFAULTS else source
        for name, source in volume.items()
        if name != "name" and source is not None
    }
    named = {"name": volume["name"]} if "name" in volume else {}
    return {**named, **(sources or {"emptyDir": {}})}


def _tag(image: str) -> str:
    """Give an image's tag; an image without tag or digest has `latest`."""
    if "@" in image:
        return ""
    return image.rpartition("/")[2].partition(":")[2] or "latest"
