"""Checking mounts: what a custom container takes in is declared, and each at a place of its own."""

from typing import Any

from machines.faults import Faults
from machines.fragments import MOUNT_PLACES


def check_mounts(
    faults: Faults, container: dict[str, Any], path: str, volumes: frozenset[str] | None
) -> None:
    """Check every mount of a container; `volumes` are the declared names, None when not known."""
    for kind, place in MOUNT_PLACES.items():
        taken: set[str] = set()
        for field, mount in faults.objects(container.get(kind), f"{path}.{kind}"):
            _check_name(faults, mount.get("name"), f"{field}.name", volumes)
            where = faults.text(mount.get(place), f"{field}.{place}")
            if not where:
                faults.add(f"{field}.{place}", "must not be empty")
            elif where in taken:
                faults.add(f"{field}.{place}", f"is used twice: {where}")
            taken.add(where)


def _check_name(faults: Faults, raw: Any, field: str, volumes: frozenset[str] | None) -> None:
    name = faults.text(raw, field)
    if not name:
        faults.add(field, "must not be empty")
    elif volumes is not None and name not in volumes:
        faults.add(field, f"is not the name of one of spec.custom.volumes: {name}")
