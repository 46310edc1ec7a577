"""Fields with an unmarshaller of their own: strict decoding does not look into them."""

from quarterdeck.apiextensions.types import JSON_SCHEMA_PROPS
from quarterdeck.schema.godecode import Decoder


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
