"""Scalars decoded from JSON as Go does it for its types and for those of Kubernetes that read JSON themselves.

Source: sigs.k8s.io/json (decode.go: literalStore), apimachinery (meta/v1/time.go, api/resource, util/intstr).
"""

from __future__ import annotations

import base64
import math
from typing import Any, Final

from quarterdeck.apimachinery import gobase64, gofmt, sentamounts
from quarterdeck.apimachinery import quantity as quantities
from quarterdeck.apimachinery.time import ZERO
from quarterdeck.schema import sentnumbers, timestamps
from quarterdeck.schema.gotype import INT32, Scalar

_INT64_BOUNDS: Final = (-(2**63), 2**63 - 1)
INT_BOUNDS: Final = {"int32": (-(2**31), 2**31 - 1), "int64": _INT64_BOUNDS, "time.Duration": _INT64_BOUNDS}

_FLOAT_EXACT_MAX: Final = 2**53  # a float64 holds each integer up to it

# Kinds of scalars that read JSON themselves.
READS_JSON: Final = frozenset(("time", "microtime", "quantity", "intorstring"))


class DecodeError(ValueError):
    """The value does not fit the type; the text is Go's. `mismatch`: what was found and the Go type that was wanted,
    where that is what the text says."""

    def __init__(self, text: str, mismatch: tuple[str, str] | None = None) -> None:
        super().__init__(text)
        self.mismatch = mismatch


def decode_scalar(value: Any, scalar: Scalar, where: str) -> Any:
    """`where` is the field as Go names it ("ConfigMap.data")."""
    kind = scalar.kind
    if kind == "any":
        return value
    if kind == "bool":
        if isinstance(value, bool):
            return value
    elif kind == "int":
        return _decode_int(value, scalar, where)
    elif kind == "float":
        if isinstance(value, float) and math.isinf(value):
            raise mismatch(f"number {value!r}", where, scalar.go_name)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return value if abs(value) <= _FLOAT_EXACT_MAX else float(value)
    elif kind == "intorstring":
        return value if isinstance(value, str) else _decode_int(value, INT32, where)
    elif kind == "quantity":
        if isinstance(value, (str, int, float)) and not isinstance(value, bool):
            return _decode_quantity(value)
        raise DecodeError(quantities.FORMAT_ERROR)
    elif isinstance(value, str):
        return _decode_text(value, kind)
    elif kind == "bytes" and isinstance(value, list):
        return base64.b64encode(bytes(_decode_byte(item, where) for item in value)).decode()
    raise mismatch(gofmt.json_type(value), where, scalar.go_name if kind not in ("time", "microtime") else "string")


def _decode_int(value: Any, scalar: Scalar, where: str) -> int:
    low, high = INT_BOUNDS[scalar.go_name]
    if isinstance(value, int) and not isinstance(value, bool):
        if low <= value <= high:
            return value
        raise mismatch(f"number {value}", where, scalar.go_name)
    if isinstance(value, float):
        raise mismatch(f"number {value!r}", where, scalar.go_name)
    raise mismatch(gofmt.json_type(value), where, scalar.go_name)


def _decode_byte(value: Any, where: str) -> int:
    """An item of bytes that are written as a list of numbers."""
    if value is None:
        return 0
    if isinstance(value, int | float) and not isinstance(value, bool):
        if isinstance(value, int) and 0 <= value <= 255:
            return value
        raise mismatch(f"number {value!r}", where, "uint8")
    raise mismatch(gofmt.json_type(value), where, "uint8")


def _decode_quantity(value: str | float) -> str:
    text = sentnumbers.text_of(value) if isinstance(value, float) else str(value)
    try:
        return sentamounts.canonical(text.strip(" "))
    except ValueError as error:
        raise DecodeError(str(error)) from error


def _decode_text(value: str, kind: str) -> str | None:
    try:
        if kind == "time":
            return _unless_zero(timestamps.normalize(value))
        if kind == "microtime":
            return _unless_zero(timestamps.normalize_micro(value))
    except ValueError as error:
        raise DecodeError(str(error)) from error
    if kind == "bytes":
        return _check_base64(value)
    return value


def _unless_zero(text: str) -> str | None:
    """Go's zero time is written as null."""
    return None if text.startswith(ZERO.removesuffix("Z")) else text


def _check_base64(text: str) -> str:
    """As Go writes the bytes that it reads: without line breaks, and with no bits left in the last character."""
    if fault := gobase64.fault(text, gobase64.STANDARD):
        raise DecodeError(fault)
    if "\n" in text or "\r" in text:
        text = text.replace("\n", "").replace("\r", "")
    if text.endswith("="):
        text = text[: -gobase64.QUANTUM] + base64.b64encode(base64.b64decode(text[-gobase64.QUANTUM :])).decode()
    return text


def mismatch(found: str, where: str, go_type: str) -> DecodeError:
    """Go's UnmarshalTypeError."""
    place = f"struct field {where}" if where else "value"
    return DecodeError(f"json: cannot unmarshal {found} into Go {place} of type {go_type}", (found, go_type))
