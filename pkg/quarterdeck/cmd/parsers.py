"""What the parsers of several commands have in common."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_action(
    actions: argparse._SubParsersAction[argparse.ArgumentParser], name: str, what: str, more: str = "."
) -> argparse.ArgumentParser:
    """An action of a command. `what` it does stands in the list of actions, and with `more` above its own flags."""
    return actions.add_parser(name, help=what, description=f"{what[0].upper()}{what[1:]}{more}", allow_abbrev=False)


def add_kubeconfig(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--kubeconfig", type=Path, metavar="FILE", help="(default: the first of $KUBECONFIG, ~/.kube/config)"
    )


def add_server(parser: argparse.ArgumentParser) -> None:
    """Which server a command talks to."""
    add_kubeconfig(parser)
    parser.add_argument("--context", default="", metavar="NAME", help="(default: the current one)")
