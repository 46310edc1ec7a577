"""JSON values that become a Go struct without being JSON again, as the result of a strategic merge patch does.

This conversion takes a whole float for an integer, cuts an integer to the size of its field, and has words of its own
for what does not fit. Types that read JSON themselves (times, quantities, IntOrString, unions) are asked in theirs.

Source: apimachinery/pkg/runtime/converter.go (fromUnstructured), structured-merge-diff value/reflectcache.go.
"""

from __future__ import annotations

import base64
from typing import Any, Final

from quarterdeck.apimachinery import gofmt
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.cel import recursion
from quarterdeck.schema import gotypes
from quarterdeck.schema.godecode import Decoder
from quarterdeck.schema.goscalar import DecodeError as DecodeError
from quarterdeck.schema.goscalar import decode_scalar
from quarterdeck.schema.gotype import INT32, STRING, Field, GoType, ListOf, MapOf, Scalar, Struct, Union

# Deeper values are left as they are; the decoder looks at them again.
_DEPTH_MAX: Final = 100
_READS_JSON: Final = frozenset(("time", "microtime", "quantity"))
_EXPONENT_BEGINS: Final = 1e21  # from which on JSON that Go writes has no whole numbers
_BITS: Final = {"int32": 32, "int64": 64}
_INT64_END: Final = 1 << 63

_TYPE_META: Final = {"kind": Field(STRING), "apiVersion": Field(STRING)}


def fit_object(obj: dict[str, Any], struct: Struct) -> list[str]:
    """Make an object of a built-in kind fit its type, in place. The paths of fields that the type does not have. Raises
    DecodeError with upstream's words."""
    unknown: list[str] = []
    known = {**_TYPE_META, "metadata": Field(gotypes.object_meta()), **struct.fields}
    _fit(obj, Struct(struct.name, known), "", unknown, 0)
    return unknown


def _fit(value: Any, go_type: GoType, path: str, unknown: list[str], depth: int) -> Any:
    """What the field then holds."""
    if value is None or depth > _DEPTH_MAX:
        return value
    if isinstance(go_type, Scalar):
        return _fit_scalar(value, go_type)
    if isinstance(go_type, Struct):
        if not isinstance(value, dict):
            raise DecodeError(f"cannot restore struct from: {_kind(value)}")
        _fit_fields(value, go_type, path, unknown, depth)
    elif isinstance(go_type, ListOf):
        if not isinstance(value, list):
            raise DecodeError(f"cannot restore slice from {_kind(value)}")
        for position, item in enumerate(value):
            value[position] = _fit(item, go_type.item, f"{path}[{position}]", unknown, depth + 1)
    elif isinstance(go_type, MapOf):
        if not isinstance(value, dict):
            raise DecodeError(f"cannot restore map from {_kind(value)}")
        for name, item in value.items():  # whose names no path holds
            value[name] = _fit(item, go_type.value, path, unknown, depth + 1)
    else:
        recursion.with_room(lambda: _check_union(value, go_type))
    return value


def _fit_fields(value: dict[str, Any], struct: Struct, path: str, unknown: list[str], depth: int) -> None:
    before = f"{path}." if path else ""
    for name, field in struct.fields.items():
        if name in value:
            value[name] = _fit(value[name], field.type, f"{before}{name}", unknown, depth + 1)
    unknown += [f"{before}{name}" for name in value if name not in struct.fields]


def _check_union(value: Any, union: Union) -> None:
    """Raises DecodeError. The members of what a union reads come sorted, and it knows nothing of what is around it."""
    in_order = json_codec.decode(gofmt.format_json(value).encode("utf-8", "surrogatepass")).value
    Decoder(report_unknown=False).decode_union(in_order, union)


def _fit_scalar(value: Any, scalar: Scalar) -> Any:
    kind = scalar.kind
    if kind == "any":
        return value
    if kind in _READS_JSON:
        decode_scalar(value, scalar, "")
        return value
    if kind == "intorstring":
        return value if isinstance(value, str) else decode_scalar(_as_written(value), INT32, "")
    if kind == "bytes":
        return _fit_bytes(value, scalar)
    if kind == "int":
        return _fit_int(value, scalar)
    fits = {"string": isinstance(value, str), "bool": isinstance(value, bool), "float": _is_number(value)}[kind]
    if not fits:
        if kind == "string" and _kind(value) == "int64":  # which Go could convert, to a character
            raise DecodeError(f"cannot convert int64 to {scalar.go_name}")
        raise DecodeError(f"unrecognized type: {'float64' if kind == 'float' else kind}")
    return value


def _as_written(value: Any) -> Any:
    """A number as it is read when it was JSON again."""
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < _EXPONENT_BEGINS
    return int(gofmt.format_json_float(value)) if is_whole else value


def _fit_int(value: Any, scalar: Scalar) -> int:
    if not _is_number(value):
        raise DecodeError(f"unrecognized type: {scalar.go_name}")
    if isinstance(value, float) and not value.is_integer():
        raise DecodeError(f"cannot convert float64 to {scalar.go_name}")
    # What is beyond int64 is a float there, and becomes int64's least value, which smaller types cut to zero.
    value = int(value) if -_INT64_END <= value < _INT64_END else -_INT64_END
    half = 1 << (_BITS[scalar.go_name] - 1)
    whole: int = (value + half) % (2 * half) - half
    return whole


def _fit_bytes(value: Any, scalar: Scalar) -> Any:
    if isinstance(value, list):
        return base64.b64encode(bytes(_fit_byte(item) for item in value)).decode()
    if not isinstance(value, str):
        raise DecodeError(f"cannot restore slice from {_kind(value)}")
    try:
        return decode_scalar(value, scalar, "")
    except DecodeError as error:
        raise DecodeError(f"error decoding from json: {error}") from error


def _fit_byte(value: Any) -> int:
    if value is None:
        return 0
    if not _is_number(value):
        raise DecodeError("unrecognized type: uint8")
    if isinstance(value, float) and not value.is_integer():
        raise DecodeError("cannot convert float64 to uint8")
    return int(value) % 256 if -_INT64_END <= value < _INT64_END else 0


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _kind(value: Any) -> str:
    """The reflect.Kind of a decoded value."""
    if isinstance(value, dict):
        return "map"
    if isinstance(value, list):
        return "slice"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int64"
    return "float64" if isinstance(value, float) else "string"
