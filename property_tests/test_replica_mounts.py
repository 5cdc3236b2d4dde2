"""Mounts: whatever a status or a Pod holds, only claims and plain values come out of it."""

from contextlib import suppress
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from machines.caches.mounts import mount
from machines.replicas.mounts import Mount, MountRefused, mount_in, read_mount
from tests.crds.drawing import ANYTHING
from tests.machines.test_specs import poisoned

PUBLISHED = mount("claim")
POD: dict[str, Any] = {
    "containers": [
        {"name": "engine", "volumeMounts": PUBLISHED["volumeMounts"], "env": PUBLISHED["env"]}
    ],
    "volumes": PUBLISHED["volumes"],
}


def is_plain(found: Mount) -> bool:
    """Whether a mount has nothing but claims, paths and values, and reads like what it is."""
    body = found.to_json()
    volumes = all(
        set(each) == {"name", "persistentVolumeClaim"} for each in body.get("volumes", ())
    )
    env = all(set(each) == {"name", "value"} for each in body.get("env", ()))
    return volumes and env and set(body) <= set(PUBLISHED) and read_mount(body) == found


@given(ANYTHING | st.dictionaries(st.sampled_from(sorted(PUBLISHED)), ANYTHING))
def test_nothing_is_too_wrong_to_be_read(value: object) -> None:
    """Whatever stands where a mount should be, it is refused or plain."""
    with suppress(MountRefused):
        assert is_plain(read_mount(value))


@given(ANYTHING)
def test_no_place_is_too_wrong_to_be_read(poison: object) -> None:
    """A wrong value in any place of a mount is refused there, or the rest is plain."""
    for bad in poisoned(PUBLISHED, poison):
        with suppress(MountRefused):
            assert is_plain(read_mount(bad))


@given(ANYTHING)
def test_no_pod_is_too_wrong_to_be_looked_into(poison: object) -> None:
    """A wrong value in any place of a Pod leaves a plain mount, or none."""
    assert is_plain(mount_in(poison))
    for bad in poisoned(POD, poison):
        assert is_plain(mount_in(bad))
