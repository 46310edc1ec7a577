"""Defaults of a stored definition that are served without a part of what they say.

A definition can have them where nothing looks at a default (below additionalProperties), or where none is pruned before
it is accepted (within an embedded resource's metadata).
Source: apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go (requirePrunedDefaults),
pkg/apiserver/schema/defaulting/prune.go.
"""

from __future__ import annotations

from typing import Any

from quarterdeck._kernels import json as json_kernel
from quarterdeck._kernels import longsteps
from quarterdeck.apiextensions.validation import values
from quarterdeck.apiextensions.validation.places import Place, child_of, children
from quarterdeck.schema import embeddedobject, structural

Schema = dict[str, Any]


def has_unpruned_defaults(spec: dict[str, Any]) -> bool:
    """Whether one of the versions has any. What is not structural has none."""
    schemas = ((version.get("schema") or {}).get("openAPIV3Schema") for version in spec.get("versions") or [])
    return any(structural.is_structural(schema) and _has_unpruned(schema) for schema in schemas if schema is not None)


def _has_unpruned(root: Schema) -> bool:
    stack = [Place(root, None, 0, is_resource=True, is_inside_meta=False)]
    while stack:
        place = stack.pop()
        longsteps.pause()
        if place.schema.get("default") is not None and _is_unpruned(place):
            return True
        stack += children(place)
        if isinstance(values_of := place.schema.get("additionalProperties"), dict):
            stack.append(child_of(place, values_of, "*"))
    return False


def _is_unpruned(place: Place) -> bool:
    value, schema = place.schema["default"], place.schema
    if place.is_inside_meta:
        resource = place.surround(json_kernel.copy(value))
        embeddedobject.coerce_leniently(resource)
        return bool(place.find(resource) != value)
    return values.has_unknown_fields(value, schema, is_resource=place.is_resource) or values.has_unread_metadata(
        value, schema, is_resource=place.is_resource
    )
