"""The Go types of CustomResourceDefinition v1, as data.

Source: apiextensions-apiserver/pkg/apis/apiextensions/v1/types.go, types_jsonschema.go (1.36).
"""

from __future__ import annotations

from typing import Final

from quarterdeck.schema.gotype import (
    ANY,
    BOOL,
    BYTES,
    FLOAT,
    INT32,
    INT64,
    STRING,
    TIME,
    Field,
    ListOf,
    MapOf,
    Scalar,
    Struct,
    Union,
)

_text = Field(STRING)
_text_always = Field(STRING, always=True)
_flag = Field(BOOL)
_flag_pointer = Field(BOOL, pointer=True)
_count = Field(INT64, pointer=True)
_number = Field(FLOAT, pointer=True)
_texts = Field(ListOf(STRING))


def _named_text(name: str) -> Scalar:
    """A string type of its own, which Go's errors name."""
    return Scalar(f"v1.{name}", "string")


# The schema contains itself: its fields are filled in after the type exists. Its lists and maps are decoded as if they
# were pointers: validation tells one that is written down empty from one that is absent (empties.py takes them out).
_schema_fields: dict[str, Field] = {}
JSON_SCHEMA_PROPS: Final = Struct("JSONSchemaProps", _schema_fields)
_schema_texts = Field(ListOf(STRING), pointer=True)
_schemas = Field(ListOf(JSON_SCHEMA_PROPS), pointer=True)
_schema_map = Field(MapOf(JSON_SCHEMA_PROPS), pointer=True)

_schema_fields.update(
    {
        "id": _text,
        "$schema": Field(_named_text("JSONSchemaURL")),
        "$ref": Field(STRING, pointer=True),
        "description": _text,
        "type": _text,
        "format": _text,
        "title": _text,
        "default": Field(ANY, pointer=True),
        "maximum": _number,
        "exclusiveMaximum": _flag,
        "minimum": _number,
        "exclusiveMinimum": _flag,
        "maxLength": _count,
        "minLength": _count,
        "pattern": _text,
        "maxItems": _count,
        "minItems": _count,
        "uniqueItems": _flag,
        "multipleOf": _number,
        "enum": Field(ListOf(ANY, name="[]v1.JSON"), pointer=True),
        "maxProperties": _count,
        "minProperties": _count,
        "required": _schema_texts,
        "items": Field(Union(JSON_SCHEMA_PROPS, list_of=JSON_SCHEMA_PROPS), pointer=True),
        "allOf": _schemas,
        "oneOf": _schemas,
        "anyOf": _schemas,
        "not": Field(JSON_SCHEMA_PROPS, pointer=True),
        "properties": _schema_map,
        "additionalProperties": Field(Union(JSON_SCHEMA_PROPS, or_bool=True), pointer=True),
        "patternProperties": _schema_map,
        "dependencies": Field(
            MapOf(Union(JSON_SCHEMA_PROPS, list_of=STRING), name="v1.JSONSchemaDependencies"), pointer=True
        ),
        "additionalItems": Field(Union(JSON_SCHEMA_PROPS, or_bool=True), pointer=True),
        "definitions": Field(MapOf(JSON_SCHEMA_PROPS, name="v1.JSONSchemaDefinitions"), pointer=True),
        "externalDocs": Field(Struct("ExternalDocumentation", {"description": _text, "url": _text}), pointer=True),
        "example": Field(ANY, pointer=True),
        "nullable": _flag,
        "x-kubernetes-preserve-unknown-fields": _flag_pointer,
        "x-kubernetes-embedded-resource": _flag,
        "x-kubernetes-int-or-string": _flag,
        "x-kubernetes-list-map-keys": _schema_texts,
        "x-kubernetes-list-type": Field(STRING, pointer=True),
        "x-kubernetes-map-type": Field(STRING, pointer=True),
        "x-kubernetes-validations": Field(
            ListOf(
                Struct(
                    "ValidationRule",
                    {
                        "rule": _text_always,
                        "message": _text,
                        "messageExpression": _text,
                        "reason": Field(_named_text("FieldValueErrorReason"), pointer=True),
                        "fieldPath": _text,
                        "optionalOldSelf": _flag_pointer,
                    },
                ),
                name="v1.ValidationRules",
            ),
            pointer=True,
            list_keys=("rule",),
        ),
    }
)

