"""References: how a person names an object."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import NamedTuple

from adapters.explaining.errors import Misasked
from adapters.texts import names
from machines.caches.finding import CLAIM
from machines.kinds import CACHE, CLUSTER, REPLICA, WARMUP
from machines.replicas.kinds import CLAIM_TEMPLATE, DEPLOYMENT, GANG, NAMESPACE, SERVICE
from machines.states import SECRET
from machines.things import JOB, KINDS, NODE, POD, WITHOUT_NAMESPACE
from machines.tying import STORAGE_CLASS

HELP = (
    "KIND/NAMESPACE/NAME, as in modelwarmup/default/runtime-image-warmup, modelcache/ml-team/qwen "
    "or modelreplica/ml-team/qwen-1; inferencecluster/NAME."
)
THING_HELP = (
    f"{HELP.removesuffix('.')}; or job/NAMESPACE/NAME, claim/… (pvc), pod/…, secret/…, "
    "deployment/… (deploy), leaderworkerset/… (lws), service/… (svc) or resourceclaimtemplate/…, "
    "with or without the namespace, and node/NAME, namespace/NAME (ns) or storageclass/NAME (sc)."
)
WARMUP_HELP = "modelwarmup/NAMESPACE/NAME, as in modelwarmup/default/runtime-image-warmup."

_KINDS = {
    "modelwarmup": WARMUP, "modelwarmups": WARMUP, "mw": WARMUP,
    "modelcache": CACHE, "modelcaches": CACHE, "mc": CACHE,
    "modelreplica": REPLICA, "modelreplicas": REPLICA, "mr": REPLICA,
    "inferencecluster": CLUSTER, "inferenceclusters": CLUSTER, "ic": CLUSTER,
}  # fmt: skip
_THINGS = {
    "job": JOB, "jobs": JOB, "node": NODE, "nodes": NODE, "no": NODE, "pod": POD, "pods": POD,
    "po": POD, "secret": SECRET, "secrets": SECRET, "claim": CLAIM, "claims": CLAIM, "pvc": CLAIM,
    "persistentvolumeclaim": CLAIM, "persistentvolumeclaims": CLAIM,
    "deployment": DEPLOYMENT, "deployments": DEPLOYMENT, "deploy": DEPLOYMENT,
    "leaderworkerset": GANG, "leaderworkersets": GANG, "lws": GANG,
    "service": SERVICE, "services": SERVICE, "svc": SERVICE,
    "resourceclaimtemplate": CLAIM_TEMPLATE, "resourceclaimtemplates": CLAIM_TEMPLATE,
    "namespace": NAMESPACE, "namespaces": NAMESPACE, "ns": NAMESPACE,
    "storageclass": STORAGE_CLASS, "storageclasses": STORAGE_CLASS, "sc": STORAGE_CLASS,
}  # fmt: skip
PARTS = {"node": (WARMUP,), "on": (CACHE, *KINDS)}  # what narrows which kinds down
_NEAR = 3  # names that are like one that is not there
_WITHOUT_NAMESPACE = frozenset({CLUSTER})


def kinds_of(part: str) -> str:
    """Name the kinds that a part narrows down, for a sentence."""
    *others, last = (f"{'an' if kind[0] in 'AEIO' else 'a'} {kind}" for kind in PARTS[part])
    return f"{', '.join(others)} or {last}" if others else last


class Reference(NamedTuple):
    """An object by name."""

    kind: str
    namespace: str  # "" where the kind has none
    name: str

    def __str__(self) -> str:
        """Give it as it is written."""
        return "/".join(filter(None, self))


def parse_reference(text: str) -> Reference:
    """Read KIND/NAMESPACE/NAME; the kind in any case, plural, short, or with its group.

    Raises Misasked.
    """
    return _parsed(text, HELP)


def parse_thing(text: str) -> Reference:
    """Read what `parse_reference` reads, or the own name of one of the other kinds in a log.

    Of these the namespace may be left out: it is "" then, and any will do. Raises Misasked.
    """
    parts = text.strip().split("/")
    kind = _THINGS.get(parts[0].partition(".")[0].lower())
    if kind is None:
        return _parsed(text, THING_HELP)
    most = 1 if kind in WITHOUT_NAMESPACE else 2
    if not all(parts) or not 1 <= len(parts) - 1 <= most:
        raise Misasked(f"{text!r} names no {kind}: write {THING_HELP}")
    return Reference(kind, "" if len(parts) == 2 else parts[1], parts[-1])  # noqa: PLR2004


def parse_warmup(text: str) -> Reference:
    """Read the name of a ModelWarmup, where nothing else will do. Raises Misasked."""
    found = parse_reference(text)
    if found.kind == CACHE:
        raise Misasked(
            f"{found} is tried again by itself; to have it tried at once, `kubectl -n "
            f"{found.namespace} annotate modelcache {found.name} warmlog.dev/retry=$(date +%s) "
            "--overwrite`."
        )
    if found.kind != WARMUP:
        raise Misasked(f"{found} is no {WARMUP}: write {WARMUP_HELP}")
    return found


def listed(found: Sequence[Reference], shown: int = 5) -> str:
    """Name a few objects, and say how many more there are."""
    more = f" and {len(found) - shown} more" if len(found) > shown else ""
    return f"{', '.join(map(str, found[:shown]))}{more}"


def _parsed(text: str, how: str) -> Reference:
    parts = text.strip().split("/")
    kind = _KINDS.get(parts[0].partition(".")[0].lower())
    if kind is None and parts[0] and len(parts) > 1:
        known = ", ".join(f"{name} ({short})" for name, short in _shorts())
        said = f"warmlog knows nothing of kind {parts[0]!r}, only of {known}"
        if parts[0].partition(".")[0].lower() in _THINGS:
            said = f"This takes {known} alone (`warmlog explain {text} LOG` names whose it is)"
        raise Misasked(f"{said}: write {how}")
    names = ["", *parts[1:]] if kind in _WITHOUT_NAMESPACE else parts[1:]
    if kind is None or len(names) != 2 or not all(parts):  # noqa: PLR2004 -- namespace and name
        raise Misasked(f"{text!r} names no object: write {how}")
    return Reference(kind, *names)


def _shorts() -> list[tuple[str, str]]:
    return [(name, short) for short, name in _KINDS.items() if len(short) == 2]  # noqa: PLR2004


def nearest_of(name: str, known: Iterable[str]) -> str:
    """Name those that are like a name, likest first; "" where none is."""
    return names(get_close_matches(name, sorted(known), n=_NEAR), _NEAR)


def near_names(reference: Reference, met: Iterable[Reference], *, cutoff: float) -> str:
    """Name what is met under a name like the one asked for, the same one first, then likest first.

    `cutoff` is how alike names must be, as difflib counts it.
    """
    known = {str(found): found for found in met}
    likest = get_close_matches(str(reference), known, n=_NEAR, cutoff=cutoff)
    same = [text for text, found in known.items() if found.name == reference.name]
    return names(list(dict.fromkeys([*same, *likest])), _NEAR)
