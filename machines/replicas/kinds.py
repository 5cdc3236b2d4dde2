"""Kinds of what is composed of a ModelReplica, and of where it is, as the log names them."""

NAMESPACE = "Namespace"
DEPLOYMENT = "Deployment"
GANG = "LeaderWorkerSet"
SERVICE = "Service"
CLAIM_TEMPLATE = "ResourceClaimTemplate"

WORKLOADS = (DEPLOYMENT, GANG)  # what runs an engine
COMPOSED = (*WORKLOADS, SERVICE, CLAIM_TEMPLATE)  # all that is composed of a replica
