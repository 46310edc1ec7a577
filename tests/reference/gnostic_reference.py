"""Reads gnostic's OpenAPI messages back into JSON, slowly: by the numbers of OpenAPIv2.proto."""

from __future__ import annotations

import json
import struct
from typing import Any

# field number: (JSON name, kind). A kind is a scalar's name, or the name of a message.
V2: dict[str, dict[int, tuple[str, str]]] = {
    "Document": {1: ("swagger", "text"), 2: ("info", "Info"), 8: ("paths", "Paths"), 9: ("definitions", "Schemas")},
    "Info": {1: ("title", "text"), 2: ("version", "text")},
    "Paths": {2: ("", "map PathItem")},
    "Schemas": {1: ("", "map Schema")},
    "PathItem": {
        2: ("get", "Operation"),
        3: ("put", "Operation"),
        4: ("post", "Operation"),
        5: ("delete", "Operation"),
        8: ("patch", "Operation"),
        9: ("parameters", "list ParametersItem"),
        10: ("", "extension"),
    },
    "Operation": {
        1: ("tags", "list text"),
        3: ("description", "text"),
        5: ("operationId", "text"),
        6: ("produces", "list text"),
        7: ("consumes", "list text"),
        8: ("parameters", "list ParametersItem"),
        9: ("responses", "Responses"),
        10: ("schemes", "list text"),
        13: ("", "extension"),
    },
    "ParametersItem": {1: ("", "inline Parameter")},
    "Parameter": {1: ("", "inline Body"), 2: ("", "inline NonBody")},
    "NonBody": {3: ("", "inline Query"), 4: ("", "inline Path")},
    "Body": {
        1: ("description", "text"),
        2: ("name", "text"),
        3: ("in", "text"),
        4: ("required", "bool"),
        5: ("schema", "Schema"),
    },
    "Query": {
        1: ("required", "bool"),
        2: ("in", "text"),
        3: ("description", "text"),
        4: ("name", "text"),
        6: ("type", "text"),
        20: ("uniqueItems", "bool"),
    },
    "Path": {
        1: ("required", "bool"),
        2: ("in", "text"),
        3: ("description", "text"),
        4: ("name", "text"),
        5: ("type", "text"),
        19: ("uniqueItems", "bool"),
    },
    "Responses": {1: ("", "map ResponseValue")},
    "ResponseValue": {1: ("", "inline Response")},
    "Response": {1: ("description", "text"), 2: ("schema", "SchemaItem")},
    "SchemaItem": {1: ("", "inline Schema")},
    "Schema": {
        1: ("$ref", "text"),
        2: ("format", "text"),
        3: ("title", "text"),
        4: ("description", "text"),
        5: ("default", "any"),
        6: ("multipleOf", "double"),
        7: ("maximum", "double"),
        8: ("exclusiveMaximum", "bool"),
        9: ("minimum", "double"),
        10: ("exclusiveMinimum", "bool"),
        11: ("maxLength", "int"),
        12: ("minLength", "int"),
        13: ("pattern", "text"),
        14: ("maxItems", "int"),
        15: ("minItems", "int"),
        16: ("uniqueItems", "bool"),
        17: ("maxProperties", "int"),
        18: ("minProperties", "int"),
        19: ("required", "list text"),
        20: ("enum", "list any"),
        21: ("additionalProperties", "AdditionalProperties"),
        22: ("type", "Type"),
        23: ("items", "Items"),
        24: ("allOf", "list Schema"),
        25: ("properties", "Schemas"),
        29: ("externalDocs", "Docs"),
        30: ("example", "any"),
        31: ("", "extension"),
    },
    "AdditionalProperties": {1: ("", "inline Schema"), 2: ("", "bare bool")},
    "Type": {1: ("", "bare text")},
    "Items": {1: ("", "inline Schema")},
    "Docs": {1: ("description", "text"), 2: ("url", "text")},
}


def fields(data: bytes) -> list[tuple[int, Any]]:
    """The fields of a message: (number, integer, eight bytes or bytes)."""
    found, position = [], 0
    while position < len(data):
        tag, position = _varint(data, position)
        number, wire = tag >> 3, tag & 7
        if wire == 0:
            value, position = _varint(data, position)
        elif wire == 1:
            value, position = data[position : position + 8], position + 8
        else:
            assert wire == 2, f"wire type {wire}"
            length, position = _varint(data, position)
            value, position = data[position : position + length], position + length
            assert len(value) == length
        found.append((number, value))
    return found


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[position]
        value |= (byte & 0x7F) << shift
        position, shift = position + 1, shift + 7
        if byte < 0x80:
            return value, position


def decode(data: bytes, messages: dict[str, dict[int, tuple[str, str]]], name: str = "Document") -> Any:
    out: dict[str, Any] = {}
    for number, value in fields(data):
        member, kind = messages[name][number]
        word, _, inner = kind.partition(" ")
        if word == "list":
            out.setdefault(member, []).append(_value(value, inner, messages))
        elif word in ("inline", "bare"):
            return _value(value, inner, messages)
        elif word in ("map", "extension"):
            entry = dict(fields(value))
            inner = inner or "any"
            out[entry[1].decode()] = _value(entry.get(2, b""), inner, messages)
        else:
            out[member] = _value(value, kind, messages)
    return out


def _value(value: Any, kind: str, messages: dict[str, dict[int, tuple[str, str]]]) -> Any:
    if kind == "text":
        return value.decode()
    if kind == "bool":
        return bool(value)
    if kind == "int":
        return value - 2**64 if value >= 2**63 else value
    if kind == "double":
        return struct.unpack("<d", value)[0]
    if kind == "any":
        return json.loads(dict(fields(value))[2])
    return decode(value, messages, kind)
