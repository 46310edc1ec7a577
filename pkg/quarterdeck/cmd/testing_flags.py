"""Flags for tests of clients: what spoils requests, or looks at them. All off unless given."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add(parser: argparse.ArgumentParser) -> None:
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
        help="note what each user asks for, and tell it and the smallest roles for it, at /quarterdeck/v1/coverage "
        "(docs/api-coverage.md)",
    )
    parser.add_argument(
        "--record-file",
        type=Path,
        metavar="FILE",
        help="write all requests with their answers and events to this file (docs/record-replay.md)",
    )


def resolve(arguments: argparse.Namespace) -> dict[str, Any]:
    """Members of Config."""
    return {
        "has_faults": arguments.enable_fault_injection,
        "fault_rules_file": arguments.fault_rules_file,
        "has_coverage": arguments.enable_api_coverage,
        "record_file": arguments.record_file,
    }
