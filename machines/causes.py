"""Causes with consequences: reason words of Pods and Jobs that change what happens to a target.

Every other reason is only shown. The words are Kubernetes' own.
"""

FAILED_CREATE = "FailedCreate"  # a Job's Event: the API server refuses its Pods
DISRUPTED = "DisruptionTarget"  # a Pod's condition: evicted, preempted, drained; nobody's failure

# Waiting does not help against these, and a Pod that waits like this never fails by itself.
HOPELESS = frozenset({"InvalidImageName", "ErrImageNeverPull"})
