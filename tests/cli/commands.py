"""Running commands in this process, and logs to run them on."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import structlog
import yaml
from typer.testing import CliRunner, Result

from adapters.cli.main import app
from adapters.running.writing import Identity
from adapters.simulator.driving import start
from adapters.simulator.worlds import World
from adapters.store.opening import open_log
from engine.instants import SECOND
from machines.labels import POOL
from tests.repository import ROOT

REF = "modelwarmup/default/runtime-image-warmup"
SAMPLE = ROOT / "samples/modelwarmup/modelwarmup.yaml"
RECORDED = Identity("0.0.1", "c0de" * 16, "5e77" * 16)  # by another warmlog than this one

Happening = Callable[[World], object]


def warmlog(*arguments: str | Path, **environment: str) -> Result:
    """Run `warmlog` with these arguments; a fault of ours is raised, not swallowed.

    `run` has the process's messages written to the stderr of its moment, which ends with it.
    """
    words = [str(each) for each in arguments]
    before = structlog.get_config()
    try:
        return CliRunner(env=environment).invoke(app, words, catch_exceptions=False)
    finally:
        structlog.configure(**before)


def printed(*arguments: str | Path) -> str:
    """Run a command that ends well, and give what it printed."""
    result = warmlog(*arguments)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def exported_logs(demo: Sequence[str], folder: Path, *seeds: str) -> list[str]:
    """Run a demo once for each seed, and give their logs as they are exported."""
    logs = []
    for number, seed in enumerate(seeds):
        path = folder / f"log-{number}"
        printed(*demo, "--seed", seed, "--log", path)
        logs.append(printed("export", path))
    return logs


def sample(**spec: Any) -> dict[str, Any]:
    """The sample ModelWarmup, some fields of its spec replaced."""
    manifest: dict[str, Any] = yaml.safe_load(SAMPLE.read_text())
    manifest["spec"].update(spec)
    return manifest


def pool_world(*nodes: str) -> World:
    """A cluster whose default namespace is in the sample's pool, as the named nodes are."""
    world = World(3, name="sim")
    pool = sample()["spec"]["targets"][0]["nodeSelector"]["matchLabels"][POOL]
    world.relabel_namespace("default", {POOL: pool})
    for node in nodes:
        world.add_node(node, pool=pool)
    world.cluster.advance(world.cluster.now + 2 * SECOND)
    return world


def record(path: Path, world: World, *happenings: Happening, seconds: int = 60) -> Path:
    """Record what the controller makes of a world: after each happening, that many seconds."""
    asyncio.run(_record(path, world, happenings, seconds * SECOND))
    return path


async def _record(path: Path, world: World, happenings: Sequence[Happening], span: int) -> None:
    log = await open_log(path, create=True, log_id=f"story-{path.stem}")
    try:
        driver = await start(world, log, RECORDED)
        for happen in happenings:
            happen(world)
            until = driver.now + span
            await driver.run(until_at=until)
            world.cluster.advance(until)
    finally:
        await log.close()
