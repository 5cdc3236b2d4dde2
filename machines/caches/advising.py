"""Advising: what a person can do about a cause. One sentence each, with the words to type.

`{cluster}` is the InferenceCluster, on which commands with `--context` are to be typed (without it,
where it is the cluster that warmlog runs in); `{there}` is the namespace there,
`{namespace}/{name}` the ModelCache.
"""

from machines.advising import NOTHING_TO_DO
from machines.caches import causes
from machines.caches.blocking import NO_STORAGE_CLASS, NOT_OURS, SAME_CLUSTER, TERMINATING
from machines.caches.cluster_specs import IN_CLUSTER
from machines.caches.leaving import replica_users
from machines.caches.obstacles import token_trouble
from machines.caches.reaching import way_in
from machines.caches.sights import Sight
from machines.caches.states import ServedCluster
from machines.states import State

_CONTEXT = "--context {cluster} "
_KUBECTL = f"kubectl {_CONTEXT}-n {{there}}"
_RETRY = (
    "`kubectl -n {namespace} annotate modelcache {name} warmlog.dev/retry=$(date +%s) "
    "--overwrite` has it tried at once"
)
_POD = f"see `{_KUBECTL} describe pods -l job-name={{job}}`"

BY_CAUSE: dict[str, str] = {
    causes.INVALID_SPEC: "correct the field that is named; what is immutable, in a new ModelCache",
    causes.LET_BE: (
        "nothing more is done here; take the annotation off to have it go on, or delete on "
        "cluster {cluster} what is not wanted"
    ),
    causes.LEAVING: (
        f"end the Pods that are named, or leave it: the claim goes once nobody mounts it "
        f"(`{_KUBECTL} get pods`)"
    ),
    causes.LETTING_GO: NOTHING_TO_DO,
    causes.TOKEN: (
        "`kubectl -n {namespace} create secret generic {secret} --from-literal={key}=TOKEN`, or "
        "put the token under that key of the Secret that exists"
    ),
    causes.NO_ACCESS: (
        "see `kubectl get inferencecluster {cluster} -o yaml`: whoever provisions the cluster is "
        "to name its kubeconfig in status.providerConfigRef"
    ),
    causes.UNREACHABLE: "see whether the API server of {cluster} answers with its kubeconfig",
    causes.UNREAD: f"grant the rights: `kubectl {_CONTEXT}apply -k deploy/workload-cluster`",
    causes.REFUSED: (
        "mend what the API server names (quota, admission policy, rights); it is tried again"
    ),
    causes.FAILED: f"mend what the Job's words name; {_RETRY}, and so does another token",
    causes.LOST: (
        f"`{_KUBECTL} delete pvc {{claim}}` has the claim made anew, and the model staged again"
    ),
    causes.NODE_GONE: "nothing: the choice is taken back by itself, at the time that is named",
    causes.UNBOUND: f"nothing, unless it lasts: then `{_KUBECTL} describe pvc {{claim}}`",
    causes.PODS_LEFT: (
        f"nothing, unless it lasts: then `{_KUBECTL} describe pods -l job-name={{job}}` shows what "
        f"holds them; where their Job is still there and lost its labels, "
        f"`{_KUBECTL} delete job {{job}}`"
    ),
    causes.DOWNLOADING: f"nothing; `{_KUBECTL} logs -f job/{{job}}` shows how far it is",
    causes.STAGED: "nothing: it is staged",
    SAME_CLUSTER: "delete one of the two InferenceClusters, or let no selector hold this one",
    NOT_OURS: "rename one of the two ModelCaches, or delete the one that is not needed",
    TERMINATING: f"see what holds it: `kubectl {_CONTEXT}get ns {{there}} -o yaml`",
    NO_STORAGE_CLASS: (
        "name a class that many Pods can mount, in spec.cluster of InferenceCluster {cluster} "
        "(cache.storageClassName), or make one on it that is called modelplane-rwx"
    ),
    causes.CLASS_KEPT: (
        f"`{_KUBECTL} delete pvc {{claim}}`: nothing is in it yet, and it is made anew"
    ),
    "Unschedulable": f"make room for the Pod, or give it tolerations in the settings; {_POD}",
    "FailedCreate": f"mend what keeps Pods out of {{there}} (quota, Pod Security); {_POD}",
    "FailedMount": f"{_POD}",
    "ProvisioningFailed": f"mend what the provisioner names; `{_KUBECTL} describe pvc {{claim}}`",
    "FailedBinding": f"mend what keeps the volume; `{_KUBECTL} describe pvc {{claim}}`",
}
_ABSENT_CLASS = (
    f"make the class that is named (`kubectl {_CONTEXT}get storageclasses` lists those that there "
    "are), or name another in spec.cluster of InferenceCluster {cluster} (cache.storageClassName)"
)
_MAKE_ACCESS = (
    "`kubectl -n {access.namespace} create secret generic {access.name} "
    "--from-file={access.key}=KUBECONFIG`, or put the kubeconfig under that key of the Secret that "
    "exists"
)
_NEVER_BACK = (
    "; where it will never answer again, `kubectl delete inferencecluster {cluster}` lets go of "
    "what is there"
)
_REPLICAS = (
    "delete the ModelReplicas that are named, or have them refer to another ModelCache "
    "(`kubectl -n {namespace} get modelreplicas`), or leave it: the claim goes once nobody uses it"
)
_BLIND = frozenset({causes.NO_ACCESS, causes.UNREACHABLE, causes.UNREAD})
_SPACE = "No space left on device"
_MORE_SPACE = (
    "give it more room: `kubectl -n {namespace} patch modelcache {name} --type merge -p "
    '\'{"spec":{"huggingFace":{"sizeGiB":N}}}\'`; '
)


