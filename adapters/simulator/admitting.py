"""What a server adds to new claims, volumes and Services by admission, and what it forbids."""

from adapters.simulator import answers
from adapters.simulator.quantities import amount_of
from adapters.simulator.resources import CLAIM, CLASS, SERVICE, VOLUME, Resource
from adapters.simulator.storage import Manifest, Storage, key_of

CLAIM_FINALIZER = "kubernetes.io/pvc-protection"
VOLUME_FINALIZER = "kubernetes.io/pv-protection"
DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class"

_ADDRESS = ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy")
_FINALIZERS = {CLAIM.kind: CLAIM_FINALIZER, VOLUME.kind: VOLUME_FINALIZER}


def admitted(storage: Storage, resource: Resource, wanted: Manifest) -> Manifest:
    """Give a new object with what admission adds: a finalizer that protects it, a class."""
    if resource is SERVICE:
        return _with_address(storage, wanted)
    finalizer = _FINALIZERS.get(resource.kind)
    if finalizer is None:
        return wanted
    metadata = wanted["metadata"]
    held = list(metadata.get("finalizers") or ())
    if finalizer not in held:
        wanted = {**wanted, "metadata": {**metadata, "finalizers": [*held, finalizer]}}
    if resource is CLAIM and wanted["spec"].get("storageClassName") is None:
        return _with_default_class(storage, wanted)
    return wanted


def _with_address(storage: Storage, service: Manifest) -> Manifest:
    """Give a Service an address of its own, unless it is not to have one."""
    spec = service["spec"]
    if spec.get("clusterIP"):
        return service
    number = storage.version
    address = f"10.96.{number // 250 % 250}.{number % 250 + 1}"
    given = {
        "clusterIP": address,
        "clusterIPs": [address],
        "ipFamilies": ["IPv4"],
        "ipFamilyPolicy": "SingleStack",
    }
    return {**service, "spec": {**given, **spec}}


def readmitted(resource: Resource, current: Manifest, wanted: Manifest) -> Manifest:
    """Give a changed object with what it was given once: a Service keeps its address."""
    if resource is not SERVICE or wanted["spec"].get("clusterIP"):
        return wanted
    kept = {field: current["spec"][field] for field in _ADDRESS if field in current["spec"]}
    return {**wanted, "spec": {**kept, **wanted["spec"]}}


def check_growth(storage: Storage, current: Manifest, wanted: Manifest) -> None:
    """Refuse with 403 to let a claim grow that must not."""
    sizes = [
        amount_of((item["spec"]["resources"].get("requests") or {}).get("storage", "0"))
        for item in (current, wanted)
    ]
    if sizes[1] <= sizes[0]:
        return
    name = current["metadata"]["name"]
    if current["status"].get("phase") != "Bound":
        words = "Only bound persistent volume claims can be expanded"
        raise answers.forbidden(CLAIM, name, words)
    class_name = wanted["spec"].get("storageClassName") or ""
    found = storage.get(CLASS.kind, key_of("", class_name))
    if found is None or not found.get("allowVolumeExpansion"):
        words = (
            "only dynamically provisioned pvc can be resized and the storageclass that "
            "provisions the pvc must support resize"
        )
        raise answers.forbidden(CLAIM, name, words)


def _with_default_class(storage: Storage, claim: Manifest) -> Manifest:
    """Give a claim that names no class the default one: the newest, if there are several."""
    defaults = [
        item
        for item in storage.listed(CLASS.kind)
        if (item["metadata"].get("annotations") or {}).get(DEFAULT_CLASS) == "true"
    ]
    if not defaults:
        return claim
    newest = max(defaults, key=lambda item: str(item["metadata"]["creationTimestamp"]))
    spec = {**claim["spec"], "storageClassName": newest["metadata"]["name"]}
    return {**claim, "spec": spec}
