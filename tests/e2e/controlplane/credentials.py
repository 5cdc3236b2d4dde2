"""Keys, tokens and kubeconfigs of a control plane that lives for one test run."""

import base64
import csv
import json
import secrets
import subprocess
from pathlib import Path

ADMIN_USER = "admin"
ADMIN_GROUP = "system:masters"


class CredentialsError(Exception):
    """A key could not be made; the text says why."""


def write_signing_key(path: Path) -> None:
    """Write the private key that signs ServiceAccount tokens, unless it is there already.

    It is made anew for each run, so that no private key sits in the repository.
    """
    if path.exists():
        return
    command = ["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", str(path)]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except FileNotFoundError:
        raise CredentialsError("the openssl command is needed to make a signing key") from None
    except subprocess.CalledProcessError as error:
        raise CredentialsError(f"openssl could not make a key: {error.stderr}") from None
    path.chmod(0o600)


def write_admin_token(path: Path) -> str:
    """Write the API server's token file and return the admin token, or return the one there."""
    if path.exists():
        with path.open(newline="") as file:
            return next(csv.reader(file))[0]
    token = secrets.token_hex(32)
    with path.open("w", newline="") as file:
        csv.writer(file).writerow([token, ADMIN_USER, ADMIN_USER, ADMIN_GROUP])
    path.chmod(0o600)
    return token


def write_kubeconfig(path: Path, server: str, ca_file: Path, token: str) -> Path:
    """Write a kubeconfig for one bearer token and return its path."""
    # The CA is named by path because the API server writes it at its start.
    path.write_text(_kubeconfig(server, {"certificate-authority": str(ca_file)}, token))
    path.chmod(0o600)
    return path


def kubeconfig_text(server: str, ca_file: Path, token: str) -> str:
    """A kubeconfig that names no file, as for a Secret; the API server has started."""
    authority = base64.b64encode(ca_file.read_bytes()).decode()
    return _kubeconfig(server, {"certificate-authority-data": authority}, token)


def _kubeconfig(server: str, authority: dict[str, str], token: str) -> str:
    # JSON is YAML too.
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "test", "cluster": {"server": server, **authority}}],
        "users": [{"name": "test", "user": {"token": token}}],
        "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}],
        "current-context": "test",
    }
    return json.dumps(config, indent=2)