NAMES: Final = Struct(
    "CustomResourceDefinitionNames",
    {
        "plural": _text_always,
        "singular": _text,
        "shortNames": _texts,
        "kind": _text_always,
        "listKind": _text,
        "categories": _texts,
    },
)

WEBHOOK_CLIENT: Final = Struct(
    "WebhookClientConfig",
    {
        "url": Field(STRING, pointer=True),
        "service": Field(
            Struct(
                "ServiceReference",
                {
                    "namespace": _text_always,
                    "name": _text_always,
                    "path": Field(STRING, pointer=True),
                    "port": Field(INT32, pointer=True),
                },
            ),
            pointer=True,
        ),
        "caBundle": Field(BYTES),
    },
)

_CONVERSION = Struct(
    "CustomResourceConversion",
    {
        "strategy": Field(_named_text("ConversionStrategyType"), always=True),
        "webhook": Field(
            Struct(
                "WebhookConversion",
                {
                    "clientConfig": Field(WEBHOOK_CLIENT, pointer=True),
                    "conversionReviewVersions": Field(ListOf(STRING), always=True),
                },
            ),
            pointer=True,
        ),
    },
)

_SUBRESOURCES = Struct(
    "CustomResourceSubresources",
    {
        "status": Field(Struct("CustomResourceSubresourceStatus", {}), pointer=True),
        "scale": Field(
            Struct(
                "CustomResourceSubresourceScale",
                {
                    "specReplicasPath": _text_always,
                    "statusReplicasPath": _text_always,
                    "labelSelectorPath": Field(STRING, pointer=True),
                },
            ),
            pointer=True,
        ),
    },
)

_COLUMN = Struct(
    "CustomResourceColumnDefinition",
    {
        "name": _text_always,
        "type": _text_always,
        "format": _text,
        "description": _text,
        "priority": Field(INT32),
        "jsonPath": _text_always,
    },
)

VERSION: Final = Struct(
    "CustomResourceDefinitionVersion",
    {
        "name": _text_always,
        "served": Field(BOOL, always=True),
        "storage": Field(BOOL, always=True),
        "deprecated": _flag,
        "deprecationWarning": Field(STRING, pointer=True),
        "schema": Field(
            Struct("CustomResourceValidation", {"openAPIV3Schema": Field(JSON_SCHEMA_PROPS, pointer=True)}),
            pointer=True,
        ),
        "subresources": Field(_SUBRESOURCES, pointer=True),
        # Empty ones are kept until `empties` has taken them out.
        "additionalPrinterColumns": Field(ListOf(_COLUMN), pointer=True),
        "selectableFields": Field(ListOf(Struct("SelectableField", {"jsonPath": _text_always})), pointer=True),
    },
)

_CONDITION = Struct(
    "CustomResourceDefinitionCondition",
    {
        "type": Field(_named_text("CustomResourceDefinitionConditionType"), always=True),
        "status": Field(_named_text("ConditionStatus"), always=True),
        "lastTransitionTime": Field(TIME, always=True),
        "reason": _text,
        "message": _text,
        "observedGeneration": Field(INT64),
    },
)

SPEC: Final = Struct(
    "CustomResourceDefinitionSpec",
    {
        "group": _text_always,
        "names": Field(NAMES, always=True),
        "scope": Field(_named_text("ResourceScope"), always=True),
        "versions": Field(ListOf(VERSION), always=True),
        "conversion": Field(_CONVERSION, pointer=True),
        "preserveUnknownFields": _flag,
    },
)

CUSTOM_RESOURCE_DEFINITION: Final = Struct(
    "CustomResourceDefinition",
    {
        "spec": Field(SPEC, always=True),
        "status": Field(
            Struct(
                "CustomResourceDefinitionStatus",
                {
                    "conditions": Field(ListOf(_CONDITION), always=True, list_keys=("type",)),
                    "acceptedNames": Field(NAMES, always=True),
                    "storedVersions": Field(ListOf(STRING), always=True),
                    "observedGeneration": Field(INT64),
                },
            )
        ),
    },
)
