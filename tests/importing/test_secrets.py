"""No secret of the material enters a log: presence and digest do, of those that something names."""

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.importing.reading import Read, audit, event, listed, raw, read_text

VALUE = "s3cr3t-of-nobody"
DATA = {"HF_TOKEN": base64.b64encode(VALUE.encode()).decode()}


def secret(name: str = "hub", **metadata: Any) -> dict[str, Any]:
    """A Secret with a token."""
    return raw("Secret", name, 3, metadata=metadata, data=DATA)


def cache() -> dict[str, Any]:
    """A ModelCache that names the Secret."""
    hub = {"repo": "org/model", "sizeGiB": 1, "authSecret": {"name": "hub"}}
    spec = {"source": "HuggingFace", "huggingFace": hub}
    return raw("ModelCache", "qwen", 2, spec=spec)


def home() -> dict[str, Any]:
    """The cluster itself, as an InferenceCluster."""
    return raw("InferenceCluster", "home", 1, spec={"cluster": {"source": "InCluster"}})


def whole(read: Read) -> str:
    """All that the log holds."""
    return json.dumps(read.rows)


WRAPPED: dict[str, Callable[..., str]] = {
    "list": listed,
    "watch": lambda *raws: "".join(event("ADDED", one) for one in raws),
    "audit": lambda *raws: "".join(
        audit("create", _resource(one), one, about={"name": "x"}) for one in raws
    ),
}


def _resource(body: dict[str, Any]) -> str:
    return {
        "Secret": "secrets", "ModelCache": "modelplane.ai/modelcaches",
        "InferenceCluster": "modelplane.ai/inferenceclusters", "Pod": "pods",
    }[body["kind"]]  # fmt: skip


@pytest.mark.parametrize("wrapped", WRAPPED)
@pytest.mark.parametrize("first", [True, False])
def test_a_secret_that_a_cache_names_is_there_by_its_digest(
    tmp_path: Path, wrapped: str, *, first: bool
) -> None:
    """Whether it comes before the cache or after; another one leaves no trace at all."""
    secrets = [secret(), secret("unrelated")]
    raws = [*secrets, home(), cache()] if first else [home(), cache(), *secrets]
    read = read_text(tmp_path, WRAPPED[wrapped](*raws))
    [data] = read.data("SecretSeen")
    assert list(data["level"]["keys"]) == ["HF_TOKEN"] or "HF_TOKEN" in json.dumps(data)
    assert "Secret/team/hub" in read.synced
    told = whole(read)
    assert VALUE not in told
    assert DATA["HF_TOKEN"] not in told
    assert "unrelated" not in told


def test_a_secret_that_a_list_of_its_namespace_lacks_does_not_exist(tmp_path: Path) -> None:
    """The namespace was listed, and it was not in it."""
    read = read_text(tmp_path, listed(home(), cache(), secret("another")))
    assert "Secret/team/hub" in read.synced
    assert not read.data("SecretSeen")


@pytest.mark.parametrize("first", [True, False])
def test_words_that_quote_a_secret_are_struck_out(tmp_path: Path, *, first: bool) -> None:
    """Even when the Secret comes after the words: the material is looked through before."""
    waiting = {"waiting": {"reason": "ErrImagePull", "message": f"denied for {VALUE}"}}
    status = {"phase": "Pending", "containerStatuses": [{"name": "c", "state": waiting}]}
    pod = raw("Pod", "p", 4, metadata={"labels": {"model.aibrix.ai/warmup": "x"}}, status=status)
    order = (secret(), pod) if first else (pod, secret())
    read = read_text(tmp_path, "".join(event("ADDED", one) for one in order))
    assert "denied for" in whole(read)
    assert VALUE not in whole(read)
