"""Flags for tests of clients: what spoils requests, or looks at them. All off unless given."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from quarterdeck.apimachinery.time import parse_rfc3339
from quarterdeck.server.config import ConfigError, VirtualClockSettings


def add(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--enable-fault-injection",
        action="store_true",
        help="let administrators spoil requests by rules, at /quarterdeck/v1/faults (docs/testing-faults.md)",
    )
    parser.add_argument(
        "--fault-rules-file", type=Path, metavar="FILE", help="YAML: rules that hold from the start; needs the former"
    )
    parser.add_argument(
        "--enable-api-coverage",
        action="store_true",
        help="note what each user asks for, and which fields, rules, conditions and webhooks are used; tell it, and "
        "the smallest roles for it, at /quarterdeck/v1/coverage (docs/api-coverage.md)",
    )
    parser.add_argument(
        "--ui",
        nargs="?",
        const=0,
        type=int,
        metavar="PORT",
        help="show objects, watches and figures as they change, on a page at 127.0.0.1 that needs a token; a free port "
        "without PORT (docs/live-page.md)",
    )
    parser.add_argument(
        "--virtual-clock",
        nargs="?",
        const="now",
        default="",
        metavar="TIME",
        help="objects go by a clock that stands until it is told to go, at /quarterdeck/v1/clock; it begins at TIME "
        "(as of RFC 3339), or now (docs/virtual-clock.md)",
    )
    parser.add_argument(
        "--seed", type=int, metavar="N", help="uids and names are the same each time; needs --virtual-clock"
    )
    parser.add_argument(
        "--record-file",
        type=Path,
        metavar="FILE",
        help="write all requests with their answers and events to this file (docs/record-replay.md)",
    )


def resolve(arguments: argparse.Namespace) -> dict[str, Any]:
    """Members of Config. Raises ConfigError."""
    return {
        "has_faults": arguments.enable_fault_injection,
        "fault_rules_file": arguments.fault_rules_file,
        "has_coverage": arguments.enable_api_coverage,
        "live_page_port": arguments.ui,
        "virtual_clock": _resolve_clock(arguments.virtual_clock, arguments.seed),
        "record_file": arguments.record_file,
    }


def _resolve_clock(start: str, seed: int | None) -> VirtualClockSettings | None:
    if not start:
        if seed is not None:
            raise ConfigError("--seed needs --virtual-clock")
        return None
    start_s = None if start == "now" else parse_rfc3339(start)
    if start_s is None and start != "now":
        raise ConfigError(f"--virtual-clock {start!r} is no time as of RFC 3339, such as 2026-01-01T00:00:00Z")
    return VirtualClockSettings(start_s, seed)
