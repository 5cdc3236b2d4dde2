"""`warmlog run`: its settings, and what keeps it from beginning."""

import io
import json
import socket
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any

import pytest
import structlog
from pydantic import ValidationError

from adapters.cli.exit_codes import ExitCode
from adapters.cli.messages import configure
from adapters.settings import Address, LogFormat, RunSettings, own_namespace, parse_address
from machines.caches.settings import CachingSettings
from tests.cli.commands import REF, warmlog

KUBECONFIG = """\
apiVersion: v1
kind: Config
current-context: here
contexts: [{name: here, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]
users: [{name: u, user: {token: t}}]
"""


def checked(**given: Any) -> RunSettings:
    """Settings as they come in: texts, which the fields turn into what they are."""
    return RunSettings(**given)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--listen", "8080"), ("--listen", "host:99999"), ("--listen", "::1:80"),
        ("--log", "mysql://x/y"), ("--log", "log.jsonl"), ("--cluster-name", "a/b"),
        ("--log", "http://host:8080"),
        ("--lease-namespace", "A"), ("--lease-name", "-"), ("--log-format", "xml"),
        ("--request-timeout-seconds", "0"), ("--lease-duration-seconds", "1"),
        ("--cluster-secret-namespace", "A"), ("--workload-namespace", "a/b"),
        ("--heal-seconds", "0"), ("--retry-seconds", "3601"), ("--hydration-image", " "),
        ("--hydration-resources", "{"), ("--hydration-resources", '{"requests":{"cpu":1}}'),
        ("--hydration-resources", '{"requests":{"cpu":"lots"}}'),
        ("--hydration-tolerations", "{}"), ("--hydration-tolerations", '[{"keys":"gpu"}]'),
        ("--hydration-env", "NAME"), ("--hydration-env", "1=2"),
        ("--hydration-env", "HF_HUB_CACHE=/tmp"),
    ],
)  # fmt: skip
def test_a_bad_setting_names_its_option(option: str, value: str) -> None:
    """A value that no setting can have is one sentence that begins with its option."""
    result = warmlog("run", option, value)
    assert result.exit_code == ExitCode.USAGE
    assert result.stderr.startswith(f"warmlog: {option}: ")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "given",
    [
        "HTTPS_PROXY=http://somebody:swordfish@proxy:3128", "https_proxy=swordfish@proxy:3128",
        "PIP_INDEX_URL=https://mirror/simple?key=swordfish", "HF_TOKEN=swordfish",
        "OTHER=hf_swordfishSWORDFISH1",
    ],
)  # fmt: skip
def test_what_may_be_a_secret_is_no_setting(given: str) -> None:
    """Settings are in the log: the variable is named, and its value is not repeated."""
    result = warmlog("run", "--hydration-env", given)
    assert result.exit_code == ExitCode.USAGE
    assert result.stderr.startswith("warmlog: --hydration-env: ")
    assert given.partition("=")[0] in result.stderr
    assert "swordfish" not in result.stderr.lower()


def test_what_decides_about_caches_is_for_the_log() -> None:
    """The settings of caches come back from the log as they were given, in canonical texts."""
    settings = checked(
        own_namespace="models",
        heal_seconds=2,
        hydration_resources='{"requests": {"memory": "2Gi"}}',
        hydration_tolerations='[{"key": "gpu", "operator": "Exists"}]',
        hydration_env=["HTTPS_PROXY=http://proxy:3128", "A=b=c"],
    )
    caching = settings.caching()
    assert CachingSettings.from_json(json.loads(json.dumps(caching.to_json()))) == caching
    assert (caching.own_namespace, caching.heal_seconds) == ("models", 2)
    assert caching.hydration.resources == '{"requests":{"memory":"2Gi"}}'
    assert caching.hydration.env == (("A", "b=c"), ("HTTPS_PROXY", "http://proxy:3128"))
    # What older logs do not know of ModelReplicas, a controller of today does.
    assert checked().caching() == CachingSettings(replicas=True)
    assert settings.digest() != checked().digest()


def test_a_request_must_fit_into_the_lease() -> None:
    """Two settings that cannot both hold are named together."""
    result = warmlog("run", "--request-timeout-seconds", "20", "--lease-duration-seconds", "30")
    assert result.exit_code == ExitCode.USAGE
    assert "--lease-duration-seconds" in result.stderr


