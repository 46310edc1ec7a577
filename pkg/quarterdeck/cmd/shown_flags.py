"""The flags of a server as /flagz shows them: each by its name, its value as Go's flag package prints it."""

from __future__ import annotations

import argparse
from typing import Any, Final

from quarterdeck.apimachinery import duration
from quarterdeck.server.version import Version

_NO_FLAGS: Final = frozenset(("command",))
# The only number with a fraction that is no time.
_FRACTIONS: Final = frozenset(("goaway_chance",))
# A text for kube-apiserver, which it takes apart later.
_JOINED: Final = "service_cluster_ip_range"


def describe_flags(arguments: argparse.Namespace) -> dict[str, str]:
    return {
        name.replace("_", "-"): ",".join(value)
        if name == _JOINED
        else _show(str(value) if name in _FRACTIONS else value)
        for name, value in vars(arguments).items()
        if name not in _NO_FLAGS
    }


def _show(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return duration.format_ns(round(value * 1e9))
    if isinstance(value, Version):
        return f"{value.major}.{value.minor}"
    if isinstance(value, range):
        return f"{value[0]}-{value[-1]}"
    if isinstance(value, (list, tuple)):
        return f"[{','.join(map(str, value))}]"
    return str(value)
