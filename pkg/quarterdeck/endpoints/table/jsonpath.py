"""The JSONPath of printer columns: parsed once (apimachinery.jsonpath), evaluated for each object.

client-go's dialect, with its oddities, since columns in use depend on them: `['a.b']` means two fields, an index out
of range is an error, a filter compares equal types only, `exists` forgives errors, a text has bytes as children. An
error makes the whole cell null. Only the first result is ever shown; the first action `{…}` alone can give one, the
later ones only errors.

Differs from upstream: what follows a `{range …}` is not looked at. Upstream's ranges change the path itself, so that a
cell depends on the objects that were shown before.

Source: client-go/util/jsonpath/{parser,jsonpath}.go.
"""

from __future__ import annotations

from itertools import takewhile
from typing import Any

from quarterdeck.apimachinery import gofmt
from quarterdeck.apimachinery.jsonpath.parser import parse_template
from quarterdeck.apimachinery.jsonpath.steps import EvaluationError, Step, evaluate


class JSONPath:
    """A compiled path. `find_first` returns (True, value) or (False, None)."""

    __slots__ = ("_fields", "_later", "_steps")

    def __init__(self, text: str) -> None:
        """Raises ParseError."""
        actions = parse_template("{" + text + "}")
        self._steps: list[Step] = actions[0].steps
        later = takewhile(lambda action: not action.begins_range, actions[1:])
        self._later: list[list[Step]] = [action.steps for action in later]
        fields = actions[0].fields
        self._fields: tuple[str, ...] | None = tuple(fields) if fields is not None and len(actions) == 1 else None

    def find_first(self, obj: dict[str, Any]) -> tuple[bool, Any]:
        if self._fields is not None:
            return _find_field(obj, self._fields)
        try:
            found = evaluate(self._steps, [obj])
            for steps in self._later:
                evaluate(steps, [obj])
        except EvaluationError:
            return False, None
        return (True, found[0]) if found else (False, None)


def _find_field(obj: Any, fields: tuple[str, ...]) -> tuple[bool, Any]:
    """The common case: nothing but field names."""
    for name in fields:
        if not isinstance(obj, dict) or name not in obj:
            return False, None
        obj = obj[name]
    return True, obj


def print_value(value: object) -> str:
    """A found value as the text of a cell: lists and objects as JSON, null as Go prints an absent value."""
    if isinstance(value, str):
        return value
    if value is None:
        return "<no value>"
    return gofmt.format_json(value) if isinstance(value, dict | list) else gofmt.format_value(value)
