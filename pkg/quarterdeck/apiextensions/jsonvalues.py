"""The values of any JSON type in schemas: defaults, examples and what enums list.

They are kept as they are written, and a number that is written with a fraction or an exponent is a float. What is
stored of `1e10` is 10000000000, which is read as an integer: to upstream the one is not the other, so that writing the
same definition again counts as a change. Source: apiextensions/v1/conversion.go, apimachinery/pkg/util/json.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from quarterdeck.apiextensions.validation import subschemas
from quarterdeck.apimachinery.leaves import leaves

_INTEGER_LIMIT: Final = 2.0**63
_OF_ANY_TYPE: Final = ("default", "example", "enum")


def have_integral_floats(spec: Mapping[str, Any]) -> bool:
    """Whether such a value of a definition holds a float that would be read as an integer once it was stored."""
    roots = ((version.get("schema") or {}).get("openAPIV3Schema") for version in spec.get("versions") or ())
    schemas = (schema for root in roots for schema in subschemas.walk(root))
    kept = (schema[name] for schema in schemas for name in _OF_ANY_TYPE if name in schema)
    return any(_is_integral(leaf) for value in kept for leaf in leaves(value))


def _is_integral(value: Any) -> bool:
    return isinstance(value, float) and value.is_integer() and abs(value) < _INTEGER_LIMIT
