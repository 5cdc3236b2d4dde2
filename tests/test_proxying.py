"""Which hosts the environment's proxy is for."""

import pytest

from adapters.proxying import proxy_for

PROXY = {"HTTPS_PROXY": "http://proxy:3128"}


@pytest.mark.parametrize(
    ("url", "no_proxy", "direct"),
    [
        ("https://api.example.com:6443", "", False),
        ("https://api.example.com:6443", "example.com", True),
        ("https://api.example.com:6443", ".example.com", True),
        ("https://api.example.com:6443", "*.Example.com", True),
        ("https://api.example.com:6443", "other.com, api.example.com", True),
        ("https://api.example.com:6443", "api.example.com:6443", True),
        ("https://api.example.com:6443", "api.example.com:443", False),
        ("https://api.badexample.com", "example.com", False),
        ("https://api.example.com", "*", True),
        ("https://10.96.0.1:443", "10.96.0.0/12", True),
        ("https://10.96.0.1:443", "10.96.0.1", True),
        ("https://10.96.0.1:443", "192.168.0.0/16,x", False),
        ("https://[fd00::1]:6443", "fd00::/8", True),
        ("https://127.0.0.1:6443", "", True),
        ("https://[::1]:6443", "", True),
        ("https://localhost:6443", "", True),
        ("http://api.example.com", "", True),
    ],
)
def test_a_host_is_reached_through_the_proxy_or_directly(
    url: str, no_proxy: str, *, direct: bool
) -> None:
    """NO_PROXY knows domains, ports and ranges; loopback never goes through a proxy."""
    found = proxy_for(url, {**PROXY, "NO_PROXY": no_proxy})
    assert found == (None if direct else "http://proxy:3128")


def test_small_letters_and_bare_addresses_are_understood() -> None:
    """`https_proxy=proxy:3128` means what HTTPS_PROXY with a scheme does."""
    environment = {"https_proxy": "proxy:3128", "no_proxy": "a.com"}
    assert proxy_for("https://b.com", environment) == "http://proxy:3128"
    assert proxy_for("https://a.com", environment) is None
    assert proxy_for("https://b.com", {}) is None
