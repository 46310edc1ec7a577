"""Flags that leave out metrics, and values of their labels.

Source: component-base/metrics/options.go, metrics/api/v1/config.go; pflag/string_to_string.go.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from quarterdeck.cmd.values import split_csv
from quarterdeck.metrics.limits import Limits

_NAME: Final = "[a-zA-Z_:][a-zA-Z0-9_:]*"
_is_name: Final = re.compile(_NAME).fullmatch
_is_key: Final = re.compile(rf"{_NAME},[a-zA-Z_][a-zA-Z0-9_]*").fullmatch

Allowed = dict[str, str]  # METRIC,LABEL → VALUE,…


def add(parser: argparse._ActionsContainer) -> None:
    add_argument = parser.add_argument
    add_argument(
        "--disabled-metrics", type=_parse_names, action="extend", default=[], metavar="NAME,…", help="not shown at all"
    )
    add_argument(
        "--allow-metric-labels",
        action="append",
        default=[],
        metavar="METRIC,LABEL=VALUE,…",
        help="the values of a label that are shown; others are shown as one, unexpected. In quotes where there are "
        'several: \'"M,L=V,W","M,K=V"\'',
    )
    add_argument(
        "--allow-metric-labels-manifest",
        default="",
        metavar="FILE",
        help='the same in YAML: "METRIC,LABEL": "VALUE,…"',
    )


def resolve(arguments: argparse.Namespace) -> dict[str, Any]:
    """Members of Config. Raises ValueError."""
    given, manifest = arguments.allow_metric_labels, arguments.allow_metric_labels_manifest
    if given and manifest:
        raise ValueError("--allow-metric-labels and --allow-metric-labels-manifest do not go together")
    allowed: dict[str, dict[str, frozenset[str]]] = {}
    for each in [_read_manifest(manifest)] if manifest else map(_parse_allowed, given):
        for key, values in each.items():
            metric, _, label = key.partition(",")
            allowed.setdefault(metric, {})[label] = frozenset(values.split(","))
    return {"metric_limits": Limits(frozenset(arguments.disabled_metrics), allowed)}


def _parse_names(text: str) -> list[str]:
    names = text.split(",") if text else []
    for name in names:
        if not _is_name(name):
            raise argparse.ArgumentTypeError(f"{name!r} is no name of a metric")
    return names


def _parse_allowed(text: str) -> Allowed:
    pairs = [text.strip('"')] if text.count("=") == 1 else split_csv(text)
    allowed = {}
    for pair in pairs:
        key, equals, values = pair.partition("=")
        if not equals:
            raise ValueError(f"{pair} must be formatted as key=value")
        allowed[key] = values
    return _check(allowed)


def _read_manifest(path: str) -> Allowed:
    import yaml

    try:
        read = yaml.load(Path(path).read_bytes(), Loader=yaml.BaseLoader) or {}  # all that is no list or map is a text
    except (OSError, yaml.YAMLError) as error:
        raise ValueError(f"{path} cannot be read: {error}") from error
    if not isinstance(read, dict) or not all(isinstance(part, str) for pair in read.items() for part in pair):
        raise ValueError(f"{path} does not tell texts by texts")
    return _check(read)


def _check(allowed: Mapping[str, str]) -> Allowed:
    for key in allowed:
        if not _is_key(key):
            raise ValueError(f"{key!r} is not METRIC,LABEL")
    return dict(allowed)
