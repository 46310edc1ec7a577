"""Fields with an unmarshaller of their own: strict decoding does not look into them."""

import pytest

from quarterdeck.apiextensions.types import JSON_SCHEMA_PROPS
from quarterdeck.schema.godecode import Decoder
from quarterdeck.schema.goscalar import DecodeError


def test_unknown_fields_below_items_and_additional_properties_are_dropped_without_a_word() -> None:
    schema = {
        "bogus": 1,
        "items": {"type": "string", "bogus": 1, "properties": {"p": {"bogus": 1}}},
        "additionalProperties": {"type": "string", "bogus": 1},
        "properties": {"items": {"bogus": 1}},
    }
    decoder = Decoder(report_unknown=True)
    decoded = decoder.decode_struct(schema, JSON_SCHEMA_PROPS)
    assert sorted(decoder.unknown) == ["bogus", "properties.items.bogus"]
    assert decoded["items"] == {"type": "string", "properties": {"p": {}}}
    assert decoded["additionalProperties"] == {"type": "string"}


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        (
            {"externalDocs": {"url": 1}},
            "number into Go struct field ExternalDocumentation.externalDocs.url of type string",
        ),
        (
            {"properties": {"p": {"x-kubernetes-validations": [{"rule": 1}]}}},
            "number into Go struct field ValidationRule.properties.x-kubernetes-validations.rule of type string",
        ),
        (
            {"items": {"x-kubernetes-validations": [{"rule": []}]}},
            "array into Go struct field JSONSchemaProps.items.x-kubernetes-validations.rule of type string",
        ),
        (
            {"additionalProperties": {"items": {"externalDocs": {"url": 1}}}},
            "number into Go struct field JSONSchemaProps.additionalProperties.items.externalDocs.url of type string",
        ),
        (
            {"items": {"type": "string"}, "externalDocs": {"url": 1}},
            "number into Go struct field ExternalDocumentation.externalDocs.url of type string",
        ),
    ],
)
def test_a_mistake_below_such_a_field_names_the_struct_that_it_is_in(schema, told) -> None:
    with pytest.raises(DecodeError) as refusal:
        Decoder(report_unknown=False).decode_struct(schema, JSON_SCHEMA_PROPS)
    assert str(refusal.value) == f"json: cannot unmarshal {told}"
