"""Flags that the scenarios of `quarterdeck bench` share."""

from __future__ import annotations

import argparse

from quarterdeck.cmd.parsers import add_server

SHOWN_DEFAULT = "(default %(default)s)"


def add_target(parser: argparse.ArgumentParser) -> None:
    """Which server, and where in it."""
    add_server(parser)
    parser.add_argument(
        "--namespace", default="default", metavar="NAME", help=f"where the objects are made {SHOWN_DEFAULT}"
    )


def add_figures(parser: argparse.ArgumentParser) -> None:
    """Whose CPU and memory count, and how the figures are printed."""
    parser.add_argument(
        "--server-pid",
        type=positive,
        action="append",
        default=[],
        metavar="PID",
        help="a process whose CPU and memory count; given more than once they add up (default: whoever listens on the"
        " port)",
    )
    parser.add_argument("--output", "-o", choices=("text", "json"), default="text", help=SHOWN_DEFAULT)


def add_count(parser: argparse._ActionsContainer, name: str, default: int, meaning: str = "") -> None:
    """A number from 1."""
    shown = f"{meaning} {SHOWN_DEFAULT}".lstrip()
    parser.add_argument(name, type=positive, default=default, metavar="N", help=shown)


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return number
