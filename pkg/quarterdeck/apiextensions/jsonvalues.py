"""The values of any JSON type in schemas: defaults, examples and what enums list.

They are kept as they are written, and a number that is written with a fraction or an exponent is a float. What is
stored of `1e10` is 10000000000, which is read as an integer: to upstream the one is not the other, so that writing the
same definition again counts as a change. Source: apiextensions/v1/conversion.go, apimachinery/pkg/util/json.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from quarterdeck._kernels import json as json_kernel
from quarterdeck._kernels import longsteps
from quarterdeck.apiextensions.validation import subschemas
from quarterdeck.apimachinery.leaves import leaves

_INTEGER_LIMIT: Final = 2.0**63
_OF_ANY_TYPE: Final = ("default", "example", "enum")
_BY_NAME: Final = ("properties", "patternProperties", "definitions", "dependencies")  # schemas by name


def are_equal(one: Any, other: Any) -> bool:
    """Whether two parts of a definition are the same to upstream: of values of any type true is no 1, and 1 no 1.0.
    Limits are floats, however they are written."""
    return json_kernel.equal(one, other) or (bool(one == other) and not _differ_in_types(one, other))


def _differ_in_types(one: Any, other: Any) -> bool:
    """Of parts that Python holds for equal; names of properties are no keywords."""
    pending: list[tuple[Any, Any, bool]] = [(one, other, False)]
    while pending:
        left, right, is_by_name = pending.pop()
        if isinstance(left, list):
            pending += ((*pair, False) for pair in zip(left, right, strict=True))
        elif isinstance(left, dict):
            for name, value in left.items():
                longsteps.pause()
                if not is_by_name and name in _OF_ANY_TYPE:
                    if not json_kernel.equal(value, right[name]):
                        return True
                elif isinstance(value, dict | list):
                    pending.append((value, right[name], not is_by_name and name in _BY_NAME))
    return False


def have_integral_floats(spec: Mapping[str, Any]) -> bool:
    """Whether such a value of a definition holds a float that would be read as an integer once it was stored."""
    roots = ((version.get("schema") or {}).get("openAPIV3Schema") for version in spec.get("versions") or ())
    schemas = (schema for root in roots for schema in subschemas.walk(root))
    kept = (schema[name] for schema in schemas for name in _OF_ANY_TYPE if name in schema)
    return any(_is_integral(leaf) for value in kept for leaf in leaves(value))


def _is_integral(value: Any) -> bool:
    return isinstance(value, float) and value.is_integer() and abs(value) < _INTEGER_LIMIT
