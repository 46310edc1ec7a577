"""The kernel that sets out JSON in lines, against the standard library's."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarterdeck._kernels import jsonindent

ROOM = 1 << 20
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=25,
)
forms = st.sampled_from([(",", ":"), (", ", ": "), (" ,\n", "\t:\r\n")])


@settings(max_examples=200, deadline=None)
@given(values, forms, st.booleans())
def test_json_of_any_form_is_indented_as_json_indents(value: object, separators: tuple[str, str], ascii_: bool) -> None:
    text = json.dumps(value, separators=separators, ensure_ascii=ascii_).encode()
    assert jsonindent.indent(text, ROOM) == json.dumps(value, indent=2, ensure_ascii=ascii_).encode()


@pytest.mark.parametrize(
    "text", [rb'"\""', rb'"\\"', rb'"\\\""', rb'["\\",{"a\"":"[{,:"}]', rb'"\\\\"', rb'["\"","\\\"",""]', b'""']
)
def test_strings_end_where_they_end(text: bytes) -> None:
    assert jsonindent.indent(text, ROOM) == json.dumps(json.loads(text), indent=2).encode()


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet='{}[],:"\\ \n1a', max_size=40))
def test_whatever_is_no_json_stays_within_bounds(text: str) -> None:
    data = text.encode()
    out = jsonindent.indent(data, 4096)
    assert out is not None
    assert len(out) <= 4096


def test_what_would_grow_too_large_is_left() -> None:
    deep = b"[" * 10_000 + b"1," * 1000 + b"1" + b"]" * 10_000
    assert jsonindent.indent(deep, 1 << 24) is None
    assert jsonindent.indent(b"[1]", 0) is None
    assert jsonindent.indent(b"", 0) == b""
    nested: list[object] = []
    for _ in range(200):
        nested = [nested]
    assert jsonindent.indent(json.dumps(nested).encode(), ROOM) == json.dumps(nested, indent=2).encode()
