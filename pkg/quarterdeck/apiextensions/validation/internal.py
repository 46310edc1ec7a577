"""How upstream's internal Go structs print as bad values: JSON with Go's field names, in the order of the struct.

Source: apiextensions-apiserver/pkg/apis/apiextensions/{types,types_jsonschema}.go.
"""

from __future__ import annotations

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
_LISTS_OF_SCHEMAS: Final = frozenset(("allOf", "oneOf", "anyOf"))
_MAPS_OF_SCHEMAS: Final = frozenset(("properties", "patternProperties", "definitions"))

GO_NAMES: Final = {json_name: go_name for go_name, json_name, _ in _SCHEMA}


def print_schema(schema: dict[str, Any]) -> field.GoText:
    return field.GoText(_schema(schema))


def print_versions(versions: list[dict[str, Any]], hoisted: frozenset[str]) -> field.GoText:
    """`hoisted`: members that all versions share, which upstream keeps beside the versions."""
    return field.GoText("[" + ",".join(_version(version, hoisted) for version in versions) + "]")


def _version(version: dict[str, Any], hoisted: frozenset[str]) -> str:
    members = [f'"{go_name}":{gofmt.format_json(version.get(name, zero))}' for go_name, name, zero in _VERSION]
    schema = None if "schema" in hoisted else (version.get("schema") or {}).get("openAPIV3Schema")
    members.append('"Schema":' + ("null" if schema is None else f'{{"OpenAPIV3Schema":{_schema(schema)}}}'))
    for go_name, name in (
        ("Subresources", "subresources"),
        ("AdditionalPrinterColumns", "additionalPrinterColumns"),
        ("SelectableFields", "selectableFields"),
    ):
        members.append(f'"{go_name}":{gofmt.format_json(None if name in hoisted else version.get(name))}')
    return "{" + ",".join(members) + "}"


def _schema(schema: dict[str, Any]) -> str:
    members = (f'"{go_name}":{_value(name, schema.get(name, zero))}' for go_name, name, zero in _SCHEMA)
    return "{" + ",".join(members) + "}"


def _value(name: str, value: Any) -> str:
    if value is None:
        return "null"
    if name == "not":
        return _schema(value)
    if name in _LISTS_OF_SCHEMAS:
        return "[" + ",".join(map(_schema, value)) + "]"
    if name in _MAPS_OF_SCHEMAS:
        return "{" + ",".join(f"{gofmt.format_json(key)}:{_schema(value[key])}" for key in sorted(value)) + "}"
    if name == "items":
        if not isinstance(value, dict):
            return gofmt.format_json(value)
        return f'{{"Schema":{_schema(value)},"JSONSchemas":null}}'
    if name in ("additionalProperties", "additionalItems"):
        if isinstance(value, bool):
            return f'{{"Allows":{gofmt.format_json(value)},"Schema":null}}'
        return f'{{"Allows":true,"Schema":{_schema(value)}}}'
    if name == "x-kubernetes-validations":
        return "[" + ",".join(_rule(rule) for rule in value) + "]"
    return gofmt.format_json(value)


def _rule(rule: dict[str, Any]) -> str:
    members = (f'"{go_name}":{gofmt.format_json(rule.get(name, zero))}' for go_name, name, zero in _RULE)
    return "{" + ",".join(members) + "}"
