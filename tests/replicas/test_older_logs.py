"""A log that was restored from a backup knows an older mount than the one that engines run with."""

from engine.canonical_json import loads
from tests.caches.builders import CLAIM
from tests.replicas.builders import MOUNT, UID
from tests.replicas.serving import KINDS, OTHER_CLAIM, OTHER_MOUNT, ServingScene

LATER = {"uid": UID, "log": "log", "position": 10_000}


def restored(what: str, *, there: bool, mount: str = OTHER_MOUNT) -> ServingScene:
    """The rows of a switch to another cache, which has no mount any more, are lost."""
    scene = ServingScene(what).serving()
    scene.start()
    scene.other_cache()
    if there:
        scene.edit(what, applied="of a lost row", fields="of a lost row", mount=OTHER_MOUNT)
    else:
        scene.removed(what)
    status = {"composed": True, "mount": loads(mount), "warmlog": LATER}
    scene.replica(spec=scene.spec(cache="other"), generation=2, status=status)
    scene.lists_all()
    return scene


@KINDS
def test_an_engine_keeps_what_a_lost_row_gave_it(what: str) -> None:
    """Its Pods are what they were, though this log knows of the first cache alone."""
    scene = restored(what, there=True)
    scene.carry_out()
    assert (scene.workload(what).mount, scene.mr.kept) == (OTHER_MOUNT, OTHER_MOUNT)
    assert OTHER_CLAIM in scene.condition("ModelAccepted")[2]
    assert CLAIM not in "".join(scene.mr.claims)


@KINDS
def test_an_engine_that_is_gone_comes_back_with_it(what: str) -> None:
    """What the status tells is later than what this log knows."""
    scene = restored(what, there=False)
    scene.carry_out()
    assert scene.workload(what).mount == OTHER_MOUNT


@KINDS
def test_a_status_of_the_same_mount_is_no_news(what: str) -> None:
    """However late it is, it is not recorded."""
    scene = restored(what, there=True, mount=MOUNT)
    assert [row for row in scene.rows if row.type == "Recovered"] == []
