"""Names that other programs read: labels, annotations, groups. None may ever change.

Source of the `aibrix.ai` names: AIBrix's public ModelWarmup API, model.aibrix.ai/v1alpha1; of the
`modelplane.ai` names: Modelplane's public ModelCache API, modelplane.ai/v1alpha1.
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

CACHE_GROUP = "modelplane.ai"  # of ModelCache and InferenceCluster
CACHE = "modelplane.ai/modelcache"  # label on what a ModelCache has: the cache's name
CACHE_NAMESPACE = "warmlog.dev/cache-namespace"  # label beside it; as annotation the owner's
CACHE_NAME = "warmlog.dev/cache-name"  # annotation on what a ModelCache has: its owner
CACHE_UID = "warmlog.dev/cache-uid"  # as above
HYDRATED = "warmlog.dev/hydrated"  # annotation on claims: <claim UID>/<fingerprint>, the latch
CLAIM_UID = "warmlog.dev/claim-uid"  # annotation on hydration Jobs: the claim they are bound to
FINGERPRINT = "warmlog.dev/fingerprint"  # annotation on hydration Jobs: the source they fetch
RETRY = "warmlog.dev/retry"  # annotation on a ModelCache: each edit asks for a try at once
ABANDON = "warmlog.dev/abandon"  # annotation, exactly "true": let go without cleaning up
CACHE_IN_USE = "warmlog.dev/cache-in-use"  # finalizer on ModelCaches
SELECTED_NODE = "volume.kubernetes.io/selected-node"  # annotation on claims, the scheduler's

REPLICA_NAMESPACE = "warmlog.dev/replica-namespace"  # annotations on what a ModelReplica has:
REPLICA_NAME = "warmlog.dev/replica-name"  # its owner
REPLICA_UID = "warmlog.dev/replica-uid"
APPLIED = "warmlog.dev/applied"  # annotation beside them: digest of what was applied last
COPIES = "warmlog.dev/copies"  # annotation on workloads: spec.engines[].copies at that time
REPLICA_WORKLOADS = "warmlog.dev/replica-workloads"  # finalizer on ModelReplicas
SERVING = "modelplane.ai/serving"  # label on Pods that serve: name of the ModelReplica
WORKLOAD = "modelplane.ai/workload"  # label on Pods of a Deployment: its name
GANG_NAME = "leaderworkerset.sigs.k8s.io/name"  # label on Pods of a LeaderWorkerSet: its name
LWS_ROLE = "modelplane.ai/lws-role"  # label on leaders: "leader"
POOL_NAME = "modelplane.ai/pool"  # label on Nodes: the pool that members are placed in
