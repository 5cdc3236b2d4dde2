"""The command line of each component."""

import os
import random
import socket
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

ETCD = "etcd"
API_SERVER = "kube-apiserver"
CONTROLLER_MANAGER = "kube-controller-manager"
SCHEDULER = "kube-scheduler"
KWOK = "kwok"

# In the order of starting. They end in the opposite order: an API server without its etcd
# lingers for minutes.
COMPONENTS = (ETCD, API_SERVER, CONTROLLER_MANAGER, SCHEDULER, KWOK)

# The clients' own limits (20 to 50 requests a second) would be what a benchmark measures.
_CLIENT_LIMITS = ["--kube-api-qps=2000", "--kube-api-burst=4000"]

_FIRST_PORT, _PORTS, _PARTS = 20000, 1500, 8


@dataclass
class Ports:
    """One loopback port for each server."""

    etcd_client: int
    etcd_peer: int
    api_server: int
    controller_manager: int
    scheduler: int
    kwok: int


def free_ports() -> Ports:
    """Pick ports that are free now.

    They lie below the range for outgoing connections, so that a component that is stopped and
    started again finds its port still free.
    """
    sockets: list[socket.socket] = []
    try:
        while len(sockets) < 6:
            candidate = socket.socket()
            sockets.append(candidate)
            try:
                candidate.bind(("127.0.0.1", random.choice(_own_ports())))
            except OSError:
                sockets.pop().close()
        return Ports(*(bound.getsockname()[1] for bound in sockets))
    finally:
        for bound in sockets:
            bound.close()


def _own_ports() -> range:
    """Those of this worker: two that begin at once must not choose the same."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    first = _FIRST_PORT + worker % _PARTS * _PORTS
    return range(first, first + _PORTS)


@dataclass
class Layout:
    """Where the programs, the data and the ports of one control plane are."""

    programs: Path
    data: Path
    ports: Ports = field(default_factory=free_ports)

    @property
    def server(self) -> str:
        """The URL of the API server."""
        return f"https://127.0.0.1:{self.ports.api_server}"

    @property
    def signing_key(self) -> Path:
        """The private key of ServiceAccount tokens."""
        return self.data / "service-accounts.key"

    @property
    def token_file(self) -> Path:
        """The API server's list of static tokens."""
        return self.data / "tokens.csv"

    @property
    def kubeconfig(self) -> Path:
        """The kubeconfig of the admin, used by the components too."""
        return self.data / "admin.kubeconfig"

    def certificate(self, component: str) -> Path:
        """The certificate that a component makes for itself, which also serves as its CA."""
        file = "apiserver" if component == API_SERVER else component
        return self.data / "certificates" / component / f"{file}.crt"


def etcd_command(layout: Layout) -> list[str]:
    """A single member that does not wait for the disk: its data is thrown away anyway."""
    client = f"http://127.0.0.1:{layout.ports.etcd_client}"
    peer = f"http://127.0.0.1:{layout.ports.etcd_peer}"
    return [
        str(layout.programs / ETCD),
        f"--data-dir={layout.data / 'etcd'}",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=default={peer}",
        "--unsafe-no-fsync",
        # A lone member elects itself once the timeout has passed, and nobody can contest it.
        "--heartbeat-interval=50",
        "--election-timeout=250",
        "--log-level=warn",
    ]


def api_server_command(layout: Layout) -> list[str]:
    """RBAC and the default admission plugins, on loopback only, with high request limits."""
    return [
        str(layout.programs / API_SERVER),
        f"--etcd-servers=http://127.0.0.1:{layout.ports.etcd_client}",
        "--bind-address=127.0.0.1",
        # No Pod really runs, so nothing follows the endpoints of the kubernetes Service; a
        # loopback address would be refused in them at every turn of their reconciler.
        "--advertise-address=127.0.0.1",
        "--endpoint-reconciler-type=none",
        f"--secure-port={layout.ports.api_server}",
        f"--cert-dir={layout.certificate(API_SERVER).parent}",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={layout.signing_key}",
        f"--service-account-signing-key-file={layout.signing_key}",
        f"--token-auth-file={layout.token_file}",
        "--authorization-mode=RBAC",
        "--service-cluster-ip-range=10.0.0.0/24",
        "--max-requests-inflight=2000",
        "--max-mutating-requests-inflight=1000",
    ]


def controller_manager_command(layout: Layout, node_grace_seconds: int) -> list[str]:
    """All controllers; a Node without a heartbeat for `node_grace_seconds` becomes unknown."""
    return [
        str(layout.programs / CONTROLLER_MANAGER),
        *_controller_flags(layout, CONTROLLER_MANAGER, layout.ports.controller_manager),
        "--concurrent-job-syncs=20",
        f"--service-account-private-key-file={layout.signing_key}",
        f"--root-ca-file={layout.certificate(API_SERVER)}",
        f"--node-monitor-grace-period={node_grace_seconds}s",
    ]


def scheduler_command(layout: Layout) -> list[str]:
    """The default scheduler."""
    return [
        str(layout.programs / SCHEDULER),
        *_controller_flags(layout, SCHEDULER, layout.ports.scheduler),
    ]


def _controller_flags(layout: Layout, name: str, port: int) -> list[str]:
    return [
        f"--kubeconfig={layout.kubeconfig}",
        "--leader-elect=false",
        *_CLIENT_LIMITS,
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        f"--cert-dir={layout.certificate(name).parent}",
    ]


def kwok_command(layout: Layout, stages: Sequence[Path]) -> list[str]:
    """Kwok as the kubelet of every Node; heartbeats go to the Node's status, not to Leases."""
    return [
        str(layout.programs / KWOK),
        f"--kubeconfig={layout.kubeconfig}",
        "--manage-all-nodes=true",
        "--node-lease-duration-seconds=0",
        f"--server-address=127.0.0.1:{layout.ports.kwok}",
        *(f"--config={stage}" for stage in stages),
    ]