def test_a_missing_kubeconfig_ends_it(tmp_path: Path) -> None:
    """Without a usable kubeconfig nothing begins, and no log is made."""
    log = tmp_path / "warmlog.db"
    result = warmlog("run", "--kubeconfig", tmp_path / "none", "--log", f"sqlite:///{log}")
    assert result.exit_code == ExitCode.CLUSTER_UNUSABLE
    assert "there is no kubeconfig at" in result.stderr
    assert not log.exists()


def test_an_address_in_use_is_said(tmp_path: Path) -> None:
    """An address that somebody else listens on is a sentence that names it."""
    kubeconfig = tmp_path / "config"
    kubeconfig.write_text(KUBECONFIG)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        listen = f"127.0.0.1:{taken.getsockname()[1]}"
        log = f"sqlite:///{tmp_path}/warmlog.db"
        result = warmlog("run", "--kubeconfig", kubeconfig, "--listen", listen, "--log", log)
    assert result.exit_code == ExitCode.USAGE
    assert listen.rpartition(":")[2] in result.stderr
    assert "--listen" in result.stderr


def test_the_options_defaults_are_the_settings_defaults() -> None:
    """What `--help` shows as defaults are those of the settings."""
    shown = " ".join(warmlog("run", "--help").stdout.split())
    settings = RunSettings()
    for value in (
        settings.log,
        str(settings.listen),
        settings.cluster_name,
        settings.lease_name,
        str(settings.lease_duration_seconds),
        str(settings.request_timeout_seconds),
        str(settings.heal_seconds),
        str(settings.retry_seconds),
        settings.hydration_image,
        settings.hydration_resources,
        settings.hydration_tolerations,
    ):
        assert f"default: {value}]" in shown


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [("127.0.0.1:8080", "127.0.0.1", 8080), ("[::1]:0", "::1", 0), ("host:65535", "host", 65535)],
)
def test_addresses_come_back_as_they_were_written(text: str, host: str, port: int) -> None:
    """HOST:PORT is read, brackets round IPv6 included, and printed the same."""
    address = parse_address(text)
    assert address == Address(host, port)
    assert str(address) == text


def test_the_digest_leaves_out_where_the_log_lies() -> None:
    """Two controllers of equal settings but for the log's place have one digest; others differ."""
    same = {checked().digest(), checked(log="sqlite:////elsewhere.db").digest()}
    assert len(same) == 1
    others = {
        checked(listen="127.0.0.1:1").digest(),
        checked(cluster_name="other").digest(),
        checked(use_lease=False).digest(),
        checked(request_timeout_seconds=5).digest(),
    }
    assert len(same | others) == 5


def test_settings_are_frozen_and_know_their_fields() -> None:
    """Settings cannot be changed, and a field that does not exist is refused."""
    with pytest.raises(ValidationError):
        checked(nonsense=1)
    with pytest.raises(AttributeError, match="cannot assign"):
        checked().log = "other"  # type: ignore[misc]  # it is what is tried


def test_the_namespace_is_the_pods_own(tmp_path: Path) -> None:
    """In a cluster the service account's namespace counts; elsewhere warmlog-system."""
    file = tmp_path / "namespace"
    inside = {"KUBERNETES_SERVICE_HOST": "10.0.0.1"}
    assert own_namespace(inside, file) == "warmlog-system"
    file.write_text("models\n")
    assert own_namespace(inside, file) == "models"
    assert own_namespace({}, file) == "warmlog-system"


@pytest.mark.parametrize("log_format", LogFormat)
def test_messages_are_lines_on_stderr(log_format: LogFormat) -> None:
    """Each message is one line on stderr, as JSON for programs, in safe words for people."""
    stream = io.StringIO()
    before = structlog.get_config()
    try:
        with redirect_stderr(stream):
            configure(log_format)
            structlog.get_logger().warning("the log is full", words="\x1b[2J")
            structlog.get_logger().debug("not told")
    finally:
        structlog.configure(**before)
    [line] = stream.getvalue().splitlines()
    assert "\x1b" not in line
    if log_format is LogFormat.JSON:
        told = json.loads(line)
        assert (told["event"], told["level"], told["words"]) == (
            "the log is full",
            "warning",
            "\x1b[2J",
        )
    else:
        assert "the log is full" in line
        assert "\\x1b[2J" in line


def test_the_environment_can_name_the_log(demo_log: Path) -> None:
    """WARMLOG_LOG stands for --log, so that a password stays out of the list of processes."""
    refused = warmlog("run", WARMLOG_LOG="log.jsonl")
    assert refused.stderr.startswith("warmlog: --log: ")
    shown = warmlog("explain", REF, WARMLOG_LOG=str(demo_log))
    assert "is Succeeded since" in shown.stdout
