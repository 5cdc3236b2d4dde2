"""The rows of the log over HTTP: guarded, in pieces, only to be read."""

from pathlib import Path

import pytest

from adapters.store.pieces import KIND, read_piece
from tests.http.test_guarding import basic
from tests.http.test_pages import LOG, ask
from tests.recordings.reading import reader
from tests.store.rows import read_all

EXPOSED = "10.0.0.5"


@pytest.mark.parametrize("accepted", ["gzip, deflate", "identity"])
async def test_the_rows_after_a_position(accepted: str) -> None:
    """They come as the log has them, compressed for who can read that, and never from a cache."""
    got = await ask("/log?after=40", Accept_Encoding=accepted)
    assert (got.code, got.kind) == (200, KIND)
    assert got.headers.get("Content-Encoding") == ("gzip" if "gzip" in accepted else None)
    assert got.headers["Cache-Control"] == "no-store"
    piece = read_piece(got.text.encode(), "it")
    assert piece.events == await read_all(reader("demo"), 40)
    assert piece.end == await reader("demo").identify()


async def test_without_a_position_it_begins_at_the_beginning() -> None:
    """It is the whole of a short log, as `export` writes it but for the header."""
    got = await ask("/log")
    assert got.text.splitlines()[1:] == LOG.read_text().splitlines()[1:]


@pytest.mark.parametrize("after", ["-1", "x", "", "1.5", "9" * 19, "٣"])
async def test_what_is_no_position(after: str) -> None:
    """It is refused with a sentence."""
    got = await ask(f"/log?after={after}")
    assert (got.code, got.kind) == (400, "text/plain")
    assert "is no position" in got.text


@pytest.mark.parametrize("query", ["", "?after=40", "?after=x"])
async def test_it_is_guarded_whatever_is_asked(query: str) -> None:
    """Off loopback a token of somebody who may is needed, and a browser is not asked for one."""
    path = f"/log{query}"
    refused = await ask(path, listens_on=EXPOSED)
    assert (refused.code, refused.headers["WWW-Authenticate"]) == (401, 'Bearer realm="warmlog"')
    assert "warmlog-viewer" in refused.text
    assert (await ask(path, listens_on=EXPOSED, Authorization="Bearer bad")).code == 403
    assert (await ask(path, listens_on=EXPOSED, Authorization=basic("me:bad"))).code == 403
    assert (await ask(path, Host="evil.example")).code == 401
    assert (await ask(path, X_Forwarded_For="10.1.2.3")).code == 401
    assert (await ask(path, method="POST")).code == 405
    let_in = await ask(path, listens_on=EXPOSED, Authorization="Bearer good")
    assert let_in.code == (400 if query.endswith("x") else 200)


async def test_a_log_that_cannot_be_read(tmp_path: Path) -> None:
    """Then there is a sentence that says why, to those who may see the log."""
    got = await ask("/log", log=tmp_path / "none.db")
    assert (got.code, got.kind) == (500, "text/plain")
    assert "There is no log at" in got.text
    refused = await ask("/log", log=tmp_path / "none.db", listens_on=EXPOSED)
    assert (refused.code, "There is no log" in refused.text) == (401, False)
