"""Flags of the watch cache, and of how long requests and watches may take."""

from __future__ import annotations

import argparse
from typing import Any

from quarterdeck.cmd.argument_types import parse_bool, parse_duration
from quarterdeck.cmd.values import parse_watch_cache_sizes
from quarterdeck.server.config import ConfigError


def add(parser: argparse._ActionsContainer) -> None:
    add = parser.add_argument
    add(
        "--watch-cache",
        nargs="?",
        const=True,
        default=True,
        type=parse_bool,
        metavar="BOOL",
        help="false: what is told of limits and resourceVersions is what etcd does, though reads come from memory",
    )
    add(
        "--default-watch-cache-size",
        type=int,
        default=100,
        metavar="N",
        help="least number of recent changes of a resource that watches resume from; the window grows with the rate of"
        " changes; 0: none are kept, watches resume from the store (default %(default)s)",
    )
    add(
        "--watch-cache-sizes",
        action="append",
        default=[],
        metavar="RESOURCE[.GROUP]#SIZE,…",
        help="the same for single resources",
    )
    add(
        "--request-timeout",
        type=parse_duration,
        default=60.0,
        metavar="DURATION",
        help="how long a request may take; then it is ended with 504, and what it asked for may or may not be done"
        " (default 1m)",
    )
    add(
        "--min-request-timeout",
        type=int,
        default=1800,
        metavar="SECONDS",
        help="a watch whose client names no timeout is ended after once to twice as long (default %(default)s)",
    )
    add(
        "--watch-cache-consistency-check-period",
        type=parse_duration,
        default=300.0,
        metavar="DURATION",
        help="how often the watch cache is compared with the store; 0: never (default 5m)",
    )


def resolve(arguments: argparse.Namespace) -> dict[str, Any]:
    """Of Config. Raises ConfigError."""
    try:
        sizes = parse_watch_cache_sizes(arguments.watch_cache_sizes)
    except ValueError as error:
        raise ConfigError(f"--watch-cache-sizes: {error}") from error
    return {
        "has_watch_cache": arguments.watch_cache,
        "default_watch_cache_size": arguments.default_watch_cache_size,
        "watch_cache_sizes": sizes,
        "min_request_timeout_s": arguments.min_request_timeout,
        "request_timeout_s": arguments.request_timeout,
        "consistency_check_period_s": arguments.watch_cache_consistency_check_period,
    }
