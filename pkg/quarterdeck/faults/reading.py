"""Members of a JSON object, one by one, with errors that say where they are. What nobody asked for is an error too."""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, TypeVar

E = TypeVar("E", bound=StrEnum)


class BadRule(ValueError):
    """The text is for whoever wrote the rule."""


class Members:
    """Of the object at `path`."""

    def __init__(self, value: object, path: str) -> None:
        if not isinstance(value, Mapping):
            raise BadRule(f"{path}: must be an object")
        self._left: dict[str, Any] = {str(name): each for name, each in value.items()}
        self._path = path

    def end(self) -> None:
        """Raises BadRule where there is more than was asked for."""
        if self._left:
            raise BadRule(f"{self._path}.{next(iter(self._left))}: no such field")

    def names(self) -> list[str]:
        return list(self._left)

    def members(self, name: str) -> Members:
        """Of an object; an absent one has none."""
        value = self._left.pop(name, None)
        return Members({} if value is None else value, f"{self._path}.{name}")

    def text(self, name: str) -> str:
        value = self._left.pop(name, None)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise BadRule(f"{self._path}.{name}: must be text")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts, or a single one."""
        value = self._left.pop(name, None)
        if value is None:
            return ()
        values = [value] if isinstance(value, str) else value
        if not isinstance(values, list) or not all(isinstance(each, str) for each in values):
            raise BadRule(f"{self._path}.{name}: must be a list of texts")
        return tuple(values)

    def whole(self, name: str, default: int, low: int, high: int) -> int:
        value = self._left.pop(name, None)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise BadRule(f"{self._path}.{name}: must be a whole number from {low} to {high}")
        return value

    def number(self, name: str, default: float, low: float, high: float) -> float:
        value = self._left.pop(name, None)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, (int, float)) or math.isnan(value):
            raise BadRule(f"{self._path}.{name}: must be a number")
        if not low <= value <= high:
            raise BadRule(f"{self._path}.{name}: must be between {low:g} and {high:g}")
        return float(value)

    def flag(self, name: str, *, default: bool) -> bool:
        value = self._left.pop(name, None)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise BadRule(f"{self._path}.{name}: must be true or false")
        return value

    def choice(self, name: str, default: E, allowed: tuple[E, ...]) -> E:
        value = self._left.pop(name, None)
        if value is None:
            return default
        if value not in allowed:
            raise BadRule(f"{self._path}.{name}: must be one of {', '.join(allowed)}")
        return type(default)(value)
