"""client-go's JSONPath dialect: what columns find, and what cannot be read."""

import pytest

from quarterdeck.apimachinery.jsonpath.parser import ParseError
from quarterdeck.endpoints.table.jsonpath import JSONPath, print_value

OBJECT = {
    "spec": {
        "list": [{"name": "a", "port": 80, "on": True}, {"name": "b", "port": 443, "ratio": 1.5}, {"name": "c"}],
        "words": ["one", "two", "three"],
        "empty": [],
        "text": "hello",
        "null": None,
        "map": {"a.b": 1, "x": {"name": "deep"}},
    }
}
MISSING = (False, None)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (".spec.words[-1]", "three"),
        (".spec.words[-2:]", "two"),
        (".spec.words[1:2]", "two"),
        (".spec.words[::2]", "one"),
        (".spec.words[*]", "one"),
        (".spec.words.*", "one"),
        (".spec.map.a\\.b", 1),
        (".spec['map'].x.name", "deep"),
        ("$.spec.text", "hello"),
        ("@.spec.text", "hello"),
        ("..name", "a"),
        (".spec.map..name", "deep"),
        (".spec.list[0,1].port", 80),
        ('.spec.list[?(@.name=="b")].port', 443),
        (".spec.list[?(@.name=='b')].port", 443),
        (".spec.list[?(@.port<=80)].name", "a"),
        ('.spec.list[?(@.name>"a")].name', "b"),
        (".spec.list[?(@.on)].name", "a"),
        (".spec.list[?(@.on==true)].name", "a"),
        (".spec.list[?(@.ratio==1.5)].name", "b"),
        ('.spec.list[?(@.name=="c)")].name', None),
        (".spec.list[?(@.name[0])].name", "a"),  # the error of the left side is forgiven
        ('"literal"', "literal"),
        ("'it\\'s'", "it's"),
        ("42", 42),
        (".spec.text}{.spec.words", "hello"),
        (".spec.text}{range .spec.words[*]}{.x[0]}{end", "hello"),
        (".spec.missing 'literal'", "literal"),  # whatever was found before
        (".spec.text.*", 104),  # the first byte
        (".spec.words[*].*", 111),
        (".spec.text..", "hello"),
        ('.spec.list[?(@.name..=="b")].port', 443),
        (".spec.list[?(@.name.*)].port", 80),
        ('.spec.list[?(@.name=="\\x61")].port', 80),
        ('.spec.list[?(@.name=="\\u0061")].port', 80),
        ('.spec.list[?(@.name=="\\141")].port', 80),
        ('.spec.list[?(@.name!="\\U0001F600")].port', 80),
        ("'\\xc3\\xa9\\xff\\t'", "\u00e9\ufffd\t"),
        (".spec.list[?(@.ratio<99999999999999999999)].name", "b"),
        (".spec.list[?(@.port==80)].name", "a"),
        (".spec.null", None),
    ],
)
def test_path_finds_its_first_result(path, value):
    is_found, found = JSONPath(path).find_first(OBJECT)
    assert (is_found, found) == ((True, value) if value is not None or path == ".spec.null" else MISSING)


@pytest.mark.parametrize(
    "path",
    [
        ".spec.words[3]",
        ".spec.words[0:9]",
        ".spec.words[2:1]",
        ".spec.words[0:2:0]",
        ".spec.empty[0]",
        ".spec.text[0]",
        ".spec.text.deeper",
        ".spec.null.deeper",
        ".spec['a b']",
        ".spec.list[?(@.ratio==2)].name",  # 1.5 and 2 are of different types: an error
        ".spec.list[?(@.on>true)].name",
        ".spec.list[?(@.name=!'a')].name",
        ".spec.map[?(@.x)]",
        "word",
        ".spec word",
        ".spec.words..[0]",  # a text is found as well, and has no elements
        ".spec.list[?(@.port!=99999999999999999999)].name",  # an integer and a float
        ".spec.text}{.spec.words[9]",
        ".spec.text}{.spec.text[0]",
        ".spec.text}{.spec.list[?(@.name>1)]",
        ".spec.text}{end",
        ".spec.text}{word",
    ],
)
def test_path_that_does_not_fit_finds_nothing(path):
    assert JSONPath(path).find_first(OBJECT) == MISSING


@pytest.mark.parametrize(
    "path",
    [
        ".spec[",
        ".spec[a]",
        ".spec[?(@.x]",
        ".spec[?(@.x)",
        ".spec[?(@.a=='b]",
        "'open",
        "....x",
        "#",
        "1.2.3",
        "\n",
        ".a" * 600,
        ".a}{" * 600,
        "9" * 400,
        '"\\\'"',
        "'\\\"'",
        '"\\\\"b"',
        '"\\x6"',
        '"\\ud800"',
        '"\\400"',
        '"\\q"',
        "[0," * 40,
    ],
)
def test_text_that_is_no_path_is_refused(path):
    with pytest.raises(ParseError):
        JSONPath(path)


def test_descent_into_a_very_deep_object_needs_no_recursion():
    deep = {"name": "bottom"}
    for _ in range(20_000):
        deep = {"d": deep}
    assert JSONPath("..name").find_first(deep) == (True, "bottom")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "<no value>"),
        (True, "true"),
        (JSONPath("@.a.*").find_first({"a": "s"})[1], "115"),
        (100000000.5, "1.000000005e+08"),
        ([1, 2.5, {"b": "<", "a": None}], '[1,2.5,{"a":null,"b":"\\u003c"}]'),
        ({}, "{}"),
    ],
)
def test_values_print_as_go_prints_them(value, text):
    assert print_value(value) == text
