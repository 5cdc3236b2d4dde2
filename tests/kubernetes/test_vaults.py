"""The vault: what it takes, what it gives and to whom, and what it strikes out of words."""

import base64
from typing import Any
from urllib.parse import quote

import pytest

from adapters.kubernetes.parsing import TOO_DEEP
from adapters.kubernetes.vaults import SecretVault
from tests.kubernetes import cache_objects as objects

TOKEN = "hf/t0ken+marker=="
KEY = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\n-----END PRIVATE KEY-----\n"
KUBECONFIG = f"""
users:
- name: u
  user:
    token: kube-token-marker
    password: pass-marker
    client-key-data: {base64.b64encode(KEY.encode()).decode()}
"""
WHERE = (objects.NAMESPACE, objects.SECRET_NAME)


def _vault(**data: str) -> SecretVault:
    vault = SecretVault(b"k" * 32)
    vault.keep("prod", objects.secret(data))
    return vault


def test_a_secret_goes_on_without_its_values() -> None:
    """Digests stand in their place; copies of it in annotations and managed fields go as well."""
    raw = objects.secret(
        {"HF_TOKEN": TOKEN},
        notes={**objects.OWNER, "kubectl.kubernetes.io/last-applied-configuration": TOKEN},
        managedFields=[{"manager": TOKEN}],
    )
    raw["stringData"] = {"other": TOKEN}
    vault = SecretVault(b"k" * 32)
    kept = vault.keep("prod", raw)
    assert TOKEN not in str(kept)
    assert raw["data"]["HF_TOKEN"] not in str(kept)
    assert kept["digests"] == {"HF_TOKEN": vault.digest(raw["data"]["HF_TOKEN"])}
    assert set(kept["metadata"]["annotations"]) == set(raw["metadata"]["annotations"])
    assert objects.OWNER.items() <= kept["metadata"]["annotations"].items()


def test_a_digest_depends_on_value_and_key_and_is_empty_of_nothing() -> None:
    """16 hexadecimal characters; a value of blanks is as good as none."""
    one = base64.b64encode(b"one").decode()
    digest = SecretVault(b"k" * 32).digest(one)
    assert len(digest) == 16
    assert digest == SecretVault(b"k" * 32).digest(one)
    assert digest != SecretVault(b"l" * 32).digest(one)
    assert digest != SecretVault(b"k" * 32).digest(base64.b64encode(b"two").decode())
    assert SecretVault(b"k" * 32).digest("") == ""
    assert SecretVault(b"k" * 32).digest(base64.b64encode(b" \n").decode()) == ""


def test_a_value_is_given_only_to_who_has_its_digest() -> None:
    """As the Secret has it, of this cluster, while it is the current one."""
    vault = _vault(HF_TOKEN=TOKEN, EMPTY="")
    encoded = base64.b64encode(TOKEN.encode()).decode()
    digest = vault.digest(encoded)
    assert vault.tokens("prod").base64_of(*WHERE, "HF_TOKEN", digest) == encoded
    assert vault.tokens("prod").base64_of(*WHERE, "HF_TOKEN", "another") is None
    assert vault.tokens("prod").base64_of(*WHERE, "OTHER", digest) is None
    assert vault.tokens("prod").base64_of(*WHERE, "EMPTY", "") is None
    assert vault.tokens("other").base64_of(*WHERE, "HF_TOKEN", digest) is None
    assert vault.text_of("prod", *WHERE, "HF_TOKEN") == TOKEN
    vault.forget("prod", *WHERE)
    assert vault.tokens("prod").base64_of(*WHERE, "HF_TOKEN", digest) is None
    assert vault.text_of("prod", *WHERE, "HF_TOKEN") is None


@pytest.mark.parametrize(
    "written",
    [
        TOKEN,
        quote(TOKEN, safe=""),
        base64.b64encode(TOKEN.encode()).decode(),
        base64.b64encode(TOKEN.encode()).decode().rstrip("="),
    ],
)
def test_a_value_is_struck_out_however_it_is_written(written: str) -> None:
    """Plain, quoted for a URL, in base64; also when the Secret holds it with a line's end."""
    for value in (TOKEN, f"{TOKEN}\n"):
        assert _vault(HF_TOKEN=value).scrub(f"got {written}, sorry") in {
            "got …, sorry",
            "got …=, sorry",
            "got …==, sorry",
        }


def test_former_values_are_struck_out_as_well() -> None:
    """A Job that ran with the token before a rotation may say it afterwards."""
    vault = _vault(HF_TOKEN=TOKEN)
    vault.keep("prod", objects.secret({"HF_TOKEN": "next-marker"}))
    assert vault.scrub(f"{TOKEN} next-marker") == "… …"
    vault.forget("prod", *WHERE)
    assert vault.scrub(f"{TOKEN} next-marker") == "… …"


def test_what_a_kubeconfig_holds_is_struck_out_piece_by_piece() -> None:
    """Token, password and each line of the key; not every word of the file."""
    vault = _vault(kubeconfig=KUBECONFIG)
    for secret in ("kube-token-marker", "pass-marker", "MIIEvQIBADANBgkqhkiG9w0B"):
        assert vault.scrub(f"a {secret} b") == "a … b"
    assert vault.scrub("users of client-key-data") == "users of client-key-data"
    for odd in ("users: [", "users: 1", "users: [{user: 1}, 2]"):
        assert _vault(kubeconfig=odd).scrub("words") == "words"


def test_nothing_is_shown_of_a_vault() -> None:
    """Its representation counts, and holds neither values nor the key."""
    vault = _vault(HF_TOKEN=TOKEN)
    assert repr(vault) == str(vault) == "SecretVault(1 Secrets)"


def test_values_that_are_common_words_spoil_words_alone() -> None:
    """Types, phases and codes stay what they are, whatever somebody took for a token."""
    vault = _vault(HF_TOKEN="Failed", SHORT="a")
    condition = {"type": "Failed", "status": "True", "message": "Failed at a last"}
    assert vault.strike([condition]) == [{**condition, "message": "… at a last"}]


def test_what_is_nested_too_deeply_is_struck_out_whole() -> None:
    """One odd status stops no list."""
    deep: Any = TOKEN
    for _ in range(2000):
        deep = {"message": deep}
    assert _vault(HF_TOKEN=TOKEN).strike(deep) == TOO_DEEP
