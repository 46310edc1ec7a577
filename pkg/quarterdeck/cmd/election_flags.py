"""Flags of the election among servers that share an etcd. Names, defaults and limits are kube-controller-manager's.

Source: component-base/config/options/leaderelectionconfig.go; client-go/tools/leaderelection (NewLeaderElector).
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, Final

from quarterdeck.cmd import etcd_flags
from quarterdeck.cmd.argument_types import parse_bool, parse_duration

if TYPE_CHECKING:
    from quarterdeck.controllers.leaderelection import Settings

_JITTER: Final = 1.2


def add(parser: argparse._ActionsContainer) -> None:
    add = parser.add_argument
    add(
        "--leader-elect",
        type=parse_bool,
        nargs="?",
        const=True,
        default=True,
        metavar="BOOL",
        help="run controllers on one of several servers alone (default true)",
    )
    for name, default, what in (
        ("lease-duration", 15.0, "after how long others take over from a leader that is silent (default 15s)"),
        ("renew-deadline", 10.0, "after how long a leader that cannot renew stops (default 10s)"),
        ("retry-period", 2.0, "how often a leader renews (default 2s)"),
    ):
        add(f"--leader-elect-{name}", type=parse_duration, default=default, metavar="DURATION", help=what)


def resolve(arguments: argparse.Namespace) -> dict[str, Any]:
    """Members of the configuration: the etcd and the election, None where there is none. Raises ValueError."""
    return {"etcd": etcd_flags.resolve(arguments), "election": _resolve_election(arguments)}


def _resolve_election(arguments: argparse.Namespace) -> Settings | None:
    if getattr(arguments, "storage_backend", None) != "etcd3" or not arguments.leader_elect:
        return None
    from quarterdeck.controllers.leaderelection import Settings

    duration_s, deadline_s = arguments.leader_elect_lease_duration, arguments.leader_elect_renew_deadline
    period_s = arguments.leader_elect_retry_period
    if duration_s < 1 or duration_s % 1:
        raise ValueError("--leader-elect-lease-duration must be whole seconds, at least one")
    if duration_s <= deadline_s:
        raise ValueError("--leader-elect-lease-duration must be greater than --leader-elect-renew-deadline")
    if period_s <= 0 or deadline_s <= period_s * _JITTER:
        raise ValueError("--leader-elect-renew-deadline must be greater than 1.2 times --leader-elect-retry-period")
    return Settings(int(duration_s), deadline_s, period_s)
