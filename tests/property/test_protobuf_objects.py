"""Objects of every type that has a table, written by the kernel and by the reference: both read back as they were."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from quarterdeck.apimachinery.codec import protobuf
from quarterdeck.apimachinery.codec.protobuf_types import _TABLES, Field, Message, _load
from reference import protobuf_reference as reference

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
DEEP = 3
SCALARS: dict[str, st.SearchStrategy[Any]] = {
    "string": TEXTS,
    "bool": st.booleans(),
    "int32": st.integers(-(2**31), 2**31 - 1),
    "int64": st.integers(-(2**63), 2**63 - 1),
    "bytes": st.sampled_from(["", "aGk=", "AAEC/w=="]),
    "Time": st.sampled_from(["2024-01-02T03:04:05Z", "1969-12-31T23:59:59Z", "9999-12-31T23:59:59Z"]),
    "MicroTime": st.sampled_from(["2024-01-02T03:04:05.000001Z", "1969-12-31T23:59:59.999999Z"]),
    "Quantity": st.sampled_from(["1", "100m", "2Gi"]),
    "IntOrString": st.one_of(st.integers(-(2**31), 2**31 - 1), TEXTS),
    "RawExtension": st.sampled_from([{"a": [1, None]}, [1, 2], "x", 0]),
    "FieldsV1": st.sampled_from([{}, {"f:a": {".": {}}}]),
    "Strings": st.lists(TEXTS, max_size=3),
}
KINDS = [
    (f"{group}/{version}" if group else version, kind)
    for (group, version), table in _TABLES.items()
    for kind, message in _load(table).items()
    if "metadata" in message.by_name
]


@st.composite
def objects(draw: st.DrawFn, message: Message, depth: int = 0) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for field in message.by_number.values():
        if field.is_inline:
            assert isinstance(field.type, Message)
            value |= draw(objects(field.type, depth + 1))
        elif draw(st.booleans() if depth < DEEP else st.just(False)):
            value[field.name] = draw(values(field, depth))
    return value


def values(field: Field, depth: int) -> st.SearchStrategy[Any]:
    one = objects(field.type, depth + 1) if isinstance(field.type, Message) else SCALARS[field.type]
    if field.is_list:
        return st.lists(one, min_size=1, max_size=3)
    return st.dictionaries(TEXTS, one, min_size=1, max_size=3) if field.is_map else one


def absent(value: Any) -> bool:
    """What Go writes of a value that is no pointer says nothing."""
    return value == "" or (value == 0 and not isinstance(value, float))


def meant(value: dict[str, Any], message: Message) -> dict[str, Any]:
    """The object without values that count as absent."""
    shown: dict[str, Any] = {}
    for field in message.by_number.values():
        if field.is_inline:
            assert isinstance(field.type, Message)
            shown |= meant(value, field.type)
            continue
        if field.name not in value:
            continue
        item = value[field.name]
        if isinstance(field.type, Message):
            if field.is_list:
                item = [meant(each, field.type) for each in item]
            elif field.is_map:
                item = {key: meant(each, field.type) for key, each in item.items()}
            else:
                item = meant(item, field.type)
        elif not (field.is_list or field.is_map or field.is_pointer) and absent(item):
            continue
        shown[field.name] = item
    return shown


@settings(max_examples=150)
@given(st.data())
def test_the_kernel_writes_what_the_reference_writes(data: st.DataObject) -> None:
    api_version, kind = data.draw(st.sampled_from(KINDS))
    group, _, version = api_version.rpartition("/")
    message = _load(_TABLES[group, version])[kind]
    obj = data.draw(objects(message))
    written = protobuf.encode_message(obj, api_version, kind)
    expected = reference.encode_message(obj, api_version, kind)
    assert len(written) == len(expected)
    tail = b"\x1a\x00\x22\x00"
    for raw in (written, expected):
        head, end = protobuf.envelope_ends(api_version, kind, len(raw))
        assert end == tail
        assert protobuf.decode(head + raw + end) == {"apiVersion": api_version, "kind": kind, **meant(obj, message)}
