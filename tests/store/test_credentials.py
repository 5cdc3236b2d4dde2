"""Credentials: token files, and whose certificates are trusted."""

import ssl
from pathlib import Path

import pytest

from adapters.store.controllers import ControllerReader
from adapters.store.credentials import ANONYMOUS, Credentials
from engine.errors import LogUnreachable, LogUnreadable
from tests.kubernetes.certificates import write_certificates
from tests.store.controllers import Controller


def test_without_a_file_there_is_no_token() -> None:
    """Then nothing is sent."""
    assert ANONYMOUS.token() == ""


@pytest.mark.parametrize("content", [b"abc.def-ghi", b"abc.def-ghi\n", b" abc.def-ghi\r\n"])
def test_a_token_is_what_the_file_holds(content: bytes, tmp_path: Path) -> None:
    """Without the end of the line that editors and `kubectl` put behind it."""
    path = tmp_path / "token"
    path.write_bytes(content)
    assert Credentials(path).token() == "abc.def-ghi"


@pytest.mark.parametrize("content", [b"", b"\n", b"two tokens", b"a\nb", b"\xff\xfe", "é".encode()])
def test_what_is_no_token(content: bytes, tmp_path: Path) -> None:
    """It is never sent, nor shown; the file is named, and what to write into it."""
    path = tmp_path / "token"
    path.write_bytes(content)
    with pytest.raises(LogUnreadable, match="holds no token") as error:
        Credentials(path).token()
    assert str(path) in str(error.value)
    assert "two" not in str(error.value).replace(str(path), "")


def test_a_token_file_that_is_not_there(tmp_path: Path) -> None:
    """The file is named, with the system's words."""
    with pytest.raises(LogUnreadable, match="none cannot be read: No such file"):
        Credentials(tmp_path / "none").token()


async def test_only_the_authority_that_is_named_is_trusted(tmp_path: Path) -> None:
    """With its file a server is read over TLS; with another's, or none, it is not."""
    ours = write_certificates(tmp_path / "ours")
    other = write_certificates(tmp_path / "other")
    controller = Controller(3)
    controller.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    controller.tls.load_cert_chain(ours.certificate, ours.key)
    async with controller:
        trusting = Credentials(None, ours.authority)
        async with ControllerReader(controller.address, trusting) as reader:
            assert (await reader.identify()).position == 3
        for doubting in (Credentials(None, other.authority), ANONYMOUS):
            async with ControllerReader(controller.address, doubting) as reader:
                with pytest.raises(LogUnreachable, match="its certificate is not trusted"):
                    await reader.identify()


async def test_a_server_without_tls() -> None:
    """It is said that it speaks no TLS, not that something is not permitted."""
    async with Controller(3) as controller:
        address = controller.address.replace("http:", "https:")
        async with ControllerReader(address) as reader:
            with pytest.raises(LogUnreachable, match="does not answer: it does not speak TLS"):
                await reader.identify()


@pytest.mark.parametrize("content", [None, "no certificate"])
async def test_a_ca_file_that_cannot_be_used(content: str | None, tmp_path: Path) -> None:
    """It is named, before anything is sent."""
    path = tmp_path / "ca.crt"
    if content is not None:
        path.write_text(content)
    async with ControllerReader("https://127.0.0.1:1", Credentials(None, path)) as reader:
        with pytest.raises(LogUnreadable, match=r"The CA file .*ca\.crt cannot be used"):
            await reader.identify()
