"""Members of a schema that are an object or something else in JSON, and a message with a field for either in protobuf.

Source: apiextensions-apiserver/pkg/apis/apiextensions/v1/{marshal,types_jsonschema}.go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from quarterdeck.apimachinery.codec.json import Object


class Union(NamedTuple):
    """`to_fields` makes of a JSON value the fields of the message, `from_fields` the other way round."""

    to_fields: Callable[[Any], Object]
    from_fields: Callable[[Object], Any]


def _from_bool_or_schema(value: Any) -> Object:
    if isinstance(value, dict):
        return {"allows": True, "schema": value}
    return {"allows": value is True}


def _to_bool_or_schema(fields: Object) -> Any:
    return fields["schema"] if "schema" in fields else fields.get("allows", False)


def _from_schema_or_list(value: Any, name: str) -> Object:
    if isinstance(value, dict):
        return {"schema": value}
    return {name: value} if isinstance(value, list) else {}


def _to_schema_or_list(fields: Object, name: str) -> Any:
    return fields.get(name) or fields.get("schema")


def _schema_or(name: str) -> Union:
    return Union(lambda value: _from_schema_or_list(value, name), lambda fields: _to_schema_or_list(fields, name))


UNIONS: Final = {
    "JSONSchemaPropsOrArray": _schema_or("jSONSchemas"),
    "JSONSchemaPropsOrBool": Union(_from_bool_or_schema, _to_bool_or_schema),
    "JSONSchemaPropsOrStringArray": _schema_or("property"),
}
