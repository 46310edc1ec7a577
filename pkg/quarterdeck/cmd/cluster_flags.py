"""Flags of logical clusters."""

from __future__ import annotations

import argparse

from quarterdeck.cmd.argument_types import parse_bool
from quarterdeck.server.config import ConfigError, LogicalClusters


def add(parser: argparse._ActionsContainer) -> None:
    default = LogicalClusters()
    parser.add_argument(
        "--enable-logical-clusters",
        nargs="?",
        const=True,
        default=False,
        type=parse_bool,
        metavar="BOOL",
        help="serve clusters of their own at /clusters/NAME, in memory, for tests (default false)",
    )
    for flag, value, what in (
        ("max", default.clusters_max, "how many logical clusters there may be"),
        ("awake-max", default.awake_max, "how many of them have a server at once; the others are at rest"),
        ("snapshots-max", default.snapshots_max, "how many snapshots of them there may be"),
        ("memory-max", default.memory_max_mib, "MiB of the process above which none is made or woken; 0: no bound"),
    ):
        parser.add_argument(
            f"--logical-clusters-{flag}", type=int, default=value, metavar="N", help=f"{what} (default %(default)s)"
        )


def resolve(arguments: argparse.Namespace) -> LogicalClusters | None:
    """Raises ConfigError."""
    if not arguments.enable_logical_clusters:
        return None
    limits = LogicalClusters(
        arguments.logical_clusters_max,
        arguments.logical_clusters_awake_max,
        arguments.logical_clusters_snapshots_max,
        arguments.logical_clusters_memory_max,
    )
    if limits.clusters_max < 1 or limits.awake_max < 1 or limits.snapshots_max < 0 or limits.memory_max_mib < 0:
        raise ConfigError("--logical-clusters-max and --logical-clusters-awake-max are at least 1, others at least 0")
    return limits
