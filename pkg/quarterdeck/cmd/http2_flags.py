"""Flags of HTTP/2. Source: apiserver/pkg/server/options/serving.go, server_run_options.go."""

from __future__ import annotations

import argparse

from quarterdeck.cmd.argument_types import parse_bool
from quarterdeck.transport.limits import HTTP2Settings


def add(parser: argparse._ActionsContainer) -> None:
    add = parser.add_argument
    add(
        "--disable-http2-serving",
        nargs="?",
        const=True,
        default=False,
        type=parse_bool,
        metavar="BOOL",
        help="serve HTTP/1.1 alone",
    )
    add(
        "--http2-max-streams-per-connection",
        type=int,
        default=0,
        metavar="COUNT",
        help="how many requests a client may have open on one connection of HTTP/2 (default, and 0: 250)",
    )
    add(
        "--goaway-chance",
        type=float,
        default=0.0,
        metavar="FRACTION",
        help="how likely a client of HTTP/2 is asked to connect anew, at each request; at most 0.02 (default 0: never)",
    )


def resolve(arguments: argparse.Namespace) -> HTTP2Settings:
    default = HTTP2Settings()
    return HTTP2Settings(
        is_served=not arguments.disable_http2_serving,
        streams_max=arguments.http2_max_streams_per_connection or default.streams_max,
        goaway_chance=arguments.goaway_chance,
    )
