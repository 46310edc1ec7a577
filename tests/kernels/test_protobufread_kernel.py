"""The reader of objects: shapes, zero values, that depth and broken bytes are no danger, and that it writes nowhere."""

import random

import pytest

from quarterdeck._kernels import protobufobject as plain
from quarterdeck._kernels import protobufread as kernel

DEPTH = 20


class Refused(Exception):
    pass


def message(*fields, shown=None):
    built = kernel.Message("M", shown)
    for number, name, kind, shape, *target in fields:
        built.add(number, name, name.title(), kind, shape, *target)
    return built


def decode(data, built, depth=DEPTH):
    return kernel.decode(data, built, Refused, lambda text: f"not UTF-8: {text!r}", depth)


def test_zero_values_are_absent_but_behind_pointers():
    built = message(
        (1, "s", plain.STRING, plain.VALUE),
        (2, "b", plain.BOOL, plain.VALUE),
        (3, "i", plain.INT, plain.VALUE),
        (4, "p", plain.INT, plain.POINTER),
        (5, "y", plain.BYTES, plain.VALUE, len),
    )
    assert decode(b"\x0a\x00\x10\x00\x18\x00\x20\x00\x2a\x00", built) == {"p": 0, "y": 0}
    assert decode(b"\x0a\x01a\x10\x02\x18" + b"\xff" * 9 + b"\x01", built) == {"s": "a", "b": True, "i": -1}
    assert decode(b"\x0a\x01a\x0a\x00", built) == {}, "the last one counts"
    assert decode(b"\x0a\x01\xff", built) == {"s": "not UTF-8: b'\\xff'"}


def test_lists_maps_and_packed_numbers():
    built = message(
        (1, "l", plain.STRING, plain.LIST),
        (2, "m", plain.INT, plain.MAP),
        (3, "n", plain.INT, plain.LIST),
        (4, "t", kernel.STRINGS, plain.MAP),
    )
    assert decode(b"\x0a\x01a\x0a\x00" + b"\x12\x05\x0a\x01k\x10\x07" + b"\x12\x00", built) == {
        "l": ["a", ""],
        "m": {"k": 7, "": None},
    }
    assert decode(b"\x18\x01\x1a\x03\x02\xac\x02", built) == {"n": [1, 2, 300]}
    assert decode(b"\x22\x09\x0a\x01k\x12\x04\x0a\x00\x0a\x00", built) == {"t": {"k": ["", ""]}}


def test_messages_are_put_together_and_shown_in_their_form():
    inner = message((1, "a", plain.INT, plain.VALUE), (2, "b", plain.INT, plain.VALUE))
    counted = message((1, "a", plain.INT, plain.VALUE), shown=len)
    built = message(
        (1, "m", plain.MESSAGE, plain.VALUE, inner),
        (2, "~", plain.MESSAGE, plain.INLINE, message((1, "c", plain.INT, plain.VALUE))),
        (3, "n", plain.MESSAGE, plain.POINTER, counted),
    )
    data = b"\x0a\x02\x08\x01\x0a\x02\x10\x02\x12\x02\x08\x03\x1a\x02\x08\x01"
    assert decode(data, built) == {"m": {"a": 1, "b": 2}, "c": 3, "n": 1}


def test_values_with_a_form_of_their_own():
    built = message(
        (1, "q", kernel.QUANTITY, plain.VALUE),
        (2, "x", kernel.INT_OR_STRING, plain.VALUE),
        (3, "t", kernel.TIME, plain.VALUE, lambda seconds, nanoseconds: [seconds, nanoseconds]),
        (4, "r", kernel.RAW, plain.VALUE, bytes.decode),
        (5, "d", plain.DOUBLE, plain.VALUE),
    )
    assert decode(b"\x0a\x04\x0a\x021k\x12\x02\x10\x05\x1a\x02\x08\x09\x22\x03\x0a\x01z", built) == {
        "q": "1k",
        "x": 5,
        "t": [9, 0],
        "r": "z",
    }
    assert decode(b"\x12\x05\x08\x01\x1a\x01h\x22\x00\x29" + b"\x00" * 6 + b"\xf8\x3f", built) == {"x": "h", "d": 1.5}
    with pytest.raises(Refused, match="wrong wireType = 1 for field Seconds"):
        decode(b"\x1a\x09\x09" + b"\x00" * 8, built)


def test_depth_is_bounded():
    built = message()
    built.add(1, "m", "M", plain.MESSAGE, plain.POINTER, built)
    data = b""
    for _ in range(DEPTH - 1):
        data = b"\x0a" + bytes([len(data)]) + data
    assert decode(data, built) is not None
    with pytest.raises(Refused, match="nested deeper than 20 levels"):
        decode(b"\x0a" + bytes([len(data)]) + data, built)


