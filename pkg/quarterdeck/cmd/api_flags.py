"""The flags that switch APIs and features on and off.

Source: apiserver/pkg/server/options/api_enablement.go, component-base/cli/flag/configuration_map.go.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from quarterdeck.apis.enablement import USUAL, Enablement


def add(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--runtime-config",
        action="append",
        default=[],
        metavar="KEY=true|false,…",
        help="switch built-in APIs off: GROUP/VERSION or GROUP/VERSION/RESOURCE (/v1 for the core), api/all, api/ga",
    )
    parser.add_argument(
        "--feature-gates",
        action="append",
        default=[],
        metavar="NAME=true|false,…",
        help="features of kube-apiserver: what is built cannot be switched off, nor what is not be switched on",
    )


def resolve(arguments: argparse.Namespace) -> Enablement:
    """Raises ValueError."""
    # What reads them is loaded where they are given: few servers are started with them.
    if arguments.feature_gates:
        from quarterdeck.apis import features

        features.check(arguments.feature_gates)
    if not arguments.runtime_config:
        return USUAL
    from quarterdeck.apis import runtimeconfig

    return runtimeconfig.parse(_parse_map(arguments.runtime_config))


def _parse_map(texts: Iterable[str]) -> dict[str, str]:
    """`key=value`, several separated by commas, the flag given once or more; a later one wins, the value may lack."""
    found: dict[str, str] = {}
    for text in (part for given in texts for part in given.split(",") if part):
        key, _, value = text.partition("=")
        found[key.strip()] = value.strip()
    return found
