"""Causes with consequences: reason words of Pods and Jobs that change what happens to a target.

Every other reason is only shown. The words are Kubernetes' own, but for `CommandFailed`: of a
container that failed after its image was pulled kubelets say `Error`, `StartError` and more, and
nothing of the image, which was what the warmup was for.
"""

FAILED_CREATE = "FailedCreate"  # a Job's Event: the API server refuses its Pods
DISRUPTED = "DisruptionTarget"  # a Pod's condition: evicted, preempted, drained; nobody's failure
COMMAND_FAILED = "CommandFailed"  # the image is on the node; what a container ran in it failed

# Waiting does not help against these, and a Pod that waits like this never fails by itself.
HOPELESS = frozenset({"InvalidImageName", "ErrImageNeverPull"})
