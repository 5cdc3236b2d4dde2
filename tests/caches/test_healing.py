"""Healing: a claim that waits for a node which the cloud has replaced is cleared of it."""

from typing import Any

from machines.caches.messages import entry_message
from machines.observations import Done
from tests.caches.builders import ONE, CacheScene
from tests.caches.willing import carry_out


def waiting(*, node: bool = True, **settings: Any) -> CacheScene:
    """A cache whose claim waits for node n1."""
    scene = CacheScene(**{"heal_seconds": 300, **settings})
    scene.cache()
    carry_out(scene)
    if node:
        scene.node("n1")
    scene.claim("Pending", selected_node="n1")
    return scene


def test_the_chosen_node_is_known() -> None:
    """The node that the scheduler chose is known with its uid, as long as it exists [C2]"""
    scene = waiting()
    assert scene.entry().chosen == ("n1", "n1-uid", 0)


def test_a_node_that_goes_is_noted_at_once() -> None:
    """When that node is gone, that is known from then on, and the status moves [C2]"""
    scene = waiting()
    position = scene.mc.position
    scene.wait(10)
    scene.gone(ONE, scene.known(ONE, "Node").subject)
    assert scene.entry().chosen.gone_at == scene.clock
    assert scene.mc.position > position


def test_the_claim_is_healed_after_its_time() -> None:
    """When it has been gone for healSeconds the claim is cleared of it, once [C3] [S70]"""
    scene = waiting()
    scene.gone(ONE, scene.known(ONE, "Node").subject)
    scene.wait(299)
    assert scene.opened() == []
    scene.wait(2)
    assert scene.body("Heal PersistentVolumeClaim") == {"selectedNode": "n1"}
    scene.answer("Heal PersistentVolumeClaim", Done("claim"))
    scene.wait(1000)
    assert scene.opened() == []
    scene.node("n2")
    scene.claim("Pending", selected_node="n2")
    scene.claim("Bound")
    assert scene.phase() == "Hydrating"


def test_a_node_that_comes_back_is_no_dead_node() -> None:
    """A node of that name that is there again before its time heals nothing."""
    scene = waiting()
    scene.gone(ONE, scene.known(ONE, "Node").subject)
    scene.wait(200)
    scene.node("n1", uid="replaced")
    scene.wait(200)
    assert (scene.entry().chosen, scene.opened()) == (("n1", "replaced", 0), [])


def test_each_machine_is_healed_once() -> None:
    """A second machine that is chosen and goes is healed, too."""
    scene = waiting()
    scene.gone(ONE, scene.known(ONE, "Node").subject)
    scene.wait(301)
    carry_out(scene)
    scene.node("n2")
    scene.claim("Pending", selected_node="n2")
    scene.gone(ONE, scene.known(ONE, "Node").subject)
    scene.wait(301)
    assert scene.doing() == ["Heal PersistentVolumeClaim"]
    assert scene.entry().healed == {"n1-uid": True}


def test_a_node_that_was_never_known_is_gone() -> None:
    """A claim that names a node which no list holds is healed by that name."""
    scene = waiting(node=False)
    scene.wait(301)
    carry_out(scene)
    assert scene.entry().healed == {"name:n1": True}


def test_a_pod_bound_to_the_dead_node_is_recreated() -> None:
    """A hydration Pod that is itself bound to that node goes; one that is not stays [S70]"""
    scene = waiting()
    scene.pod("Pending", node_name="n1")
    scene.pod("Pending", "free")
    scene.gone(ONE, scene.known(ONE, "Node").subject)
    scene.wait(301)
    assert sorted(scene.doing()) == ["Heal PersistentVolumeClaim", "delete HydrationPod"]
    carry_out(scene)
    assert scene.known(ONE, "HydrationPod").subject.name == "free"


def test_what_binds_is_not_healed() -> None:
    """After Bound the annotation means nothing: neither node nor healing are told [S71]"""
    scene = waiting()
    scene.gone(ONE, scene.known(ONE, "Node").subject)
    scene.claim("Bound")
    scene.wait(1000)
    assert (scene.entry().chosen.node_name, scene.opened()) == ("", [])


def test_an_unreachable_cluster_is_not_healed() -> None:
    """While the cluster does not answer nothing is decided, and it is made up for later."""
    scene = waiting()
    scene.gone(ONE, scene.known(ONE, "Node").subject)
    scene.unreachable()
    scene.wait(1000)
    assert scene.opened() == []
    scene.reachable()
    assert scene.doing() == ["Heal PersistentVolumeClaim"]


def test_a_download_on_a_lost_node_says_so_at_once() -> None:
    """When the node goes on which the Pod runs, the message says that, and the status moves."""
    scene = waiting()
    scene.claim("Bound")
    carry_out(scene)
    scene.pod("Running", node_name="n1")
    position = scene.mc.position
    scene.gone(ONE, scene.known(ONE, "Node").subject)
    message = entry_message(scene.state, scene.mc, scene.entry())
    assert message.endswith("is on node n1, which is gone")
    assert scene.mc.position > position


def test_each_unknown_machine_is_healed_once() -> None:
    """Two nodes of which nothing was ever known are two machines."""
    scene = waiting(node=False)
    for name in ("n1", "n2"):
        scene.claim("Pending", selected_node=name)
        scene.wait(301)
        assert scene.doing() == ["Heal PersistentVolumeClaim"]
        carry_out(scene)
    assert scene.entry().healed == {"name:n1": True, "name:n2": True}


def test_a_pod_that_goes_from_the_dead_node_is_not_deleted_again() -> None:
    """What is being deleted there already is left to its kubelet, or to the node's removal."""
    scene = waiting()
    scene.pod("Pending", node_name="n1", deleting=True)
    scene.gone(ONE, scene.known(ONE, "Node").subject)
    scene.wait(301)
    assert scene.doing() == ["Heal PersistentVolumeClaim"]
