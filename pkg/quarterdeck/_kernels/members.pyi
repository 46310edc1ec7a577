"""The members of an object that are picked by their name or their value. Body: ext/members.pyx."""

from typing import Any

def without(value: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """The members of an object that are called otherwise."""

def empty(value: dict[str, Any]) -> dict[str, Any]:
    """The members that are an empty object or an empty list."""

def has_empty(value: object) -> bool:
    """Whether a list or a map somewhere below a list or a map, of any depth, is empty."""
