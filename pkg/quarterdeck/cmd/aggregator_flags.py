"""The flags of the aggregation layer."""

from __future__ import annotations

import argparse
from pathlib import Path

from quarterdeck.cmd.argument_types import parse_bool
from quarterdeck.server.config import ConfigError, ProxyClient


def add(parser: argparse._ActionsContainer) -> None:
    for name, what in (("cert", "the certificate"), ("key", "the key of the certificate")):
        parser.add_argument(
            f"--proxy-client-{name}-file",
            type=Path,
            metavar="FILE",
            help=f"PEM: {what} that the servers behind APIServices know this one by",
        )
    parser.add_argument(
        "--aggregator-reject-forwarding-redirect",
        type=parse_bool,
        nargs="?",
        const=True,
        default=True,
        metavar="BOOL",
        help="whether redirects by those servers are kept from clients (default true)",
    )


def resolve(arguments: argparse.Namespace) -> ProxyClient | None:
    """Raises ConfigError."""
    cert, key = arguments.proxy_client_cert_file, arguments.proxy_client_key_file
    if (cert is None) != (key is None):
        raise ConfigError("--proxy-client-cert-file and --proxy-client-key-file belong together: one is missing")
    return ProxyClient(cert, key) if cert is not None and key is not None else None
