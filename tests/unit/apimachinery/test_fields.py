"""Field selectors: terms, escapes, matching, upstream's error texts."""

import pytest

from quarterdeck.apimachinery import fields


@pytest.mark.parametrize(
    "text, requirements",
    [
        ("", []),
        (",,", []),
        ("metadata.name=a", [("metadata.name", "=", "a")]),
        ("b!=1,a==2", [("a", "=", "2"), ("b", "!=", "1")]),
        ("a=", [("a", "=", "")]),
        (r"a=x\,y\=z\\", [("a", "=", "x,y=z\\")]),
        ("=x", [("", "=", "x")]),
        ("=", []),
        ("!=,a=1,==", [("a", "=", "1")]),
        ("a!=b", [("a", "!=", "b")]),
    ],
)
def test_a_selector_is_read_as_requirements(text, requirements):
    assert [tuple(requirement) for requirement in fields.parse(text).requirements] == requirements


@pytest.mark.parametrize(
    "text, message",
    [
        ("x", "invalid selector: 'x'; can't understand 'x'"),
        ("a=1,x,b=2", "invalid selector: 'a=1,x,b=2'; can't understand 'x'"),
        ("a=b=c", "invalid field selector: unescaped character in value: 61"),
        ("a=b\\x", "invalid field selector: invalid escape sequence: \\x"),
        ("a=b\\", "invalid field selector: invalid escape sequence: \\"),
    ],
)
def test_parse_refuses_in_upstreams_words(text, message):
    with pytest.raises(fields.SelectorError) as caught:
        fields.parse(text)
    assert caught.value.message == message


def test_matches_with_absent_fields_as_empty_texts():
    selector = fields.parse("a=1,b!=2,c=")
    assert selector.matches({"a": "1"})
    assert not selector.matches({"a": "1", "b": "2"})
    assert not selector.matches({"a": "1", "c": "x"})
    assert selector.exact_value("a") == "1"
    assert selector.exact_value("b") is None


def test_text_of_a_selector_can_be_parsed_again():
    selector = fields.Selector((fields.Requirement("a", "=", "x,=\\y"),))
    assert fields.parse(str(selector)) == selector


def test_fields_that_a_resource_does_not_know():
    selector = fields.parse("metadata.name=a,spec.x=1")
    with pytest.raises(fields.SelectorError, match=r"^field label not supported: spec\.x$"):
        fields.check_supported(selector, {"metadata.name"})
    with pytest.raises(fields.SelectorError) as caught:
        fields.check_metadata_only(selector)
    assert caught.value.message == '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"'
    fields.check_supported(selector, {"metadata.name", "spec.x"})
