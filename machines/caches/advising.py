"""Advising: what a person can do about a cause. One sentence each, with the words to type.

`{cluster}` is the InferenceCluster, on which commands with `--context` are to be typed; `{there}`
is the namespace there, `{namespace}/{name}` the ModelCache.
"""

from machines.advising import NOTHING_TO_DO
from machines.caches import causes
from machines.caches.blocking import NO_STORAGE_CLASS, NOT_OURS, SAME_CLUSTER, TERMINATING
from machines.caches.sights import Sight

_KUBECTL = "kubectl --context {cluster} -n {there}"
_RETRY = (
    "`kubectl -n {namespace} annotate modelcache {name} warmlog.dev/retry=$(date +%s) "
    "--overwrite` has it tried at once"
)
_POD = f"see `{_KUBECTL} describe pods -l job-name={{job}}`"

BY_CAUSE: dict[str, str] = {
    causes.INVALID_SPEC: "correct the field that is named; what is immutable, in a new ModelCache",
    causes.LEAVING: (
        f"end the Pods that are named, or leave it: the claim goes once nobody mounts it "
        f"(`{_KUBECTL} get pods`)"
    ),
    causes.TOKEN: (
        "`kubectl -n {namespace} create secret generic {secret} --from-literal={key}=TOKEN`, or "
        "put the token under that key of the Secret that exists"
    ),
    causes.NO_ACCESS: (
        "see `kubectl get inferencecluster {cluster} -o yaml` and make the Secret with its "
        "kubeconfig, or provision the cluster"
    ),
    causes.UNREACHABLE: "see whether the API server of {cluster} answers with its kubeconfig",
    causes.UNREAD: "grant on {cluster} what `deploy/` has for workload clusters",
    causes.REFUSED: (
        "mend what the API server names (quota, admission policy, rights); it is tried again"
    ),
    causes.FAILED: f"mend what the Job's words name; {_RETRY}, and so does another token",
    causes.LOST: (
        f"`{_KUBECTL} delete pvc {{claim}}` has the claim made anew, and the model staged again"
    ),
    causes.NODE_GONE: "nothing: the choice is taken back by itself, at the time that is named",
    causes.UNBOUND: f"nothing, unless it lasts: then `{_KUBECTL} describe pvc {{claim}}`",
    causes.DOWNLOADING: f"nothing; `{_KUBECTL} logs -f job/{{job}}` shows how far it is",
    causes.STAGED: NOTHING_TO_DO,
    SAME_CLUSTER: "delete one of the two InferenceClusters, or let no selector hold this one",
    NOT_OURS: "rename one of the two ModelCaches, or delete the one that is not needed",
    TERMINATING: "see what holds it: `kubectl --context {cluster} get ns {there} -o yaml`",
    NO_STORAGE_CLASS: (
        "name a class that many Pods can mount, in spec.cluster of InferenceCluster {cluster} "
        "(cache.storageClassName), or make one on it that is called modelplane-rwx"
    ),
    "Unschedulable": f"make room for the Pod, or give it tolerations in the settings; {_POD}",
    "FailedCreate": f"mend what keeps Pods out of {{there}} (quota, Pod Security); {_POD}",
    "FailedMount": f"{_POD}",
    "ProvisioningFailed": f"mend what the provisioner names; `{_KUBECTL} describe pvc {{claim}}`",
    "FailedBinding": f"mend what keeps the volume; `{_KUBECTL} describe pvc {{claim}}`",
}
_SPACE = "No space left on device"
_MORE_SPACE = (
    "give it more room: `kubectl -n {namespace} patch modelcache {name} --type merge -p "
    '\'{"spec":{"huggingFace":{"sizeGiB":N}}}\'`; '
)


def entry_advice(sight: Sight) -> str:
    """Say what a person can do about an entry; that it goes on by itself, when it does."""
    reason = causes.entry_cause(sight).reason
    text = BY_CAUSE.get(reason, _POD)
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
    # replace, not format: names are given, and a brace in one must stay a brace
    for key, value in names.items():
        text = text.replace("{" + key + "}", value)
    return text
