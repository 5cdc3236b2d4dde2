"""Running a real control plane: etcd, API server, controllers, scheduler and fake kubelets."""

import atexit
import os
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import aiohttp

from tests.e2e.controlplane import commands, credentials, stages, watching
from tests.e2e.controlplane.building import built_programs
from tests.e2e.controlplane.processes import Component, ComponentError, answers_ok

_START_SECONDS = 60.0
_END_SECONDS = 20.0
_DEFAULT_SERVICE_ACCOUNT = "/api/v1/namespaces/default/serviceaccounts/default"


class KubectlError(Exception):
    """A kubectl command failed; the text holds the command and what it wrote."""


class ControlPlane:
    """A control plane on loopback ports, empty at its first start.

    Use it as a context manager, or call `start` and `stop`. Everything is synchronous: from a
    coroutine, call it through ``asyncio.to_thread``.
    """

    def __init__(
        self,
        data_folder: Path | None = None,
        *,
        kubelet_stages: Sequence[Path] = stages.TIMED,
        node_grace_seconds: int = 600,
        more_flags: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """Choose the options; nothing runs yet.

        `data_folder` is kept at the end; without it, a temporary one is removed. Assign
        `kubelet_stages` anew and restart kwok to change how fake Pods behave. `more_flags` maps a
        component's name to flags that follow its own. A Node is unknown after
        `node_grace_seconds` without a heartbeat, as when kwok is stopped.
        """
        self.kubelet_stages = tuple(kubelet_stages)
        self._node_grace_seconds = node_grace_seconds
        self._more_flags = dict(more_flags or {})
        self._given_folder = data_folder
        self._temporary_folder: tempfile.TemporaryDirectory[str] | None = None
        self._layout: commands.Layout | None = None
        self._components: dict[str, Component] = {}
        self._admin_token = ""

    def __enter__(self) -> Self:
        """Start; see `start`."""
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop; see `stop`."""
        self.stop()

    def start(self) -> None:
        """Build what is missing, start every component and wait until each is ready.

        Raises BuildingError, CredentialsError or ComponentError; then nothing is left running.
        """
        if self._layout is not None:
            raise ComponentError("the control plane is started already")
        programs = built_programs()
        atexit.register(self.stop)
        try:
            self._layout = self._prepared_layout(programs)
            self._components = self._described_components()
            for name in commands.COMPONENTS:
                self.start_component(name)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End every process, each after those that need it; harmless when nothing runs."""
        atexit.unregister(self.stop)
        clients = (commands.KWOK, commands.SCHEDULER, commands.CONTROLLER_MANAGER)
        for name in clients:
            if name in self._components:
                self._components[name].ask_to_end()
        for name in reversed(commands.COMPONENTS):
            if name in self._components:
                self._components[name].end(_END_SECONDS)
        self._components = {}
        self._layout = None
        if self._temporary_folder is not None:
            self._temporary_folder.cleanup()
            self._temporary_folder = None

    @property
    def server(self) -> str:
        """The URL of the API server."""
        return self._started().server

    @property
    def ca_file(self) -> Path:
        """The only certificate authority to trust for `server`."""
        return self._started().certificate(commands.API_SERVER)

    @property
    def kubeconfig(self) -> Path:
        """The kubeconfig of the admin."""
        return self._started().kubeconfig

    @property
    def admin_token(self) -> str:
        """A bearer token that may do everything."""
        self._started()
        return self._admin_token

    @property
    def logs_folder(self) -> Path:
        """Holds one ``<component>.log`` each."""
        return self._started().data / "logs"

    def open_session(self, token: str | None = None) -> aiohttp.ClientSession:
        """An HTTP session as the admin, or with another token; the caller closes it."""
        return watching.open_session(self.server, self.ca_file, token or self.admin_token)

    def kubeconfig_for(self, token: str, path: Path) -> Path:
        """Write a kubeconfig for another bearer token to `path`, and return the path."""
        return credentials.write_kubeconfig(path, self.server, self.ca_file, token)

    def kubeconfig_text(self, token: str) -> str:
        """A kubeconfig for a bearer token that names no file, as for a Secret."""
        return credentials.kubeconfig_text(self.server, self.ca_file, token)

    def stop_api_server(self) -> None:
        """Let nobody answer at `server` from now on; the data, and all that needs it, stay."""
        # Asked politely it would go on answering the open watches for up to 20 s.
        self.stop_component(commands.API_SERVER, crash=True)

    def start_api_server(self) -> None:
        """Answer at `server` again, with the data, certificates and tokens of before."""
        self.start_component(commands.API_SERVER)

    def restart_clients(self) -> None:
        """Have controllers and kubelets connect anew, who are slow to after a long outage."""
        for name in (commands.CONTROLLER_MANAGER, commands.KWOK):
            self.stop_component(name, crash=True)
            self.start_component(name)

    def start_component(self, name: str, timeout_seconds: float = _START_SECONDS) -> None:
        """Start one component, on the port and data it had before, and wait until it is ready."""
        component = self._component(name)
        component.start()
        component.wait_until_ready(timeout_seconds)

    def stop_component(self, name: str, *, crash: bool = False) -> None:
        """End one component: politely (up to 20 s, then by force), or at once when `crash`."""
        component = self._component(name)
        if crash:
            component.kill()
        else:
            component.end(_END_SECONDS)

    def process_id(self, name: str) -> int:
        """The process id of a running component, as for measuring its memory."""
        process = self._component(name).process
        if process is None:
            raise ComponentError(f"{name} does not run")
        return process.pid

    def kubectl(
        self,
        *arguments: str,
        input: str | None = None,  # noqa: A002 - as subprocess.run calls it
        kubeconfig: Path | None = None,
        timeout_seconds: float = 60,
    ) -> str:
        """Run kubectl as the admin, or with another kubeconfig, and return its standard output.

        Raises KubectlError when it fails or takes longer than the timeout.
        """
        command = self.kubectl_command(*arguments, kubeconfig=kubeconfig)
        shown = " ".join(["kubectl", *arguments])
        try:
            result = subprocess.run(
                command,
                input=input,
                capture_output=True,
                text=True,
                timeout=timeout_seconds,
                check=False,
                # Else kubectl would also read the preferences of whoever runs this.
                env={**os.environ, "KUBECTL_KUBERC": "false"},
            )
        except subprocess.TimeoutExpired:
            raise KubectlError(f"{shown}: no end after {timeout_seconds} s") from None
        if result.returncode != 0:
            raise KubectlError(f"{shown}: {result.stderr}{result.stdout}")
        return result.stdout

    def kubectl_command(self, *arguments: str, kubeconfig: Path | None = None) -> list[str]:
        """Give the command that `kubectl` runs, for one that does not end by itself."""
        layout = self._started()
        return [
            str(layout.programs / "kubectl"),
            f"--kubeconfig={kubeconfig or layout.kubeconfig}",
            # The usual cache is keyed by port, so it would answer for an earlier control plane.
            f"--cache-dir={layout.data / 'kubectl-cache'}",
            *arguments,
        ]

    def _started(self) -> commands.Layout:
        if self._layout is None:
            raise ComponentError("the control plane is not started")
        return self._layout

    def _component(self, name: str) -> Component:
        self._started()
        if name not in self._components:
            raise ComponentError(f"no component {name!r}; there are {commands.COMPONENTS}")
        return self._components[name]

    def _prepared_layout(self, programs: Path) -> commands.Layout:
        """Make the data folder with the keys, token and kubeconfig that components read."""
        if self._given_folder is None:
            self._temporary_folder = tempfile.TemporaryDirectory(prefix="warmlog-control-plane-")
            folder = Path(self._temporary_folder.name)
        else:
            folder = self._given_folder.resolve()
        (folder / "logs").mkdir(parents=True, exist_ok=True)
        layout = commands.Layout(programs, folder)
        credentials.write_signing_key(layout.signing_key)
        self._admin_token = credentials.write_admin_token(layout.token_file)
        credentials.write_kubeconfig(
            layout.kubeconfig,
            layout.server,
            layout.certificate(commands.API_SERVER),
            self._admin_token,
        )
        return layout

    def _described_components(self) -> dict[str, Component]:
        layout = self._started()
        command_of: dict[str, Callable[[], list[str]]] = {
            commands.ETCD: lambda: commands.etcd_command(layout),
            commands.API_SERVER: lambda: commands.api_server_command(layout),
            commands.CONTROLLER_MANAGER: lambda: commands.controller_manager_command(
                layout, self._node_grace_seconds
            ),
            commands.SCHEDULER: lambda: commands.scheduler_command(layout),
            commands.KWOK: lambda: commands.kwok_command(layout, self.kubelet_stages),
        }
        return {name: self._described_component(name, command_of[name]) for name in command_of}

    def _described_component(self, name: str, command: Callable[[], list[str]]) -> Component:
        layout = self._started()
        return Component(
            name=name,
            command=lambda: [*command(), *self._more_flags.get(name, ())],
            is_ready=lambda: self._is_ready(name),
            log_file=layout.data / "logs" / f"{name}.log",
            # Else kwok would also read the settings in the home folder of whoever runs this.
            environment={"KWOK_WORKDIR": str(layout.data / "kwok")},
        )

    def _is_ready(self, name: str) -> bool:
        layout, ports = self._started(), self._started().ports
        if name == commands.ETCD:
            return answers_ok(ports.etcd_client, "/readyz")
        if name == commands.KWOK:
            return answers_ok(ports.kwok, "/readyz")
        certificate = layout.certificate(name)
        if name == commands.SCHEDULER:
            return answers_ok(ports.scheduler, "/readyz", certificate)
        api_server = layout.certificate(commands.API_SERVER)
        if name == commands.API_SERVER:
            return answers_ok(ports.api_server, "/readyz", api_server, self._admin_token)
        # A Pod is refused until the controllers have made the default service account.
        return answers_ok(ports.controller_manager, "/healthz", certificate) and answers_ok(
            ports.api_server, _DEFAULT_SERVICE_ACCOUNT, api_server, self._admin_token
        )
