"""Plans of manifests against simulated clusters that are served."""

import json
from pathlib import Path
from typing import Any

import yaml

from adapters.simulator.worlds import World
from machines.labels import POOL, REVISION, TARGET_NODE
from tests.cli.commands import pool_world, sample, warmlog
from tests.cli.serving import served

NAMES = [{"nodes": {"names": ["gpu-2", "absent", "outside"]}}]
IN_POOL = sample()["spec"]["targets"]
LATENCY = IN_POOL[0]["nodeSelector"]["matchLabels"][POOL]


def written(folder: Path, *documents: Any) -> Path:
    """A file of these documents."""
    path = folder / "manifest.yaml"
    path.write_text(yaml.safe_dump_all(documents))
    return path


def mixed_world() -> World:
    """Four nodes of the pool, one of them cordoned, one that has not opted in, and a master."""
    world = pool_world("gpu-1", "gpu-2", "gpu-3", "gpu-4")
    world.add_node("outside", pool=LATENCY, enabled=False)
    world.add_control_plane_node("master", pool=LATENCY)
    world.cordon("gpu-1")
    return world


def planned(folder: Path, world: World, *documents: Any) -> dict[str, Any]:
    """The plan of the only ModelWarmup against a live world, as programs read it."""
    with served(world, folder) as server:
        result = warmlog(
            "plan", written(folder, *documents), "--kubeconfig", server.kubeconfig, "-o", "json"
        )
        assert server.writes == []
    [item] = json.loads(result.stdout)["items"]
    assert isinstance(item, dict)
    return item


def told(folder: Path, world: World, *documents: Any) -> tuple[int, str, str]:
    """The plan against a live world, as people read it: code, stdout and stderr."""
    with served(world, folder) as server:
        arguments = ("plan", written(folder, *documents), "--kubeconfig", server.kubeconfig)
        result = warmlog(*arguments)
        assert server.writes == []
    return result.exit_code, result.stdout, result.stderr


def jobs_of(world: World) -> dict[str, tuple[str, str]]:
    """The Jobs of a world: name and revision by node."""
    return {
        job["metadata"]["annotations"][TARGET_NODE]: (
            job["metadata"]["name"],
            job["metadata"]["labels"][REVISION],
        )
        for job in world.listed("Job")
    }
