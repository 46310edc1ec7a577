"""The protobuf writer: what it writes, what it leaves out, and that depth and size are no danger."""

import json

import pytest

from quarterdeck._kernels import protobuf
from reference import gnostic_reference as reference

DEPTH = 100


def dump(value):
    return json.dumps(value).encode()


def encode(value, message, depth=DEPTH):
    return reference.fields(protobuf.encode(value, message, dump, depth))


def message(**members):
    built = protobuf.Message(0)
    for name, arguments in members.items():
        built.add(name, *arguments)
    return built


def test_a_scalar_is_written_by_its_type():
    built = message(
        s=(protobuf.STRING, (1,)), b=(protobuf.BOOL, (2,)), i=(protobuf.INT, (300,)), d=(protobuf.DOUBLE, (4,))
    )
    value = {"s": "ü", "b": True, "i": -1, "d": 0.5}
    assert dict(encode(value, built)) == {
        1: "ü".encode(),
        2: 1,
        300: 2**64 - 1,
        4: b"\x00\x00\x00\x00\x00\x00\xe0\x3f",
    }


@pytest.mark.parametrize(
    "value", [{"s": 1}, {"s": None}, {"b": "true"}, {"i": True}, {"i": 2**63}, {"m": "x"}, {"p": []}, [], None, "x"]
)
def test_values_of_other_types_are_left_out(value):
    built = message(
        s=(protobuf.STRING, (1,)),
        b=(protobuf.BOOL, (2,)),
        i=(protobuf.INT, (3,)),
        m=(protobuf.MESSAGE, (4,), protobuf.Message(0)),
        p=(protobuf.MAP, (5,), protobuf.Message(0)),
    )
    assert protobuf.encode(value, built, dump, DEPTH) == b""


def test_lists_repeat_in_their_order():
    built = message(l=(protobuf.STRING, (7,)), w=(protobuf.STRING, (8, 1)))
    assert encode({"l": ["a", "b", "c"]}, built) == [(7, b"a"), (7, b"b"), (7, b"c")]
    assert encode({"w": ["a", "b"]}, built) == [(8, b"\n\x01a"), (8, b"\n\x01b")]


def test_any_is_a_text_and_a_list_of_them_repeats():
    built = message(a=(protobuf.ANY, (1,)), e=(protobuf.ANYS, (2,)))
    assert encode({"a": [1, {}]}, built) == [(1, b"\x12\x07[1, {}]")]
    assert encode({"e": [1, None]}, built) == [(2, b"\x12\x011"), (2, b"\x12\x04null")]


def test_extensions_are_named_any_values():
    built = protobuf.Message(9)
    assert encode({"x-a": 1, "y": 2}, built) == [(9, b"\n\x03x-a\x12\x03\x12\x011")]
    assert encode({"x-a": 1}, protobuf.Message(0)) == []


def test_maps_and_wrapped_maps():
    inner = message(s=(protobuf.STRING, (1,)))
    entry = b"\n\x01k\x12\x03\n\x01v"
    assert encode({"m": {"k": {"s": "v"}}}, message(m=(protobuf.MAP, (3,), inner))) == [(3, entry)]
    assert encode({"m": {"k": {"s": "v"}}}, message(m=(protobuf.MAP, (4, 3), inner))) == [
        (4, b"\x1a" + bytes([len(entry)]) + entry)
    ]


def test_union_takes_the_first_case_that_fits():
    union = protobuf.Union(5)
    text = message(s=(protobuf.STRING, (1,)))
    union.add("in", "body", (1,), text)
    union.add("s", None, (2,), text)
    union.add("", None, (3, 4), text)
    built = message(u=(protobuf.MESSAGE, (9,), union))
    assert encode({"u": {"in": "body", "s": "x"}}, built) == [(9, b"\n\x03\n\x01x")]
    assert encode({"u": {"in": "path", "s": "x"}}, built) == [(9, b"\x12\x03\n\x01x")]
    assert encode({"u": {}}, built) == [(9, b'\x1a\x02"\x00')]
    assert encode({"u": True}, built) == [(9, b"\x28\x01")]
    assert encode({"u": 1}, built) == []


@pytest.mark.parametrize(
    ("value", "inside"), [(0.5, b"\t\x00\x00\x00\x00\x00\x00\xe0?"), (False, b"\x10\x00"), ("x", b"\x1a\x01x")]
)
def test_scalar_message_by_type(value, inside):
    built = message(d=(protobuf.SCALAR, (1,)))
    assert encode({"d": value}, built) == [(1, inside)]
    assert encode({"d": {}}, built) == []


def test_what_is_too_deep_is_left_out():
    built = protobuf.Message(0)
    built.add("m", protobuf.MESSAGE, (1,), built)
    value: dict = {}
    for _ in range(5000):
        value = {"m": value}
    data = protobuf.encode(value, built, dump, 3)
    assert data == b"\n\x04\n\x02\n\x00"


def test_large_texts_grow_the_output():
    built = message(s=(protobuf.STRING, (1,)))
    texts = ["x" * size for size in (1, 4096, 100_000, 5)]
    assert encode({"s": texts}, built) == [(1, text.encode()) for text in texts]


def test_lone_surrogates_become_question_marks():
    assert encode({"s": "a\ud800"}, message(s=(protobuf.STRING, (1,)))) == [(1, b"a?")]


def test_errors_of_the_dump_are_passed_on():
    def fail(value):
        raise KeyError(value)

    with pytest.raises(KeyError):
        protobuf.encode({"a": 1}, message(a=(protobuf.ANY, (1,))), fail, DEPTH)


@pytest.mark.parametrize(
    "arguments",
    [
        (0, (1,)),
        (10, (1,)),
        (protobuf.STRING, ()),
        (protobuf.STRING, (1, 2, 3, 4, 5)),
        (protobuf.INT, (1, 2)),
        (protobuf.MESSAGE, (1,)),
        (protobuf.STRING, (1,), protobuf.Message(0)),
    ],
)
def test_tables_that_make_no_sense_are_refused(arguments):
    with pytest.raises((TypeError, ValueError)):
        protobuf.Message(0).add("x", *arguments)


@pytest.mark.parametrize(
    "arguments",
    [(protobuf.STRING, (1,), protobuf.Message(0)), (protobuf.MESSAGE, (1,), dump), (protobuf.MAP, (1,))],
)
def test_targets_that_do_not_fit_their_kind(arguments):
    with pytest.raises(TypeError):
        protobuf.Message(0).add("x", *arguments)
