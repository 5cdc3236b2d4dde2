"""The machines show what the contract says, for every mixture of nodes."""

from itertools import combinations_with_replacement, permutations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from machines.intents import Resolve
from machines.warmups import WARMUPS_JOINTLY, Children, WarmupState
from property_tests.expected_phases import EXAMPLES, Node, Row, expected
from tests.machines.builders import FORBIDDEN, INVALID, Scene, naming, selecting, spec_of

NAMED = frozenset({Node.NEVER_CAME, Node.AWAITED})
MIXTURES = [mixture for size in range(4) for mixture in combinations_with_replacement(Node, size)]
CONDITION = {
    "Pending": "Progressing", "Running": "Progressing", "Succeeded": "Complete",
    "Degraded": "Degraded", "Failed": "Failed",
}  # fmt: skip


def scene_of(nodes: tuple[Node, ...], order: tuple[int, ...] | None = None) -> Scene:
    """A ModelWarmup of these nodes, which come to be what they are in this order."""
    scene = Scene()
    names = [f"n{index}" for index in range(len(nodes))]
    scene.nodes(*(name for name, one in zip(names, nodes, strict=True) if one != Node.NEVER_CAME))
    demanded = [name for name, one in zip(names, nodes, strict=True) if one in NAMED]
    targets: list[dict[str, Any]] = [selecting()]
    if demanded:
        targets.append(naming(*demanded))
    scene.warmup(spec_of(*targets, parallelism=10), wait="5")
    scene.wait(5)
    for index in order or range(len(nodes)):
        become(scene, names[index], nodes[index])
    return scene


def become(scene: Scene, name: str, node: Node) -> None:
    """Let one node come to be what it is to be."""
    match node:
        case Node.SUCCEEDED:
            scene.finish(name)
        case Node.FAILED:
            scene.finish(name, "Failed")
        case Node.REFUSED_FOR_GOOD:
            scene.refuse(name, INVALID)
        case Node.RUNNING:
            scene.accept(name)
        case Node.REFUSED_FOR_NOW:
            scene.refuse(name, FORBIDDEN)
        case Node.AWAITED | Node.LEFT:
            scene.node_gone(name)
        case Node.NEVER_CAME | Node.NEXT:
            pass


def shown(scene: Scene) -> tuple[str, str]:
    """The phase, and the reason of the condition that tells it."""
    return scene.phase, scene.condition(CONDITION[scene.phase])["reason"]


def looks_again(scene: Scene) -> bool:
    """Let the last look be taken, if one is asked for; it finds nothing new."""
    asked = any(isinstance(one.intent, Resolve) for one in scene.state.open.values())
    if asked:
        scene.resolve()
    return asked


@pytest.mark.parametrize(("nodes", "row"), EXAMPLES)
def test_the_examples(nodes: tuple[Node, ...], row: Row) -> None:
    """Each example of the contract is what its rules say, and what the machines show."""
    assert expected(frozenset(nodes), looked=True) == row
    scene = scene_of(nodes)
    looks_again(scene)
    assert shown(scene) == (row.phase, row.reason)


@pytest.mark.parametrize("nodes", MIXTURES, ids=lambda nodes: "+".join(one.name for one in nodes))
def test_every_mixture(nodes: tuple[Node, ...]) -> None:
    """Every mixture of up to three nodes shows its phase, before the last look and after it."""
    scene = scene_of(nodes)
    before = expected(frozenset(nodes), looked=False)
    assert shown(scene) == (before.phase, before.reason)
    looked = looks_again(scene)
    after = expected(frozenset(nodes), looked=looked)
    assert shown(scene) == (after.phase, after.reason)


@given(st.lists(st.sampled_from(Node), max_size=4), st.randoms(use_true_random=False))
def test_whoever_moves_last(nodes: list[Node], chance: Any) -> None:
    """In whatever order nodes come to be what they are, the end is the same."""
    order = list(range(len(nodes)))
    chance.shuffle(order)
    scene = scene_of(tuple(nodes), tuple(order))
    looked = looks_again(scene)
    row = expected(frozenset(nodes), looked=looked)
    assert shown(scene) == (row.phase, row.reason)


def test_every_order_of_a_full_house() -> None:
    """A success, a failure and one that leaves end Degraded in each of their six orders."""
    nodes = (Node.SUCCEEDED, Node.FAILED, Node.LEFT)
    found = set()
    for order in permutations(range(3)):
        scene = scene_of(nodes, order)
        looks_again(scene)
        found.add(shown(scene))
    assert found == {("Degraded", "NodeFailed")}


def phase_of_counts(counts: Children) -> str:
    """The phase that the contract gives for so many targets of each sort."""
    has_outcomes, has_work = (
        bool(counts.ready or counts.failed),
        bool(counts.startable or counts.hydrating),
    )
    if counts.refused:
        return "Failed"
    if counts.confirmed and has_outcomes and not (counts.waiting or has_work):
        if not counts.ready:
            return "Failed"
        return "Degraded" if counts.failed or counts.overflowed else "Ready"
    return "Hydrating" if has_outcomes or has_work else "Pending"


@pytest.mark.parametrize("state", WarmupState)
def test_every_count_of_every_sort(state: WarmupState) -> None:
    """From whatever phase that is no end, the counts alone say the next; an end is left by none."""
    for numbers in product((0, 1), (0, 1), (0, 1), (0, 1, 2), (0, 1)):
        for said in product((False, True), repeat=3):
            counts = Children(*numbers, *said)
            is_over = state.value in {"Ready", "Degraded", "Failed"}
            wanted = state.value if is_over else phase_of_counts(counts)
            assert WARMUPS_JOINTLY.settle(state, counts).value == wanted, counts
