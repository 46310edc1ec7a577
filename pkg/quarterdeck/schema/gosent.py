"""Which values of a request Go tells from the ones that it reads back, though they say the same.

reflect.DeepEqual sees more than the objects say: a list or map that was sent empty is not nil, an amount keeps the
digits and the family of suffixes that it was sent with, a time its fraction of a second. What was stored and is read
again has nothing empty, the canonical text of an amount, and of a time what its protobuf message holds.

Some canonical texts are not kept when they are read (`8Gi`). Before an update upstream encodes the live object, which
notes the text of each amount that a pointer or a list leads to. The new object has no such text there, and differs
however the amount was sent. Values of a map are encoded from copies.

Recursion is bounded by the types: what may hold any JSON is not walked.
Source: reflect/deepequal.go; apimachinery/pkg/api/resource/quantity.go, pkg/apis/meta/v1/time_proto.go.
"""

from __future__ import annotations

from dataclasses import astuple, replace
from typing import Any, Final

from quarterdeck.apimachinery import gotext, quantity, time
from quarterdeck.schema.gotype import GoType, ListOf, MapOf, Scalar, Struct

KINDS_WITH_TEXTS: Final = ("bytes", "quantity", "time", "microtime")
"""Of scalars, which say more by how they are written than by what they are."""

_TIMES: Final = ("time", "microtime")
_MICROSECOND_DIGITS: Final = 6


def is_read_otherwise(sent: Any, go_type: GoType, *, is_copied: bool = False) -> bool:
    """Whether DeepEqual tells the decoded value from the one that is stored for it. `is_copied`: the value is encoded
    from a copy, as those of maps are."""
    if sent is None:
        return False
    if isinstance(go_type, Scalar):
        return _is_scalar_read_otherwise(sent, go_type.kind, is_copied)
    if isinstance(go_type, Struct) and isinstance(sent, dict):
        return _has_member_read_otherwise(sent, go_type, is_copied)
    if isinstance(go_type, ListOf) and isinstance(sent, list):
        return not sent or any(is_read_otherwise(item, go_type.item) for item in sent)
    if isinstance(go_type, MapOf) and isinstance(sent, dict):
        return not sent or any(is_read_otherwise(item, go_type.value, is_copied=True) for item in sent.values())
    return False


def _has_member_read_otherwise(sent: dict[str, Any], struct: Struct, is_copied: bool) -> bool:
    fields = struct.fields
    return any(
        name in fields and is_read_otherwise(value, fields[name].type, is_copied=is_copied and not fields[name].pointer)
        for name, value in sent.items()
    )


def _is_scalar_read_otherwise(sent: Any, kind: str, is_copied: bool) -> bool:
    if kind == "bytes":
        return bool(sent == "")
    if kind == "quantity":
        try:
            read = quantity.parse(gotext.strip(str(sent)))
            stored = quantity.parse(str(read))
            noted = stored if is_copied or not read.unscaled else replace(stored, text=str(read))
            return astuple(read) != astuple(noted)
        except quantity.ParseError:
            return False
    if kind in _TIMES and isinstance(sent, str):
        digits = time.fraction_of(sent)
        return bool(digits[_MICROSECOND_DIGITS:] if kind == "microtime" else digits)
    return False
