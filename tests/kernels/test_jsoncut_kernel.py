"""The values at one place of a JSON text, and the text without them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarterdeck._kernels import jsoncut

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 99) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc") | st.text(max_size=3), inner),
    max_leaves=12,
)
PATHS = st.lists(st.sampled_from([b"a", b"b", b"c", None]), max_size=4).map(tuple)


def write(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def pick(value: Any, path: tuple[bytes | None, ...]) -> list[Any]:
    if not path:
        return [value]
    first, rest = path[0], path[1:]
    if first is None:
        return [found for item in value for found in pick(item, rest)] if isinstance(value, list) else []
    return pick(value[first.decode()], rest) if isinstance(value, dict) and first.decode() in value else []


def blank(value: Any, path: tuple[bytes | None, ...]) -> Any:
    if not path:
        return None
    first, rest = path[0], path[1:]
    if first is None:
        return [blank(item, rest) for item in value] if isinstance(value, list) else value
    if isinstance(value, dict) and first.decode() in value:
        return {**value, first.decode(): blank(value[first.decode()], rest)}
    return value


@given(JSON, PATHS)
def test_values_and_the_rest(value: Any, path: tuple[bytes | None, ...]) -> None:
    text = write(value)
    assert jsoncut.values(text, path) == [write(found) for found in pick(value, path)]
    assert jsoncut.without(text, path) == write(blank(value, path))


@given(JSON, st.lists(st.sampled_from([b"a", b"b", b"c", None]), min_size=1, max_size=4).map(tuple))
def test_what_was_taken_out_is_put_back(value: Any, path: tuple[bytes | None, ...]) -> None:
    text = write(value)
    taken = jsoncut.values(text, path)
    assert jsoncut.apart(text, path) == (jsoncut.without(text, path), taken)
    assert jsoncut.filled(jsoncut.without(text, path), path, taken) == text
    with pytest.raises(ValueError, match="places"):
        jsoncut.filled(text, path, [*taken, b"1"])


def test_a_name_is_no_text() -> None:
    text = write({"x": '"a":1,\\', "y": {"a": 2}, "a": {"b": 'q"}'}})
    assert jsoncut.values(text, (b"a",)) == [b'{"b":"q\\"}"}']
    assert jsoncut.values(text, (b"a", b"b")) == [b'"q\\"}"']


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b'{"a"', b'{"a":', b'{"a":1', b'{"a":"', b'{"a":"\\', b'{"b":[1', b'{ "a":1}', b'{"a":1} ', b"[1"],
)
def test_another_text_is_refused(text: bytes) -> None:
    for path in ((b"a",), (None,)):
        with pytest.raises(ValueError, match=r"^(no '|a string|the value)"):
            jsoncut.values(text, path)
        with pytest.raises(ValueError, match=r"^(no '|a string|the value)"):
            jsoncut.without(text, path)


def test_what_is_no_text_and_no_names_is_refused() -> None:
    with pytest.raises(TypeError):
        jsoncut.values("{}", ())  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        jsoncut.without(b"{}", None)  # type: ignore[arg-type]


SCHEMA = {
    "type": "object",
    "description": '"default":1',
    "properties": {
        "default": {"type": "string", "enum": [{"default": 1}]},
        "x-kubernetes-validations": {"type": "array", "items": {"type": "string", "example": {"default": 1}}},
        "a": {"not": {"default": 1}, "oneOf": [{"properties": {"b": {"default": 1}}}], "default": None},
        "c": {"x-kubernetes-validations": [], "additionalProperties": True, "properties": {}, "anyOf": []},
    },
    "additionalProperties": {},
}


def test_names_of_properties_and_values_are_neither_rules_nor_defaults() -> None:
    assert jsoncut.rules_and_defaults(write(SCHEMA)) == (False, False)
    assert jsoncut.rules_and_defaults(write({**SCHEMA, "default": 0})) == (False, True)
    deep = {**SCHEMA, "items": {"additionalProperties": {"default": "", "not": {"x-kubernetes-validations": [{}]}}}}
    assert jsoncut.rules_and_defaults(write(deep)) == (True, True)
    for no_schema in (None, [], True, "default", 1):
        assert jsoncut.rules_and_defaults(write(no_schema)) == (False, False)


@pytest.mark.parametrize("inward", [b"properties", b"items", b"additionalProperties", b"not", b"oneOf"])
def test_defaults_however_deep_they_stand(inward: bytes) -> None:
    begin, end = {b"properties": (b'{"a":', b"}"), b"oneOf": (b"[", b"]")}.get(inward, (b"", b""))
    text = (b'{"' + inward + b'":' + begin) * 100_000 + b'{"default":1,"x-kubernetes-validations":[{}]}'
    text += (end + b"}") * 100_000
    assert jsoncut.rules_and_defaults(text) == (True, inward not in (b"not", b"oneOf"))


def test_schemas_of_any_depth() -> None:
    begin, end = b'{"properties":{"a":{"items":{"oneOf":[', b"]}}}}"
    text = begin * 50_000 + b'{"default":1,"x-kubernetes-validations":[{}]}' + end * 50_000
    assert jsoncut.rules_and_defaults(text) == (True, False)


def test_a_schema_that_ends_early_or_is_no_json_is_refused_or_read_to_its_end() -> None:
    text = write(SCHEMA)
    for end in range(len(text)):
        with pytest.raises(ValueError, match=r"^(no '|a string|the value)"):
            jsoncut.rules_and_defaults(text[:end])
    for position in range(len(text)):
        for byte in b'{}[],:"\\ x':
            changed = text[:position] + bytes([byte]) + text[position + 1 :]
            try:
                jsoncut.rules_and_defaults(changed)
            except ValueError as error:
                assert str(error)[:3] in ("no ", "a s", "the")
