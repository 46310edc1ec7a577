"""The flags of service accounts' tokens, and of those of nodes that join."""

from __future__ import annotations

import argparse
from pathlib import Path

from quarterdeck.cmd.argument_types import parse_bool, parse_duration
from quarterdeck.cmd.values import parse_list
from quarterdeck.server.config import DEFAULT_ISSUER, ServiceAccounts


def add(parser: argparse._ActionsContainer) -> None:
    add_flag = parser.add_argument
    add_flag(
        "--service-account-issuer",
        action="append",
        default=[],
        metavar="URL",
        help="of service accounts' tokens; given again, tokens of those issuers are believed too "
        f"(default {DEFAULT_ISSUER})",
    )
    add_flag(
        "--service-account-signing-key-file",
        type=Path,
        metavar="FILE",
        help="PEM: the RSA or ECDSA key that tokens are signed with (default: one of the server's own)",
    )
    add_flag(
        "--service-account-key-file",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="PEM: more keys that tokens are believed by; may be given again",
    )
    add_flag(
        "--service-account-max-token-expiration",
        type=parse_duration,
        default=0.0,
        metavar="DURATION",
        help="longest life of a token; what asks for more gets this",
    )
    add_flag("--service-account-jwks-uri", default="", metavar="URL", help="overrides that of the OpenID document")
    add_flag(
        "--api-audiences",
        action="append",
        default=[],
        metavar="NAME,…",
        help="whom tokens must be meant for (default: the first issuer)",
    )
    add_flag(
        "--enable-bootstrap-token-auth",
        type=parse_bool,
        nargs="?",
        const=True,
        default=False,
        metavar="BOOL",
        help="believe the tokens of secrets of type bootstrap.kubernetes.io/token in kube-system (default false)",
    )


def build(arguments: argparse.Namespace) -> ServiceAccounts:
    return ServiceAccounts(
        tuple(arguments.service_account_issuer),
        tuple(arguments.service_account_key_file),
        arguments.service_account_signing_key_file,
        tuple(name for text in arguments.api_audiences for name in parse_list(text)),
        arguments.service_account_jwks_uri,
        int(arguments.service_account_max_token_expiration),
    )
