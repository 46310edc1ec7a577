"""Flags that switch admission plugins on and off, and what pods may ask for."""

from __future__ import annotations

import argparse

from quarterdeck.admission import pluginnames
from quarterdeck.cmd.argument_types import parse_bool
from quarterdeck.cmd.values import parse_list


def add(parser: argparse._ActionsContainer) -> None:
    for verb, which in (("enable", f"beside {', '.join(sorted(pluginnames.ON))}"), ("disable", "that run otherwise")):
        parser.add_argument(
            f"--{verb}-admission-plugins",
            action="append",
            default=[],
            metavar="NAME,…",
            help=f"admission plugins to {verb}, {which}",
        )
    parser.add_argument(
        "--allow-privileged",
        type=parse_bool,
        nargs="?",
        const=True,
        default=False,
        metavar="BOOL",
        help="let containers be privileged (default false)",
    )


def resolve(arguments: argparse.Namespace) -> frozenset[str]:
    """Raises ValueError."""
    enabled, disabled = (
        [name for text in given for name in parse_list(text)]
        for given in (arguments.enable_admission_plugins, arguments.disable_admission_plugins)
    )
    return pluginnames.resolve(enabled, disabled)
