"""Steadied text, on what real schedulers, kubelets, registries and API servers said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from machines.steadying import (
    LIMIT,
    cut,
    cut_bytes,
    cut_start,
    scrub,
    steady,
    steady_end,
    steady_scheduling,
    steady_waiting,
)

_PREEMPTION = (
    " no new claims to deallocate, preemption: 0/{0} nodes are available:"
    " {0} Preemption is not helpful for scheduling."
)
# As kube-scheduler 1.36 wrote them for one Pod, pinned to a tainted node, while nodes joined.
TAINTED = [
    "0/1 nodes are available: 1 node(s) had untolerated taint(s)." + _PREEMPTION.format(1),
    "0/2 nodes are available: 1 node(s) didn't satisfy plugin(s) [NodeAffinity],"
    " 1 node(s) had untolerated taint(s)." + _PREEMPTION.format(2),
    "0/3 nodes are available: 1 node(s) had untolerated taint(s),"
    " 2 node(s) didn't satisfy plugin(s) [NodeAffinity]." + _PREEMPTION.format(3),
    "0/13 nodes are available: 1 node(s) had untolerated taint(s),"
    " 12 node(s) didn't satisfy plugin(s) [NodeAffinity]." + _PREEMPTION.format(13),
]
# The same for a Pod that asks for more than any node has.
TOO_BIG = [
    "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s)."
    + _PREEMPTION.format(2),
    "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu."
    + _PREEMPTION.format(3),
    (
        "0/12 nodes are available: 4 node(s) had untolerated taint(s), 8 Insufficient cpu."
        " preemption: 0/12 nodes are available: 1 No preemption victims found for incoming pod,"
        " 11 Preemption is not helpful for scheduling.."
    ),
]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (TAINTED, "no node is available: node(s) had untolerated taint(s)"),
        (TOO_BIG, "no node is available: Insufficient cpu, node(s) had untolerated taint(s)"),
        (
            [
                f"0/{n} nodes are available: {n} node(s) didn't satisfy plugin(s) [NodeAffinity]."
                + _PREEMPTION.format(n)
                for n in range(1, 14)
            ],
            "no node is available: node(s) didn't satisfy plugin(s) [NodeAffinity]",
        ),
        (
            [
                (
                    "0/1 nodes are available: 1 node(s) had untolerated taint"
                    " {node.kubernetes.io/unreachable: }. preemption: 0/1 nodes are available:"
                    " 1 Preemption is not helpful for scheduling."
                ),
                (
                    "0/2 nodes are available: 2 node(s) had untolerated taint"
                    " {node.kubernetes.io/unreachable: }. preemption: 0/2 nodes are available:"
                    " 2 Preemption is not helpful for scheduling.,\n      reject the pod x."
                ),
            ],
            (
                "no node is available: node(s) had untolerated taint"
                " {node.kubernetes.io/unreachable: }"
            ),
        ),
        (
            [
                (
                    "0/5 nodes are available: pod has unbound immediate PersistentVolumeClaims."
                    " preemption: 0/5 nodes are available:"
                    " 5 Preemption is not helpful for scheduling."
                )
            ],
            "no node is available: pod has unbound immediate PersistentVolumeClaims",
        ),
        (["0/7 nodes are available:"], "no node is available"),
        (["no nodes available to schedule pods"], "no nodes available to schedule pods"),
    ],
)
def test_a_scheduler_that_counts_nodes_says_one_thing(said: list[str], words: str) -> None:
    """One cause is one text, whatever number of nodes the scheduler counted meanwhile."""
    assert {steady_scheduling(text) for text in said} == {words}


def test_a_pod_that_is_not_pinned_keeps_what_is_said_of_other_nodes() -> None:
    """Only for a pinned Pod is it no news that other nodes do not match."""
    words = steady_scheduling(TAINTED[1], pinned=False)
    assert words == (
        "no node is available: node(s) didn't satisfy plugin(s) [NodeAffinity],"
        " node(s) had untolerated taint(s)"
    )


_PULL = (
    'rpc error: code = NotFound desc = failed to pull and unpack image "docker.io/bitnami/k:1.31":'
    ' failed to resolve reference "docker.io/bitnami/k:1.31": docker.io/bitnami/k:1.31: not found'
)


def test_a_failing_pull_is_one_cause() -> None:
    """The kubelet's two words for one failing pull, with the registry's words, are one level."""
    pulling = steady_waiting("ErrImagePull", _PULL)
    backing_off = steady_waiting(
        "ImagePullBackOff", f'Back-off pulling image "bitnami/k:1.31": ErrImagePull: {_PULL}'
    )
    assert pulling == backing_off == ("ImagePullBackOff", _PULL)


def test_a_back_off_of_an_older_kubelet_keeps_its_words() -> None:
    """Before 1.32 the back-off does not repeat the registry's words: what is said is kept."""
    said = 'Back-off pulling image "x:1"'
    assert steady_waiting("ImagePullBackOff", said) == ("ImagePullBackOff", said)
    assert steady_waiting("CreateContainerConfigError", 'secret "x" not found') == (
        "CreateContainerConfigError",
        'secret "x" not found',
    )


