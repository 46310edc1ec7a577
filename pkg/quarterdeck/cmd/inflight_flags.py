"""Flags of how much is done at once."""

from __future__ import annotations

import argparse
from typing import Any

from quarterdeck.cmd.argument_types import parse_bool


def add(parser: argparse._ActionsContainer) -> None:
    add_one = parser.add_argument
    add_one(
        "--enable-priority-and-fairness",
        nargs="?",
        const=True,
        type=parse_bool,
        default=True,
        metavar="BOOL",
        help="share the server by flow schemas and priority levels (default true)",
    )
    limits = (
        ("--max-requests-inflight", 400, "reads"),
        ("--max-mutating-requests-inflight", 200, "writes"),
    )
    for flag, default, kind in limits:
        add_one(
            flag,
            type=int,
            default=default,
            metavar="N",
            help=f"{kind} that may be under way at once where priority and fairness are off, 0: any number; where they "
            "are on, what priority levels share is the sum of both (default %(default)s)",
        )


def resolve(arguments: argparse.Namespace) -> dict[str, Any]:
    """Of Config."""
    return {
        "has_flow_control": arguments.enable_priority_and_fairness,
        "reads_inflight_max": arguments.max_requests_inflight,
        "writes_inflight_max": arguments.max_mutating_requests_inflight,
    }
