"""The flags that switch APIs and features on and off.

Source: apiserver/pkg/server/options/api_enablement.go, component-base/cli/flag/configuration_map.go,
pkg/controlplane/apiserver/options/validation.go (validateAPIPriorityAndFairness).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from typing import Final

from quarterdeck.apis.enablement import USUAL, Enablement

_ON_WHICH_FLOW_CONTROL_RESTS: Final = ("flowcontrol.apiserver.k8s.io/v1", "api/ga", "api/all")  # the first counts most


def add(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--runtime-config",
        action="append",
        default=[],
        metavar="KEY=true|false,…",
        help="switch built-in APIs off and on: GROUP/VERSION or GROUP/VERSION/RESOURCE (v1 for the core), api/all, "
        "api/ga, api/beta, api/alpha",
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
    found = USUAL
    if arguments.feature_gates:
        from quarterdeck.apis import features

        features.check(arguments.feature_gates)
        found = found._replace(features=features.switched_on(arguments.feature_gates))
    if not arguments.runtime_config:
        return found
    from quarterdeck.apis import runtimeconfig

    given = _parse_map(arguments.runtime_config)
    if arguments.enable_priority_and_fairness:
        _check_flow_control(given)
    return runtimeconfig.parse(given)._replace(features=found.features)


def _check_flow_control(given: Mapping[str, str]) -> None:
    """Priority and fairness has its configuration from the API. Raises ValueError where that is off."""
    key = next((key for key in _ON_WHICH_FLOW_CONTROL_RESTS if given.get(key) in ("true", "false")), None)
    if key is not None and given[key] == "false":
        raise ValueError(f"--runtime-config={key}=false conflicts with --enable-priority-and-fairness=true")


def _parse_map(texts: Iterable[str]) -> dict[str, str]:
    """`key=value`, several separated by commas, the flag given once or more; a later one wins, the value may lack."""
    found: dict[str, str] = {}
    for text in (part for given in texts for part in given.split(",") if part):
        key, _, value = text.partition("=")
        found[key.strip()] = value.strip()
    return found