_UID = "5b1c9c52-7b0b-4f8e-9d8e-0a3f6a1e2c11"
_HEX = "3f5a" * 16


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            (
                'pods "warm-x-4czgw" is forbidden: exceeded quota: few, requested: pods=1,'
                " used: pods=1, limited: pods=1"
            ),
            (
                'pods "warm-x-…" is forbidden: exceeded quota: few, requested: pods=1,'
                " used: …, limited: pods=1"
            ),
        ),
        (
            (
                "exceeded quota: few, requested: pods=1,requests.cpu=100m,"
                " used: pods=2,requests.cpu=900m, limited: pods=2,requests.cpu=1"
            ),
            (
                "exceeded quota: few, requested: pods=1,requests.cpu=100m, used: …,"
                " limited: pods=2,requests.cpu=1"
            ),
        ),
        (
            f"back-off 5m0s restarting failed container=image-0 pod=warm-x7k2p_default({_UID})",
            "back-off … restarting failed container=image-0 pod=warm-…_default(…)",
        ),
        (
            (
                "Pod default/warm-x-x7k2p has condition DisruptionTarget matching Ignore rule at"
                " index 0"
            ),
            "Pod default/warm-x-… has condition DisruptionTarget matching Ignore rule at index 0",
        ),
        (
            "read tcp 10.244.0.5:51234->10.0.0.1:443: read: connection reset by peer",
            "read tcp …->10.0.0.1:443: read: connection reset by peer",
        ),
        (
            "read tcp [fd00::5]:51234->[fd00::1]:443: i/o timeout",
            "read tcp …->[fd00::1]:443: i/o timeout",
        ),
        (
            (
                "tls: failed to verify certificate: x509: certificate has expired or is not yet"
                " valid:"
                " current time 2026-10-21T10:11:12Z is after 2026-10-20T00:00:00Z"
            ),
            (
                "tls: failed to verify certificate: x509: certificate has expired or is not yet"
                " valid:"
                " current time … is after …"
            ),
        ),
        (
            "started at 2026-10-21 10:11:12.123456 +0000 UTC m=+12.5 and died at 10:12:13",
            "started at … and died at …",
        ),
        (f'name "c_x" is reserved for "{_HEX}"', 'name "c_x" is reserved for "…"'),
        (
            "cpu 100m of 250m is short, deadline 1m30s passed after 250ms and 15µs",
            "cpu 100m of 250m is short, deadline … passed after … and …",
        ),
        ("Preempted by pod " + _UID + " on node n3", "Preempted by pod … on node n3"),
        ("attempt 3 failed, retry #4 (x5 over 2m10s)", "attempt … failed, retry #… (…)"),
        ("denied, request id: 4f2a-11, see logs", "denied, request id: …, see logs"),
    ],
)
def test_what_changes_by_itself_is_cut(text: str, words: str) -> None:
    """Counters, ages, times, generated names and ids are shown as an ellipsis."""
    assert steady(text) == words


@pytest.mark.parametrize(
    "text",
    [
        f"failed to pull image registry.io/llama@sha256:{_HEX}: not found",
        f"GET https://registry.io/v2/llama/blobs/sha256:{_HEX}: 403 Forbidden",
        "container image-0 exited with code 137",
        "dial tcp 10.0.0.1:6443: connect: connection refused",
        "Job has reached the specified backoff limit",
        "Job was active longer than specified deadline",
        'exec: "serve": executable file not found in $PATH: unknown',
        "the image llama-2-7b:10s-v2 on ip-10-0-24-56 wants 16Gi",
        'namespaces "pool-latency" not found',
        "模型无法加载",
    ],
)
def test_what_tells_causes_apart_stays(text: str) -> None:
    """Digests, exit codes, ports, HTTP codes, tags and names are kept."""
    assert steady(text) == text


