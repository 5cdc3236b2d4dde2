"""Tokens of gated models: what is missing is named, a new one is used, and none is ever told."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.e2e.caches import Team, condition, entry
from tests.e2e.controllers import ControllerProcess, assert_replay_agrees, run_warmlog
from tests.e2e.controlplane import stages
from tests.e2e.controlplane.watching import request, wait_until
from tests.e2e.joining import RETRY_SECONDS

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

NAME = "gated"
SECRET = "hub"
KEY = "HF_TOKEN"
# Not like a token of the hub, so that no pattern can be what keeps it out; searched for at the end.
MARKER = "planted-secret-value-31415926"
ROTATED = "another-secret-value-27182818"
# What the hub's client says when a token is wrong, had it quoted the token.
WRONG = f"401 Client Error: token {MARKER} is not valid for org/model"


async def test_a_missing_token_is_named_until_it_is_there(
    team: Team, staging: ControllerProcess
) -> None:
    """A Secret that is missing, has no such key, or an empty value under it: the message says which
    and wins over the claim's, there is a claim but no Job, and the token's coming starts it.
    [C5] [C8] [C42]
    """
    site = team.second
    await site.add_nodes("hanging-gpu")
    await team.stage(NAME, sites=[site], secret=SECRET)
    secret = f"{team.namespace}/{SECRET}"
    await team.until_entry(NAME, site, "Pending", secret, KEY, "does not exist")
    await site.storage.until(team.claim(NAME), lambda claim: True)
    await team.put_secret(SECRET, OTHER="x")
    await team.until_entry(NAME, site, "Pending", secret, KEY, "has no key")
    await team.change_secret(SECRET, **{KEY: ""})
    told = await team.until(
        NAME, lambda cache: "empty" in entry(cache["status"], site).get("message", "")
    )
    assert condition(told["status"], "ArtifactReady") == ("False", "AuthSecretMissing")
    assert (await request(site.session, "GET", site.path("jobs")))["items"] == []
    await team.change_secret(SECRET, **{KEY: MARKER})
    await site.storage.bind_when_asked(team.claim(NAME))
    running = await site.until_pod(NAME, lambda pod: pod["status"].get("phase") == "Running")
    [variable] = [each for each in running["spec"]["containers"][0]["env"] if each["name"] == KEY]
    assert variable["valueFrom"]["secretKeyRef"]["name"] == team.token_secret(NAME)
    copy = await request(site.session, "GET", f"{site.path('secrets')}/{team.token_secret(NAME)}")
    assert list(copy["data"]) == [KEY]
    await site.end(NAME, stages.COMPLETED)
    await team.until_entry(NAME, site, "Ready")
    await wait_until(
        site.session, site.path("secrets"), lambda found: team.token_secret(NAME) not in found
    )
    await request(team.session, "DELETE", f"{team.home_path('secrets')}/{SECRET}")
    await staging.wait_until_quiet()
    cache = await team.read(NAME)
    assert entry(cache["status"], site)["mount"] == team.mount(NAME)
    assert_replay_agrees(staging.log, cache)


async def test_a_wrong_token_is_told_of_and_a_rotated_one_tried_at_once(
    team: Team, staging: ControllerProcess
) -> None:
    """The hub's words are in the message without the token they quote, and another token is tried
    long before the next try is due; nothing that was written has either of them. [C31] [C44]
    """
    site = team.second
    await site.add_nodes("hanging-gpu")
    await team.put_secret(SECRET, **{KEY: MARKER})
    await team.stage(NAME, sites=[site], secret=SECRET)
    await site.storage.bind_when_asked(team.claim(NAME))
    await site.allow_attempts(team.job(NAME), 1)
    await site.end(NAME, stages.FAILED, WRONG)
    failed = await team.until_entry(NAME, site, "Failed", "401 Client Error", "org/model")
    assert MARKER not in failed["message"]
    async with asyncio.timeout(RETRY_SECONDS / 2):
        await team.change_secret(SECRET, **{KEY: ROTATED})
        await team.until_entry(NAME, site, "Hydrating")
    await site.end(NAME, stages.COMPLETED)
    await team.until_entry(NAME, site, "Ready")
    await staging.wait_until_quiet()
    assert_replay_agrees(staging.log, await team.read(NAME))
    written = {what: text async for what, text in everything(team, staging)}
    assert any(b"401 Client Error" in text for text in written.values())
    for value in (MARKER, ROTATED):
        for form in (value.encode(), base64.b64encode(value.encode())):
            assert [what for what, text in written.items() if form in text] == []


async def everything(team: Team, staging: ControllerProcess) -> AsyncIterator[tuple[str, bytes]]:
    """All that was written of the team, by its name: files, answers, and objects but Secrets."""
    for file in Path(staging.log).parent.iterdir():
        yield f"file {file.name}", file.read_bytes()
    reference = f"ModelCache/{team.namespace}/{NAME}"
    for command in (
        ("export", staging.log),
        ("replay", staging.log, "-o", "json"),
        ("explain", reference, "--log", staging.log),
        ("explain", reference, "--log", staging.log, "-o", "json"),
    ):
        yield f"warmlog {command}", run_warmlog(*command).encode()
    for page in ("/metrics", "/readyz?verbose", "/healthz"):
        yield page, (await staging.page(page)).encode()
    for url in ("modelplane.ai/v1alpha1/modelcaches", "modelplane.ai/v1alpha1/inferenceclusters"):
        yield url, json.dumps(await request(team.session, "GET", f"/apis/{url}")).encode()
    for site in team.sites:
        for url in ("api/v1/events", "api/v1/persistentvolumeclaims", "apis/batch/v1/jobs"):
            found = await request(site.session, "GET", f"/{url}")
            yield f"{url} of {site.name}", json.dumps(found).encode()
