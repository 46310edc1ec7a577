"""Go's semantic equality of decoded values: an amount is the same however it is written (`1Gi` and `1073741824`), what
is empty as what is absent. A struct behind a pointer is no other than itself: `{}` is not absent.

Recursion is bounded by the types: what may hold any JSON is not walked.
Source: apimachinery/pkg/api/equality/semantic.go, third_party/forked/golang/reflect.
"""

from __future__ import annotations

from typing import Any

from quarterdeck.apimachinery import quantity
from quarterdeck.schema.gotype import Field, GoType, ListOf, MapOf, Scalar, Struct


def same(one: Any, other: Any, go_type: GoType) -> bool:
    """Of two values that fit the type, or None where there is none."""
    if one == other:
        return True
    if isinstance(go_type, Struct):
        return isinstance(one, dict) and isinstance(other, dict) and _same_members(one, other, go_type)
    if isinstance(go_type, MapOf):
        one, other = one or {}, other or {}
        return one.keys() == other.keys() and all(same(one[name], other[name], go_type.value) for name in one)
    if isinstance(go_type, ListOf):
        one, other = one or [], other or []
        return len(one) == len(other) and all(
            same(item, counterpart, go_type.item) for item, counterpart in zip(one, other, strict=True)
        )
    if isinstance(go_type, Scalar) and go_type.kind == "quantity" and one is not None and other is not None:
        return quantity.parse(one) == quantity.parse(other)
    return False


def _same_members(one: dict[str, Any], other: dict[str, Any], struct: Struct) -> bool:
    names = one.keys() | other.keys()
    return all(_same_member(one.get(name), other.get(name), struct.fields.get(name)) for name in names)


def _same_member(one: Any, other: Any, field: Field | None) -> bool:
    if field is None:
        return bool(one == other)
    if isinstance(field.type, Struct) and not field.pointer:
        one, other = one or {}, other or {}
    return same(one, other, field.type)
