"""Reads gnostic's OpenAPI messages back into JSON, slowly: by the numbers of OpenAPIv2.proto and OpenAPIv3.proto."""

from __future__ import annotations

import json
import struct
from typing import Any

# field number: (JSON name, kind). A kind is a scalar's name, or the name of a message.
V2: dict[str, dict[int, tuple[str, str]]] = {
    "Document": {
        1: ("swagger", "text"),
        2: ("info", "Info"),
        8: ("paths", "Paths"),
        9: ("definitions", "Schemas"),
        10: ("parameters", "ParameterDefinitions"),
        12: ("security", "list Requirement"),
        13: ("securityDefinitions", "SecurityDefinitions"),
    },
    "Requirement": {1: ("", "map Texts")},
    "Texts": {1: ("", "list text")},
    "SecurityDefinitions": {1: ("", "map SecurityItem")},
    "SecurityItem": {2: ("", "inline ApiKey")},
    "ApiKey": {1: ("type", "text"), 2: ("name", "text"), 3: ("in", "text"), 4: ("description", "text")},
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
    "ParameterDefinitions": {1: ("", "map Parameter")},
    "ParametersItem": {1: ("", "inline Parameter"), 2: ("", "inline JsonReference")},
    "JsonReference": {1: ("$ref", "text")},
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


V3: dict[str, dict[int, tuple[str, str]]] = {
    "Document": {1: ("openapi", "text"), 2: ("info", "Info"), 4: ("paths", "Paths"), 5: ("components", "Components")},
    "Info": {1: ("title", "text"), 6: ("version", "text")},
    "Paths": {1: ("", "map PathItem")},
    "Components": {1: ("schemas", "Schemas"), 7: ("securitySchemes", "SecuritySchemes")},
    "SecuritySchemes": {1: ("", "map SecuritySchemeOrReference")},
    "SecuritySchemeOrReference": {1: ("", "inline SecurityScheme")},
    "SecurityScheme": {1: ("type", "text"), 2: ("description", "text"), 3: ("name", "text"), 4: ("in", "text")},
    "Schemas": {1: ("", "map SchemaOrReference")},
    "SchemaOrReference": {1: ("", "inline Schema"), 2: ("", "inline Reference")},
    "Reference": {1: ("$ref", "text")},
    "PathItem": {
        4: ("get", "Operation"),
        5: ("put", "Operation"),
        6: ("post", "Operation"),
        7: ("delete", "Operation"),
        10: ("patch", "Operation"),
        13: ("parameters", "list ParameterOrReference"),
        14: ("", "extension"),
    },
    "Operation": {
        1: ("tags", "list text"),
        3: ("description", "text"),
        5: ("operationId", "text"),
        6: ("parameters", "list ParameterOrReference"),
        7: ("requestBody", "BodyOrReference"),
        8: ("responses", "Responses"),
        13: ("", "extension"),
    },
    "ParameterOrReference": {1: ("", "inline Parameter")},
    "Parameter": {
        1: ("name", "text"),
        2: ("in", "text"),
        3: ("description", "text"),
        4: ("required", "bool"),
        10: ("schema", "SchemaOrReference"),
    },
    "BodyOrReference": {1: ("", "inline Body")},
    "Body": {2: ("content", "MediaTypes"), 3: ("required", "bool")},
    "MediaTypes": {1: ("", "map MediaType")},
    "MediaType": {1: ("schema", "SchemaOrReference")},
    "Responses": {2: ("", "map ResponseOrReference")},
    "ResponseOrReference": {1: ("", "inline Response")},
    "Response": {1: ("description", "text"), 3: ("content", "MediaTypes")},
    "Schema": {
        1: ("nullable", "bool"),
        6: ("externalDocs", "Docs"),
        7: ("example", "any"),
        9: ("title", "text"),
        10: ("multipleOf", "double"),
        11: ("maximum", "double"),
        12: ("exclusiveMaximum", "bool"),
        13: ("minimum", "double"),
        14: ("exclusiveMinimum", "bool"),
        15: ("maxLength", "int"),
        16: ("minLength", "int"),
        17: ("pattern", "text"),
        18: ("maxItems", "int"),
        19: ("minItems", "int"),
        20: ("uniqueItems", "bool"),
        21: ("maxProperties", "int"),
        22: ("minProperties", "int"),
        23: ("required", "list text"),
        24: ("enum", "list any"),
        25: ("type", "text"),
        26: ("allOf", "list SchemaOrReference"),
        27: ("oneOf", "list SchemaOrReference"),
        28: ("anyOf", "list SchemaOrReference"),
        29: ("not", "Schema"),
        30: ("items", "Items"),
        31: ("properties", "Schemas"),
        32: ("additionalProperties", "AdditionalProperties"),
        33: ("default", "DefaultType"),
        34: ("description", "text"),
        35: ("format", "text"),
        36: ("", "extension"),
    },
    "Items": {1: ("", "inline SchemaOrReference")},
    "AdditionalProperties": {1: ("", "inline SchemaOrReference"), 2: ("", "bare bool")},
    "DefaultType": {1: ("", "bare double"), 2: ("", "bare bool"), 3: ("", "bare text")},
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
