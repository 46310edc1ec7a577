"""The order in which Go reads the members of a body in YAML, which it makes JSON of by way of maps.

It tells which of several members of wrong types is refused. Source: sigs.k8s.io/yaml yaml.go (YAMLToJSON),
encoding/json.
"""

from __future__ import annotations

from typing import Any

from quarterdeck._kernels import longsteps


def sort_members(value: Any) -> None:
    """Put the members of all maps in the order of their names, in place."""
    waiting = [value]
    while waiting:
        longsteps.pause()
        each = waiting.pop()
        if isinstance(each, dict):
            members = [(name, each[name]) for name in longsteps.sort(each)]
            each.clear()
            each.update(members)
            waiting.extend(inner for _, inner in members if isinstance(inner, (dict, list)))
        elif isinstance(each, list):
            waiting.extend(inner for inner in each if isinstance(inner, (dict, list)))
