"""Values as Go's fmt and encoding/json print them."""

import pytest

from quarterdeck.apimachinery import gofmt


@pytest.mark.parametrize(
    "value, shown",
    [
        ({"b": [1, "x", None], "a": {"z": 1.5, "y": True}}, "map[a:map[y:true z:1.5] b:[1 x <nil>]]"),
        ({}, "map[]"),
        ([], "[]"),
        ([[], {}], "[[] map[]]"),
        (1e6, "1e+06"),
        ("a b", "a b"),
    ],
)
def test_a_value_is_shown_as_go_prints_it(value, shown):
    assert gofmt.format_value(value) == shown


def test_values_of_any_depth():
    value: object = 1
    for _ in range(20_000):
        value = {"a": [value]}
    assert gofmt.format_value(value).count("map[a:[") == 20_000
    assert gofmt.format_json(value).count('{"a":[') == 20_000


@pytest.mark.parametrize(
    "number, shown",
    [
        ("1e6", "1e+06"),
        ("123456.5", "123456.5"),
        ("0.0001", "0.0001"),
        ("1e-5", "1e-05"),
        ("-0.0", "-0"),
        ("2.50", "2.5"),
    ],
)
def test_shortest_form(number, shown):
    assert gofmt.format_float_g(number) == shown


def test_bytes_that_are_no_text_are_replaced_one_by_one():
    assert gofmt.decode_utf8(b"a\xe2\x82b\xff\xc3\xa9") == "a\ufffd\ufffdb\ufffdé"


@pytest.mark.parametrize(
    "value, name",
    [(None, "null"), (True, "bool"), (1, "number"), (1.5, "number"), ("", "string"), ([], "array"), ({}, "object")],
)
def test_names_of_json_types(value, name):
    assert gofmt.json_type(value) == name
