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


class FlagsError(Exception):
    """The text is for the person who gave the flags."""


def add_http2(parser: argparse._ActionsContainer, shared: str, default: int) -> None:
    """`shared`: what has a stream. `choose_streams` reads them."""
    parser.add_argument("--http2", action="store_true", help="HTTP/2, over TLS or by prior knowledge, not HTTP/1.1")
    parser.add_argument(
        "--streams",
        type=positive,
        metavar="N",
        help=f"{shared} that share a connection of HTTP/2 (default {default})",
    )


def choose_streams(arguments: argparse.Namespace, default: int) -> int:
    """0: HTTP/1.1. Raises FlagsError."""
    if arguments.streams and not arguments.http2:
        raise FlagsError("--streams wants --http2")
    return (arguments.streams or default) if arguments.http2 else 0


def add_count(parser: argparse._ActionsContainer, name: str, default: int, meaning: str = "") -> None:
    """A number from 1."""
    shown = f"{meaning} {SHOWN_DEFAULT}".lstrip()
    parser.add_argument(name, type=positive, default=default, metavar="N", help=shown)


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return number
