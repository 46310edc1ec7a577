"""Protobuf's well-known messages in expressions: what they become, and what is told of their fields."""

import pytest

from quarterdeck.cel import environment, types
from unit.cel.test_cel_compile_errors import lines
from unit.cel.test_keys_of_maps import outcome_of


def message(text):
    return f"google.protobuf.{text}"


@pytest.mark.parametrize(
    ("made", "same"),
    [
        ("Duration{seconds: 5, nanos: 1}", "duration('5.000000001s')"),
        ("Duration{seconds: 99999999999999}", "duration('9223372036.854775807s')"),
        ("Timestamp{seconds: 1, nanos: -1}", "timestamp('1970-01-01T00:00:00.999999999Z')"),
        ("Timestamp{}", "timestamp(0)"),
        ("BoolValue{value: true}", "true"),
        ("BytesValue{value: b'a'}", "b'a'"),
        ("DoubleValue{value: 1.5}", "1.5"),
        ("FloatValue{value: 0.1}", "0.10000000149011612"),
        ("Int32Value{value: 5}", "5"),
        ("Int64Value{}", "0"),
        ("StringValue{?value: optional.of('a')}", "'a'"),
        ("StringValue{?value: optional.none()}", "''"),
        ("UInt32Value{value: 5u}", "5u"),
        ("UInt64Value{value: 5u}", "5u"),
        ("Struct{fields: {'a': [dyn(1), dyn({'b': b'ab'})]}}", "{'a': [dyn(1.0), dyn({'b': 'YWI='})]}"),
        ("Struct{}", "{}"),
        ("ListValue{values: [9007199254740993]}", "['9007199254740993']"),
        ("Value{}", "null"),
        ("Value{null_value: 5}", "null"),
        ("Value{number_value: 2.0}", "2"),
        ("Value{struct_value: {'a': 'b'}}", "{'a': 'b'}"),
        ("NullValue.NULL_VALUE", "0"),
        ("Empty{}", message("Empty{}")),
    ],
)
def test_a_message_becomes_a_value(made, same):
    outcome = outcome_of(f"{message(made)} == {same}")
    assert (outcome.error, outcome.value) == (None, True)


@pytest.mark.parametrize(
    ("made", "error"),
    [
        ("Int32Value{value: 99999999999}", "Int32Value.value value type: integer overflow"),
        ("UInt32Value{value: 99999999999u}", "UInt32Value.value value type: unsigned integer overflow"),
        (
            "StringValue{value: dyn(1)}",
            "StringValue.value value type: unsupported type conversion from 'int' to string",
        ),
        (
            "Duration{seconds: dyn('a')}",
            "Duration.seconds value type: unsupported native conversion from string to 'int64'",
        ),
        (
            "Value{list_value: dyn(1)}",
            "Value.list_value value type: unsupported type conversion from 'int' to *structpb.ListValue",
        ),
        (
            "ListValue{values: [dyn(url('http://a'))]}",
            "ListValue.values value type: type conversion error from 'URL' to '*structpb.Value'",
        ),
    ],
)
def test_values_that_a_field_cannot_hold(made, error):
    assert outcome_of(message(made)).error == f"field type conversion error for google.protobuf.{error}"


def test_fields_of_containers_and_names_without_a_message():
    fields = outcome_of(message("Struct{fields: dyn(1)}"))
    assert fields.error == "unsupported field type for google.protobuf.Struct.fields: int"
    assert outcome_of("duration{seconds: 5}").error == "unknown type 'duration'"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("StringValue{x: 1}", ["30: undefined field 'x'"]),
        ("StringValue{value: 1}", ["34: expected type of field 'value' is 'string' but provided type is 'int'"]),
        (
            "Struct{fields: {1: 1}}",
            ["30: expected type of field 'fields' is 'map(string, dyn)' but provided type is 'map(int, int)'"],
        ),
        (
            "Int32Value{value: 5} + 'a'",
            ["38: found no matching overload for '_+_' applied to '(wrapper(int), string)'"],
        ),
        ("NullValue{}", ["26: undeclared reference to 'google.protobuf.NullValue' (in container '')"]),
    ],
)
def test_messages_are_checked(expression, expected):
    assert lines(message(expression)) == expected


@pytest.mark.parametrize("name", ["Int32Value", "Any", "Struct", "Value", "ListValue"])
def test_names_of_messages_have_no_value(name):
    found = environment.compile_expression(message(name), environment.Environment({"x": types.DYN}))
    assert isinstance(found, environment.Failure)
    assert found.at_program
    assert f"reference to undefined type: google.protobuf.{name}" in found.text


def test_what_a_wrapper_holds_stands_for_it():
    assert outcome_of(f"{message('Int32Value{value: 5}')} + 1").value == 6
    assert outcome_of(f"'%d'.format([{message('Int32Value{value: 5}')}])").value == "5"
    assert outcome_of(f"{message('StringValue{}')} == null").value is False