def test_names_built_from_the_owner_lose_their_generated_part_anywhere() -> None:
    """A Pod's name is cut wherever it stands, when its Job's name is given."""
    assert steady("volume of warm-8f2c-xk42p is busy", "warm-8f2c") == (
        "volume of warm-8f2c-… is busy"
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("token hf_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789 refused", "token hf_… refused"),
        ("token hf_abcdefghijklmnopqrstuvwxyz refused", "token hf_… refused"),
        ("Authorization: Bearer abc.def-ghi_jkl", "Authorization: Bearer …"),
        ("bearer secret,next", "bearer …,next"),
        ("Bearer token-1234 is wrong", "Bearer … is wrong"),
        ('header "Authorization: Basic dXNlcjpwYXNz"', 'header "Authorization: Basic …"'),
        ("https://user:p@ss@registry.io/v2/", "https://…@registry.io/v2/"),
        ("postgresql+asyncpg://log:secret@db:5432/log", "postgresql+asyncpg://…@db:5432/log"),
        (
            'Get "https://r2.example.com/blob?X-Amz-Signature=abc&x=1": 403',
            'Get "https://r2.example.com/blob?…": 403',
        ),
        ("sent eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln today", "sent … today"),
    ],
)
def test_secrets_are_taken_out(text: str, words: str) -> None:
    """Tokens, Bearer values, user info and queries of URLs never come through."""
    assert scrub(text) == words
    assert steady(text) == words


@pytest.mark.parametrize(
    "text",
    [
        'Www-Authenticate: Bearer realm="https://auth.docker.io/token",service="registry"',
        "the bearer token is invalid",
        "bearer authentication failed",
        "No module named hf_transfer, hf_hub_download failed",
        f"oci://registry.io/llama@sha256:{_HEX}",
    ],
)
def test_what_only_speaks_of_secrets_stays(text: str) -> None:
    """Words about tokens, and the names of programs that use them, are no secrets."""
    assert scrub(text) == text


def test_texts_are_cut_on_character_boundaries() -> None:
    """At most 1,024 characters, counted as characters, with an ellipsis for what is gone."""
    text = "é" * 2000
    assert len(cut(text)) == LIMIT
    assert cut(text).endswith("é…")
    assert cut("short") == "short"
    assert cut_start("a" * 2000 + "the end").endswith("the end")
    assert len(cut_start("a" * 2000)) == LIMIT
    assert len(steady(text)) == LIMIT


@given(st.text(max_size=400), st.integers(min_value=3, max_value=300))
def test_bytes_are_cut_on_character_boundaries(text: str, limit: int) -> None:
    """A text cut by bytes is within its bound, valid UTF-8, and begins as the whole did."""
    kept = cut_bytes(text, limit)
    assert len(kept.encode()) <= limit
    whole = text.encode("utf-8", "replace").decode()
    assert kept == whole or whole.startswith(kept.removesuffix("…"))


def test_a_secret_that_a_cut_goes_through_is_not_shown() -> None:
    """What remains of a word at the bound of what is looked at might be half a secret."""
    token = "hf_" + "aB3" * 10
    for length in range(16 * LIMIT - 40, 16 * LIMIT + 1):
        text = ("7s " * length)[: length - 1] + " " + token
        assert "hf_a" not in steady(text)
        assert "aB3" not in steady_end(token + " " + text[: length - 1])


def test_a_programs_last_words_keep_their_end() -> None:
    """The end of what a program said tells what went wrong."""
    said = steady_end("Traceback\n" + "  File x\n" * 500 + "OSError: disk full")
    assert said.startswith("…")
    assert said.endswith("OSError: disk full")
    assert len(said) <= LIMIT


@pytest.mark.parametrize("text", [*TAINTED, *TOO_BIG, _PULL, "a 5s b " * 3])
def test_steadied_text_is_steady(text: str) -> None:
    """Steadying twice changes nothing more."""
    once = steady_scheduling(text)
    assert steady_scheduling(once) == once


@pytest.mark.parametrize(
    "text",
    [
        "pod/" * 5000,
        "http://" * 5000,
        "eyJabcdefgh-" * 2000,
        "a" * 1_000_000,
        "0" * 20_000,
        "bearer " * 4000,
    ],
)
def test_no_text_is_expensive(text: str) -> None:
    """Texts made to be slow to look at are looked at in bounded time."""
    assert len(steady(text)) <= LIMIT


@given(st.text(max_size=3000))
def test_any_text_can_be_steadied(text: str) -> None:
    """Whatever the text, it is bounded and nothing is raised."""
    assert len(steady(text)) <= LIMIT
    assert len(steady_end(text)) <= LIMIT
    assert len(steady_scheduling(text)) <= LIMIT
