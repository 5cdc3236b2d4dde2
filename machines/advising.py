"""Advising: what a person can do about a reason. One sentence each, with the words to type.

`{node}`, `{namespace}`, `{name}` and `{job}` stand for the names of the case.
"""

from machines.labels import POOL, SUSPEND
from machines.states import Words

NOTHING_TO_DO = "nothing: it goes on by itself"
CORDONED = "NodeCordoned"  # nearer causes than the reasons that statuses give
UNCORDONED = "NodeUncordoned"
NO_POOL = "NamespaceWithoutPool"
NOT_LOOKED_FOR = "NothingLookedForYet"

_JOB_LOG = "read `kubectl -n {namespace} logs job/{job}`"
_IMAGE = (
    "check the image's name and tag, that the registry answers from {node}, and the pull secrets"
)
_NEW = (
    "this one has ended and stays so; `warmlog retry mw/{namespace}/{name}` prints a new one for "
    "the nodes that failed"
)

BY_REASON: dict[str, str] = {
    # a name or a machine that waits
    "NodeNotFound": "let a node {node} join, or take the name out in a new ModelWarmup",
    "NodeNotAuthorized": (
        "give {node} the label that the message asks for, or take the name out in a new "
        "ModelWarmup; control-plane nodes are never warmed"
    ),
    CORDONED: "`kubectl uncordon {node}`",
    UNCORDONED: (
        "see whether its Pod has a place now, since {node} takes Pods again: "
        "`kubectl -n {namespace} get pods -l job-name={job}`"
    ),
    "NodeUnschedulable": "`kubectl uncordon {node}`, or take its taint off",
    "Unschedulable": "make the node fit (`kubectl describe node {node}`: cordon, taints, room)",
    "WaitingForSlot": NOTHING_TO_DO,
    "PodsTerminating": (
        "nothing, unless it lasts: then `kubectl -n {namespace} get pods -o wide` and see what "
        "holds the Pod on {node}"
    ),
    # a Job that cannot be made
    "NamespaceUnavailable": "make the namespace {namespace} again, or let the ModelWarmup go too",
    "JobCreateRejected": (
        "mend what the API server names (quota, admission policy, rights); "
        "a refused Job is tried again by itself while the node is not Failed"
    ),
    "JobNameConflict": (
        "see whose Job has the name (`kubectl -n {namespace} get jobs`), and delete or rename it"
    ),
    "JobTerminating": "see what holds it: `kubectl -n {namespace} get job {job} -o yaml`",
    "CreateUnanswered": "nothing, unless it lasts: then see whether the API server is well",
    "AnnotationIgnored": "correct the annotation that the message names",
    # a Pod that does not run
    "ErrImagePull": _IMAGE,
    "ImagePullBackOff": _IMAGE,
    "InvalidImageName": "correct the image's name in a new ModelWarmup",
    "ErrImageNeverPull": "the pull policy is Never and the image is not there: change either",
    "CreateContainerConfigError": "make the ConfigMap or Secret that the message names",
    "CreateContainerError": "see `kubectl -n {namespace} describe pods -l job-name={job}`",
    "FailedMount": "make the volume that the message names available on {node}",
    "FailedCreate": "mend what keeps Pods out of {namespace} (quota, Pod Security, webhooks)",
    "JobContested": (
        "find who changes the Job (`kubectl -n {namespace} get job {job} -o yaml "
        "--show-managed-fields`), and stop it"
    ),
    "JobRunning": NOTHING_TO_DO,
    "JobFinishing": (
        "nothing, unless it lasts: then see `kubectl -n {namespace} get pods -l job-name={job}`"
    ),
    "JobDisrupted": "nothing, unless it lasts: then see what evicts Pods from {node}",
    "Suspended": (
        f"`kubectl -n {{namespace}} annotate modelwarmup {{name}} {SUSPEND}-` lets it go on"
    ),
    "JobRetrying": f"nothing yet: it is tried again; to see why it failed, {_JOB_LOG}",
    "CommandFailed": (
        f"{_JOB_LOG}; the image is on {{node}}, so give a command that works in it, in a new "
        "ModelWarmup"
    ),
    # a Job that failed
    "BackoffLimitExceeded": f"{_JOB_LOG}, and see why it fails on {{node}}",
    "DeadlineExceeded": (
        "find what took so long on {node} (a pull, the scheduler), or raise "
        "spec.policies.jobTimeoutSeconds in a new ModelWarmup"
    ),
    "PodFailurePolicy": f"{_JOB_LOG}: its exit code ends the Job at once",
    "Evicted": "make room on {node} (`kubectl describe node {node}`)",
    "JobDeleted": "find who deletes the Jobs of this ModelWarmup (audit log), and stop it",
    "JobFailed": f"{_JOB_LOG}",
    # the ModelWarmup as a whole
    "WaitingForTargets": "let the named nodes join, or label them as their messages say",
    NO_POOL: (
        f"`kubectl label namespace {{namespace}} {POOL}=POOL` with the pool of the nodes to warm"
    ),
    NOT_LOOKED_FOR: "nothing, unless it lasts: then see what may not be listed",
    "NoTargetsResolved": (
        "compare spec.targets with `kubectl get nodes --show-labels`, and the pool label of "
        "namespace {namespace} with the nodes'"
    ),
    "InvalidSpec": "correct the field that is named, in a new ModelWarmup",
    "SpecChanged": "the spec is immutable: apply the change as a new ModelWarmup",
    "TargetLimitExceeded": "split it into ModelWarmups of at most 1000 nodes each",
    "StatusEdited": (
        "stop the other writer that the message names: only one controller may own a ModelWarmup"
    ),
    "NodeFailed": _NEW,
}
_UNSCHEDULABLE = frozenset({"Unschedulable", "NodeUnschedulable"})


def nearest(words: Words) -> str:
    """Give the reason that advice is wanted for: a failed Job's message begins with its cause."""
    first = words.message.partition(":")[0]
    reason = first if first in BY_REASON else words.reason
    is_cordoned = "were unschedulable" in words.message or "cordoned" in words.message
    return CORDONED if is_cordoned and reason in _UNSCHEDULABLE else reason


def asks_nothing(told: str) -> bool:
    """Say whether an advice is to do nothing, for now."""
    return told.startswith("nothing")


def advice(reason: str, *, namespace: str, name: str, node: str = "", job: str = "") -> str:
    """Give what to do about `reason`; for a reason that is not known, where to look."""
    text = BY_REASON.get(reason)
    if text is None:
        text = "see `kubectl -n {namespace} describe job/{job}`" if job else (
            "see `kubectl -n {namespace} describe modelwarmup {name}`"
        )  # fmt: skip
    # replace, not format: names are given, and a brace in one must stay a brace
    for key, value in (("node", node), ("namespace", namespace), ("name", name), ("job", job)):
        text = text.replace("{" + key + "}", value)
    return text
