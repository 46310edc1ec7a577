"""Which values of a request Go tells from the ones that it reads back, though they say the same.

reflect.DeepEqual sees more than the objects say: a list or map that was sent empty is not nil, an amount keeps the
digits and the family of suffixes that it was sent with, a time its fraction of a second. What was stored and is read
again has nothing empty, the canonical text of an amount, and of a time what its protobuf message holds.

Recursion is bounded by the types: what may hold any JSON is not walked.
Source: reflect/deepequal.go; apimachinery/pkg/api/resource/quantity.go, pkg/apis/meta/v1/time_proto.go.
"""

from __future__ import annotations

from dataclasses import astuple
from typing import Any, Final

from quarterdeck.apimachinery import gotext, quantity, time
from quarterdeck.schema.gotype import GoType, ListOf, MapOf, Scalar, Struct

KINDS_WITH_TEXTS: Final = ("bytes", "quantity", "time", "microtime")
"""Of scalars, which say more by how they are written than by what they are."""

_TIMES: Final = ("time", "microtime")
_MICROSECOND_DIGITS: Final = 6


def is_read_otherwise(sent: Any, go_type: GoType) -> bool:
    """Whether DeepEqual tells the decoded value from the one that is stored for it."""
    if sent is None:
        return False
    if isinstance(go_type, Scalar):
        return _is_scalar_read_otherwise(sent, go_type.kind)
    if isinstance(go_type, Struct) and isinstance(sent, dict):
        fields = go_type.fields
        return any(name in fields and is_read_otherwise(value, fields[name].type) for name, value in sent.items())
    if isinstance(go_type, ListOf) and isinstance(sent, list):
        return not sent or any(is_read_otherwise(item, go_type.item) for item in sent)
    if isinstance(go_type, MapOf) and isinstance(sent, dict):
        return not sent or any(is_read_otherwise(item, go_type.value) for item in sent.values())
    return False


def _is_scalar_read_otherwise(sent: Any, kind: str) -> bool:
    if kind == "bytes":
        return bool(sent == "")
    if kind == "quantity":
        try:
            read = quantity.parse(gotext.strip(str(sent)))
            return astuple(read) != astuple(quantity.parse(str(read)))
        except quantity.ParseError:
            return False
    if kind in _TIMES and isinstance(sent, str):
        digits = time.fraction_of(sent)
        return bool(digits[_MICROSECOND_DIGITS:] if kind == "microtime" else digits)
    return False
