"""Names that other programs read: labels, annotations, groups. None may ever change.

Source of the `aibrix.ai` names: AIBrix's public ModelWarmup API, model.aibrix.ai/v1alpha1.
"""

GROUP = "model.aibrix.ai"
VERSION = "v1alpha1"

WARMUP_UID = "model.aibrix.ai/warmup"  # label on Jobs and Pods: uid of the ModelWarmup
REVISION = "model.aibrix.ai/revision"  # label on Jobs and Pods
WARMUP_NAME = "model.aibrix.ai/warmup-name"  # annotation on Jobs
TARGET_NODE = "model.aibrix.ai/target-node"  # annotation on Jobs
TARGET_NODE_UID = "model.aibrix.ai/target-node-uid"  # annotation on Jobs

POOL = "resource-pool.aibrix.ai/name"  # label on Namespaces and Nodes
ENABLED = "model.aibrix.ai/warmup-enabled"  # label on Nodes, exactly "true"
CONTROL_PLANE = ("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master")

OURS = "warmlog.dev/"  # prefix of our annotations
TARGET_WAIT_SECONDS = "warmlog.dev/target-wait-seconds"
SUSPEND = "warmlog.dev/suspend"
