"""What an `Object{…}` of an expression is to Go, before anything reads it as JSON.

cel-go's values become Go's one level at a time: a list or a map in a list or a map keeps cel-go's types, and so does
what is no JSON. Structured-merge-diff knows none of these types, protobuf's Struct few.

Source: apiserver/pkg/cel/mutation/dynamic/objects.go (convertField), cel-go common/types (Value() of each type).
"""

from __future__ import annotations

import base64
import datetime
from collections.abc import Collection
from typing import Any, Final

from quarterdeck._kernels import celkeys, celvalue
from quarterdeck.apimachinery import gofmt
from quarterdeck.apimachinery.gofmt import Foreign
from quarterdeck.apimachinery.leaves import leaves
from quarterdeck.cel import go_types, go_values
from quarterdeck.cel.structs import JSON_PATCH, StructValue
from quarterdeck.cel.values import Duration, ListValue, MapLiteral, MapValue, ObjectValue, Timestamp, TypeValue, UInt

# Go's types of the values of cel-go that print themselves.
_KEY_TYPES: Final = {
    "google.protobuf.Duration": "types.Duration",
    "google.protobuf.Timestamp": "types.Timestamp",
    "type": "*types.Type",
    "net.IP": "cel.IP",
    "net.CIDR": "cel.CIDR",
    "kubernetes.Quantity": "cel.Quantity",
    "kubernetes.URL": "cel.URL",
}
_NULL: Final = Foreign("structpb.NullValue", "NULL_VALUE", "0")


class Unconvertible(Exception):
    """A map has a key that is no text; the text says which."""


def native(value: StructValue) -> dict[str, Any]:
    """Its fields as JSON, Foreign where a value is none. Raises Unconvertible."""
    return {name: _field(name, inner, value.written.get(name, ())) for name, inner in value.fields.items()}


def _field(name: str, value: Any, written: Collection[int | str]) -> Any:
    if isinstance(value, list):
        return [_item(item, at in written) for at, item in enumerate(value)]
    if isinstance(value, dict):
        return {key: _item(item, key in written) for key, item in value.items()}
    if isinstance(value, MapLiteral):
        wrong = next(key for key in celvalue.keys_of(value) or () if not isinstance(key, str))
        raise Unconvertible(f"fail to convert field {gofmt.quote(name)}: map key {_key(wrong)}, not string")
    return _value(value)


def _item(value: Any, is_written: bool) -> Any:
    """What is taken from an object is JSON at any depth."""
    if not is_written and (value is None or (isinstance(value, (list, dict)) and _is_json(value))):
        return value
    return _value(value)


def _is_json(value: Any) -> bool:
    for leaf in leaves(value):
        if isinstance(leaf, UInt) or not (leaf is None or isinstance(leaf, (bool, int, float, str))):
            return False
    return True


def _key(key: Any) -> str:
    """`%q` of a key, which tells numbers as characters, and `%T`."""
    if isinstance(key, (bool, float)):
        name = f"types.{'Bool' if isinstance(key, bool) else 'Double'}"
        return f"%!q({name}={celkeys.show_key(key)}) is of type {name}"
    if isinstance(key, int):
        number = int(key)
        shown = "'" + gofmt.quote(chr(number) if 0 <= number < 0x110000 else "\ufffd")[1:-1] + "'"
        return f"{shown} is of type types.{'Uint' if isinstance(key, UInt) else 'Int'}"
    shown = gofmt.quote(gofmt.format_value(_value(key)))
    return f"{shown} is of type {_KEY_TYPES.get(celvalue.cel_type_name(key), celvalue.cel_type_name(key))}"


def _value(value: Any) -> Any:
    if value is None:
        return _NULL
    if isinstance(value, UInt):
        return Foreign("uint64", str(int(value)), hex(int(value)))
    if isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, celvalue.Optional):
        return _value(value.value) if value.present else None
    if isinstance(value, StructValue) and value.cel_type != JSON_PATCH:
        try:
            return native(value)
        except Unconvertible as error:
            return Foreign("*types.Err", str(error), str(error))
    if isinstance(value, (ListValue, MapValue, ObjectValue)):
        return value.raw
    if isinstance(value, TypeValue):
        return value.name
    return _foreign(value)


def _foreign(value: Any) -> Foreign:
    if isinstance(value, bytes):
        codes = ", ".join(map(hex, value))
        return Foreign("[]uint8", f"[{' '.join(map(str, value))}]", f"[]uint8{{{codes}}}")
    if isinstance(value, Duration):
        return Foreign("time.Duration", go_values.show_duration(value.ns), str(value.ns))
    if isinstance(value, Timestamp):
        return Foreign("time.Time", *_time(value))
    if isinstance(value, (list, dict, MapLiteral)):
        shown = _shown(value)
        return Foreign(go_types.LIST if isinstance(value, list) else go_types.MAP, shown, shown)
    name = celvalue.cel_type_name(value)
    shown = getattr(value, "cel_string", name)
    return Foreign(go_types.OPAQUE.get(name, name), shown, shown)


def _shown(value: Any) -> str:
    """`%v` of a list or a map of cel-go's values, which print what is in them themselves."""
    if isinstance(value, list):
        return f"[{' '.join(map(go_values.show, value))}]"
    if isinstance(value, MapLiteral):
        keys = [celkeys.show_key(key) for key in celvalue.keys_of(value) or ()]
        value = dict(zip(keys, value.entries.values(), strict=True))
    return f"map[{' '.join(f'{key}:{go_values.show(value[key])}' for key in sorted(value))}]"


def _time(value: Timestamp) -> tuple[str, str]:
    """`%v` and `%#v` of a time.Time."""
    at = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=value.seconds + value.offset_s)
    place = "time.UTC" if not value.offset_s else 'time.Location("")'
    clock = f"{at.hour}, {at.minute}, {at.second}, {value.nanos}"
    return go_values.show_time(value), f"time.Date({at.year}, time.{at:%B}, {at.day}, {clock}, {place})"


def as_struct(value: StructValue) -> dict[str, Any]:
    """As protobuf's Struct holds it, whose numbers are doubles. Raises Unconvertible, ValueError with its words."""
    made: dict[str, Any] = _struct(native(value))
    return made


def _struct(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _struct(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_struct(item) for item in value]
    if isinstance(value, Foreign):
        if value.go_type == "uint64":
            return number(float(int(value.shown)))
        if value.go_type == "[]uint8":
            return base64.b64encode(bytes(map(int, value.shown[1:-1].split()))).decode()
        raise ValueError(f"proto: invalid type: {value.go_type}")
    return value if value is None or isinstance(value, (bool, str)) else number(float(value))


def number(value: float) -> int | float:
    """A double as the JSON that is made of it is read."""
    return int(value) if value.is_integer() and abs(value) < 2**63 else value
