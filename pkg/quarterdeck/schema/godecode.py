"""JSON decoded into Go types the way encoding/json does it for Kubernetes' built-in kinds.

Decoding checks types (with Go's error texts), drops unknown fields (reporting their paths), turns null into the zero
value and leaves zero values out where the field says omitempty, so that a stored object has one canonical form: its
members stand in the order of the Go struct.

The body is read in its own order. What has the wrong JSON type is skipped, and the first such mistake is told in the
end; types that read JSON themselves (times, quantities, unions) end the reading with theirs.
Recursion is bounded by the types, which are finite: only what ANY holds may nest, and that is not walked.

Source: sigs.k8s.io/json (decode.go: object, array, addErrorContext); gotypes.py for the types.
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.apimachinery import gofmt
from quarterdeck.schema.goscalar import READS_JSON, DecodeError, decode_scalar, mismatch
from quarterdeck.schema.gotype import ANY, Field, GoType, ListOf, Scalar, Struct, Union, absent_of, zero_of

# A type may contain itself (JSONSchemaProps); deeper bodies are refused instead of exhausting the stack.
STRUCTS_NESTED_MAX: Final = 250


class Decoder:
    """Decodes one object; `unknown` collects the paths of fields that the type does not have."""

    def __init__(self, *, report_unknown: bool) -> None:
        self.unknown: list[str] = []
        self._report_unknown = report_unknown
        self._depth = 0
        self._first: DecodeError | None = None
        self._told_struct = ""  # which mistakes name in place of their own

    def decode_struct(self, value: Any, struct: Struct) -> dict[str, Any]:
        """Raises DecodeError."""
        decoded = self._struct(value, struct, "", "", "")
        if self._first is not None:
            raise self._first
        return {} if decoded is _ABSENT else decoded

    def decode_value(self, value: Any, go_type: GoType) -> Any:
        """A value that is no object of a kind. Raises DecodeError."""
        decoded = self._value(value, go_type, "", "", "")
        if self._first is not None:
            raise self._first
        return decoded

    def decode_union(self, value: Any, union: Union) -> Any:
        """A union that stands by itself. Raises DecodeError."""
        return self._union(value, union, "", "", "")

    def _refuse(self, value: Any, where: str, go_type: str) -> Any:
        """Only the first mistake of a wrong JSON type is told."""
        if self._first is None:
            self._first = mismatch(gofmt.json_type(value), where, go_type)
        return _ABSENT

    def _struct(self, value: Any, struct: Struct, go_path: str, path: str, where: str) -> Any:
        if value is None:
            value = {}
        if not isinstance(value, dict):
            return self._refuse(value, where, struct.go_name)
        self._depth += 1
        if self._depth > STRUCTS_NESTED_MAX:
            raise DecodeError("exceeded max depth")
        found: dict[str, Any] = {}
        for name, item in value.items():
            field = struct.fields.get(name)
            if field is None:
                if self._report_unknown:
                    self.unknown.append(_join(path, name))
                continue
            inner = _join(go_path, f"{field.embedded}.{name}" if field.embedded else name)
            told = f"{self._told_struct or struct.name}.{inner}"
            found[name] = self._field(item, field, told, inner, _join(path, name))
        self._depth -= 1
        return self._in_order(found, struct)

    def _in_order(self, found: dict[str, Any], struct: Struct) -> dict[str, Any]:
        """The members that Go writes: those that are there, and those that are always written."""
        out: dict[str, Any] = {}
        for name, field in struct.fields.items():
            item = found.get(name, _ABSENT)
            if item is _ABSENT:
                item = self._empty(field)
            if item is not _ABSENT:
                out[name] = item
        return out

    def _empty(self, field: Field) -> Any:
        """What stands for a field that the body does not have."""
        if isinstance(field.type, Struct):
            if not field.pointer:
                return self._struct({}, field.type, "", "", "")
            return None if field.always else _ABSENT
        return absent_of(field) if field.always else _ABSENT

    def _field(self, value: Any, field: Field, where: str, go_path: str, path: str) -> Any:
        if value is None:
            return _ABSENT
        decoded = self._value(value, field.type, where, go_path, path)
        if isinstance(field.type, Struct) or field.pointer or field.always or field.type is ANY:
            return decoded
        return _ABSENT if decoded in ("", 0, [], {}, None) else decoded

    def _value(self, value: Any, go_type: GoType, where: str, go_path: str, path: str) -> Any:
        if isinstance(go_type, Scalar):
            return self._scalar(value, go_type, where)
        if isinstance(go_type, Struct):
            return self._struct(value, go_type, go_path, path, where)
        if isinstance(go_type, Union):
            return self._union(value, go_type, where, go_path, path)
        if isinstance(go_type, ListOf):
            if not isinstance(value, list):
                return self._refuse(value, where, go_type.go_name)
            items = [
                self._item(item, go_type.item, where, go_path, f"{path}[{position}]")
                for position, item in enumerate(value)
            ]
            return [item for item in items if item is not _ABSENT]
        if not isinstance(value, dict):
            return self._refuse(value, where, go_type.go_name)
        members = {key: self._item(item, go_type.value, where, go_path, f"{path}.{key}") for key, item in value.items()}
        return {key: item for key, item in members.items() if item is not _ABSENT}

    def _scalar(self, value: Any, scalar: Scalar, where: str) -> Any:
        try:
            return decode_scalar(value, scalar, where)
        except DecodeError as error:
            if scalar.kind in READS_JSON:
                raise
            if self._first is None:
                self._first = error
            return _ABSENT

    def _union(self, value: Any, union: Union, where: str, go_path: str, path: str) -> Any:
        if isinstance(value, bool) and union.or_bool:
            return value
        # Its own unmarshaller reads it, and that one is not strict: unknown fields in there are dropped without a word.
        # Who calls it names the struct that the union is in, with whatever it could not read.
        reported, self._report_unknown = self._report_unknown, False
        before, self._first = self._first, None
        outer, self._told_struct = self._told_struct, where.partition(".")[0]
        decoded: Any = None  # anything else than what is taken below counts for nothing
        if isinstance(value, list) and union.list_of is not None:
            decoded = self._value(value, ListOf(union.list_of), where, go_path, path)
        elif isinstance(value, dict):
            decoded = self._struct(value, union.struct, go_path, path, where)
        elif union.or_bool:
            raise DecodeError("boolean or JSON schema expected")
        if self._first is not None:
            raise self._first
        self._report_unknown, self._first, self._told_struct = reported, before, outer
        return decoded

    def _item(self, value: Any, go_type: GoType, where: str, go_path: str, path: str) -> Any:
        if value is None and not isinstance(go_type, Struct):
            return zero_of(go_type)
        return self._value(value, go_type, where, go_path, path)


class _Absent:
    """The field is left out."""


_ABSENT: Any = _Absent()


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
