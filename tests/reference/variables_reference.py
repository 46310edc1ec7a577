"""The variables of a container, looked at slowly: twin of ext/variables.pyx, and of has_empty in ext/members.pyx."""

from __future__ import annotations

from typing import Any


def odd(variables: list[Any]) -> list[int]:
    return [position for position, variable in enumerate(variables) if not is_plain(variable)]


def is_plain(variable: Any) -> bool:
    if not isinstance(variable, dict) or not variable.keys() <= {"name", "value"}:
        return False
    name = variable.get("name")
    return isinstance(name, str) and name.isascii() and name.isidentifier()


def has_repeated(variables: list[dict[str, Any]]) -> bool:
    names = [variable.get("name", "") for variable in variables]
    return len(set(names)) < len(names)


def has_empty(value: Any) -> bool:
    below = value.values() if isinstance(value, dict) else value
    return any(not item or has_empty(item) for item in below if isinstance(item, (dict, list)))
