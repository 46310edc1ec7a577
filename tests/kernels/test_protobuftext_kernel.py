"""The writer of texts: what it leaves to others, and that broken texts are no danger."""

import random

import pytest

from quarterdeck._kernels import protobufobject as plain
from quarterdeck._kernels import protobuftext as kernel


def dump(value):
    return repr(value).encode()


def message(*fields, fit=None):
    built = plain.Message(fit)
    for field in fields:
        built.add(*field)
    return built


BUILT = message(
    (1, "s", plain.STRING, plain.VALUE),
    (2, "i", plain.INT, plain.VALUE),
    (3, "m", plain.STRING, plain.MAP),
    (4, "l", plain.BOOL, plain.LIST),
    (5, "j", plain.JSON, plain.POINTER, dump),
    (6, "t", plain.TIME, plain.POINTER, dump),
)


def test_texts_lose_their_escapes_and_raw_values_keep_them():
    text = b'{"s":"\\"\\\\\\n\\u001f\xc3\xbc","j":{"a\\t":["b\\"",-1,null]}}'
    written = b"\x0a\x06" + b'"\\\n\x1f\xc3\xbc' + b"\x10\x00"
    raw = b'{"a\\t":["b\\"",-1,null]}'
    assert kernel.encode(text, BUILT) == written + b"\x2a" + bytes([len(raw) + 2]) + b"\x0a" + bytes([len(raw)]) + raw


def test_maps_are_sorted_and_null_is_the_zero_value():
    text = b'{"i":null,"l":[true,null],"m":{"b":"2","":"0","a":null,"ab":"3"}}'
    entries = b"\x1a\x05\x0a\x00\x12\x010" + b"\x1a\x05\x0a\x01a\x12\x00" + b"\x1a\x07\x0a\x02ab\x12\x013"
    assert kernel.encode(text, BUILT) == (
        b"\x0a\x00\x10\x00" + entries + b"\x1a\x06\x0a\x01b\x12\x012" + b"\x20\x01\x20\x00"
    )


@pytest.mark.parametrize(
    "moment, seconds",
    [("1970-01-01T00:00:00Z", 0), ("2024-02-29T23:59:59Z", 1709251199), ("1000-01-01T00:00:00Z", -30610224000)],
)
def test_a_moment_is_written_as_its_seconds(moment, seconds):
    number = seconds % 2**64
    varint = b""
    while number >= 0x80:
        varint += bytes([number & 0x7F | 0x80])
        number >>= 7
    inside = b"\x08" + varint + bytes([number]) + b"\x10\x00"
    built = message((6, "t", plain.TIME, plain.POINTER, dump))
    assert kernel.encode(b'{"t":"%b"}' % moment.encode(), built) == b"\x32" + bytes([len(inside)]) + inside


@pytest.mark.parametrize("moment", ["2023-02-29T00:00:00Z", "2024-04-31T00:00:00Z", "2024-01-01T24:00:00Z", "0001", ""])
def test_what_is_no_plain_moment_is_left_to_the_target(moment):
    built = message((6, "t", plain.TIME, plain.POINTER, dump))
    shown = dump(moment)
    assert kernel.encode(b'{"t":"%b"}' % moment.encode(), built) == b"\x32" + bytes([len(shown)]) + shown


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]",
        b'{"s":"a"} ',
        b'{"s": "a"}',
        b'{"s":"a",}',
        b'{"s":"a","s":"b"}',
        b'{"m":{"a":"1","a":"2"}}',
        b'{"s":"\\u0041"}',
        b'{"s":"\\/"}',
        b'{"s":"\\u000a"}',
        b'{"s":"\x1f"}',
        b'{"s":"\xff"}',
        b'{"s":"a',
        b'{"i":1.5}',
        b'{"i":1e3}',
        b'{"i":-0}',
        b'{"i":01}',
        b'{"i":1234567890123456789}',
        b'{"l":[}',
        b'{"l":[1,]}',
        b'{"l":[1}',
        b'{"x":{"a"}}',
        b'{"x":tru}',
    ],
)
def test_what_is_written_otherwise_is_left_alone(text):
    assert kernel.encode(text, BUILT) is None


def test_sets_of_fields_stay_as_they_stand():
    field = (1, "fieldsV1", plain.JSON, plain.POINTER, dump)
    for sets in (b"{}", b'{"f:a":{}}', b'{"f:a":{".":{},"k:{\\"n\\":1}":{}},"f:b":{}}'):
        inside = b"\x0a" + bytes([len(sets)]) + sets
        assert kernel.encode(b'{"fieldsV1":%b}' % sets, message(field)) == b"\x0a" + bytes([len(inside)]) + inside
    for other in (b'{"a":1}', b'{"a":{}', b'{"a":{}}}', b'{"a":{},}', b'{"a":{} }', b'{"a"}', b'{"a\xff":{}}', b"{{}}"):
        assert kernel.encode(b'{"fieldsV1":%b}' % other, message(field)) is None
    for shape in (plain.VALUE, plain.MAP, plain.LIST):
        built = message((1, "fieldsV1", plain.MESSAGE, shape, message((1, "a", plain.STRING, plain.VALUE))))
        written = kernel.encode(b'{"fieldsV1":{"a":{}}}', built)
        assert written is None or written == plain.encode({"fieldsV1": {"a": {}}}, built, 9)
    items = message((1, "l", plain.MESSAGE, plain.LIST, message((1, "a", plain.STRING, plain.VALUE))))
    assert kernel.encode(b'{"l":["fieldsV1",{"a":{}}]}', items) is None


def test_rare_messages_are_left_alone():
    for value in (b"{}", b"true", b"false", b'["a"]', b'"a"', b"1"):
        built = message((1, "f", plain.MESSAGE, plain.VALUE, message(fit=dict)))
        assert kernel.encode(b'{"f":%b}' % value, built) is None
    nested = message()
    nested.add(1, "n", plain.MESSAGE, plain.POINTER, nested)
    assert kernel.encode(b'{"n":' * 50 + b"{}" + b"}" * 50, nested) is not None
    assert kernel.encode(b'{"n":' * 5000 + b"{}" + b"}" * 5000, nested) is None
    many = message(*((number, f"n{number}", plain.STRING, plain.VALUE) for number in range(1, 200)))
    assert kernel.encode(b"{}", many) is None


def test_errors_of_targets_are_told():
    with pytest.raises(TypeError):
        kernel.encode(b'{"o":"x"}', message((1, "o", plain.OWN, plain.VALUE, lambda value: "text")))


def test_any_texts_are_written_or_left_alone():
    source = random.Random(3)
    parts = [b'{"', b'"', b'":', b"}", b"[", b"]", b",", b"s", b"m", b"j", b"1", b"-", b"true", b"null", b"\\", b"\\n"]
    written = 0
    for _ in range(50_000):
        text = b'{"' + b"".join(source.choice(parts) for _ in range(source.randint(0, 12))) + b"}"
        written += kernel.encode(text, BUILT) is not None
    assert written
