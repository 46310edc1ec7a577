"""The fields of a custom resource that clients may select by (KEP-4358)."""

from __future__ import annotations

from typing import Any

from quarterdeck.apimachinery import gofmt


def selectable_values(obj: Any, paths: tuple[str, ...]) -> dict[str, str]:
    """The selectableFields of an object as text, absent ones as ""."""
    values = {}
    for path in paths:
        value: Any = obj
        for name in path.removeprefix(".").split("."):
            value = value.get(name) if isinstance(value, dict) else None
        if isinstance(value, bool):
            text = "true" if value else "false"
        elif isinstance(value, float):  # 1.0 as it was sent; it will be read as 1
            text = gofmt.format_json(value)
        else:
            text = "" if value is None else str(value)
        values[path.removeprefix(".")] = text
    return values
