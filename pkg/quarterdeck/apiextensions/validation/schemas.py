"""One openAPIV3Schema of a definition: structural rules, keywords, list and map types, defaults, CEL rules.

Schemas are walked with an explicit stack: they may be nested as deep as the definition's decoder lets them.
Source: validation.go (ValidateCustomResourceDefinitionValidation, …OpenAPISchema, specStandardValidatorV3),
pkg/apiserver/schema/defaulting/validation.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, final

from quarterdeck._kernels import longsteps
from quarterdeck._kernels.schemasurvey import Survey
from quarterdeck.apiextensions.validation import internal, merging
from quarterdeck.apiextensions.validation.defaults import NO_DEMANDS, Demands, are_right, validate_defaults
from quarterdeck.apiextensions.validation.tolerance import NO_TOLERANCE, Tolerance
from quarterdeck.apimachinery import field
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.schema import structural

Schema = dict[str, Any]

_TYPES: Final = ["array", "boolean", "integer", "number", "object", "string"]
_TYPES_SET: Final = frozenset(_TYPES)
_META_FIELDS: Final = frozenset(("metadata", "kind", "apiVersion"))
_UNSUPPORTED: Final = ("id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref")
_UNSUPPORTED_SET: Final = frozenset(_UNSUPPORTED)
_UNSUPPORTED_EVEN_EMPTY: Final = ("additionalItems", "dependencies", "$ref")
_JUNCTORS: Final = ("allOf", "oneOf", "anyOf")
_RARE: Final = frozenset((*_JUNCTORS, "not", "definitions", "dependencies"))
_CHECKED: Final = _UNSUPPORTED_SET | {"default", "uniqueItems", structural.EMBEDDED}
_LATER: Final = frozenset(
    (
        structural.PRESERVE,
        structural.MAP_TYPE,
        structural.LIST_TYPE,
        structural.LIST_MAP_KEYS,
        structural.VALIDATIONS,
    )
)
_PLAIN_KEYWORDS: Final = structural.PLAIN_KEYWORDS | {"pattern", "required"}
_PLAIN_TYPES: Final = structural.PLAIN_TYPES
# The root's fields that a definition with a status subresource may use, in Go's names.
_ROOT_FIELDS: Final = [
    "Description", "Type", "Format", "Title", "Maximum", "ExclusiveMaximum", "Minimum", "ExclusiveMinimum",
    "MaxLength", "MinLength", "Pattern", "MaxItems", "MinItems", "UniqueItems", "MultipleOf", "Required", "Items",
    "Properties", "ExternalDocs", "Example", "XPreserveUnknownFields", "XValidations",
]  # fmt: skip


@final
class _Place:
    """A schema on its way. `no_defaults`: why defaults are forbidden here ("" where they are not)."""

    __slots__ = ("is_inside_meta", "is_root", "no_defaults", "path", "schema")

    def __init__(self, schema: Schema, path: str, is_root: bool, no_defaults: str, is_inside_meta: bool) -> None:
        self.schema = schema
        self.path = path
        self.is_root = is_root
        self.no_defaults = no_defaults
        self.is_inside_meta = is_inside_meta


def validate_schema(schema: Schema, path: str, *, has_status: bool, demands: Demands = NO_DEMANDS) -> list[FieldError]:
    """`path` is that of the schema itself (`spec.validation.openAPIV3Schema`). Raises TakesLong where the rules on
    defaults cost more than is allowed."""
    survey = Survey(schema)
    if _is_right(survey, schema, has_status=has_status, demands=demands):
        return _compile_rules(schema, path, [], demands) if survey.has_rules else []
    unreadable = structural.conversion_error(schema) if demands.is_structural else ""
    found: list[FieldError] = []
    structural_ok = False
    if unreadable or not demands.is_structural:
        pass  # upstream tells it only where no other validation of the schema has failed
    elif not (found := structural.find_errors(schema, path)):
        found = validate_defaults(schema, path, demands)
        structural_ok = not found
    # Told first, but with the metadata in defaults as it has been read by now.
    problems = _validate_root(schema, path) if has_status else []
    if schema.get("nullable"):
        problems.append(field.forbidden(f"{path}.nullable", "nullable cannot be true at the root"))
    problems += found
    is_readable = demands.is_structural and not unreadable
    of_nodes, faulty = _validate_nodes(schema, path, demands.tolerance, is_readable=is_readable)
    problems += of_nodes
    if structural_ok and survey.has_rules:
        problems += _compile_rules(schema, path, faulty, demands)
    return problems or ([field.invalid(path, "", unreadable)] if unreadable else [])


def _is_right(survey: Survey, schema: Schema, *, has_status: bool, demands: Demands) -> bool:
    """Whether nothing is wrong but, perhaps, its rules. Where this does not know, it is False: what follows has the
    words, and the order in which upstream tells them."""
    return (
        survey.is_ordinary
        and not schema.get("nullable")
        and not (has_status and _validate_root(schema, ""))
        and structural.is_root_right(schema)
        and all(structural.is_pattern(pattern) for pattern in survey.patterns)
        and not any(
            _validate_after_children(_Place(each, "", False, "", False), NO_TOLERANCE, True) for each in survey.merging
        )
        and are_right(survey, schema, demands)
    )


def _compile_rules(schema: Schema, path: str, faulty: list[str], demands: Demands) -> list[FieldError]:
    """`faulty`: the paths of schemas with faults, at and above which rules are not compiled."""
    from quarterdeck.cel import crd_rules

    found = crd_rules.compile_rules(schema, is_root=True, path=path, faulty_paths=faulty).cel_errors
    if found and demands.tolerance.is_unchanged(demands.version):
        unbounded = crd_rules.compile_rules(schema, is_root=True, path=path, faulty_paths=faulty, bounds_each=False)
        return unbounded.cel_errors
    return found


def _validate_root(schema: Schema, path: str) -> list[FieldError]:
    """With a status subresource the root may say little: status is validated on its own."""
    for go_name, name, zero in internal.SCHEMA_MEMBERS:
        value = schema.get(name, zero)
        if value == zero and type(value) is type(zero):
            continue
        if go_name == "Type":
            if value != "object":
                text = (
                    'only "object" is allowed as the type at the root of the schema if the status subresource '
                    "is enabled"
                )
                return [field.invalid(f"{path}.type", value, text)]
        elif go_name not in _ROOT_FIELDS:
            text = (
                f"only [{' '.join(_ROOT_FIELDS)}] fields are allowed at the root of the schema if the status "
                "subresource is enabled"
            )
            return [field.invalid(path, internal.print_schema(schema), text)]
    return []


def _validate_nodes(
    root: Schema, path: str, tolerance: Tolerance, *, is_readable: bool
) -> tuple[list[FieldError], list[str]]:
    """What is wrong with each schema by itself, and the paths of those with which something is. How its lists and maps
    merge and its rules come after the schemas in it. `is_readable`: the root, and with it all below, can be read as
    structural."""
    problems: list[FieldError] = []
    faulty: list[str] = []
    stack: list[tuple[_Place, bool]] = [(_Place(root, path, True, "", False), False)]
    while stack:
        place, is_left = stack.pop()
        longsteps.pause()
        if is_left:
            found = _validate_after_children(place, tolerance, is_readable)
        else:
            found = [] if _is_ordinary(place.schema) else _validate_before_children(place, tolerance)
            if not _LATER.isdisjoint(place.schema):
                stack.append((place, True))
            stack += [(child, False) for child in reversed(list(_children(place)))]
        if found:
            problems += found
            faulty.append(place.path)
    return problems, faulty


def _children(place: _Place) -> Iterator[_Place]:
    """In the order in which upstream looks at them."""
    schema, path, forbidden, is_meta = place.schema, place.path, place.no_defaults, place.is_inside_meta
    additional = schema.get("additionalProperties")
    if isinstance(additional, dict):
        why = "inside additionalProperties applying to object metadata" if is_meta else forbidden
        yield _Place(additional, f"{path}.additionalProperties", False, why, is_meta)
    is_resource = place.is_root or schema.get("x-kubernetes-embedded-resource")
    for name, child in (schema.get("properties") or {}).items():
        longsteps.pause()
        if child.keys() <= _PLAIN_KEYWORDS and child.get("type") in _PLAIN_TYPES:
            continue
        at = f"{path}.properties[{name}]"
        if is_resource and name in _META_FIELDS:
            yield _Place(child, at, False, f"in top-level {name}" if place.is_root else forbidden, True)
        else:
            yield _Place(child, at, False, forbidden, is_meta)
    is_rare = not _RARE.isdisjoint(schema)
    if is_rare:
        for step, child in _before_items(schema):
            yield _Place(child, f"{path}.{step}", False, forbidden, is_meta)
    if "items" in schema:
        yield from _item_places(schema["items"], f"{path}.items", forbidden, is_meta)
    if is_rare:
        for name, child in (schema.get("dependencies") or {}).items():
            if isinstance(child, dict):
                yield _Place(child, f"{path}.dependencies[{name}]", False, forbidden, is_meta)


def _item_places(items: Any, path: str, forbidden: str, is_meta: bool) -> Iterator[_Place]:
    if isinstance(items, dict):
        yield _Place(items, path, False, forbidden, is_meta)
    for position, child in enumerate(items if isinstance(items, list) else ()):
        yield _Place(child, f"{path}[{position}]", False, forbidden, is_meta)


def _before_items(schema: Schema) -> Iterator[tuple[str, Schema]]:
    if isinstance(schema.get("not"), dict):
        yield "not", schema["not"]
    for junctor in _JUNCTORS:
        for position, child in enumerate(schema.get(junctor) or ()):
            yield f"{junctor}[{position}]", child
    for name, child in (schema.get("definitions") or {}).items():
        yield f"definitions[{name}]", child


def _is_ordinary(schema: Schema) -> bool:
    """Nothing that `_validate_before_children` looks at is there."""
    if not _CHECKED.isdisjoint(schema) or schema.get("type") not in _TYPES_SET:
        return False
    if isinstance(schema.get("items"), list):
        return False
    return not ("additionalProperties" in schema and "properties" in schema)


def _validate_before_children(place: _Place, tolerance: Tolerance) -> list[FieldError]:
    schema, path = place.schema, place.path
    problems = list(_standard(place, tolerance))
    if schema.get("uniqueItems"):
        text = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
        problems.append(field.forbidden(f"{path}.uniqueItems", text))
    additional = schema.get("additionalProperties")
    if additional not in (None, True) and schema.get("properties"):
        text = "additionalProperties and properties are mutual exclusive"
        problems.append(field.forbidden(f"{path}.additionalProperties", text))
    return problems


def _validate_after_children(place: _Place, tolerance: Tolerance, is_root_readable: bool) -> list[FieldError]:
    schema, path = place.schema, place.path
    problems: list[FieldError] = []
    if schema.get("x-kubernetes-preserve-unknown-fields") is False:
        at = f"{path}.x-kubernetes-preserve-unknown-fields"
        problems.append(field.invalid(at, False, "must be true or undefined"))
    problems += merging.validate(schema, path, tolerance)
    rules = schema.get(structural.VALIDATIONS)
    if rules:
        from quarterdeck.cel import rule_texts

        is_readable = is_root_readable or not structural.conversion_error(schema)
        at = f"{path}.{structural.VALIDATIONS}"
        problems += rule_texts.validate_texts(rules, schema, at, has_fields=is_readable)
    return problems


def _has_unknown_type(schema: Schema) -> bool:
    kind = schema.get("type") or ""
    return bool(kind) and kind not in _TYPES_SET


def _standard(place: _Place, tolerance: Tolerance) -> Iterator[FieldError]:
    """What structural schemas of v1 do not support at all (upstream: specStandardValidatorV3)."""
    schema, path = place.schema, place.path
    kind = schema.get("type") or ""
    if _has_unknown_type(schema) and not tolerance.had(_has_unknown_type):
        yield field.not_supported(f"{path}.type", kind, _TYPES)
    if schema.get("default") is not None and place.no_defaults:
        yield field.forbidden(f"{path}.default", f"must not be set {place.no_defaults}")
    if not _UNSUPPORTED_SET.isdisjoint(schema):
        for name in _UNSUPPORTED:
            if schema.get(name) is not None and (name in _UNSUPPORTED_EVEN_EMPTY or schema[name] not in ("", {})):
                yield field.forbidden(f"{path}.{name}", f"{name} is not supported")
    if kind == "null":
        yield field.forbidden(f"{path}.type", "type cannot be set to null, use nullable as an alternative")
    if isinstance(schema.get("items"), list) and schema["items"]:
        yield field.forbidden(f"{path}.items", "items must be a schema object and not an array")
    if place.is_inside_meta and schema.get("x-kubernetes-embedded-resource"):
        at = f"{path}.x-kubernetes-embedded-resource"
        yield field.forbidden(at, "must not be used inside of resource meta")
