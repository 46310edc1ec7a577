"""Whether an object's replica counts and label selector are what the scale subresource can use.

Checked with the object itself on create and update, and on the status subresource for what lies in status. Source:
apiextensions-apiserver/pkg/registry/customresource/validator.go (ValidateScaleSpec, ValidateScaleStatus).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from quarterdeck.apimachinery import field, gofmt
from quarterdeck.apimachinery.field import FieldError

_REPLICAS_MAX: Final = 2**31 - 1
_GO_TYPES: Final = {
    bool: "bool",
    int: "int64",
    float: "float64",
    str: "string",
    list: "[]interface {}",
    dict: "map[string]interface {}",
    type(None): "<nil>",
}


def validate_scale(obj: Mapping[str, Any], scale: Mapping[str, Any], *, status_only: bool = False) -> list[FieldError]:
    """`scale` is the CRD's `subresources.scale`; the paths are shown as the CRD writes them."""
    errors = [] if status_only else _validate_replicas(obj, scale.get("specReplicasPath") or "")
    errors += _validate_replicas(obj, scale.get("statusReplicasPath") or "")
    path = scale.get("labelSelectorPath")
    if path is not None:
        _, problem = nested(obj, path, str)
        if problem:
            errors.append(field.invalid(path, "", problem))
    return errors


def _validate_replicas(obj: Mapping[str, Any], path: str) -> list[FieldError]:
    replicas, problem = nested(obj, path, int)
    if problem:
        return [field.invalid(path, 0, problem)]
    if replicas is None:
        return []
    if replicas < 0:
        return [field.invalid(path, replicas, "should be a non-negative integer")]
    if replicas > _REPLICAS_MAX:
        return [field.invalid(path, replicas, f"should be less than or equal to {_REPLICAS_MAX}")]
    return []


def nested(obj: Mapping[str, Any], path: str, wanted: type) -> tuple[Any, str]:
    """(the value, "") where there is one of that type, (None, "") where there is none, (None, why not)."""
    value: Any = obj
    passed: list[str] = []
    for name in path.removeprefix(".").split("."):
        if value is None:
            return None, ""
        passed.append(name)
        if not isinstance(value, dict):
            return None, _accessor_error(passed, value, "map[string]interface{}")
        if name not in value:
            return None, ""
        value = value[name]
    if type(value) is not wanted:
        return None, _accessor_error(passed, value, _GO_TYPES[wanted])
    return value, ""


def _accessor_error(names: list[str], value: Any, wanted: str) -> str:
    shown = f".{'.'.join(names)} accessor error: {gofmt.format_value(value)}"
    return f"{shown} is of the type {_GO_TYPES[type(value)]}, expected {wanted}"
