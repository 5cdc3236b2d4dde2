"""Lasting: which objects of a log matter at a moment, by where their rows begin and end."""

from engine.canonical_json import dumps
from engine.events import Event
from machines.caches.child_names import claim_name, hydration_job_name, workload_namespace
from machines.lasting import Home, Lasting, Span, lasting
from machines.replicas.names import workload_name

THERE = workload_namespace("team")


def span(subject: str, first: int, last: int, *, is_over: bool = False) -> Span:
    """Where the rows about something begin and end."""
    return Span(f"{subject}/uid", first, last, is_over)


def told(*spans: Span, workload_namespace: str = "", rolled_back: bool = False) -> Lasting:
    """What matters, by the settings of one session, and when its cluster went back in time."""
    data = {"caching": {"workload_namespace": workload_namespace}}
    rows = [Event(1, 1, 1, "", "Session///", "SessionStarted", 1, dumps(data))]
    if rolled_back:
        rows.append(Event(2, 1, 1, "east", "Cluster//east/", "ClusterRolledBack", 1, "{}"))
    return lasting(spans, rows)


def others(*spans: Span, workload_namespace: str = "") -> set[str]:
    """What matters beside ModelWarmups, without uids."""
    found = told(*spans, workload_namespace=workload_namespace).others
    return {subject.removesuffix("/uid") for subject in found}


def test_of_warmups_those_matter_that_are_there() -> None:
    """However old they are, and whatever came and went beside them."""
    old, new = span("ModelWarmup/a/old", 1, 9), span("ModelWarmup/a/new", 50, 60)
    gone = span("ModelWarmup/a/gone", 40, 70, is_over=True)
    assert told(old, gone, new) == Lasting(frozenset({old.subject, new.subject}), frozenset())


def test_what_was_over_before_the_first_owner_that_is_there_does_not_matter() -> None:
    """Neither an owner nor what it had on clusters."""
    past = span("ModelCache/team/past", 1, 20, is_over=True)
    claim = span(f"PersistentVolumeClaim/{THERE}/past", 5, 19, is_over=True)
    replica = span("ModelReplica/team/here", 21, 30)
    assert others(past, claim, replica) == {"ModelReplica/team/here"}


def test_what_was_there_with_an_owner_that_still_is_matters() -> None:
    """Though it is over by now: a replica may have held on to its claim."""
    cache = span("ModelCache/team/past", 1, 40, is_over=True)
    claim = span(f"PersistentVolumeClaim/{THERE}/past", 5, 21, is_over=True)
    replica = span("ModelReplica/team/here", 21, 30)
    assert len(others(cache, claim, replica)) == 3


def test_what_has_not_gone_matters_however_old_it_is() -> None:
    """A claim that its owner left behind may bear the name that another one wants."""
    claim = span(f"PersistentVolumeClaim/{THERE}/left", 2, 3)
    assert others(claim, span("ModelCache/team/here", 21, 30)) == {
        f"PersistentVolumeClaim/{THERE}/left", "ModelCache/team/here",
    }  # fmt: skip


def test_namespaces_go_by_themselves() -> None:
    """An old owner in one of them does not make what was over in another one matter."""
    old = span("ModelCache/other/old", 1, 90)
    past = span("ModelCache/team/past", 10, 20, is_over=True)
    here = span("ModelCache/team/here", 21, 30)
    assert others(old, past, here) == {"ModelCache/other/old", "ModelCache/team/here"}


def test_owners_that_share_a_namespace_on_clusters_do_not_go_by_themselves_there() -> None:
    """What is in it matters as long as the oldest of them."""
    old = span("ModelCache/other/old", 1, 90)
    claim = span("PersistentVolumeClaim/models/past", 10, 20, is_over=True)
    here = span("ModelCache/team/here", 21, 30)
    assert "PersistentVolumeClaim/models/past" in others(
        old, claim, here, workload_namespace="models"
    )


def test_what_is_in_nobodys_namespace_matters_as_if_it_were_the_oldest_owners() -> None:
    """People may have put it there, and given it an owner's annotations."""
    old = span("ModelCache/other/old", 5, 90)
    before = span("PersistentVolumeClaim/elsewhere/before", 1, 4, is_over=True)
    after = span("PersistentVolumeClaim/elsewhere/after", 10, 20, is_over=True)
    assert others(old, before, after) == {
        "ModelCache/other/old", "PersistentVolumeClaim/elsewhere/after",
    }  # fmt: skip


def test_what_names_an_owner_elsewhere_matters_as_long_as_that_owner() -> None:
    """So it does for all that is where it was: nobody else's is told apart from it there."""
    old, here = span("ModelCache/other/old", 1, 90), span("ModelCache/team/here", 21, 30)
    past = span(f"PersistentVolumeClaim/{THERE}/past", 10, 20, is_over=True)
    assert past.subject not in lasting((old, past, here), ()).others
    homes = Home(THERE, "other"), Home(THERE, "nobody"), Home("elsewhere", "other")
    assert past.subject in lasting((old, past, here), (), homes).others
    assert past.subject not in lasting((old, past, here), (), homes[1:]).others


def test_nothing_is_too_old_where_a_cluster_went_back_in_time() -> None:
    """What was over may have come again, under the same uid."""
    past = span("ModelCache/team/past", 1, 20, is_over=True)
    here = span("ModelCache/team/here", 21, 30)
    assert told(past, here).others == {here.subject}
    assert told(past, here, rolled_back=True).others == {past.subject, here.subject}


def test_without_an_owner_nothing_that_owners_had_matters() -> None:
    """Nothing is shown that it could be about."""
    assert others(span("Deployment/x/y", 1, 2), span("ModelCache/x/y", 1, 3, is_over=True)) == set()


def test_what_is_gone_matters_until_what_it_left_is_gone() -> None:
    """Its finalizer was taken off: what is heard of its claim is of it, and not of its namesake."""
    past = span("ModelCache/team/model", 1, 20, is_over=True)
    job = span(f"HydrationJob/{THERE}/{hydration_job_name('team', 'model')}", 3, 6, is_over=True)
    claim = span(f"PersistentVolumeClaim/{THERE}/{claim_name('team', 'model')}", 2, 5)
    here = span("ModelCache/team/another", 21, 30)
    assert told(past, job, claim, here).others == {
        one.subject for one in (past, job, claim, here)
    }  # fmt: skip
    gone_since = claim._replace(last=25, is_over=True)
    assert past.subject in told(past, gone_since, here).others
    gone_before = claim._replace(last=19, is_over=True)
    assert told(past, gone_before, here).others == {here.subject}


def test_what_a_namesake_has_does_not_make_what_was_over_matter() -> None:
    """Objects may be made anew under one name each day."""
    past = span("ModelReplica/team/model", 1, 20, is_over=True)
    here = Span("ModelReplica/team/model/another", 21, 30, is_over=False)
    engine = span(f"Deployment/{THERE}/{workload_name('model', 'engine')}", 22, 30)
    assert told(past, here, engine).others == {here.subject, engine.subject}
    assert past.subject in told(past, here, engine._replace(first=19)).others


def test_what_is_gone_matters_while_something_it_asked_for_has_no_answer() -> None:
    """It may have been made, and is cleared away then."""
    past = span("ModelCache/team/past", 1, 20, is_over=True)
    here = span("ModelCache/team/here", 21, 30)
    assert told(past._replace(is_asking=True), here).others == {past.subject, here.subject}
