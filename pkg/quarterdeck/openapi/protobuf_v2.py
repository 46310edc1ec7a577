"""OpenAPI v2 in protobuf, the only form that client-go asks for: the tables of its messages.

Vendor extensions and values of any type are given as JSON texts, which are the YAML texts that the format asks for.
Source: gnostic's OpenAPIv2.proto (the numbers).
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from quarterdeck._kernels import protobuf
from quarterdeck._kernels.protobufwire import bytes_field, bytes_head
from quarterdeck.openapi.protobuf_common import DEPTH_MAX, Fields, fill, write_any

# JSON name: (field number, kind), for what is no message.
_SCHEMA: Final[Fields] = {
    "$ref": (1, protobuf.STRING),
    "format": (2, protobuf.STRING),
    "title": (3, protobuf.STRING),
    "description": (4, protobuf.STRING),
    "default": (5, protobuf.ANY),
    "multipleOf": (6, protobuf.DOUBLE),
    "maximum": (7, protobuf.DOUBLE),
    "exclusiveMaximum": (8, protobuf.BOOL),
    "minimum": (9, protobuf.DOUBLE),
    "exclusiveMinimum": (10, protobuf.BOOL),
    "maxLength": (11, protobuf.INT),
    "minLength": (12, protobuf.INT),
    "pattern": (13, protobuf.STRING),
    "maxItems": (14, protobuf.INT),
    "minItems": (15, protobuf.INT),
    "uniqueItems": (16, protobuf.BOOL),
    "maxProperties": (17, protobuf.INT),
    "minProperties": (18, protobuf.INT),
    "required": (19, protobuf.STRING),
    "enum": (20, protobuf.ANYS),
    "example": (30, protobuf.ANY),
}
_DOCS: Final[Fields] = {"description": (1, protobuf.STRING), "url": (2, protobuf.STRING)}
_BODY: Final[Fields] = {
    "description": (1, protobuf.STRING),
    "name": (2, protobuf.STRING),
    "in": (3, protobuf.STRING),
    "required": (4, protobuf.BOOL),
}
_PARAMETER: Final[Fields] = {
    "required": (1, protobuf.BOOL),
    "in": (2, protobuf.STRING),
    "description": (3, protobuf.STRING),
    "name": (4, protobuf.STRING),
}
_QUERY: Final[Fields] = {**_PARAMETER, "type": (6, protobuf.STRING), "uniqueItems": (20, protobuf.BOOL)}
_PATH: Final[Fields] = {**_PARAMETER, "type": (5, protobuf.STRING), "uniqueItems": (19, protobuf.BOOL)}
_OPERATION: Final[Fields] = {
    "tags": (1, protobuf.STRING),
    "description": (3, protobuf.STRING),
    "operationId": (5, protobuf.STRING),
    "produces": (6, protobuf.STRING),
    "consumes": (7, protobuf.STRING),
    "schemes": (10, protobuf.STRING),
}
_SECURITY: Final = {"type": 1, "name": 2, "in": 3, "description": 4}
_METHODS: Final = {"get": 2, "put": 3, "post": 4, "delete": 5, "patch": 8}


def encode_head(info: dict[str, str]) -> bytes:
    """What stands before the paths."""
    title_and_version = bytes_field(1, info["title"].encode()) + bytes_field(2, info["version"].encode())
    return bytes_field(1, b"2.0") + bytes_field(2, title_and_version)


def open_paths(size: int) -> bytes:
    """What comes before so many bytes of what `encode_paths` gave."""
    return bytes_head(8, size)


def open_definitions(size: int) -> bytes:
    return bytes_head(9, size)


def open_parameters(size: int) -> bytes:
    return bytes_head(10, size) if size else b""


def encode_security(schemes: dict[str, dict[str, str]]) -> bytes:
    """What stands behind the parameters: the schemes, each of which every operation asks for."""
    required = defined = b""
    for name, scheme in schemes.items():
        members = b"".join(bytes_field(number, scheme[member].encode()) for member, number in _SECURITY.items())
        named = bytes_field(1, name.encode())
        required += bytes_field(1, named + bytes_field(2, b""))
        defined += bytes_field(1, named + bytes_field(2, bytes_field(2, members)))
    return bytes_field(12, required) + bytes_field(13, defined)


def encode_paths(paths: dict[str, Any]) -> bytes:
    return protobuf.encode_entries(2, paths, _path_item(), write_any, DEPTH_MAX)


def encode_definitions(definitions: dict[str, Any]) -> bytes:
    return protobuf.encode_entries(1, definitions, _schema(), write_any, DEPTH_MAX)


def encode_parameters(parameters: dict[str, Any]) -> bytes:
    """What paths refer to, by name."""
    return protobuf.encode_entries(1, parameters, _parameter(()), write_any, DEPTH_MAX)


@cache
def _schema() -> protobuf.Message:
    docs = fill(protobuf.Message(3), _DOCS)
    schema = fill(protobuf.Message(31), _SCHEMA)
    additional = protobuf.Union(2)
    additional.add("", None, (1,), schema)
    schema.add("additionalProperties", protobuf.MESSAGE, (21,), additional)
    schema.add("type", protobuf.STRING, (22, 1))
    schema.add("items", protobuf.MESSAGE, (23, 1), schema)
    schema.add("allOf", protobuf.MESSAGE, (24,), schema)
    schema.add("properties", protobuf.MAP, (25, 1), schema)
    schema.add("externalDocs", protobuf.MESSAGE, (29,), docs)
    return schema


def _parameter(within: tuple[int, ...]) -> protobuf.Union:
    """`within`: the numbers of what every parameter lies in."""
    parameter = protobuf.Union(0)
    body = fill(protobuf.Message(6), _BODY)
    body.add("schema", protobuf.MESSAGE, (5,), _schema())
    parameter.add("in", "body", (*within, 1), body)
    parameter.add("in", "path", (*within, 2, 4), fill(protobuf.Message(22), _PATH))
    parameter.add("in", "query", (*within, 2, 3), fill(protobuf.Message(23), _QUERY))
    return parameter


@cache
def _path_item() -> protobuf.Message:
    parameters = _parameter((1,))
    parameters.add("$ref", None, (2,), fill(protobuf.Message(3), {"$ref": (1, protobuf.STRING)}))
    response = fill(protobuf.Message(5), {"description": (1, protobuf.STRING)})
    response.add("schema", protobuf.MESSAGE, (2, 1), _schema())
    either = protobuf.Union(0)
    either.add("", None, (1,), response)
    operation = fill(protobuf.Message(13), _OPERATION)
    operation.add("parameters", protobuf.MESSAGE, (8,), parameters)
    operation.add("responses", protobuf.MAP, (9, 1), either)
    item = protobuf.Message(10)
    for method, number in _METHODS.items():
        item.add(method, protobuf.MESSAGE, (number,), operation)
    item.add("parameters", protobuf.MESSAGE, (9,), parameters)
    return item
