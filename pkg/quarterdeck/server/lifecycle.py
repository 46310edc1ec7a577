"""From the command line to ready, and from SIGTERM to the end.

    data directory locked -> ports bound -> certificates -> build (apiserver.py) -> start -> listening -> ready
    signal -> /readyz fails -> no new connections -> requests answered, streams ended -> stop -> unlocked

Ports are bound early, so that a port in use is said at once; nothing is accepted before everything is started.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import signal
import socket
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from quarterdeck.apimachinery import offload
from quarterdeck.metrics.registry import Registry
from quarterdeck.server import advertised, childprocess, instruments, kubeconfig, parent, pki, process
from quarterdeck.server.config import Config
from quarterdeck.server.datadir import DataDirectory, as_directory_error
from quarterdeck.server.gcschedule import GCSchedule, LostCycles, without_full_collections
from quarterdeck.server.health import Check
from quarterdeck.server.inherited import take_inherited
from quarterdeck.server.notify import Notifier
from quarterdeck.server.reload import FileWatch
from quarterdeck.transport.limits import Limits
from quarterdeck.transport.messages import Application, Request
from quarterdeck.transport.server import HTTPServer, bind
from quarterdeck.transport.tls import TLSContext

if TYPE_CHECKING:  # loaded where there is a page
    from quarterdeck.server.livepage import LivePage

_LOG: Final = logging.getLogger(__name__)
_LOOPBACK: Final = "127.0.0.1"


class APIServer(Protocol):
    """What server/apiserver.py builds."""

    @property
    def application(self) -> Application: ...

    @property
    def metrics(self) -> Registry: ...

    @property
    def health_checks(self) -> dict[str, Check]:
        """Read at each request to a health endpoint; `shutdown` is replaced here when the end begins."""

    @property
    def lost(self) -> LostCycles:
        """What is told of parts that have ended."""

    @property
    def large_body_refused(self) -> Callable[[Request], None] | None:
        """What is told of a request whose body is not taken in; None: nothing."""

    async def start(self) -> None:
        """Return when the server can answer."""

    def on_ready(self) -> None:
        """Begin what can wait until clients are answered."""

    async def leave(self) -> None:
        """Let other servers take over; requests are answered still."""

    async def stop(self) -> None:
        """Return when everything acknowledged is durable and closed."""


class _Ports(NamedTuple):
    secure: socket.socket
    plain: socket.socket | None
    page: LivePage | None


Build = Callable[[Config], Awaitable[APIServer]]


class StartError(Exception):
    """The server cannot start. The text is for the person who started it."""


class AddressError(StartError):
    """A port cannot be had."""


async def serve(config: Config, build: Build, announce: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT. Raises StartError, DataDirectoryError or ConfigError before it is ready."""
    stopping = _catch_signals()
    unfollow = parent.follow(config.parent_process, stopping.set) if config.parent_process else None
    notifier = Notifier.take(os.environ)
    directory = DataDirectory.open(config.data_dir)
    listeners: list[socket.socket | LivePage] = []
    try:
        secure = _bind(config.bind_address, config.secure_port, "secure-port")
        listeners.append(secure)
        plain: socket.socket | None = None
        if config.insecure_port is not None:
            plain = _bind(_LOOPBACK, config.insecure_port, "insecure-port")
            listeners.append(plain)
        page = _open_page(config)
        if page is not None:
            listeners.append(page)
        config = _fill_in_ports(config, secure, plain)
        with as_directory_error(config.data_dir):
            issued = pki.ensure(
                config.data_dir, config.bind_address, config.cert_dir, childprocess.call, advertised.own(config)
            )
        tls = _build_tls(config, issued)
        notifier.status("reading the store")
        with as_directory_error(config.data_dir), without_full_collections():
            api = await build(config)
            await api.start()
        try:
            await _run(config, api, issued, _Ports(secure, plain, page), tls, stopping, announce, notifier)
        finally:
            await api.stop()
    finally:
        for listener in listeners:
            listener.close()
        directory.close()
        notifier.close()
        if unfollow is not None:
            unfollow()