def entry_advice(sight: Sight) -> str:
    """Say what a person can do about an entry; that it goes on by itself, when it does."""
    reason, mark = causes.entry_cause(sight)
    text = BY_CAUSE.get(reason, _POD)
    if (reason, mark) == (NO_STORAGE_CLASS, "absent"):
        text = _ABSENT_CLASS
    if reason == causes.LEAVING and replica_users(sight.state, sight.cache, sight.entry):
        text = _REPLICAS
    if reason in _BLIND:
        text = _blind_advice(sight, reason, text)
    if reason == causes.FAILED and _SPACE in sight.entry.failure.said.words:
        text = _MORE_SPACE + text
    subject, spec = sight.cache.subject, sight.cache.spec
    names = {
        "cluster": sight.entry.cluster,
        "there": sight.namespace,
        "claim": sight.claim_name,
        "job": sight.job_name,
        "namespace": subject.namespace,
        "name": subject.name,
        "secret": spec.secret_name if spec else "",
        "key": spec.secret_key if spec else "",
    }
    if sight.served is not None and sight.served.spec.source == IN_CLUSTER:
        text = text.replace(_CONTEXT, "")
    # replace, not format: names are given, and a brace in one must stay a brace
    for key, value in names.items():
        text = text.replace("{" + key + "}", value)
    return text


def cluster_advice(state: State, served: ServedCluster, reason: str) -> str:
    """Say what a person can do about a cluster for a reason of its condition Reachable."""
    cluster = served.subject.name
    text = access_advice(state, served) if reason == causes.NO_ACCESS else BY_CAUSE[reason]
    if served.spec.source == IN_CLUSTER:
        text = text.replace(_CONTEXT, "")
    return text.replace("{cluster}", cluster)


def access_advice(state: State, served: ServedCluster) -> str:
    """Say how a cluster that nobody can reach yet gets its kubeconfig."""
    secret = way_in(state, served).kubeconfig
    if secret is None:
        return BY_CAUSE[causes.NO_ACCESS]
    text = _MAKE_ACCESS
    for key, value in secret._asdict().items():
        text = text.replace("{access." + key + "}", value)
    return text


def _blind_advice(sight: Sight, reason: str, text: str) -> str:
    """A cluster that is not seen: how it is, after what is first of all to be done."""
    if reason == causes.NO_ACCESS and sight.served is not None:
        text = access_advice(sight.state, sight.served)
    if not sight.entry.selected:
        return text + _NEVER_BACK
    return f"{BY_CAUSE[causes.TOKEN]}; {text}" if token_trouble(sight) else text
