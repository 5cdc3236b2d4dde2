"""Kinds of the custom resources that warmlog works for or reads, as the log names them."""

WARMUP, CACHE, REPLICA, CLUSTER = "ModelWarmup", "ModelCache", "ModelReplica", "InferenceCluster"
PUBLISHED = frozenset({WARMUP, CACHE, REPLICA})  # their statuses are warmlog's alone
