"""The demo's world: a simulated pool of nodes, what happens to it, and the sample to warm it by."""

from importlib.resources import files
from typing import Any, NamedTuple
from uuid import NAMESPACE_URL, uuid5

import yaml

from adapters.cli.demo_logs import LOG_PREFIX
from adapters.settings import settings_digest
from adapters.simulator.clock import MILLISECOND, SECOND, Span
from adapters.simulator.plans import NodePlan
from adapters.simulator.worlds import World
from engine.canonical_json import Number
from machines.labels import ENABLED, POOL

SAMPLE = "demo-modelwarmup.yaml"

CLUSTER = "demo"
_SETTLING = 2 * SECOND  # machines have joined and are ready before anybody asks for a warmup
_LATE_JOIN = 3 * SECOND
_UNCORDON = 6 * SECOND
_ENOUGH_FOR_A_STORY = 3  # nodes, so that one can be cordoned and one can come late

_TROUBLE = "write /models: no space left on device"


class DemoSettings(NamedTuple):
    """What makes one demo different from another. Where the log lies does not."""

    nodes: int
    seed: int
    fail_rate: float

    def digest(self) -> str:
        """Give the sha256 hex for `SessionStarted`."""
        rate = Number(repr(self.fail_rate))
        return settings_digest({**self._asdict(), "fail_rate": rate})

    @property
    def log_id(self) -> str:
        """Give the log's id, the same for the same settings."""
        told = f"warmlog demo: seed {self.seed}, nodes {self.nodes}, fail rate {self.fail_rate!r}"
        return f"{LOG_PREFIX}{uuid5(NAMESPACE_URL, told)}"


class DemoWorld(NamedTuple):
    """A world in which the sample has just been applied."""

    world: World
    namespace: str
    name: str
    news: list[tuple[int, str, str]]  # (instant, node, what somebody did to it), as it happens


def sample() -> dict[str, Any]:
    """Give the sample ModelWarmup, as `samples/` holds it."""
    text = (files("adapters.cli") / SAMPLE).read_text(encoding="utf-8")
    manifest: dict[str, Any] = yaml.safe_load(text)
    return manifest


def build_world(settings: DemoSettings) -> DemoWorld:
    """Build a pool of nodes, one node outside it and a control-plane node; apply the sample.

    With three nodes or more one of them is cordoned for a while, and one gets its label late.
    """
    manifest = sample()
    namespace, name = manifest["metadata"]["namespace"], manifest["metadata"]["name"]
    [selector] = [entry["nodeSelector"] for entry in manifest["spec"]["targets"]]
    pool = selector["matchLabels"][POOL]
    world = World(settings.seed, name=CLUSTER)
    world.relabel_namespace(namespace, {POOL: pool})
    names = node_names(settings.nodes)
    for node in names:
        world.add_node(node, pool=pool, plan=_plan(settings))
    world.add_node("outside-1", pool=pool, enabled=False)
    world.add_control_plane_node("control-plane-1", pool=pool)
    demo = DemoWorld(world, namespace, name, [])
    if settings.nodes >= _ENOUGH_FOR_A_STORY:
        _tell_story(demo, cordoned=names[1], late=names[-1])
    world.cluster.advance(world.cluster.now + _SETTLING)
    world.apply(manifest)
    return demo


def node_names(count: int) -> list[str]:
    """Give names that sort as they count."""
    width = max(2, len(str(count)))
    return [f"gpu-{number:0{width}}" for number in range(1, count + 1)]


def _plan(settings: DemoSettings) -> NodePlan:
    return NodePlan(
        pull=Span(SECOND, 4 * SECOND),
        run=Span(500 * MILLISECOND, 2 * SECOND),
        fail_rate=settings.fail_rate,
        message=_TROUBLE if settings.fail_rate else "",
    )


def _tell_story(demo: DemoWorld, *, cordoned: str, late: str) -> None:
    """Cordon one node until some seconds after the start; have one opt in after it."""
    world, agenda = demo.world, demo.world.cluster.agenda

    def uncordon() -> None:
        world.uncordon(cordoned)
        demo.news.append((world.cluster.now, cordoned, "somebody uncordons it"))

    def opt_in() -> None:
        world.relabel_node(late, {ENABLED: "true"})
        demo.news.append((world.cluster.now, late, "somebody opts it in"))

    world.cordon(cordoned)
    world.relabel_node(late, {ENABLED: None})
    begun = agenda.now + _SETTLING
    agenda.put(begun + _LATE_JOIN, ("demo", "opt in"), opt_in)
    agenda.put(begun + _UNCORDON, ("demo", "uncordon"), uncordon)
