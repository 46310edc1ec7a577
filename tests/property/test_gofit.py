"""Decoding what fits a Go type gives what the Decoder gives, and nothing where that has something to say."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarterdeck.apiextensions.types import CUSTOM_RESOURCE_DEFINITION, JSON_SCHEMA_PROPS
from quarterdeck.schema import gotypes
from quarterdeck.schema.godecode import STRUCTS_NESTED_MAX, Decoder
from quarterdeck.schema.gofit import decode_fitting
from quarterdeck.schema.goscalar import DecodeError
from quarterdeck.schema.gotype import GoType, ListOf, MapOf, Scalar, Struct, Union

KINDS = ("ConfigMap", "Secret", "ServiceAccount", "Namespace", "Pod", "Service")
STRUCTS = [CUSTOM_RESOURCE_DEFINITION, *(gotypes.struct_of("v1", kind) for kind in KINDS)]
TEXTS = st.sampled_from(["", "a", "1", "YQ==", "2024-01-01T00:00:00Z", "0"])
ANYTHING = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(2**64), 2**64), st.floats(allow_nan=False), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(TEXTS, inner, max_size=2)),
    max_leaves=3,
)
PLAIN = {
    "bool": st.booleans(),
    "int": st.integers(-3, 3),
    "float": st.one_of(st.integers(-3, 3), st.sampled_from([0.0, -0.5])),
    "any": ANYTHING,
    "intorstring": st.one_of(st.integers(0, 3), TEXTS),
}


@st.composite
def values(draw: st.DrawFn, go_type: GoType, depth: int = 0) -> Any:
    """Mostly what fits the type; now and then anything, null, or a field that is not known."""
    whim = draw(st.integers(0, 60))
    if whim == 0:
        return draw(ANYTHING)
    if whim < 4:
        return None
    if isinstance(go_type, Scalar):
        return draw(PLAIN.get(go_type.kind, TEXTS))
    if isinstance(go_type, ListOf):
        return [draw(values(go_type.item, depth + 1)) for _ in range(draw(st.integers(0, 2)))]
    if isinstance(go_type, MapOf):
        keys = draw(st.lists(TEXTS, max_size=2, unique=True))
        return {key: draw(values(go_type.value, depth + 1)) for key in keys}
    if isinstance(go_type, Union):
        if go_type.or_bool and draw(st.booleans()):
            return draw(st.booleans())
        if go_type.list_of is not None and draw(st.booleans()):
            return draw(values(ListOf(go_type.list_of), depth + 1))
        go_type = go_type.struct
    names = draw(st.lists(st.sampled_from([*go_type.fields, "unknown"]), max_size=3 if depth < 12 else 1, unique=True))
    return {
        name: draw(values(go_type.fields[name].type, depth + 1)) if name in go_type.fields else 1
        for name in names
        if name != "unknown" or whim == 4
    }


def decode(value: Any, struct: Struct) -> tuple[Any, list[str]]:
    decoder = Decoder(report_unknown=True)
    try:
        return decoder.decode_struct(value, struct), decoder.unknown
    except DecodeError as error:
        return None, [str(error)]


def order_of(value: Any) -> Any:
    """The value with the order of its members told."""
    if isinstance(value, dict):
        return [(name, order_of(item)) for name, item in value.items()]
    return [order_of(item) for item in value] if isinstance(value, list) else (type(value), value)


@settings(max_examples=200, deadline=None)
@given(st.data())
@pytest.mark.parametrize("struct", STRUCTS, ids=lambda struct: struct.name)
def test_what_fits_is_decoded_as_the_decoder_does(struct: Struct, data: st.DataObject) -> None:
    value = data.draw(values(struct))
    if not isinstance(value, dict):
        return
    decoded, said = decode(value, struct)
    fast = decode_fitting(value, struct)
    if fast is not None:
        assert said == []
        assert order_of(fast) == order_of(decoded)
    else:
        assert said


@pytest.mark.parametrize("depth", [1, 100, STRUCTS_NESTED_MAX - 1])
def test_what_is_as_deep_as_may_be_fits(depth: int) -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        schema = {"type": "object", "properties": {"inner": schema}}
    assert decode_fitting(schema, JSON_SCHEMA_PROPS) == schema
    too_deep: dict[str, Any] = {"type": "string"}
    for _ in range(STRUCTS_NESTED_MAX):
        too_deep = {"items": too_deep}
    assert decode_fitting(too_deep, JSON_SCHEMA_PROPS) is None
