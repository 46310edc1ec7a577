"""Objects of built-in types, made from the tables of types, for property tests."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from quarterdeck.apimachinery.codec.protobuf_types import Field, Message

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
DEEP = 3
SCALARS: dict[str, st.SearchStrategy[Any]] = {
    "string": TEXTS,
    "bool": st.booleans(),
    "int32": st.integers(-(2**31), 2**31 - 1),
    "int64": st.integers(-(2**63), 2**63 - 1),
    "double": st.one_of(st.integers(-(2**53), 2**53), st.floats(allow_nan=False, allow_infinity=False)),
    "bytes": st.sampled_from(["", "aGk=", "AAEC/w=="]),
    "Time": st.sampled_from(["2024-01-02T03:04:05Z", "1969-12-31T23:59:59Z", "9999-12-31T23:59:59Z"]),
    "MicroTime": st.sampled_from(["2024-01-02T03:04:05.000001Z", "1969-12-31T23:59:59.999999Z"]),
    "Quantity": st.sampled_from(["1", "100m", "2Gi"]),
    "IntOrString": st.one_of(st.integers(-(2**31), 2**31 - 1), TEXTS),
    "RawExtension": st.sampled_from([{"a": [1, None]}, [1, 2], "x", 0]),
    "JSON": st.sampled_from([{"a": [1, None]}, [], "x", 0, False]),
    "FieldsV1": st.sampled_from([{}, {"f:a": {".": {}}}]),
    "Strings": st.lists(TEXTS, max_size=3),
}


@st.composite
def objects(draw: st.DrawFn, message: Message, depth: int = 0) -> Any:
    if message.name.startswith("JSONSchemaPropsOr"):
        schema = message.by_name["schema"].type
        assert isinstance(schema, Message)
        kinds = [objects(schema, depth + 1), st.booleans() if message.name.endswith("Bool") else LISTS[message.name]]
        return draw(st.one_of(kinds))
    value: dict[str, Any] = {}
    for field in message.by_number.values():
        if field.is_inline:
            assert isinstance(field.type, Message)
            value |= draw(objects(field.type, depth + 1))
        elif draw(st.booleans() if depth < DEEP else st.just(False)):
            value[field.name] = draw(values(field, depth))
    return value


LISTS: dict[str, st.SearchStrategy[Any]] = {
    "JSONSchemaPropsOrArray": st.just([{"type": "string"}]),
    "JSONSchemaPropsOrStringArray": st.lists(TEXTS, min_size=1, max_size=2),
}


def values(field: Field, depth: int) -> st.SearchStrategy[Any]:
    one = objects(field.type, depth + 1) if isinstance(field.type, Message) else SCALARS[field.type]
    if field.is_list:
        return st.lists(one, min_size=1, max_size=3)
    return st.dictionaries(TEXTS, one, min_size=1, max_size=3) if field.is_map else one
