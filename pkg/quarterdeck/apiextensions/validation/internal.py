"""How upstream's internal Go structs print as bad values: JSON with Go's field names, in the order of the struct.

Source: apiextensions-apiserver/pkg/apis/apiextensions/{types,types_jsonschema}.go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from quarterdeck.apimachinery import field, gofmt

# (Go name, name in JSON, zero value); kinds of values that need more are told apart in _value.
_SCHEMA: Final = (
    ("ID", "id", ""),
    ("Schema", "$schema", ""),
    ("Ref", "$ref", None),
    ("Description", "description", ""),
    ("Type", "type", ""),
    ("Nullable", "nullable", False),
    ("Format", "format", ""),
    ("Title", "title", ""),
    ("Default", "default", None),
    ("Maximum", "maximum", None),
    ("ExclusiveMaximum", "exclusiveMaximum", False),
    ("Minimum", "minimum", None),
    ("ExclusiveMinimum", "exclusiveMinimum", False),
    ("MaxLength", "maxLength", None),
    ("MinLength", "minLength", None),
    ("Pattern", "pattern", ""),
    ("MaxItems", "maxItems", None),
    ("MinItems", "minItems", None),
    ("UniqueItems", "uniqueItems", False),
    ("MultipleOf", "multipleOf", None),
    ("Enum", "enum", None),
    ("MaxProperties", "maxProperties", None),
    ("MinProperties", "minProperties", None),
    ("Required", "required", None),
    ("Items", "items", None),
    ("AllOf", "allOf", None),
    ("OneOf", "oneOf", None),
    ("AnyOf", "anyOf", None),
    ("Not", "not", None),
    ("Properties", "properties", None),
    ("AdditionalProperties", "additionalProperties", None),
    ("PatternProperties", "patternProperties", None),
    ("Dependencies", "dependencies", None),
    ("AdditionalItems", "additionalItems", None),
    ("Definitions", "definitions", None),
    ("ExternalDocs", "externalDocs", None),
    ("Example", "example", None),
    ("XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", None),
    ("XEmbeddedResource", "x-kubernetes-embedded-resource", False),
    ("XIntOrString", "x-kubernetes-int-or-string", False),
    ("XListMapKeys", "x-kubernetes-list-map-keys", None),
    ("XListType", "x-kubernetes-list-type", None),
    ("XMapType", "x-kubernetes-map-type", None),
    ("XValidations", "x-kubernetes-validations", None),
)
_RULE: Final = (
    ("Rule", "rule", ""),
    ("Message", "message", ""),
    ("MessageExpression", "messageExpression", ""),
    ("Reason", "reason", None),
    ("FieldPath", "fieldPath", ""),
    ("OptionalOldSelf", "optionalOldSelf", None),
)
_VERSION: Final = (
    ("Name", "name", ""),
    ("Served", "served", False),
    ("Storage", "storage", False),
    ("Deprecated", "deprecated", False),
    ("DeprecationWarning", "deprecationWarning", None),
)
_SCALE: Final = (
    ("SpecReplicasPath", "specReplicasPath", ""),
    ("StatusReplicasPath", "statusReplicasPath", ""),
    ("LabelSelectorPath", "labelSelectorPath", None),
)
_COLUMN: Final = (
    ("Name", "name", ""),
    ("Type", "type", ""),
    ("Format", "format", ""),
    ("Description", "description", ""),
    ("Priority", "priority", 0),
    ("JSONPath", "jsonPath", ""),
)
_SELECTABLE: Final = (("JSONPath", "jsonPath", ""),)
_EXTERNAL_DOCS: Final = (("Description", "description", ""), ("URL", "url", ""))
_LISTS_OF_SCHEMAS: Final = frozenset(("allOf", "oneOf", "anyOf"))
_MAPS_OF_SCHEMAS: Final = frozenset(("properties", "patternProperties", "definitions"))

SCHEMA_MEMBERS: Final = _SCHEMA

_Members = tuple[tuple[str, str, Any], ...]


def print_schema(schema: dict[str, Any]) -> field.GoText:
    return field.GoText(_schema(schema))


def print_items(items: Any) -> field.GoText:
    """`items` of a schema, which is a schema, a list of schemas or neither."""
    return field.GoText(_items(items))


def print_versions(versions: list[dict[str, Any]] | None, hoisted: frozenset[str]) -> field.GoText:
    """`hoisted`: members that all versions share, which upstream keeps beside the versions."""
    return field.GoText(_list(versions, lambda version: _version(version, hoisted)))


def _version(version: dict[str, Any], hoisted: frozenset[str]) -> str:
    own = {name: value for name, value in version.items() if name not in hoisted}
    schema, subresources = own.get("schema"), own.get("subresources")
    members = [
        *_members(_VERSION, version),
        '"Schema":' + ("null" if schema is None else _validation(schema)),
        '"Subresources":' + ("null" if subresources is None else _subresources(subresources)),
        '"AdditionalPrinterColumns":' + _list(own.get("additionalPrinterColumns"), lambda each: _struct(_COLUMN, each)),
        '"SelectableFields":' + _list(own.get("selectableFields"), lambda each: _struct(_SELECTABLE, each)),
    ]
    return "{" + ",".join(members) + "}"


def _validation(validation: dict[str, Any]) -> str:
    schema = validation.get("openAPIV3Schema")
    return '{"OpenAPIV3Schema":' + ("null" if schema is None else _schema(schema)) + "}"


def _subresources(subresources: dict[str, Any]) -> str:
    status, scale = subresources.get("status"), subresources.get("scale")
    shown_scale = "null" if scale is None else _struct(_SCALE, scale)
    return f'{{"Status":{"null" if status is None else "{}"},"Scale":{shown_scale}}}'


def _list(values: list[Any] | None, show: Callable[[Any], str]) -> str:
    return "null" if values is None else "[" + ",".join(map(show, values)) + "]"


def _members(members: _Members, value: dict[str, Any]) -> list[str]:
    return [f'"{go_name}":{gofmt.format_json(value.get(name, zero))}' for go_name, name, zero in members]


def _struct(members: _Members, value: dict[str, Any]) -> str:
    return "{" + ",".join(_members(members, value)) + "}"


def _schema(schema: dict[str, Any]) -> str:
    members = (f'"{go_name}":{_member(schema, name, zero)}' for go_name, name, zero in _SCHEMA)
    return "{" + ",".join(members) + "}"


def _member(schema: dict[str, Any], name: str, zero: Any) -> str:
    """Items that are neither a schema nor a list of them are there, but empty."""
    return _items(None) if name == "items" and schema.get(name, ()) is None else _value(name, schema.get(name, zero))


def _value(name: str, value: Any) -> str:
    if value is None:
        return "null"
    if name == "not":
        return _schema(value)
    if name == "items":
        return _items(value)
    if name in _LISTS_OF_SCHEMAS:
        return _list(value, _schema)
    if name in _MAPS_OF_SCHEMAS:
        return _map(value, _schema)
    if name == "dependencies":
        return _map(value, _schema_or_texts)
    if name in ("additionalProperties", "additionalItems"):
        if isinstance(value, bool):
            return f'{{"Allows":{gofmt.format_json(value)},"Schema":null}}'
        return f'{{"Allows":true,"Schema":{_schema(value)}}}'
    if name == "externalDocs":
        return _struct(_EXTERNAL_DOCS, value)
    if name == "x-kubernetes-validations":
        return _list(value, lambda rule: _struct(_RULE, rule))
    return gofmt.format_json(value)


def _map(value: dict[str, Any], show: Callable[[Any], str]) -> str:
    return "{" + ",".join(f"{gofmt.format_json(key)}:{show(value[key])}" for key in sorted(value)) + "}"


def _items(items: Any) -> str:
    if isinstance(items, dict):
        return f'{{"Schema":{_schema(items)},"JSONSchemas":null}}'
    return f'{{"Schema":null,"JSONSchemas":{_list(items, _schema)}}}'


def _schema_or_texts(value: Any) -> str:
    if isinstance(value, dict):
        return f'{{"Schema":{_schema(value)},"Property":null}}'
    return f'{{"Schema":null,"Property":{gofmt.format_json(value)}}}'
