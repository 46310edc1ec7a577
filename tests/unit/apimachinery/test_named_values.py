"""A value that is not supported: Go shows it as JSON where its type has a name, and quoted otherwise."""

import json

import pytest

from quarterdeck.apimachinery import field


@pytest.mark.parametrize("value", ["x", "", "a b", "é"])
def test_most_values_look_the_same(value: str) -> None:
    for refuse in (field.not_supported, field.not_among):
        assert refuse("p", value, ["A"]).body() == f'Unsupported value: "{value}": supported values: "A"'
    assert field.not_among("p", value, ["A"]).bad_value == value


def test_what_html_knows_is_escaped_in_json_alone() -> None:
    assert field.not_supported("p", "a<b>&", ["A"]).body() == 'Unsupported value: "a<b>&": supported values: "A"'
    shown = r'Unsupported value: "a\u003cb\u003e\u0026": supported values: "A"'
    assert field.not_among("p", "a<b>&", ["A"]).body() == shown


@pytest.mark.parametrize("value", ["x", "", "a<b>&", "é"])
def test_any_refusal_shows_a_named_value_as_json(value: str) -> None:
    shown = json.dumps(value, ensure_ascii=False)
    for plain, escaped in (("&", "\\u0026"), ("<", "\\u003c"), (">", "\\u003e")):
        shown = shown.replace(plain, escaped)
    assert field.invalid("p", field.named(value), "d").body() == f"Invalid value: {shown}: d"
