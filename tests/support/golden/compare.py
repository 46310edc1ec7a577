"""The differences between a recorded and an actual answer, one text each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

_SHOWN_CHARS = 300


def differences(expected: Any, actual: Any, path: str = "") -> Iterator[str]:
    if isinstance(expected, dict) and isinstance(actual, dict):
        for name in sorted(set(expected) | set(actual)):
            at = f"{path}.{name}"
            if name not in actual:
                yield f"{at}: missing, recorded {_show(expected[name])}"
            elif name not in expected:
                yield f"{at}: not recorded, got {_show(actual[name])}"
            else:
                yield from differences(expected[name], actual[name], at)
    elif isinstance(expected, list) and isinstance(actual, list):
        if len(expected) != len(actual):
            yield f"{path}: recorded {len(expected)} items, got {len(actual)}: {_show(actual)}"
        for position, (left, right) in enumerate(zip(expected, actual, strict=False)):
            yield from differences(left, right, f"{path}[{position}]")
    elif not _same(expected, actual):
        yield f"{path}: recorded {_show(expected)}, got {_show(actual)}"


def _same(expected: Any, actual: Any) -> bool:
    """Numbers are equal by value; a boolean is no number."""
    numbers = (int, float)
    if isinstance(expected, numbers) and isinstance(actual, numbers):
        return expected == actual and isinstance(expected, bool) == isinstance(actual, bool)
    return type(expected) is type(actual) and bool(expected == actual)


def _show(value: Any) -> str:
    return json.dumps(value)[:_SHOWN_CHARS]
