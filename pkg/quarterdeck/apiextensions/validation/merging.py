"""How the lists and maps of a schema merge: x-kubernetes-list-type, x-kubernetes-list-map-keys, x-kubernetes-map-type.

Source: validation.go (ValidateCustomResourceDefinitionOpenAPISchema, validateMapListKeysMapSet).
"""

from __future__ import annotations

from typing import Any

from quarterdeck.apiextensions.validation import internal
from quarterdeck.apiextensions.validation.tolerance import Tolerance
from quarterdeck.apimachinery import field
from quarterdeck.apimachinery.field import FieldError

Schema = dict[str, Any]


def validate(schema: Schema, path: str, tolerance: Tolerance) -> list[FieldError]:
    return _map_type(schema, path) + _list_type(schema, path, tolerance)


def _type_must_be(schema: Schema, path: str, wanted: str, text: str) -> list[FieldError]:
    kind = schema.get("type") or ""
    if kind == wanted:
        return []
    return [field.invalid(f"{path}.type", kind, text) if kind else field.required(f"{path}.type", text)]


def _map_type(schema: Schema, path: str) -> list[FieldError]:
    map_type = schema.get("x-kubernetes-map-type")
    if map_type is None:
        return []
    problems = _type_must_be(schema, path, "object", "must be object if x-kubernetes-map-type is specified")
    if map_type not in ("atomic", "granular"):
        problems.append(field.not_supported(f"{path}.x-kubernetes-map-type", map_type, ["atomic", "granular"]))
    return problems


def _list_type(schema: Schema, path: str, tolerance: Tolerance) -> list[FieldError]:
    list_type, keys = schema.get("x-kubernetes-list-type"), schema.get("x-kubernetes-list-map-keys") or []
    at = f"{path}.x-kubernetes-list-type"
    problems: list[FieldError] = []
    if list_type is not None:
        problems += _type_must_be(schema, path, "array", "must be array if x-kubernetes-list-type is specified")
        if not problems and (found := _set_items(schema, path)) and not tolerance.had(_has_wrong_items):
            problems += found
        if list_type not in ("atomic", "set", "map"):
            problems.append(field.not_supported(at, list_type, ["atomic", "set", "map"]))
    if keys and list_type != "map":
        text = "must be map if x-kubernetes-list-map-keys is non-empty"
        problems.append(field.required(at, text) if list_type is None else field.invalid(at, list_type, text))
    if list_type == "map":
        problems += _map_items(schema, keys, path)
    if (found := _map_keys(schema, path)) and not tolerance.had(_has_wrong_keys):
        problems += found
    return problems


def _has_wrong_items(schema: Schema) -> bool:
    return bool(_set_items(schema, ""))


def _has_wrong_keys(schema: Schema) -> bool:
    return bool(_map_keys(schema, ""))


def _set_items(schema: Schema, path: str) -> list[FieldError]:
    """Of a set: lists are atomic unless they say otherwise, objects only if they say so."""
    items = schema.get("items")
    if schema.get("x-kubernetes-list-type") != "set" or not isinstance(items, dict):
        return []
    list_type, map_type = items.get("x-kubernetes-list-type"), items.get("x-kubernetes-map-type")
    text = "must be atomic as item of a list with x-kubernetes-list-type=set"
    if items.get("type") == "array" and list_type not in (None, "atomic"):
        return [field.invalid(f"{path}.items.x-kubernetes-list-type", field.named(list_type), text)]
    if items.get("type") == "object" and map_type != "atomic":
        # Upstream shows the list type here as well.
        shown = None if list_type is None else field.named(list_type)
        return [field.invalid(f"{path}.items.x-kubernetes-map-type", shown, text)]
    return []


def _map_items(schema: Schema, keys: list[str], path: str) -> list[FieldError]:
    problems: list[FieldError] = []
    at = f"{path}.x-kubernetes-list-map-keys"
    if not keys:
        problems.append(field.required(at, "must not be empty if x-kubernetes-list-type is map"))
    if "items" not in schema:
        problems.append(field.required(f"{path}.items", "must have a schema if x-kubernetes-list-type is map"))
        return problems
    items = schema["items"]
    if not isinstance(items, dict):
        text = "must only have a single schema if x-kubernetes-list-type is map"
        problems.append(field.invalid(f"{path}.items", internal.print_items(items), text))
        return problems
    if items.get("type") != "object":
        text = "must be object if parent array's x-kubernetes-list-type is map"
        problems.append(field.invalid(f"{path}.items.type", items.get("type") or "", text))
        return problems
    seen: set[str] = set()
    for key in keys:
        child = (items.get("properties") or {}).get(key)
        if child is None:
            problems.append(field.invalid(at, keys, "entries must all be names of item properties"))
        elif child.get("type") in ("array", "object"):
            text = "must be a scalar type if parent array's x-kubernetes-list-type is map"
            # Upstream shows the type of the items, not the key's.
            problems.append(field.invalid(f"{path}.items.properties[{key}].type", "object", text))
        if key in seen:
            problems.append(field.invalid(at, keys, "must not contain duplicate entries"))
        seen.add(key)
    return problems


def _map_keys(schema: Schema, path: str) -> list[FieldError]:
    """Keys have to be there, and neither they nor items may be null (upstream: validateMapListKeysMapSet)."""
    list_type, items = schema.get("x-kubernetes-list-type"), schema.get("items")
    problems: list[FieldError] = []
    if list_type not in ("set", "map") or not isinstance(items, dict):
        return problems
    if items.get("nullable"):
        text = f"cannot be nullable when x-kubernetes-list-type is {list_type}"
        problems.append(field.forbidden(f"{path}.items.nullable", text))
    if list_type == "set":
        return problems
    required = items.get("required") or ()
    for key in schema.get("x-kubernetes-list-map-keys") or []:
        child = (items.get("properties") or {}).get(key)
        if child is None:
            continue
        at = f"{path}.items.properties[{key}]"
        if key not in required and child.get("default") is None:
            text = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property"
            problems.append(field.required(f"{at}.default", text))
        if child.get("nullable"):
            text = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable"
            problems.append(field.forbidden(f"{at}.nullable", text))
    return problems
