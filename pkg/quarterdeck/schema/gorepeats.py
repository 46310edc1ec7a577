"""Members that stand more than once in the JSON of a built-in kind: Go decodes each into what those before it made.

So objects become one: those of a struct and of a map with the members of all, and the items of a list are decoded into
the items that stood at their places. What is null leaves a value that is no pointer as it is. A scalar, what reads JSON
itself, and the value of a key of a map are those that stand last.

Recursion is bounded by the types: what may hold any JSON is not walked.
Source: sigs.k8s.io/json (decode.go: object, array, literalStore).
"""

from __future__ import annotations

import json
from typing import Any, Final

from quarterdeck.apimachinery.codec import strict
from quarterdeck.schema.godecode import Decoder
from quarterdeck.schema.goscalar import INT_BOUNDS, DecodeError, decode_scalar
from quarterdeck.schema.gotype import ANY, Field, GoType, ListOf, MapOf, Scalar, Struct, Union

_INT64_LOW, _INT64_HIGH = INT_BOUNDS["int64"]
_ABSENT: Final = object()


def read(data: bytes, struct: Struct) -> dict[str, Any] | None:
    """What Go makes of an object, a valid JSON text; None for one that Go repairs or that is nested deeply, and where
    nothing stands more than once."""
    reader = _Reader()
    try:
        value = json.loads(data, object_pairs_hook=reader.make, parse_int=_parse_int)
    except (ValueError, RecursionError):
        return None
    if not reader.repeated or not isinstance(value, dict):
        return None
    return _Merger(reader.repeated).object(value, struct)


def below(go_type: GoType, name: str) -> GoType | object | None:
    """What decodes the member of that name, or an item, for `strict.order_findings`."""
    found: GoType | None = None
    if isinstance(go_type, Struct):
        field = go_type.fields.get(name)
        found = None if field is None else field.type
    elif isinstance(go_type, MapOf):
        found = go_type.value
    elif isinstance(go_type, ListOf):
        found = go_type.item
    return strict.READS_ITSELF if isinstance(found, Union) or found is ANY else found


def _parse_int(text: str) -> float:
    number = int(text)
    return number if _INT64_LOW <= number <= _INT64_HIGH else float(text)


class _Reader:
    """Makes dicts of objects, and keeps the values of names that were given more than once, by the dict's identity."""

    def __init__(self) -> None:
        self.repeated: dict[int, dict[str, list[Any]]] = {}
        self._kept: list[Any] = []  # whose identities are names

    def make(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) != len(pairs):
            values: dict[str, list[Any]] = {}
            for name, value in pairs:
                values.setdefault(name, []).append(value)
            self.repeated[id(made)] = {name: found for name, found in values.items() if len(found) > 1}
            self._kept.append(made)
        return made


class _Merger:
    def __init__(self, repeated: dict[int, dict[str, list[Any]]]) -> None:
        self._repeated = repeated

    def object(self, value: dict[str, Any], struct: Struct) -> dict[str, Any]:
        return self._struct(_ABSENT, value, struct)

    def _fresh(self, value: Any, go_type: GoType) -> Any:
        return self._into(_ABSENT, value, go_type)

    def _into(self, held: Any, value: Any, go_type: GoType) -> Any:
        """What decoding `value` makes of what a variable of the type holds. What does not fit stays: the decoder tells
        of it."""
        if held is not _ABSENT and held is not None and not _fits(held, go_type):
            return held
        if value is None:
            # Only what can be nil becomes nil.
            is_kept = isinstance(go_type, Scalar | Struct) or _holds_misfit(held, go_type)
            return held if is_kept and held is not _ABSENT else None
        if isinstance(go_type, Union):
            return self._union(value, go_type)
        if isinstance(go_type, Struct) and isinstance(value, dict):
            return self._struct(held, value, go_type)
        if isinstance(go_type, MapOf) and isinstance(value, dict):
            return self._map(held, value, go_type)
        if isinstance(go_type, ListOf) and isinstance(value, list):
            before = held if isinstance(held, list) else []
            if (gone := before[len(value) :]) and _holds_misfit(gone, go_type):
                return held
            items = [*before[: len(value)], *[_ABSENT] * (len(value) - len(before))]
            return [self._into(item, new, go_type.item) for item, new in zip(items, value, strict=True)]
        return value

    def _union(self, value: Any, union: Union) -> Any:
        if isinstance(value, dict):
            return self._fresh(value, union.struct)
        if isinstance(value, list) and union.list_of is not None:
            return self._fresh(value, ListOf(union.list_of))
        return value

    def _struct(self, held: Any, value: dict[str, Any], struct: Struct) -> dict[str, Any]:
        made = dict(held) if isinstance(held, dict) else {}
        repeated = self._repeated.get(id(value), {})
        for name, last in value.items():
            field = struct.fields.get(name)
            if field is None:
                made[name] = last
                continue
            for each in repeated.get(name, (last,)):
                made[name] = self._field(made.get(name, _ABSENT), each, field)
        return made

    def _field(self, held: Any, value: Any, field: Field) -> Any:
        if value is None and field.pointer:
            return held if _holds_misfit(held, field.type) else None
        return self._into(held, value, field.type)

    def _map(self, held: Any, value: dict[str, Any], map_type: MapOf) -> dict[str, Any]:
        made = dict(held) if isinstance(held, dict) else {}
        repeated = self._repeated.get(id(value), {})
        for name, last in value.items():
            for each in repeated.get(name, (last,)):
                found = made.get(name, _ABSENT)
                if not _holds_misfit(found, map_type.value):
                    made[name] = self._fresh(each, map_type.value)
        return made


def _holds_misfit(value: Any, go_type: GoType) -> bool:
    """Whether something in a value that is about to go cannot be read as its type, which is told all the same."""
    if value is _ABSENT or value is None:
        return False
    try:
        Decoder(report_unknown=False).decode_struct({"": value}, Struct("", {"": Field(go_type)}))
    except DecodeError:
        return True
    return False


def _fits(value: Any, go_type: GoType) -> bool:
    """Whether the value itself, whatever it holds, can be read as the type."""
    if isinstance(go_type, Struct | MapOf):
        return isinstance(value, dict)
    if isinstance(go_type, ListOf):
        return isinstance(value, list)
    if isinstance(go_type, Union) or go_type is ANY:
        return True
    try:
        decode_scalar(value, go_type, "")
    except DecodeError:
        return False
    return True
