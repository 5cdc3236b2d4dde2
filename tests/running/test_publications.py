"""Publications: whose status is sent now."""

from adapters.running.publications import published
from machines.states import CACHE_KINDS
from tests.caches.pictures import HOME, Picture


def test_a_cache_is_published_once_all_that_it_is_about_was_listed() -> None:
    """After a start, or an outage, nothing is sent of a ModelCache whose home is not known anew:
    what became of its claim may have been recorded, and has moved no entry yet.
    """
    picture = Picture()
    state, uid = picture.state, picture.cache.subject.uid
    home = state.clusters[HOME]
    home.synced = dict.fromkeys(CACHE_KINDS, True)
    picture.cache.enrolled = True
    assert uid in dict(published(state))
    home.reachable = False
    assert uid not in dict(published(state))
    home.reachable = True
    del home.synced["InferenceCluster"]
    assert uid not in dict(published(state))
    home.unread["InferenceCluster"] = "no right to list them"
    assert uid in dict(published(state))
