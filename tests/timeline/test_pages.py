"""Pages: the built page with a timeline in it, or as the running controller serves it."""

import base64
import gzip
import hashlib
import json
import re

from adapters.timeline.pages import live_page, standalone_page

HOSTILE = {"texts": ["</script><script>alert(1)</script>", "<!--", "\u2028", "@DATA@"]}


def data_of(page: str) -> str:
    """What stands in the page's element of data."""
    found = re.search(r'<script type="text/plain" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return found[1]


def policy_of(page: str) -> str:
    """The page's Content-Security-Policy."""
    found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert found is not None
    return found[1]


def test_a_page_holds_its_timeline_and_no_text_of_it_is_markup() -> None:
    """Whatever texts say, they come back as they were, and stand nowhere as they are."""
    page = standalone_page(HOSTILE)
    assert json.loads(gzip.decompress(base64.b64decode(data_of(page)))) == HOSTILE
    assert "alert(1)" not in page
    assert page.count("<script") == standalone_page({}).count("<script")


def test_equal_timelines_give_equal_pages() -> None:
    """The same bytes, whenever it is written."""
    assert standalone_page(HOSTILE) == standalone_page(HOSTILE)


def test_nothing_but_its_own_script_and_style_may_run_and_nothing_be_fetched() -> None:
    """The policy names both by their digests; only the live page may ask where it came from."""
    page = standalone_page({})
    policy = policy_of(page)
    assert policy.startswith("default-src 'none'")
    assert "connect-src 'none'" in policy
    for element, directive in (('script type="module"', "script-src"), ("style", "style-src")):
        text = re.search(rf"<{element}>(.*?)</{element.split()[0]}>", page, re.DOTALL)
        assert text is not None
        digest = base64.b64encode(hashlib.sha256(text[1].encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}'" in policy
    assert "connect-src 'self'" in policy_of(live_page())
    assert data_of(live_page()) == ""
