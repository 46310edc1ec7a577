"""Flags of the secure port's certificate and of what it offers. Source: apiserver/pkg/server/options/serving.go."""

from __future__ import annotations

import argparse
from pathlib import Path

from quarterdeck.cmd.values import Listing, parse_list
from quarterdeck.transport import curves, tls_settings
from quarterdeck.transport.sni import NamedFiles, parse_named_files
from quarterdeck.transport.tls_settings import TLSSettings


def add(parser: argparse._ActionsContainer) -> None:
    add = parser.add_argument
    add("--tls-cert-file", type=Path, metavar="FILE", help="PEM: the certificate to serve with, and its chain")
    add("--tls-private-key-file", type=Path, metavar="FILE", help="PEM: its key")
    add(
        "--tls-min-version",
        default="",
        metavar="VERSION",
        help="VersionTLS12 or VersionTLS13; older ones are never offered (default VersionTLS12)",
    )
    add(
        "--tls-cipher-suites",
        action=Listing,
        type=parse_list,
        default=(),
        metavar="NAME,…",
        help="by Go's names, those before TLS 1.3 (default: OpenSSL's)",
    )
    add(
        "--tls-curve-preferences",
        type=parse_list,
        action="append",
        default=[],
        metavar="NUMBER,…",
        help="the curves to offer, by Go's numbers: 23, 24, 25, 29, and 4587, 4588, 4589 where OpenSSL has them"
        " (default: OpenSSL's)",
    )
    add(
        "--tls-sni-cert-key",
        type=_parse_named_files,
        action="append",
        default=[],
        metavar="CERT,KEY[:NAME,…]",
        help="another certificate, for clients that ask for these names (default: its own); may be given again",
    )
    add("--cert-dir", type=Path, metavar="DIR", help="where apiserver.crt and apiserver.key are, or are made")


def resolve(arguments: argparse.Namespace) -> TLSSettings:
    """Raises ValueError with upstream's text."""
    settings = tls_settings.parse(arguments.tls_min_version, arguments.tls_cipher_suites)
    named_curves = curves.parse([text for given in arguments.tls_curve_preferences for text in given])
    return settings._replace(
        curves=named_curves,
        named=tuple(arguments.tls_sni_cert_key),
        has_http2=not arguments.disable_http2_serving,
    )


def _parse_named_files(text: str) -> NamedFiles:
    try:
        return parse_named_files(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
