"""The writer of objects: order, zero values, shapes, and that depth and wrong types are no danger."""

import pytest

from quarterdeck._kernels import protobufobject as kernel

DEPTH = 100


def dump(value):
    return repr(value).encode()


def message(*fields, fit=None):
    built = kernel.Message(fit)
    for field in fields:
        built.add(*field)
    return built


def encode(value, built, depth=DEPTH):
    return kernel.encode(value, built, depth)


def test_fields_go_by_number_and_what_stands_by_value_is_always_written():
    built = message(
        (3, "d", kernel.DOUBLE, kernel.VALUE),
        (1, "s", kernel.STRING, kernel.VALUE),
        (2, "b", kernel.BOOL, kernel.VALUE),
        (4, "i", kernel.INT, kernel.VALUE),
    )
    zero = b"\x0a\x00" + b"\x10\x00" + b"\x19" + b"\x00" * 8 + b"\x20\x00"
    assert encode({}, built) == encode({"s": 1, "b": 1, "d": "x", "i": 2**64}, built) == zero
    assert encode({"i": -1, "s": "ü"}, built) == b"\x0a\x02" + "ü".encode() + zero[2:-1] + b"\xff" * 9 + b"\x01"


def test_pointers_are_written_where_they_are_there():
    built = message((1, "s", kernel.STRING, kernel.POINTER), (2, "m", kernel.MESSAGE, kernel.POINTER, kernel.Message()))
    assert encode({}, built) == encode({"s": None, "m": None}, built) == b""
    assert encode({"s": "", "m": {}}, built) == b"\x0a\x00\x12\x00"


def test_lists_and_maps():
    built = message((1, "l", kernel.STRING, kernel.LIST), (2, "m", kernel.INT, kernel.MAP))
    assert encode({"l": ["b", None], "m": {"b": 2, "a": 1}}, built) == (
        b"\x0a\x01b\x0a\x00" + b"\x12\x05\x0a\x01a\x10\x01" + b"\x12\x05\x0a\x01b\x10\x02"
    )
    assert encode({"l": {}, "m": [], "x": 1}, built) == b""


def test_bytes_and_values_with_a_form_of_their_own():
    built = message((1, "b", kernel.BYTES, kernel.VALUE, dump), (2, "o", kernel.OWN, kernel.VALUE, dump))
    assert encode({}, built) == b"\x12\x04None"
    assert encode({"b": 1, "o": [2]}, built) == b"\x0a\x011\x12\x03[2]"
    with pytest.raises(TypeError):
        encode({}, message((1, "o", kernel.OWN, kernel.VALUE, lambda value: "text")))
    with pytest.raises(ZeroDivisionError):
        encode({"o": 1}, message((1, "o", kernel.OWN, kernel.VALUE, lambda value: value / 0)))


def test_messages_that_stand_in_the_object_itself():
    inner = message((1, "t", kernel.STRING, kernel.VALUE))
    built = message((1, "s", kernel.STRING, kernel.VALUE), (2, "~", kernel.MESSAGE, kernel.INLINE, inner))
    assert encode({"s": "a", "t": "b"}, built) == b"\x0a\x01a\x12\x03\x0a\x01b"


def test_a_message_may_fit_its_value():
    built = message((1, "s", kernel.STRING, kernel.POINTER), fit=lambda value: {"s": value})
    outer = message((1, "m", kernel.MESSAGE, kernel.VALUE, built))
    assert encode({"m": "x"}, outer) == b"\x0a\x03\x0a\x01x"
    assert encode({}, outer) == b"\x0a\x00"


def test_nothing_is_written_of_what_nests_too_deeply():
    built = message()
    built.add(1, "a", kernel.MESSAGE, kernel.POINTER, built)
    value = {}
    for _ in range(100_000):
        value = {"a": value}
    assert encode(value, built, 3) == b"\x0a\x06\x0a\x04\x0a\x02\x0a\x00"
    assert len(encode(value, built, 2000)) < 10_000


def test_keys_that_are_no_texts_are_skipped():
    built = message((1, "m", kernel.STRING, kernel.MAP))
    assert encode({"m": {1: "x", None: "y"}}, built) == b""
    assert encode({"m": {"\ud800": "\ud800"}}, built) == b"\x0a\x06\x0a\x01?\x12\x01?"


@pytest.mark.parametrize(
    "arguments",
    [
        (1, "x", kernel.MESSAGE, kernel.VALUE),
        (1, "x", kernel.STRING, kernel.VALUE, kernel.Message()),
        (1, "x", kernel.OWN, kernel.VALUE),
        (1, "x", kernel.STRING, kernel.INLINE),
        (0, "x", kernel.STRING, kernel.VALUE),
        (1, "x", 99, kernel.VALUE),
        (1, "x", kernel.STRING, 99),
    ],
)
def test_fields_that_make_no_sense_are_refused(arguments):
    with pytest.raises((TypeError, ValueError)):
        kernel.Message().add(*arguments)


def test_a_message_is_put_between_what_is_given():
    assert kernel.enclose(b"<", b">", b"") == b"<\x12\x00>"
    assert kernel.enclose(b"", b"", b"x" * 200) == b"\x12\xc8\x01" + b"x" * 200


def test_messages_are_elements_of_a_list():
    assert kernel.repeat(2, []) == []
    assert kernel.repeat(2, [b"a", b"x" * 200]) == [b"\x12\x01", b"a", b"\x12\xc8\x01", b"x" * 200]
    assert kernel.repeat(100, [b""]) == [b"\xa2\x06\x00", b""]
    with pytest.raises(TypeError):
        kernel.repeat(1, ["text"])
