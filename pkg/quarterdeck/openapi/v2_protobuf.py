"""OpenAPI v2 in protobuf, the only form that client-go asks for.

Written from tables: for each message its JSON members with their numbers and how their values are written. Members that
no table knows are vendor extensions if they begin with `x-`, and left out if not. Sources: gnostic's OpenAPIv2.proto.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import orjson

from quarterdeck.apimachinery.codec.protobuf_wire import bytes_field, double_field, varint_field

Value = Any
Write = Callable[[int, Value], bytes]
Table = dict[str, tuple[int, Write]]


def named_entries(number: int, entries: Mapping[str, Value], write: Callable[[Value], bytes]) -> bytes:
    """A map as its message has it: one name and value at a time. Two of these, one after the other, are one map."""
    parts = []
    for name, value in entries.items():
        parts.append(bytes_field(number, bytes_field(1, name.encode()) + bytes_field(2, write(value))))
    return b"".join(parts)


def encode_document(info: Value, paths: Iterable[bytes], definitions: Iterable[bytes]) -> bytes:
    """The document from entries that `encode_paths` and `encode_definitions` gave."""
    return b"".join((
        bytes_field(1, b"2.0"),
        bytes_field(2, bytes_field(1, info["title"].encode()) + bytes_field(2, info["version"].encode())),
        bytes_field(8, b"".join(paths)),
        bytes_field(9, b"".join(definitions)),
    ))  # fmt: skip


def encode_paths(paths: Mapping[str, Value]) -> bytes:
    return named_entries(2, paths, lambda item: _message(item, _PATH_ITEM, 10))


def encode_definitions(definitions: Mapping[str, Value]) -> bytes:
    return named_entries(1, definitions, _schema)


def _message(value: Value, table: Table, extensions: int) -> bytes:
    """A message's members in the order of the value; `extensions` is the number of its vendor extensions."""
    parts = []
    for member, item in value.items():
        if known := table.get(member):
            parts.append(known[1](known[0], item))
        elif member.startswith("x-"):
            parts.append(bytes_field(extensions, bytes_field(1, member.encode()) + bytes_field(2, _any(item))))
    return b"".join(parts)


def _any(value: Value) -> bytes:
    # YAML by its type; JSON is YAML.
    return bytes_field(2, orjson.dumps(value) + b"\n")


def _write_string(number: int, value: Value) -> bytes:
    return bytes_field(number, value.encode())


def _write_strings(number: int, value: Value) -> bytes:
    return b"".join(bytes_field(number, item.encode()) for item in value)


def _write_bool(number: int, value: Value) -> bytes:
    return varint_field(number, bool(value))


def _write_int(number: int, value: Value) -> bytes:
    return varint_field(number, int(value))


def _write_double(number: int, value: Value) -> bytes:
    return double_field(number, value)


def _write_any(number: int, value: Value) -> bytes:
    return bytes_field(number, _any(value))


def _write_anys(number: int, value: Value) -> bytes:
    return b"".join(bytes_field(number, _any(item)) for item in value)


def _write_schema(number: int, value: Value) -> bytes:
    return bytes_field(number, _schema(value))


def _write_schemas(number: int, value: Value) -> bytes:
    return b"".join(bytes_field(number, _schema(item)) for item in value)


def _write_items(number: int, value: Value) -> bytes:
    return bytes_field(number, bytes_field(1, _schema(value)))


def _write_additional(number: int, value: Value) -> bytes:
    inner = _write_bool(2, value) if isinstance(value, bool) else bytes_field(1, _schema(value))
    return bytes_field(number, inner)


def _write_type(number: int, value: Value) -> bytes:
    return bytes_field(number, bytes_field(1, value.encode()))


def _write_properties(number: int, value: Value) -> bytes:
    return bytes_field(number, named_entries(1, value, _schema))


def _write_operation(number: int, value: Value) -> bytes:
    return bytes_field(number, _message(value, _OPERATION, 13))


def _write_parameters(number: int, value: Value) -> bytes:
    return b"".join(bytes_field(number, bytes_field(1, _parameter(item))) for item in value)


def _parameter(value: Value) -> bytes:
    if value["in"] == "body":
        return bytes_field(1, _message(value, _BODY, 6))
    if value["in"] == "path":
        return bytes_field(2, bytes_field(4, _message(value, _PATH_PARAMETER, 22)))
    return bytes_field(2, bytes_field(3, _message(value, _QUERY_PARAMETER, 23)))


def _write_responses(number: int, value: Value) -> bytes:
    return bytes_field(number, named_entries(1, value, lambda item: bytes_field(1, _message(item, _RESPONSE, 5))))


def _write_response_schema(number: int, value: Value) -> bytes:
    return bytes_field(number, bytes_field(1, _schema(value)))


def _schema(value: Value) -> bytes:
    return _message(value, _SCHEMA, 31)


_SCHEMA: Final[Table] = {
    "$ref": (1, _write_string),
    "format": (2, _write_string),
    "title": (3, _write_string),
    "description": (4, _write_string),
    "default": (5, _write_any),
    "multipleOf": (6, _write_double),
    "maximum": (7, _write_double),
    "exclusiveMaximum": (8, _write_bool),
    "minimum": (9, _write_double),
    "exclusiveMinimum": (10, _write_bool),
    "maxLength": (11, _write_int),
    "minLength": (12, _write_int),
    "pattern": (13, _write_string),
    "maxItems": (14, _write_int),
    "minItems": (15, _write_int),
    "uniqueItems": (16, _write_bool),
    "maxProperties": (17, _write_int),
    "minProperties": (18, _write_int),
    "required": (19, _write_strings),
    "enum": (20, _write_anys),
    "additionalProperties": (21, _write_additional),
    "type": (22, _write_type),
    "items": (23, _write_items),
    "allOf": (24, _write_schemas),
    "properties": (25, _write_properties),
    "example": (30, _write_any),
}
_BODY: Final[Table] = {
    "description": (1, _write_string),
    "name": (2, _write_string),
    "in": (3, _write_string),
    "required": (4, _write_bool),
    "schema": (5, _write_schema),
}
_PLAIN_PARAMETER: Final[Table] = {
    "required": (1, _write_bool),
    "in": (2, _write_string),
    "description": (3, _write_string),
    "name": (4, _write_string),
}
_QUERY_PARAMETER: Final = _PLAIN_PARAMETER | {"type": (6, _write_string), "uniqueItems": (20, _write_bool)}
_PATH_PARAMETER: Final = _PLAIN_PARAMETER | {"type": (5, _write_string), "uniqueItems": (19, _write_bool)}
_RESPONSE: Final[Table] = {"description": (1, _write_string), "schema": (2, _write_response_schema)}
_OPERATION: Final[Table] = {
    "tags": (1, _write_strings),
    "description": (3, _write_string),
    "operationId": (5, _write_string),
    "produces": (6, _write_strings),
    "consumes": (7, _write_strings),
    "parameters": (8, _write_parameters),
    "responses": (9, _write_responses),
    "schemes": (10, _write_strings),
}
_PATH_ITEM: Final[Table] = {
    "get": (2, _write_operation),
    "put": (3, _write_operation),
    "post": (4, _write_operation),
    "delete": (5, _write_operation),
    "patch": (8, _write_operation),
    "parameters": (9, _write_parameters),
}
