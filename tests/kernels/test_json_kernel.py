"""The JSON kernel at its edges: sizes around its blocks, deep values, references."""

import gc
import sys

import orjson
import pytest

from quarterdeck._kernels import json as kernel
from quarterdeck._kernels import jsondecode, jsonwrite


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 15, 16, 17, 4079, 4080, 4081, 8161])
def test_texts_of_any_length_are_escaped_and_counted(size):
    for text in ("x" * size, "x" * size + '"', '"' + "x" * size, "x" * size + "\\\x01é😀"):
        data = jsonwrite.encode({"k": text})
        assert orjson.loads(data) == {"k": text}
        assert kernel.is_exact(data, {"k": text})
        assert jsondecode.decode(data, 10)[0] == {"k": text}


@pytest.mark.parametrize(
    "data",
    [
        b'{"a":1,"a":1}',
        b'[{"x":"y","x":"y"}]',
        b'{"a":{"b":1},"a":{"b":1}}',
        b"[9223372036854775808]",
        b"18446744073709551615",
    ],
)
def test_what_orjson_loses_is_noticed(data):
    assert not kernel.is_exact(data, orjson.loads(data))


@pytest.mark.parametrize(
    "data", [b'"\\"\\\\\\""', b'{"\\"":"\\\\"}', b'["a\\\\","b"]', b"[]", b"-9223372036854775808", b'{"a":[{"b":{}}]}']
)
def test_what_orjson_keeps_is_proved(data):
    assert kernel.is_exact(data, orjson.loads(data))


def test_trees_deeper_than_the_walk_are_not_proved():
    value: object = 1
    for _ in range(1_500):
        value = [value]
    assert not kernel.is_exact(b"[" * 1_500 + b"1" + b"]" * 1_500, value)


def test_two_hundred_thousand_levels_need_no_c_stack():
    value: object = 1
    for number in range(200_000):
        value = [value] if number % 2 else {"a": value}
    copied = kernel.copy(value)
    assert kernel.equal(value, copied)
    assert len(jsonwrite.encode(copied)) == 2 * 100_000 + 6 * 100_000 + 1
    jsonwrite.integers_for_floats(copied)
    data = b"[" * 200_000 + b"]" * 200_000
    assert jsondecode.decode(data, 300_000)[2] is None
    assert jsondecode.decode(data, 10)[2] == (ord("["), "exceeded max depth")


def test_equality_minds_types_and_not_order():
    assert kernel.equal({"a": 1, "b": [None, "x"]}, {"b": [None, "x"], "a": 1})
    for left, right in [
        (1, 1.0),
        (1, True),
        (0, False),
        ({"a": 1}, {"a": 2}),
        ([1], [1, 1]),
        ({"a": None}, {"b": None}),
        (None, {}),
    ]:
        assert not kernel.equal(left, right)
        assert not kernel.equal(right, left)


def test_copies_share_no_container():
    value = {"a": [{"b": []}], "c": {}}
    copied = kernel.copy(value)
    copied["a"][0]["b"].append(1)
    copied["c"]["d"] = 1
    assert value == {"a": [{"b": []}], "c": {}}


@pytest.mark.parametrize("count", [0, 1, 65_536, 65_537, 200_000])
def test_a_list_of_any_length_is_copied_whole(count):
    value = {"a": list(range(count))}
    copied = kernel.copy(value)
    assert copied == value
    assert copied["a"] is not value["a"]


def test_floats_become_the_integers_that_their_text_reads_as():
    value = [1.0, 2.5, {"a": -3.0, "b": 2.0**60}, 2.0**63, -0.0, 1e300]
    assert jsonwrite.integers_for_floats(value) == [1, 2.5, {"a": -3, "b": 1152921504606847000}, 2.0**63, 0, 1e300]
    assert [type(item) for item in value if not isinstance(item, dict)] == [int, float, float, int, float]
    assert jsonwrite.integers_for_floats(4.0) == 4


def test_references_are_balanced():
    data = b'{"a":[1,2.5,"x\\u00e9",{"b":null,"b":true}],"a":{}}'
    sentinel = "a text that is used nowhere else"
    value = {"k": [sentinel, {"m": sentinel}]}
    kernel.copy(value), jsonwrite.encode(value), kernel.equal(value, kernel.copy(value))
    gc.collect()
    before_count, before_refs = len(gc.get_objects()), sys.getrefcount(sentinel)
    for _ in range(200):
        jsondecode.decode(data, 100)
        jsondecode.decode(b'{"a":[{"b":tru', 100)
        jsonwrite.encode(kernel.copy(value))
        kernel.equal(value, kernel.copy(value))
        kernel.is_exact(data, value)
    gc.collect()
    assert sys.getrefcount(sentinel) == before_refs
    assert len(gc.get_objects()) - before_count < 50


def test_misuse_raises():
    with pytest.raises(TypeError):
        jsondecode.decode("text", 10)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        jsonwrite.encode({1: 2})
    with pytest.raises(TypeError):
        kernel.is_exact(None, {})  # type: ignore[arg-type]


@pytest.mark.parametrize("before", range(40))
def test_a_long_number_is_found_wherever_it_stands(before):
    for digits in (1, 18, 19, 20, 40):
        data = b"x" * before + b"7" * digits + b"y"
        assert kernel.has_long_number(data) is (digits >= 19)
        assert kernel.has_long_number(data[:-1]) is (digits >= 19)
    assert not kernel.has_long_number(b"123456789012345678-123456789012345678." * 3)


def test_there_is_no_long_number_in_nothing():
    assert not kernel.has_long_number(b"")


def test_a_zero_that_is_stored_untyped_has_no_sign():
    obj = {"apiVersion": "a/v1", "kind": "K", "metadata": {"name": "a"}, "spec": {"n": [-0.0, 0.0, -0.5, -1e-7]}}
    head = b'{"apiVersion":"a/v1","kind":"K","metadata":{"name":"a"},"spec":{"n":'
    assert jsonwrite.encode_stored(obj, is_untyped=True) == head + b"[0,0,-0.5,-1e-7]}}"
    assert jsonwrite.encode_stored(obj) == head + b"[-0,0,-0.5,-1e-7]}}"
