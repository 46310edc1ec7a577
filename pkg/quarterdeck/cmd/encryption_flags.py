"""Flags of encryption at rest. Source: apiserver/pkg/server/options/etcd.go."""

from __future__ import annotations

import argparse
from pathlib import Path

from quarterdeck.cmd.argument_types import parse_bool


def add(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--encryption-provider-config",
        type=Path,
        metavar="FILE",
        help="an EncryptionConfiguration: which resources are encrypted in the store, and how",
    )
    parser.add_argument(
        "--encryption-provider-config-automatic-reload",
        type=parse_bool,
        nargs="?",
        const=True,
        default=False,
        metavar="BOOL",
        help="take that file up again when it changes (default false)",
    )


def check(arguments: argparse.Namespace) -> None:
    """Raises ValueError with upstream's text."""
    if arguments.encryption_provider_config_automatic_reload and arguments.encryption_provider_config is None:
        raise ValueError("--encryption-provider-config-automatic-reload must be set with --encryption-provider-config")
