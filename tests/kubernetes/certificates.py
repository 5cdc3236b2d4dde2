"""Certificates for local servers, made with the openssl command, each its own authority."""

import subprocess
from pathlib import Path
from typing import NamedTuple


class Certificates(NamedTuple):
    """The files that a server and its clients need."""

    authority: Path
    certificate: Path
    key: Path


def write_certificates(folder: Path) -> Certificates:
    """Make a key and a self-signed certificate for 127.0.0.1 in `folder`."""
    folder.mkdir()
    certificate, key = folder / "server.crt", folder / "server.key"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-days", "2", "-subj", "/CN=test", "-addext"),
            *("subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)),
        ],
        check=True,
        capture_output=True,
    )
    return Certificates(certificate, certificate, key)
