"""JSON paths in a definition: of the scale subresource, of printer columns, of selectable fields."""

from __future__ import annotations

import re
from typing import Any, Final

from quarterdeck.apimachinery import field
from quarterdeck.apimachinery.field import FieldError

SELECTABLE_FIELDS_MAX: Final = 8

_COLUMN_TYPES: Final = ("boolean", "date", "integer", "number", "string")
_COLUMN_FORMATS: Final = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")
_SEGMENT: Final = re.compile(r"\.([^.\[\]]*)|\[")


def validate_subresources(subresources: dict[str, Any] | None, path: str) -> list[FieldError]:
    scale = (subresources or {}).get("scale")
    if scale is None:
        return []
    problems: list[FieldError] = []
    for member, root in (("specReplicasPath", "spec"), ("statusReplicasPath", "status")):
        at, value = f"{path}.scale.{member}", scale.get(member) or ""
        if not value:
            problems.append(field.required(at))
        else:
            problems += _simple_path(at, value) or _below(at, value, f"should be a json path under .{root}", root)
    selector = scale.get("labelSelectorPath")
    if selector:
        at = f"{path}.scale.labelSelectorPath"
        text = "should be a json path under either .spec or .status"
        problems += _simple_path(at, selector) or _below(at, selector, text, "spec", "status")
    return problems


def _simple_path(path: str, value: str) -> list[FieldError]:
    if not value.startswith("."):
        return [field.invalid(path, value, "must be a simple json path starting with .")]
    return []


def _below(path: str, value: str, text: str, *roots: str) -> list[FieldError]:
    return [] if value.startswith(tuple(f".{root}." for root in roots)) else [field.invalid(path, value, text)]


def validate_column(column: dict[str, Any], path: str) -> list[FieldError]:
    problems = []
    if not column.get("name"):
        problems.append(field.required(f"{path}.name"))
    kind = column.get("type") or ""
    if not kind:
        problems.append(field.required(f"{path}.type", f"must be one of {','.join(_COLUMN_TYPES)}"))
    elif kind not in _COLUMN_TYPES:
        problems.append(field.invalid(f"{path}.type", kind, f"must be one of {','.join(_COLUMN_TYPES)}"))
    shape = column.get("format") or ""
    if shape and shape not in _COLUMN_FORMATS:
        problems.append(field.invalid(f"{path}.format", shape, f"must be one of {','.join(_COLUMN_FORMATS)}"))
    value = column.get("jsonPath") or ""
    if not value:
        problems.append(field.required(f"{path}.JSONPath"))
    else:
        problems += _simple_path(f"{path}.JSONPath", value)
    return problems


def validate_selectable_fields(selectable: list[dict[str, Any]], schema: dict[str, Any], path: str) -> list[FieldError]:
    """KEP-4358. Source: pkg/apis/apiextensions/validation (ValidateCustomResourceSelectableFields)."""
    problems: list[FieldError] = []
    seen: set[str] = set()
    for position, entry in enumerate(selectable):
        at, value = f"{path}[{position}].jsonPath", entry.get("jsonPath") or ""
        if not value:
            problems.append(field.required(at))
            continue
        problems += _selectable_path(at, value, schema)
        if value in seen:
            problems.append(field.duplicate(at, value))
        seen.add(value)
    if len(selectable) > SELECTABLE_FIELDS_MAX:
        problems.append(field.too_many(path, len(selectable), SELECTABLE_FIELDS_MAX))
    return problems


def _selectable_path(at: str, value: str, schema: dict[str, Any]) -> list[FieldError]:
    found, reason = _resolve(value, schema)
    if found is None:
        return [field.invalid(at, value, f"is an invalid path: {reason}")]
    problems = []
    if not _is_selectable(found):
        text = (
            "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are "
            "allowed."
        )
        problems.append(field.invalid(at, value, text))
    if value.startswith(".metadata"):
        problems.append(field.invalid(at, value, "must not point to fields in metadata"))
    return problems


def _resolve(value: str, schema: dict[str, Any]) -> tuple[dict[str, Any] | None, str]:
    """The schema of the field that a path names, or why there is none."""
    if not value.startswith((".", "[")):
        first = re.split(r"[.\[]", value, maxsplit=1)[0]
        return None, f"expected [ or . but got: {first}"
    node, end = schema, 0
    while end < len(value):
        match = _SEGMENT.match(value, end)
        if match is None or match[0] == "[":
            return None, "array notation is not allowed"
        child = (node.get("properties") or {}).get(match[1])
        if child is None and isinstance(node.get("additionalProperties"), dict):
            child = node["additionalProperties"]
        if child is None:
            if "[" in value[match.end() :]:
                return None, "array notation is not allowed"
            return None, "does not refer to a valid field"
        node, end = child, match.end()
    return node, ""


def _is_selectable(schema: dict[str, Any]) -> bool:
    return schema.get("type") in ("string", "boolean", "integer") and not schema.get("x-kubernetes-int-or-string")
