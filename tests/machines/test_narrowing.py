"""Narrowing: of a timeline what concerns one object."""

from machines.narrowing import Narrowed, narrowed
from tests.machines.builders import Scene, selecting, spec_of
from tests.machines.test_charting import rows_of
from tests.timeline.wide import chart_of


def titles(found: Narrowed) -> list[tuple[str, str, str]]:
    """Kind, name and part of each lane."""
    return [(one.place.subject.kind, one.place.subject.name, one.place.part) for one in found.lanes]


async def test_a_replica_has_its_cache_beside_it_and_a_cache_its_replicas() -> None:
    """Each lane leads to those that it led to in the whole, by its new number."""
    chart = chart_of(await rows_of("demo_replicas"))
    replicas = [one for one in chart.lanes if one.place.subject.kind == "ModelReplica"]
    for replica in replicas:
        found = narrowed(chart.rows, chart.lanes, *replica.place.subject[:3])
        [own] = [one for one in found.lanes if one.place == replica.place]
        sees = [one.see for one in own.said]
        for old, new in zip(replica.said, sees, strict=True):
            assert (old.see is None) == (new is None)
            if old.see is not None and new is not None:
                assert found.lanes[new].place == chart.lanes[old.see].place
        assert {one.place.subject.kind for one in found.lanes} == {"ModelReplica", "ModelCache"}
        cache = next(one for one in found.lanes if one.place.subject.kind == "ModelCache")
        back = narrowed(chart.rows, chart.lanes, *cache.place.subject[:3])
        assert replica.place in [one.place for one in back.lanes]
        for number, lane in enumerate(found.lanes):
            assert lane.number == number
            assert lane.parent is None or found.lanes[lane.parent].parent is None


def test_of_several_warmups_one_is_left_with_its_nodes_and_rows() -> None:
    """Rows that none of its lanes tells of are left out, but for the last one."""
    scene = Scene()
    scene.nodes("n1", "n2")
    for name in ("one", "two", "three"):
        scene.warmup(spec_of(selecting()), name=name)
    chart = chart_of(scene.rows)
    found = narrowed(chart.rows, chart.lanes, "ModelWarmup", "ns", "two")
    whole = ("ModelWarmup", "two", "")
    assert titles(found) == [whole, ("ModelWarmup", "two", "n1"), ("ModelWarmup", "two", "n2")]
    assert [lane.parent for lane in found.lanes] == [None, 0, 0]
    about = {row.subject for row in found.rows[:-1]}
    assert "ModelWarmup/ns/two/two-uid" in about
    assert "ModelWarmup/ns/one/one-uid" not in about
    assert found.rows[-1] == chart.rows[-1]


def test_of_what_was_never_there_nothing_is_left() -> None:
    """No lane and no row."""
    chart = chart_of(Scene().rows)
    assert narrowed(chart.rows, chart.lanes, "ModelWarmup", "ns", "none") == ([], [], True)