def test_fields_are_checked_when_they_are_added():
    with pytest.raises(ValueError, match="unknown"):
        message((0, "a", plain.INT, plain.VALUE))
    with pytest.raises(ValueError, match="unknown"):
        message((1, "a", 99, plain.VALUE))
    with pytest.raises(TypeError):
        message((1, "a", plain.MESSAGE, plain.VALUE))
    with pytest.raises(TypeError):
        message((1, "a", plain.BYTES, plain.VALUE))
    with pytest.raises(ValueError, match="inlined"):
        message((1, "a", plain.INT, plain.INLINE))


def test_any_bytes_are_read_or_refused():
    built = message(
        (1, "s", plain.STRING, plain.LIST),
        (2, "i", plain.INT, plain.LIST),
        (3, "d", plain.DOUBLE, plain.VALUE),
        (4, "x", kernel.INT_OR_STRING, plain.MAP),
        (5, "y", plain.BYTES, plain.VALUE, bytes),
    )
    built.add(6, "m", "M", plain.MESSAGE, plain.LIST, built)
    source = random.Random(7)
    read = 0
    for _ in range(20_000):
        data = bytes(
            source.choice(b"\x0a\x12\x10\x19\x22\x2a\x32\x33\x34\x00\x01\x02\x05\xff")
            for _ in range(source.randint(0, 30))
        )
        try:
            read += type(decode(data, built)) is dict
        except Refused as refused:
            assert str(refused).startswith(("proto: ", "unexpected EOF", "json: "))
    assert 100 < read < 19_000


def test_entries_of_maps_are_read_by_the_numbers_of_their_fields_alone():
    texts = message((1, "m", plain.STRING, plain.MAP), (2, "a", plain.STRING, plain.VALUE))
    pair = b"\x0a\x01k\x12\x01v"
    for more in (b"\x02\x00", b"\x18\x07", b"\x1b\x08\x01\x1c", b"\x1d1234", b"\x78\x01"):
        entry = pair + more
        assert decode(bytes([0x0A, len(entry)]) + entry, texts) == {"m": {"k": "v"}}
        assert decode(bytes([0x0A, len(entry)]) + more + pair, texts) == {"m": {"k": "v"}}
    # A wire type that is not expected does not change how a key or a value is read.
    assert decode(b"\x0a\x06\x08\x01k\x10\x01v", texts) == {"m": {"k": "v"}}
    # A value may go on behind its entry, and is read again as what follows.
    assert decode(b"\x0a\x05\x0a\x01k\x12\x03\x12\x01v", texts) == {"m": {"k": "\x12\x01v"}, "a": "v"}
    for entry, text in (
        (b"\x0c", "unexpected EOF"),
        (b"\x1c", "proto: unexpected end of group"),
        (b"\x1b\x08\x01", "unexpected EOF"),
        (b"\x1a\x05", "unexpected EOF"),
        (b"\x1f", "proto: illegal wireType 7"),
        (b"\x0a" + b"\xff" * 9 + b"\x01", "proto: negative length found during unmarshaling"),
        (b"\x18" + b"\xff" * 11, "proto: integer overflow"),
    ):
        with pytest.raises(Refused, match=text):
            decode(bytes([0x0A, len(entry)]) + entry, texts)
    with pytest.raises(Refused, match="unexpected EOF"):
        decode(b"\x0a\x04\x1a\x03aa\x12\x01v", texts)
    numbers = message((1, "m", plain.INT, plain.MAP), (2, "q", kernel.QUANTITY, plain.MAP))
    assert decode(b"\x0a\x05\x0a\x01k\x12\x07\x12\x03\x0a\x01k", numbers) == {"m": {"k": 7}, "q": {"k": "0"}}


def test_an_amount_that_is_not_there_is_none_and_an_empty_text_is_no_amount():
    built = message((1, "q", kernel.QUANTITY, plain.VALUE))
    assert decode(b"\x0a\x00", built) == {"q": "0"}
    assert decode(b"\x0a\x02\x0a\x00", built) == {}
    with pytest.raises(Refused, match="wrong wireType = 0 for field String_"):
        decode(b"\x0a\x02\x08\x01", built)


def test_json_is_looked_at_when_all_is_read():
    built = message((1, "r", kernel.RAW, plain.VALUE, int), (2, "s", plain.STRING, plain.VALUE))
    assert decode(b"\x0a\x03\x0a\x017", built) == {"r": 7}
    with pytest.raises(ValueError, match="'x'"):
        decode(b"\x0a\x03\x0a\x01x\x0a\x03\x0a\x01y\x12\x01a", built)
    with pytest.raises(Refused, match="wrong wireType = 0 for field S"):
        decode(b"\x0a\x03\x0a\x01x\x10\x01", built)
