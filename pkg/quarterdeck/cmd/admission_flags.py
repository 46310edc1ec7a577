"""Flags that switch admission plugins on and off, what these are told, and what pods may ask for."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from quarterdeck.admission import pluginnames, pluginsettings
from quarterdeck.admission.pluginsettings import PluginSettings
from quarterdeck.cmd.argument_types import parse_bool, parse_int64
from quarterdeck.cmd.values import parse_list


def add(parser: argparse._ActionsContainer) -> None:
    for verb, which in (("enable", f"beside {', '.join(sorted(pluginnames.ON))}"), ("disable", "that run otherwise")):
        parser.add_argument(
            f"--{verb}-admission-plugins",
            action="append",
            default=[],
            metavar="NAME,…",
            help=f"admission plugins to {verb}, {which}",
        )
    parser.add_argument(
        "--admission-control-config-file",
        type=Path,
        metavar="FILE",
        help="an AdmissionConfiguration: what admission plugins are told (docs/admission.md)",
    )
    parser.add_argument(
        "--allow-privileged",
        type=parse_bool,
        nargs="?",
        const=True,
        default=False,
        metavar="BOOL",
        help="let containers be privileged (default false)",
    )
    for state in ("not-ready", "unreachable"):
        parser.add_argument(
            f"--default-{state}-toleration-seconds",
            type=parse_int64,
            default=300,
            metavar="S",
            help=f"how long a pod that does not say it itself stays on a node that is {state} (default %(default)s)",
        )


def resolve(arguments: argparse.Namespace) -> dict[str, Any]:
    """Members of Config. Raises ValueError."""
    enabled, disabled = (
        [name for text in given for name in parse_list(text)]
        for given in (arguments.enable_admission_plugins, arguments.disable_admission_plugins)
    )
    plugins = pluginnames.resolve(enabled, disabled)
    settings = _load(arguments.admission_control_config_file, plugins)
    tolerated = (arguments.default_not_ready_toleration_seconds, arguments.default_unreachable_toleration_seconds)
    return {"admission_plugins": plugins, "admission_settings": settings._replace(default_toleration_s=tolerated)}


def _load(path: Path | None, plugins: frozenset[str]) -> PluginSettings:
    """Raises ValueError."""
    if path is None and pluginnames.CONFIGURED.isdisjoint(plugins):
        return pluginsettings.DEFAULT
    from quarterdeck.server.admissionconfig.load import load  # imported late: few servers have such a file

    try:
        return load(path, plugins)
    except ValueError as error:
        raise ValueError(f"failed to apply admission: {error}") from error