async def _run(
    config: Config,
    api: APIServer,
    issued: pki.PKI,
    ports: _Ports,
    tls: TLSContext,
    stopping: asyncio.Event,
    announce: Callable[[str], None],
    notifier: Notifier,
) -> None:
    secure, plain, page = ports
    limits = Limits(
        connections_max=process.raise_files_limit(), request_timeout_s=config.request_timeout_s, http2=config.http2
    )
    http = HTTPServer(api.application, limits)
    http.large_body_refused = api.large_body_refused
    instruments.register_transport(api.metrics, http)
    urls = [f"https://{_format_host(config.bind_address)}:{config.secure_port}"]
    _write_kubeconfigs(config, issued, config.secure_port)
    await http.listen(secure, tls)
    serving = FileWatch(tls.files(), tls.reload)
    serving.start()
    if plain is not None:
        _LOG.warning(
            "plain HTTP on http://%s:%d: whoever can connect to it is the administrator, without any authentication",
            _LOOPBACK,
            config.insecure_port,
        )
        urls.append(f"http://{_LOOPBACK}:{config.insecure_port}")
        await http.listen(plain)
    shown = await page.listen(api.application, limits) if page is not None else ""
    process.tune_interpreter()
    collecting = GCSchedule(offload.is_quiet, offload.is_idle, api.lost)
    collecting.begin()
    told, git_version = " ".join(urls), config.version.git_version
    announce(f"quarterdeck is ready after {process.age_s():.2f} s: {told} (Kubernetes {git_version})")
    if shown:
        announce(shown)
    notifier.ready(f"serving {told}")
    api.on_ready()
    await stopping.wait()
    await serving.stop()
    collecting.stop()
    _LOG.info("stopping")
    notifier.stopping("requests that are under way are finished")
    api.health_checks["shutdown"] = lambda: "process is shutting down"
    await api.leave()
    drained = [each.drain(config.shutdown_grace_s) for each in (http, page) if each is not None]
    if not all(await asyncio.gather(*drained)):
        _LOG.warning("connections were cut off %.0f s after the signal", config.shutdown_grace_s)


def _catch_signals() -> asyncio.Event:
    """The first signal asks for an orderly end, the second ends the process on the spot."""
    stopping = asyncio.Event()

    def stop(number: int) -> None:
        if stopping.is_set():
            os._exit(128 + number)
        stopping.set()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop, number)
    return stopping


def _fill_in_ports(config: Config, secure: socket.socket, plain: socket.socket | None) -> Config:
    """From here on the ports are those that were bound, not 0."""
    return replace(
        config,
        secure_port=secure.getsockname()[1],
        insecure_port=plain.getsockname()[1] if plain is not None else None,
    )


def _bind(address: str, port: int, flag: str) -> socket.socket:
    try:
        return take_inherited(address, port) or bind(address, port)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            reason = "another program uses this port"
        else:
            reason = error.strerror or str(error)
        raise AddressError(f"cannot listen on {_format_host(address)}:{port} (--{flag}): {reason}") from error


def _open_page(config: Config) -> LivePage | None:
    port = config.live_page_port
    if port is None:
        return None
    from quarterdeck.server.livepage import LivePage

    try:
        return LivePage.open(config.data_dir, port)
    except OSError as error:
        reason = error.strerror or str(error)
        raise AddressError(f"cannot listen on {_LOOPBACK}:{port} (--ui): {reason}") from error


def _serving_files(config: Config, issued: pki.PKI) -> tuple[Path, Path]:
    if config.tls_cert_file is not None and config.tls_private_key_file is not None:
        return config.tls_cert_file, config.tls_private_key_file
    return issued.serving_certificate, issued.serving_key


def _build_tls(config: Config, issued: pki.PKI) -> TLSContext:
    certificate, key = _serving_files(config, issued)
    try:
        return TLSContext(certificate, key, [issued.authority_certificate, *config.authority_files], config.tls)
    except (OSError, ValueError) as error:  # ssl.SSLError is the first
        if config.tls.named:
            raise StartError(
                f"failed to load SNI cert and key, or the serving certificate {certificate}: {error}"
            ) from error
        raise StartError(f"cannot serve with the certificate {certificate} and the key {key}: {error}") from error


def _write_kubeconfigs(config: Config, issued: pki.PKI, port: int) -> None:
    host = config.bind_address
    if host in ("0.0.0.0", "::"):
        host = _LOOPBACK
    # Another authority's serving certificate is the one thing that its clients can be told to trust.
    authority = config.tls_cert_file or _authority_of(issued)
    files = (authority, issued.admin_certificate, issued.admin_key)
    try:
        read = [file.read_bytes() for file in files]
    except OSError as error:
        raise StartError(f"cannot read {error.filename}: {error.strerror}") from error
    text = kubeconfig.build(f"https://{_format_host(host)}:{port}", pki.ADMIN_NAME, *read)
    for path in (config.data_dir / "admin.kubeconfig", config.write_kubeconfig):
        if path is not None:
            try:
                kubeconfig.write(path, text)
            except OSError as error:
                raise StartError(f"cannot write {path}: {error.strerror}") from error


def _authority_of(issued: pki.PKI) -> Path:
    return issued.authority_certificate if issued.is_serving_own else issued.serving_certificate


def client_authorities(config: Config) -> bytes:
    """PEM: who may vouch for clients. The server's own authority, which made the admin's certificate, is always one.
    For the wiring of the authenticator; the certificates are made before `build` is called."""
    own = (config.data_dir / "pki" / "ca.crt").read_bytes()
    if config.client_ca_file is None:
        return own
    try:
        # OpenSSL reads them as a check: what it takes, the authenticator can use when the first client comes.
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_verify_locations(config.client_ca_file)
        return own + b"\n" + config.client_ca_file.read_bytes()
    except OSError as error:  # ssl.SSLError is one
        raise StartError(f"cannot use --client-ca-file {config.client_ca_file}: {error.strerror}") from error


def _format_host(address: str) -> str:
    return f"[{address}]" if ":" in address else address
