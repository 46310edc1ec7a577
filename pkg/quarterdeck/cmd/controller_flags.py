"""The flag that says which controllers run."""

from __future__ import annotations

import argparse

from quarterdeck.cmd.argument_types import parse_duration
from quarterdeck.cmd.values import parse_list
from quarterdeck.controllers import names


def add(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--controllers",
        action="append",
        default=[],
        metavar="NAME,…",
        help="controllers to run, as kube-controller-manager names them: 'foo' that one, '-foo' not that one, '*'"
        f" {' and '.join(names.USUAL)}; here are also {', '.join(names.OPTIONAL)}, the other names mean nothing"
        " (default '*')",
    )

    parser.add_argument(
        "--namespace-deletion-delay",
        type=parse_duration,
        default=1.0,
        metavar="DURATION",
        help="how long after its deletion a namespace is emptied (default 1s; kube-controller-manager waits for 5s)",
    )


def resolve(arguments: argparse.Namespace) -> tuple[str, ...]:
    """Raises ValueError."""
    given = [name for text in arguments.controllers for name in parse_list(text)]
    return names.resolve(given or [names.ALL])
