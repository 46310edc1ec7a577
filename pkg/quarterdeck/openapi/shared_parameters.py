"""The parameters that OpenAPI v2 tells once for all operations, which refer to them by name.

A name ends with a digest of what is said of the parameter: whoever says the same finds the same name.
Source: kube-openapi/pkg/builder/parameters.go.
"""

from __future__ import annotations

import base64
from functools import lru_cache
from typing import Any, Final

import orjson

from quarterdeck.openapi.operations import Parameter

Schema = dict[str, Any]

REFERENCE: Final = "#/parameters/"
_DEFINITION: Final = "#/definitions/"
_GENERIC: Final = "io.k8s.apimachinery"  # how the names of types begin that are not of one kind
# Old clients of kubectl look for these where the operations are.
_KEPT_IN_QUERIES: Final = ("dryRun", "fieldValidation")
_MEMBERS: Final = ("uniqueItems", "type", "description", "name", "in", "required", "schema")  # in the digest's order
_CACHED_MAX: Final = 256  # there are fifty


@lru_cache(_CACHED_MAX)
def share(parameter: Parameter) -> tuple[str, Schema] | None:
    """The name of a parameter that is shared and what is said of it; None for others. Nobody changes what it gives."""
    if parameter.place == "query" and parameter.name in _KEPT_IN_QUERIES:
        return None
    return _named(describe(parameter))


@lru_cache(_CACHED_MAX)
def share_body(definition: str, *, is_required: bool) -> tuple[str, Schema] | None:
    """The same of a body."""
    if not definition.startswith(_GENERIC):
        return None
    return _named(describe_body(definition, is_required=is_required))


def describe(parameter: Parameter) -> Schema:
    told: Schema = {"description": parameter.description, "in": parameter.place, "name": parameter.name}
    if parameter.place == "path":
        told["required"] = True
    return told | {"type": parameter.type, "uniqueItems": True}


def describe_body(definition: str, *, is_required: bool) -> Schema:
    told: Schema = {"in": "body", "name": "body", "schema": {"$ref": _DEFINITION + definition}}
    return told | {"required": True} if is_required else told


def _named(told: Schema) -> tuple[str, Schema]:
    text = orjson.dumps({member: told[member] for member in _MEMBERS if member in told})
    digest = base64.urlsafe_b64encode(_fnv64(text).to_bytes(8, "big")[:6]).decode()
    return f"{told['name']}-{digest}", told


def _fnv64(data: bytes) -> int:
    """FNV-1 of 64 bits."""
    found = 0xCBF29CE484222325
    for byte in data:
        found = (found * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF) ^ byte
    return found
