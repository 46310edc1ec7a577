"""JSON paths in a definition: of the scale subresource, of printer columns, of selectable fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from quarterdeck.apimachinery import field
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.cel import field_path

SELECTABLE_FIELDS_MAX: Final = 8

_COLUMN_TYPES: Final = ("boolean", "date", "integer", "number", "string")
_COLUMN_FORMATS: Final = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")
_SELECTABLE_TYPES: Final = ("string", "boolean", "integer")
_NOT_SELECTABLE: Final = (
    "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed."
)


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


def validate_selectable_fields(
    selectable: list[dict[str, Any]], schema: dict[str, Any], path: str, may_be_more: Callable[[], bool]
) -> list[FieldError]:
    """KEP-4358. `may_be_more()`, asked where there are more than may be: whether they were before.
    Source: validation.go (ValidateCustomResourceSelectableFields)."""
    problems: list[FieldError] = []
    seen: set[str] = set()
    for position, entry in enumerate(selectable):
        at, value = f"{path}[{position}].jsonPath", entry.get("jsonPath") or ""
        if not value:
            problems.append(field.required(at))
            continue
        try:
            found_path, found = field_path.resolve(value, schema, allow_brackets=False)
        except field_path.FieldPathError as error:
            problems.append(field.invalid(at, value, f"is an invalid path: {error}"))
            continue
        if found_path == "metadata" or found_path.startswith(("metadata.", "metadata[")):
            problems.append(field.invalid(at, value, "must not point to fields in metadata"))
        if (found or {}).get("type") not in _SELECTABLE_TYPES:
            problems.append(field.invalid(at, value, _NOT_SELECTABLE))
        if found_path in seen:
            problems.append(field.duplicate(at, value))
        seen.add(found_path)
    if len(seen) > SELECTABLE_FIELDS_MAX and not may_be_more():
        problems.append(field.too_many(path, len(seen), SELECTABLE_FIELDS_MAX))
    return problems
