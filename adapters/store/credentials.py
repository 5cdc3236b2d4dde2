"""Credentials: as whom the log of a running controller is asked for, and whose word is trusted."""

import re
import ssl
from pathlib import Path
from typing import NamedTuple

from engine.errors import LogUnreadable

HOW_TO_BE_LET_IN = (
    "the token of somebody who has the ClusterRole warmlog-viewer, as `kubectl create token NAME > "
    "FILE` makes one"
)
_SENDABLE = re.compile(r"[!-~]+")


class Credentials(NamedTuple):
    """Files, which are read when they are needed, so that one that changes counts at once."""

    token_file: Path | None = None
    ca_file: Path | None = None

    def token(self) -> str:
        """Give the bearer token; "" where none is given. Raises LogUnreadable."""
        if self.token_file is None:
            return ""
        try:
            token = self.token_file.read_text(encoding="utf-8").strip()
        except OSError as error:
            msg = f"The token file {self.token_file} cannot be read: {error.strerror}."
            raise LogUnreadable(msg) from error
        except UnicodeDecodeError:
            token = ""
        if not _SENDABLE.fullmatch(token):
            msg = f"The token file {self.token_file} holds no token: write {HOW_TO_BE_LET_IN}."
            raise LogUnreadable(msg)
        return token

    def ssl_context(self) -> ssl.SSLContext:
        """Trust the authorities of the CA file and only those. Raises LogUnreadable.

        Without one those of the system are trusted.
        """
        try:
            context = ssl.create_default_context(cafile=self.ca_file)
        except OSError as error:  # of a file that holds no certificate, too
            msg = (
                f"The CA file {self.ca_file} cannot be used ({error.strerror or error}): give one "
                "with certificates in PEM."
            )
            raise LogUnreadable(msg) from error
        # Newer Pythons refuse authorities without key identifiers; Kubernetes' clients do not.
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT
        return context


ANONYMOUS = Credentials()
