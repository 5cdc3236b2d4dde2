"""Which proxy the environment wants for a host, read as Kubernetes' own clients read it.

(Python's reading of NO_PROXY knows no address ranges, so that a cluster's service range listed
there would go through the proxy after all.)
"""

import ipaddress
from collections.abc import Mapping
from urllib.parse import urlsplit


def proxy_for(url: str, environment: Mapping[str, str]) -> str | None:
    """Give the proxy's URL for `url`, or None when it is to be reached directly."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    name = f"{parts.scheme}_proxy"
    proxy = environment.get(name.upper()) or environment.get(name)
    excepted = environment.get("NO_PROXY") or environment.get("no_proxy") or ""
    if not proxy or _is_loopback(host):
        return None
    if any(_covers(entry.strip(), host, parts.port) for entry in excepted.split(",")):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _is_loopback(host: str) -> bool:
    address = _address(host)
    return host == "localhost" if address is None else address.is_loopback


def _covers(entry: str, host: str, port: int | None) -> bool:
    """Say whether one entry of NO_PROXY covers the host: `*`, a range, an address, a domain."""
    if entry == "*":
        return True
    if not entry:
        return False
    address = _address(host)
    if address is not None:
        try:
            return address in ipaddress.ip_network(entry, strict=False)
        except ValueError:
            pass
    name, colon, wanted_port = entry.lower().rpartition(":")
    if colon and wanted_port.isdigit():
        if int(wanted_port) != port:
            return False
        entry = name
    entry = entry.lower().removeprefix("*").strip("[]")
    return host == entry.removeprefix(".") or host.endswith("." + entry.removeprefix("."))
