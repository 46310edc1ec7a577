"""The flags of connections to kubelets."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from quarterdeck.server.config import ConfigError, KubeletClient

_FILES: Final = {
    "certificate-authority": "PEM: whom certificates of kubelets have to lead to (without it any kubelet is believed)",
    "client-certificate": "PEM: the certificate that kubelets know this server by",
    "client-key": "PEM: the key of the certificate",
}
_KINDS: Final = ("Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP")


def add(parser: argparse._ActionsContainer) -> None:
    for name, what in _FILES.items():
        parser.add_argument(f"--kubelet-{name}", type=Path, metavar="FILE", help=what)
    parser.add_argument(
        "--kubelet-preferred-address-types",
        metavar="KINDS",
        default=",".join(_KINDS),
        help="of the addresses of a node the first that there is of these (default %(default)s)",
    )


def resolve(arguments: argparse.Namespace) -> KubeletClient:
    """Raises ConfigError."""
    cert, key = arguments.kubelet_client_certificate, arguments.kubelet_client_key
    if (cert is None) != (key is None):
        raise ConfigError("--kubelet-client-certificate and --kubelet-client-key belong together: one is missing")
    preferred = tuple(each.strip() for each in arguments.kubelet_preferred_address_types.split(",") if each.strip())
    return KubeletClient(arguments.kubelet_certificate_authority, cert, key, preferred or _KINDS)
