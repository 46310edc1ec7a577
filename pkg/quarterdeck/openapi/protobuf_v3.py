"""OpenAPI v3 in protobuf: the tables of its messages.

Vendor extensions and values of any type are given as JSON texts, which are the YAML texts that the format asks for. A
default that is a list or an object has no place in the format and is left out, as upstream leaves it out.
Source: gnostic's OpenAPIv3.proto (the numbers).
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from quarterdeck._kernels import protobuf
from quarterdeck._kernels.protobufwire import bytes_field, bytes_head
from quarterdeck.openapi.protobuf_common import DEPTH_MAX, Fields, fill, write_any

_SCHEMA: Final[Fields] = {
    "nullable": (1, protobuf.BOOL),
    "example": (7, protobuf.ANY),
    "title": (9, protobuf.STRING),
    "multipleOf": (10, protobuf.DOUBLE),
    "maximum": (11, protobuf.DOUBLE),
    "exclusiveMaximum": (12, protobuf.BOOL),
    "minimum": (13, protobuf.DOUBLE),
    "exclusiveMinimum": (14, protobuf.BOOL),
    "maxLength": (15, protobuf.INT),
    "minLength": (16, protobuf.INT),
    "pattern": (17, protobuf.STRING),
    "maxItems": (18, protobuf.INT),
    "minItems": (19, protobuf.INT),
    "uniqueItems": (20, protobuf.BOOL),
    "maxProperties": (21, protobuf.INT),
    "minProperties": (22, protobuf.INT),
    "required": (23, protobuf.STRING),
    "enum": (24, protobuf.ANYS),
    "type": (25, protobuf.STRING),
    "default": (33, protobuf.SCALAR),
    "description": (34, protobuf.STRING),
    "format": (35, protobuf.STRING),
}
_DOCS: Final[Fields] = {"description": (1, protobuf.STRING), "url": (2, protobuf.STRING)}
_PARAMETER: Final[Fields] = {
    "name": (1, protobuf.STRING),
    "in": (2, protobuf.STRING),
    "description": (3, protobuf.STRING),
    "required": (4, protobuf.BOOL),
}
_OPERATION: Final[Fields] = {
    "tags": (1, protobuf.STRING),
    "description": (3, protobuf.STRING),
    "operationId": (5, protobuf.STRING),
}
_SECURITY: Final = {"type": 1, "description": 2, "name": 3, "in": 4}
_METHODS: Final = {"get": 4, "put": 5, "post": 6, "delete": 7, "patch": 10}


def encode_head(info: dict[str, str]) -> bytes:
    """What stands before the paths."""
    title_and_version = bytes_field(1, info["title"].encode()) + bytes_field(6, info["version"].encode())
    return bytes_field(1, b"3.0.0") + bytes_field(2, title_and_version)


def open_paths(size: int) -> bytes:
    """What comes before so many bytes of what `encode_paths` gave."""
    return bytes_head(4, size)


def open_schemas(size: int, size_after: int = 0) -> bytes:
    """The same for schemas; `size_after` bytes of what else components hold come behind them."""
    head = bytes_head(1, size)
    return bytes_head(5, len(head) + size + size_after) + head


def encode_security(schemes: dict[str, dict[str, str]]) -> bytes:
    """What components hold behind the schemas."""
    written = b""
    for name, scheme in schemes.items():
        members = b"".join(bytes_field(number, scheme[member].encode()) for member, number in _SECURITY.items())
        written += bytes_field(1, bytes_field(1, name.encode()) + bytes_field(2, bytes_field(1, members)))
    return bytes_field(7, written) if written else b""


def encode_paths(paths: dict[str, Any]) -> bytes:
    return protobuf.encode_entries(1, paths, _path_item(), write_any, DEPTH_MAX)


def encode_schemas(schemas: dict[str, Any]) -> bytes:
    return protobuf.encode_entries(1, schemas, _schema(), write_any, DEPTH_MAX)


@cache
def _schema() -> protobuf.Union:
    """A schema or a reference to one."""
    either = protobuf.Union(0)
    schema = fill(protobuf.Message(36), _SCHEMA)
    either.add("$ref", None, (2,), fill(protobuf.Message(0), {"$ref": (1, protobuf.STRING)}))
    either.add("", None, (1,), schema)
    values = protobuf.Union(2)
    values.add("$ref", None, (1, 2), fill(protobuf.Message(0), {"$ref": (1, protobuf.STRING)}))
    values.add("", None, (1, 1), schema)
    schema.add("externalDocs", protobuf.MESSAGE, (6,), fill(protobuf.Message(3), _DOCS))
    for name, number in (("allOf", 26), ("oneOf", 27), ("anyOf", 28)):
        schema.add(name, protobuf.MESSAGE, (number,), either)
    schema.add("not", protobuf.MESSAGE, (29,), schema)
    schema.add("items", protobuf.MESSAGE, (30, 1), either)
    schema.add("properties", protobuf.MAP, (31, 1), either)
    schema.add("additionalProperties", protobuf.MESSAGE, (32,), values)
    return either


@cache
def _path_item() -> protobuf.Message:
    content = protobuf.Message(5)
    content.add("schema", protobuf.MESSAGE, (1,), _schema())
    parameter = fill(protobuf.Message(14), _PARAMETER)
    parameter.add("schema", protobuf.MESSAGE, (10,), _schema())
    body = fill(protobuf.Message(4), {"description": (1, protobuf.STRING), "required": (3, protobuf.BOOL)})
    body.add("content", protobuf.MAP, (2, 1), content)
    response = fill(protobuf.Message(5), {"description": (1, protobuf.STRING)})
    response.add("content", protobuf.MAP, (3, 1), content)
    responses = protobuf.Union(0)
    responses.add("", None, (1,), response)
    operation = fill(protobuf.Message(13), _OPERATION)
    operation.add("parameters", protobuf.MESSAGE, (6, 1), parameter)
    operation.add("requestBody", protobuf.MESSAGE, (7, 1), body)
    operation.add("responses", protobuf.MAP, (8, 2), responses)
    item = protobuf.Message(14)
    for method, number in _METHODS.items():
        item.add(method, protobuf.MESSAGE, (number,), operation)
    item.add("parameters", protobuf.MESSAGE, (13, 1), parameter)
    return item
