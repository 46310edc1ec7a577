"""Whether the defaults of a structural schema are themselves good values.

A default must fit its own schema, hold no unknown field, and be usable in the metadata of the resource it stands in.
Source: apiextensions-apiserver/pkg/apiserver/schema/defaulting/{validation,surroundingobject}.go.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from quarterdeck._kernels import schema_equal, schema_walk
from quarterdeck.apimachinery import field
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.schema import embeddedobject, metadecode
from quarterdeck.schema.engine import Engine
from quarterdeck.schema.structural import EMBEDDED, INT_OR_STRING, Props, Structural

# Checks a default by its schema's own rules: (schema, default, path) -> errors.
RuleCheck = Callable[[Props, Any, str], list[FieldError]]


@dataclass(frozen=True, slots=True)
class _Place:
    """A schema on the way down; `within` leads to it from `resource`, the nearest one with metadata."""

    schema: Props
    path: str
    resource: Props
    within: tuple[str | int, ...]
    is_meta: bool  # inside apiVersion, kind or metadata of that resource


def validate_defaults(structural: Structural, path: str, check_rules: RuleCheck | None = None) -> list[FieldError]:
    """`check_rules` is asked about a default that nothing else is wrong with."""
    errors: list[FieldError] = []
    root = structural.props
    stack = [_Place(root, path, root, (), False)]
    while stack:
        place = stack.pop()
        if place.schema.get(EMBEDDED):
            place = _Place(place.schema, place.path, place.schema, (), False)
        if place.schema.get("default") is not None:
            errors += _validate_default(place, place.schema is root, check_rules)
        # Defaults below additionalProperties are forbidden, so that nothing is looked for there.
        if isinstance(place.schema.get("items"), dict):
            stack.append(
                _Place(place.schema["items"], f"{place.path}.items", place.resource, (*place.within, 0), place.is_meta)
            )
        is_resource = place.schema is root or bool(place.schema.get(EMBEDDED))
        for key, child in (place.schema.get("properties") or {}).items():
            is_meta = place.is_meta or (is_resource and key in ("apiVersion", "kind", "metadata"))
            at = f"{place.path}.properties[{key}]"
            stack.append(_Place(child, at, place.resource, (*place.within, key), is_meta))
    return errors


def _validate_default(place: _Place, is_root: bool, check_rules: RuleCheck | None) -> list[FieldError]:
    default, path = place.schema["default"], f"{place.path}.default"
    is_resource = is_root or bool(place.schema.get(EMBEDDED))
    if place.is_meta:
        errors = _validate_within_metadata(place, default, path)
    else:
        errors = _validate_pruned(place.schema, default, path, is_resource)
    if not place.is_meta and (embedded := _validate_embedded(place.schema, default, path, is_resource)):
        return errors + embedded
    if place.is_meta and errors:
        return errors
    found = Engine(_without_int_or_string(place.schema), is_resource_root=False).validate_value(default, path)
    if not found and check_rules is not None:
        found = check_rules(place.schema, default, path)
    return errors + found


def _without_int_or_string(schema: Props) -> Props:
    """Upstream forgets that keyword when it checks a default, so that any type will do."""
    made = dict(schema)
    stack = [made]
    while stack:
        copied = stack.pop()
        copied.pop(INT_OR_STRING, None)
        for name in ("items", "additionalProperties"):
            if isinstance(copied.get(name), dict):
                copied[name] = dict(copied[name])
                stack.append(copied[name])
        if copied.get("properties"):
            copied["properties"] = {key: dict(child) for key, child in copied["properties"].items()}
            stack.extend(copied["properties"].values())
    return made


def _validate_pruned(schema: Props, default: Any, path: str, is_resource: bool) -> list[FieldError]:
    if not isinstance(default, (dict, list)):
        return []
    pruned = {"default": schema_walk.copy_json(default)}
    # Wrapped, since a list is no object; a resource's own fields are known without the schema's saying so.
    wrapper = {"properties": {"default": {**schema, EMBEDDED: True} if is_resource else schema}}
    schema_walk.walk(Engine(wrapper).program, pruned, False, False, False)
    if schema_equal.deep_equal(pruned["default"], default):
        return []
    return [field.invalid(path, default, "must not have unknown fields")]


def _validate_embedded(schema: Props, default: Any, path: str, is_resource: bool) -> list[FieldError]:
    wrapper = {"properties": {"default": {**schema, EMBEDDED: True} if is_resource else schema}}
    copied = {"default": schema_walk.copy_json(default)}
    for inner, resource in schema_walk.list_embedded(Engine(wrapper).program, copied):
        at = path + inner.removeprefix("default")
        try:
            embeddedobject.coerce(resource, at)
        except metadecode.DecodeError as error:
            return [FieldError(field.INVALID, at, field.OMIT_VALUE, str(error))]
        if errors := embeddedobject.validate(resource, at):
            return errors
    return []


def _validate_within_metadata(place: _Place, default: Any, path: str) -> list[FieldError]:
    """The default is put into a resource that is otherwise good, and that resource is validated."""
    resource: dict[str, Any] = {"apiVersion": "validation/v1", "kind": "Validation"}
    resource.update(_surround(default, place.within))
    try:
        embeddedobject.coerce(resource, "")
    except metadecode.DecodeError as error:
        return [field.invalid(path, default, f"must result in valid metadata: {error}")]
    errors = embeddedobject.validate(resource, "")
    if not errors:
        return []
    return [field.invalid(path, default, f"must result in valid metadata: {field.aggregate_message(errors)}")]


def _surround(value: Any, within: Sequence[str | int]) -> Any:
    for step in reversed(within):
        value = [schema_walk.copy_json(value)] if isinstance(step, int) else {step: schema_walk.copy_json(value)}
    return value
