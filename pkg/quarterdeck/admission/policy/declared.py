"""What is declared to CEL of the objects of a kind, for the checks of expressions against it.

A built-in kind's schema is made of its Go type as OpenAPI describes it: an amount is a string or a number, so that
nothing is declared of it and of lists and maps of amounts; a number or a name is anything.

Source: apiserver/pkg/cel/openapi/resolver/*.go, pkg/cel/common/schemas.go; k8s.io/kubernetes/pkg/generated/openapi.
"""

from __future__ import annotations

import time
from typing import Any, Final

from quarterdeck.cel import schema as schemas
from quarterdeck.cel.types import Type
from quarterdeck.schema import gotypes
from quarterdeck.schema.gotype import GoType, ListOf, MapOf, Scalar, Struct

Schema = dict[str, Any]

# Schemas within schemas: of deeper ones nothing is published.
DEPTH_MAX: Final = 100
_TEXT: Final[Schema] = {"type": "string"}
_SCALARS: Final[dict[str, Schema]] = {
    "string": _TEXT,
    "bool": {"type": "boolean"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bytes": {"type": "string", "format": "byte"},
    "time": {"type": "string", "format": "date-time"},
    "microtime": {"type": "string", "format": "date-time"},
    "intorstring": {"x-kubernetes-int-or-string": True},
    "quantity": {},
    "any": {"type": "object"},
}


def of_struct(struct: Struct) -> Schema:
    """Of a built-in kind whose type has its metadata."""
    made = _describe(struct, ())
    made["properties"] = {"apiVersion": _TEXT, "kind": _TEXT, **made["properties"]}
    return made


def of_custom(schema: Schema) -> Schema | None:
    """Of a version of a definition; None for one that is too deep."""
    if _is_deep(schema):
        return None
    metadata = _describe(gotypes.object_meta(), ())
    known = {"apiVersion": _TEXT, "kind": _TEXT, "metadata": metadata}
    return {**schema, "type": "object", "properties": {**(schema.get("properties") or {}), **known}}


def declare(schema: Schema, kind: str) -> Type | None:
    """The type by which errors call it ends in a number, so that nobody relies on the name."""
    found = schemas.declare(schema, is_resource_root=True)
    if found is None:
        return None
    schemas.name_types(found, f"{kind}{time.time_ns() % 1_000_000_000}")
    return found.type


def _describe(go_type: GoType, within: tuple[GoType, ...]) -> Schema:
    """A type that contains itself is an object of which nothing is told, there."""
    if isinstance(go_type, Scalar):
        return _SCALARS[go_type.kind]
    if isinstance(go_type, ListOf):
        return {"type": "array", "items": _describe(go_type.item, within)}
    if isinstance(go_type, MapOf):
        return {"type": "object", "additionalProperties": _describe(go_type.value, within)}
    if not isinstance(go_type, Struct):
        return {}
    if any(go_type is each for each in within):
        return {"type": "object"}
    inner = (*within, go_type)
    return {"type": "object", "properties": {name: _describe(f.type, inner) for name, f in go_type.fields.items()}}


def _is_deep(schema: Any) -> bool:
    """Levels of JSON, of which a schema in another takes two."""
    level, depth = [schema], 0
    while level:
        depth += 1
        if depth > 2 * DEPTH_MAX:
            return True
        level = [
            inner
            for each in level
            for inner in (each.values() if isinstance(each, dict) else each)
            if isinstance(inner, (dict, list))
        ]
    return False
