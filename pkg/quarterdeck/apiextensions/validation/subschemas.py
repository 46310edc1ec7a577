"""The schemas in a schema, wherever they may stand.

Source: apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go (SchemaHas).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from quarterdeck._kernels import longsteps

Schema = dict[str, Any]

_MAPS: Final = frozenset(("properties", "patternProperties", "definitions", "dependencies"))
_LISTS: Final = frozenset(("allOf", "oneOf", "anyOf"))
_SINGLE: Final = frozenset(("items", "additionalProperties", "additionalItems", "not"))
_ANY: Final = _MAPS | _LISTS | _SINGLE


def walk(root: Schema | None) -> Iterator[Schema]:
    """`root` and every schema below it."""
    if root is None:
        return
    pending = [root]
    while pending:
        schema = pending.pop()
        longsteps.pause()
        yield schema
        if _ANY.isdisjoint(schema):
            continue
        for name, value in schema.items():
            if name in _ANY and value:
                pending += _within(name, value)


def _within(name: str, value: Any) -> list[Schema]:
    """The schemas that one member holds."""
    if isinstance(value, dict):
        if name in _MAPS:
            return [child for child in value.values() if isinstance(child, dict)]
        return [value]
    return value if isinstance(value, list) else []
