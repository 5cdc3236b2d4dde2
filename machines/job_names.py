"""Job names: one per warmup, machine and revision, so that a create repeated is a create found.

`<warmup's name, cut>-<8 hex of its uid>-<8 hex of sha256(node uid)>-<12 hex revision>`. Only the
name's prefix is cut, never what tells two Jobs apart. When a Job of ours for another node has the
name already, the node's hash is salted; there are eight salts.
"""

import hashlib

MAX_LENGTH = 63
SALTS = 8
# The uid of a ModelWarmup that does not exist yet, and what stands for its part in a name.
UNKNOWN_UID = "00000000-0000-0000-0000-000000000000"
MASK = "????????"


def job_name(warmup_name: str, warmup_uid: str, node_uid: str, revision: str, salt: int = 0) -> str:
    """Give the name of the Job that warms this machine, at most 63 characters."""
    salted = f"{node_uid}/{salt}" if salt else node_uid
    node_hash = hashlib.sha256(salted.encode()).hexdigest()[:8]
    uid_part = "".join(char for char in warmup_uid.lower() if char in "0123456789abcdef")[:8]
    suffix = f"-{uid_part}-{node_hash}-{revision}"
    # A Job's name becomes a label value and a prefix of Pod names: it may not end a part in . or -
    prefix = warmup_name[: MAX_LENGTH - len(suffix)].rstrip("-.")
    return f"{prefix}{suffix}"


def masked(name: str, warmup_uid: str) -> str:
    """Give a Job's name as it can be told: with MASK while its warmup's uid is not known."""
    if warmup_uid != UNKNOWN_UID:
        return name
    prefix, _, node_hash, revision = name.rsplit("-", 3)
    return f"{prefix}-{MASK}-{node_hash}-{revision}"
