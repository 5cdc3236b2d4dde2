"""Kinds of what a ModelReplica is about, as the log names them."""

REPLICA = "ModelReplica"
CACHE = "ModelCache"
NAMESPACE = "Namespace"
DEPLOYMENT = "Deployment"
GANG = "LeaderWorkerSet"
SERVICE = "Service"
CLAIM_TEMPLATE = "ResourceClaimTemplate"

WORKLOADS = (DEPLOYMENT, GANG)  # what runs an engine
COMPOSED = (*WORKLOADS, SERVICE, CLAIM_TEMPLATE)  # all that is composed of a replica
