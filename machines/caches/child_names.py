"""Child names: how what a ModelCache or ModelReplica has on a workload cluster is called.

Modelplane's own rule, so that what it made is found under the same name and taken over: the parts
joined with `-`, cut to 57 characters, and 5 hex of the sha256 of the whole. The parts are not
delimited, so two owners may mean one name: who owns an object is said by its annotations alone.
"""

import hashlib
from functools import lru_cache

MAX_LENGTH = 63
_HASH_LENGTH = 5


@lru_cache(maxsize=1 << 16)  # asked for at every look at a cache
def child_name(*parts: str) -> str:
    """Give the name that belongs to these parts, at most 63 characters."""
    joined = "-".join(parts)
    digest = hashlib.sha256(joined.encode()).hexdigest()[:_HASH_LENGTH]
    # The original strips only dashes. A dot before a dash is no legal name, so none such exists.
    return f"{joined[: MAX_LENGTH - _HASH_LENGTH - 1].rstrip('-.')}-{digest}"


def workload_namespace(namespace: str, fixed: str = "") -> str:
    """Give the namespace on workload clusters for this one here; `fixed` is the one for all."""
    return fixed or child_name("mp", namespace)


def claim_name(namespace: str, name: str) -> str:
    """Give the name of the claim of this ModelCache."""
    return child_name("modelcache", namespace, name)


def hydration_job_name(namespace: str, name: str) -> str:
    """Give the name of the Job that fills the claim of this ModelCache."""
    return child_name("modelcache", namespace, name, "hydrate")


def token_secret_name(namespace: str, name: str) -> str:
    """Give the name of the Secret that holds the token while the claim is being filled."""
    return child_name("modelcache", namespace, name, "auth")
