"""What the fake kubelets do, as KWOK Stage files, and the words that steer them.

A word counts when it stands in a container's image, in the node's name or in the Pod's
annotation `OUTCOME_ANNOTATION`. With the word in one image only, the other containers of the
Pod complete. A Pod whose restart policy is Always never completes.

| word | the Pod | what is told of it |
|---|---|---|
| failing | runs, then is Failed | exit code 1, a message of the container |
| hanging | runs until it is deleted | nothing |
| evicted | runs, then is Failed | condition DisruptionTarget, then reason Evicted, exit code 137 |
| vanishing | runs, then is deleted | nothing: it is gone before its reason is known |
| unpullable | waits | ErrImagePull, 1 s later ImagePullBackOff, with a registry's words |
| misnamed | waits | InvalidImageName |
| neverpulled | waits | ErrImageNeverPull |
| unconfigured | waits | CreateContainerConfigError: a Secret that does not exist |
| unstartable | waits, then is Failed | RunContainerError, then StartError with exit code 128 |

A Pod that runs, also one that would hang, ends at once when its annotation `END_ANNOTATION` is
written.

| word in `END_ANNOTATION` | the Pod | what is told of it |
|---|---|---|
| completed | is Succeeded at once | exit code 0 |
| failed | is Failed at once | exit code 1, and as message what `LAST_WORDS_ANNOTATION` says |
"""

from pathlib import Path

_FOLDER = Path(__file__).parent
_PODS = tuple(_FOLDER / name for name in ("pods.yaml", "pods-troubles.yaml", "pods-told.yaml"))

# Pods run for a random 1 to 3 s.
TIMED = (_FOLDER / "nodes.yaml", *_PODS, _FOLDER / "pods-timed.yaml")
# Pods complete at once, with a single write, as for benchmarks.
FAST = (_FOLDER / "nodes.yaml", *_PODS, _FOLDER / "pods-fast.yaml")
# Pods stay in Pending without any status; for tests that write it themselves.
NODES_ONLY = (_FOLDER / "nodes.yaml",)

FAILING = "failing"
HANGING = "hanging"
EVICTED = "evicted"
VANISHING = "vanishing"
UNPULLABLE = "unpullable"
MISNAMED = "misnamed"
NEVER_PULLED = "neverpulled"
UNCONFIGURED = "unconfigured"
UNSTARTABLE = "unstartable"

OUTCOME_ANNOTATION = "warmlog.test/outcome"
END_ANNOTATION = "warmlog.test/end"
COMPLETED = "completed"
FAILED = "failed"
LAST_WORDS_ANNOTATION = "warmlog.test/last-words"
# Durations as Go writes them ("5s"): how long a Pod runs, and how long its end takes.
RUNNING_TIME_ANNOTATION = "warmlog.test/running-time"
ENDING_TIME_ANNOTATION = "warmlog.test/ending-time"
# A Node with this label set to "off" gets no status and no heartbeat.
KUBELET_LABEL = "warmlog.test/kubelet"
