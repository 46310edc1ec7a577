"""What is wrong with one default as a value of its schema.

Sources: apiextensions-apiserver/pkg/apiserver/schema/{pruning,objectmeta}/algorithm.go, objectmeta/validation.go,
kubeopenapi.go (what the validator of defaults knows of a schema).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from quarterdeck._kernels import json as json_kernel
from quarterdeck.apiextensions.validation import subschemas
from quarterdeck.apimachinery import field
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.schema import embeddedobject, metadecode, structural
from quarterdeck.schema.engine import Engine

Schema = dict[str, Any]

_META_FIELDS: Final = frozenset(("metadata", "kind", "apiVersion"))
_TYPES: Final = frozenset(("array", "boolean", "integer", "number", "object", "string"))
_WITHOUT_TYPE: Final = " must be of type : "
_STEPS: Final = re.compile(r"\[(\d+)\]|([^.\[\]]+)")


def has_unknown_fields(value: Any, schema: Schema, *, is_resource: bool) -> bool:
    """Whether pruning would take something away. A resource's apiVersion, kind and metadata are never pruned."""
    stack: list[tuple[Any, Schema | None, bool, bool]] = [(value, schema, is_resource, False)]
    while stack:
        item, known, resource, keeps = stack.pop()
        keeps = keeps or bool((known or {}).get(structural.PRESERVE))
        if isinstance(item, list):
            items = (known or {}).get("items")
            inner = items if isinstance(items, dict) else None
            if inner is not None or not keeps:
                stack += [(each, inner, _is_resource(inner), keeps) for each in item]
        elif isinstance(item, dict):
            if known is None:
                if item:
                    return True
                continue
            for name, each in item.items():
                if resource and name in _META_FIELDS:
                    continue
                found, child = _schema_of(known, name)
                if found:
                    stack.append((each, child, _is_resource(child), False))
                elif not keeps:
                    return True
    return False


def _is_resource(schema: Schema | None) -> bool:
    return bool((schema or {}).get(structural.EMBEDDED))


def _schema_of(schema: Schema, name: str) -> tuple[bool, Schema | None]:
    """Whether a member is known, and its schema if it has one."""
    properties = schema.get("properties") or {}
    if name in properties:
        return True, properties[name]
    values = schema.get("additionalProperties")
    return values is not None, values if isinstance(values, dict) else None


def resource_problems(value: Any, schema: Schema, path: str, *, is_resource: bool) -> list[FieldError]:
    """Of the resources in the value: the first that cannot be read, or else what is wrong with each."""
    resources = list(_resources(value, schema, path, is_resource))
    for at, resource in resources:
        if (problem := _unreadable(resource, at)) is not None:
            return [problem]
    for _, resource in resources:
        if "metadata" in resource:
            # What is stored is what was read: fields that metadata does not have are gone.
            resource["metadata"] = metadecode.decode_object_meta(resource["metadata"])[0]
    return [problem for at, resource in resources for problem in embeddedobject.validate(resource, at)]


def has_unread_metadata(value: Any, schema: Schema, *, is_resource: bool) -> bool:
    """Whether a resource in the value would lose something when it is read."""
    for _, resource in _resources(value, schema, "", is_resource):
        read = json_kernel.copy(resource)
        embeddedobject.coerce_leniently(read)
        if read != resource:
            return True
    return False


def _resources(value: Any, schema: Schema, path: str, is_resource: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    stack: list[tuple[Any, Schema, str, bool]] = [(value, schema, path, is_resource)]
    while stack:
        item, known, at, resource = stack.pop()
        if isinstance(item, list):
            items = known.get("items")
            if isinstance(items, dict):
                places = [(each, items, field.index(at, i), _is_resource(items)) for i, each in enumerate(item)]
                stack += reversed(places)
        elif isinstance(item, dict):
            if resource:
                yield at, item
            for name, each in item.items():
                _, child = _schema_of(known, name)
                if child is not None:
                    is_property = name in (known.get("properties") or {})
                    below = field.child(at, name) if is_property else field.key(at, name)
                    stack.append((each, child, below, _is_resource(child)))


def _unreadable(resource: dict[str, Any], path: str) -> FieldError | None:
    for name in ("apiVersion", "kind"):
        if name in resource and not isinstance(resource[name], str):
            return field.invalid(f"{path}.{name}", resource[name], "must be a string")
    if "metadata" in resource:
        try:
            metadecode.decode_object_meta(json_kernel.copy(resource["metadata"]))
        except metadecode.DecodeError as error:
            return field.invalid(f"{path}.metadata", resource["metadata"], str(error))
    return None


def schema_problems(value: Any, schema: Schema, path: str) -> list[FieldError]:
    """What the schema says of the value. The validator of defaults does not know int-or-string: any type passes. It
    knows all formats, whatever their type, and the type null."""
    bare = {name: inner for name, inner in schema.items() if name != "default"}
    has_other_types = False
    if any(each.get(structural.INT_OR_STRING) or each.get("type") not in _TYPES for each in subschemas.walk(bare)):
        bare = _for_defaults(bare)
        has_other_types = any((each.get("type") or "object") not in _TYPES for each in subschemas.walk(bare))
    problems = Engine(bare, is_resource_root=False, keeps_formats=True).validate_value(value, "")
    return [_below(path, _with_type(problem, schema) if has_other_types else problem) for problem in problems]


def _for_defaults(schema: Schema) -> Schema:
    """A copy as the validator of defaults reads it; recursion is bounded by the depth to which definitions are
    decoded."""
    read = {name: _members_for_defaults(name, inner) for name, inner in schema.items()}
    read.pop(structural.INT_OR_STRING, None)
    return {**read, "nullable": True} if read.get("type") == "null" else read


def _members_for_defaults(name: str, inner: Any) -> Any:
    """`inner` with the schemas in it copied, where there are any."""
    if name == "properties":
        return {each: _for_defaults(child) for each, child in (inner or {}).items()}
    if name in ("allOf", "anyOf", "oneOf"):
        return [_for_defaults(child) for child in inner or ()]
    if name in ("items", "additionalProperties", "not") and isinstance(inner, dict):
        return _for_defaults(inner)
    return inner


def _with_type(problem: FieldError, schema: Schema) -> FieldError:
    """Types that do not exist have no name in the engine: the schema has it."""
    if problem.type != field.TYPE_INVALID or _WITHOUT_TYPE not in problem.detail:
        return problem
    at, _, rest = problem.detail.partition(_WITHOUT_TYPE)
    kind = _type_at(schema, at.removesuffix(" in body"))
    return FieldError(problem.type, problem.path, problem.bad_value, f"{at} must be of type {kind}: {rest}")


def _type_at(schema: Schema, path: str) -> str:
    node: Schema | None = schema
    for index, name in _STEPS.findall(path):
        if node is not None:
            node = node.get("items") if index else _schema_of(node, name)[1]
    return str((node or {}).get("type", ""))


def _below(path: str, problem: FieldError) -> FieldError:
    """An error of the value, at its place in the definition."""
    at = problem.path
    if at in ("", field.NIL_PATH):
        return FieldError(problem.type, path, problem.bad_value, problem.detail)
    return FieldError(problem.type, f"{path}.{at}", problem.bad_value, problem.detail)
