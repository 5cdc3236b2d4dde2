"""Job names: what tells two Jobs apart is never cut."""

import hashlib
import itertools
import re

from machines.job_names import MASK, MAX_LENGTH, SALTS, UNKNOWN_UID, job_name, masked

UID = "0e0063e0-197a-4e85-9630-1440ad5fcc85"
REVISION = "ef7e2d9085ee"
DNS_LABEL = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?")


def test_the_parts_of_a_name() -> None:
    """A name is the warmup's name, 8 hex of its uid, 8 hex of the node uid's hash, the revision."""
    node_hash = hashlib.sha256(b"node-uid").hexdigest()[:8]
    expected = f"warm-0e0063e0-{node_hash}-{REVISION}"
    assert job_name("warm", UID, "node-uid", REVISION) == expected


def test_long_names_are_told_apart() -> None:
    """Of a warmup with a name of 63 characters, two nodes get two names of at most 63 [W1]"""
    names = {job_name("w" * 63, UID, node, REVISION) for node in ("a", "b")}
    assert len(names) == 2
    assert all(len(name) <= MAX_LENGTH and name.endswith(REVISION) for name in names)


def test_warmups_with_a_long_prefix_in_common() -> None:
    """Two warmups whose names differ only where they are cut get different Jobs [W2]"""
    one = job_name("x" * 60 + "-a", "11111111-aaaa", "node", REVISION)
    two = job_name("x" * 60 + "-b", "22222222-aaaa", "node", REVISION)
    assert one != two


def test_every_name_is_a_valid_name() -> None:
    """Wherever a name is cut, the result is one that Kubernetes takes."""
    for length in range(1, 253):
        name = job_name(("ab.cd-" * 43)[:length].rstrip("-."), UID, "node", REVISION)
        assert DNS_LABEL.fullmatch(name), name
        assert len(name) <= MAX_LENGTH
        assert ".-" not in name
        assert "--" not in name


def test_a_name_is_always_the_same() -> None:
    """A create that is repeated asks for the same name, so it finds what it made."""
    assert job_name("w", UID, "n", REVISION) == job_name("w", UID, "n", REVISION)


def test_salts_give_other_names() -> None:
    """Each of the eight salts gives a name of its own, for every node."""
    names = [
        job_name("w", UID, node, REVISION, salt)
        for node, salt in itertools.product(("a", "b", "c"), range(8))
    ]
    assert (SALTS, len(set(names))) == (8, len(names))


def test_the_part_of_an_unknown_uid_is_masked() -> None:
    """All but the warmup's part of a name is known before the warmup exists."""
    name = job_name("a-b", UNKNOWN_UID, "node-uid", "0123456789ab")
    known = job_name("a-b", "deadbeef-0000-0000-0000-000000000000", "node-uid", "0123456789ab")
    assert masked(name, UNKNOWN_UID).replace(MASK, "deadbeef") == known
    assert masked(known, "deadbeef-0000-0000-0000-000000000000") == known
