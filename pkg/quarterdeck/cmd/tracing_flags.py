"""Flags of traces. Source: apiserver/pkg/server/options/tracing.go."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--tracing-config-file",
        type=Path,
        metavar="FILE",
        help="a TracingConfiguration: where traces of requests and webhooks go, and how many (docs/tracing.md)",
    )


def resolve(arguments: argparse.Namespace) -> dict[str, Any]:
    """Members of Config."""
    return {"tracing_config_file": arguments.tracing_config_file}
