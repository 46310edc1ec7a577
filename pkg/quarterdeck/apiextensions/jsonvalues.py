"""The values of any JSON type in schemas: defaults, examples and what enums list.

They are kept as they are written, and a number that is written with a fraction or an exponent is a float. What is
stored of `1e10` is 10000000000, which is read as an integer: to upstream the one is not the other, so that writing the
same definition again counts as a change. Source: apiextensions/v1/conversion.go, apimachinery/pkg/util/json.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

_INTEGER_LIMIT: Final = 2.0**63
_OF_SCHEMAS: Final = ("properties", "patternProperties", "definitions", "dependencies")
_LISTS: Final = ("allOf", "anyOf", "oneOf")
_SCHEMAS: Final = ("not", "additionalProperties", "additionalItems", "items")


def have_integral_floats(spec: Mapping[str, Any]) -> bool:
    """Whether such a value of a definition holds a float that would be read as an integer once it was stored."""
    for version in spec.get("versions") or ():
        waiting = [(version.get("schema") or {}).get("openAPIV3Schema")]
        while waiting:
            schema = waiting.pop()
            if not isinstance(schema, dict):
                continue
            if any(_is_integral(value) for value in _values(schema)):
                return True
            waiting.extend(_schemas_in(schema))
    return False


def _values(schema: Mapping[str, Any]) -> Iterator[Any]:
    """Every value in those of one schema."""
    waiting = [schema[name] for name in ("default", "example", "enum") if name in schema]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
        else:
            yield value


def _is_integral(value: Any) -> bool:
    return isinstance(value, float) and value.is_integer() and abs(value) < _INTEGER_LIMIT


def _schemas_in(schema: Mapping[str, Any]) -> Iterator[Any]:
    for name in _OF_SCHEMAS:
        yield from (schema.get(name) or {}).values()
    for name in _LISTS:
        yield from schema.get(name) or ()
    for name in _SCHEMAS:
        inner = schema.get(name)
        if isinstance(inner, list):
            yield from inner
        else:
            yield inner
