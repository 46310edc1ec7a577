"""Wiring of what leads clients to pods, services and nodes: what calls them, and the certificates for kubelets."""

from __future__ import annotations

from typing import Final

from quarterdeck.admission.chain import Chain
from quarterdeck.endpoints.proxy.connecting import Connecting
from quarterdeck.endpoints.proxy.kubelets import Kubelets, KubeletSettings
from quarterdeck.registry.scope import Builtin
from quarterdeck.server.config import Config, ConfigError, KubeletClient
from quarterdeck.server.reload import FileWatch
from quarterdeck.transport.client.pool import HTTPClient

# Many watches and upgraded connections of many clients share a server, each on a connection of its own.
_CONNECTIONS_PER_SERVER_MAX: Final = 4096


def check(config: Config) -> None:
    """Raises ConfigError for certificates that cannot be used."""
    try:
        Kubelets(_read(config.kubelets)).check()
    except (OSError, ValueError) as error:
        raise ConfigError(f"--kubelet-certificate-authority, --kubelet-client-…: {error}") from error


def build(config: Config, admission: Chain, served: Builtin) -> tuple[Connecting, FileWatch]:
    """The second reads the certificates again when their files change."""
    http = HTTPClient(connections_per_server_max=_CONNECTIONS_PER_SERVER_MAX)
    files = config.kubelets
    kubelets = Kubelets(_read(files))
    paths = [path for path in (files.authority_file, files.cert_file, files.key_file) if path is not None]
    watch = FileWatch(paths, lambda: kubelets.replace(_read(files)))
    return Connecting(http, admission, kubelets, served["", "v1", "nodes"][""]), watch


def _read(files: KubeletClient) -> KubeletSettings:
    """Raises OSError."""
    authority = files.authority_file.read_bytes() if files.authority_file is not None else b""
    own = None
    if files.cert_file is not None and files.key_file is not None:
        own = files.cert_file.read_bytes(), files.key_file.read_bytes()
    return KubeletSettings(authority, own, files.preferred)
