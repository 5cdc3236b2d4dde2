"""What the fake kubelets do, as KWOK Stage files, and the words that steer them.

A word counts when it stands in a container's image, in the node's name or in the Pod's
annotation `OUTCOME_ANNOTATION`. With the word in one image only, the other containers of the
Pod complete. A Pod whose restart policy is Always never completes.
"""

from pathlib import Path

_FOLDER = Path(__file__).parent

# Pods run for a random 1 to 3 s.
TIMED = (_FOLDER / "nodes.yaml", _FOLDER / "pods.yaml", _FOLDER / "pods-timed.yaml")
# Pods complete at once, with a single write, as for benchmarks.
FAST = (_FOLDER / "nodes.yaml", _FOLDER / "pods.yaml", _FOLDER / "pods-fast.yaml")
# Pods stay in Pending without any status; for tests that write it themselves.
NODES_ONLY = (_FOLDER / "nodes.yaml",)

FAILING = "failing"  # exit code 1 and a message; the Pod is Failed
UNPULLABLE = "unpullable"  # Pending forever, waiting with the reason ImagePullBackOff
HANGING = "hanging"  # Running until it is deleted

OUTCOME_ANNOTATION = "warmlog.test/outcome"
# Durations as Go writes them ("5s"): how long a Pod runs, and how long its end takes.
RUNNING_TIME_ANNOTATION = "warmlog.test/running-time"
ENDING_TIME_ANNOTATION = "warmlog.test/ending-time"
# A Node with this label set to "off" gets no status and no heartbeat.
KUBELET_LABEL = "warmlog.test/kubelet"
