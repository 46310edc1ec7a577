"""JSON is read as Go reads it and written so that Go reads the same."""

import base64

import pytest

from quarterdeck.apimachinery.codec import json as codec
from support import recorded


@pytest.mark.parametrize("row", recorded.load("json-decode.json"), ids=lambda row: row["base64"][:24])
def test_decode_answers_as_go(row):
    data = base64.b64decode(row["base64"])
    if "error" in row:
        with pytest.raises(codec.DecodeError) as caught:
            codec.decode(data)
        assert caught.value.message == row["error"]
        return
    decoded = codec.decode(data)
    assert decoded.strict_errors == row["strict"]
    assert codec.decode(codec.encode(decoded.value)).value == codec.decode(row["json"].encode()).value


def test_integers_keep_64_bits_and_what_is_larger_is_a_float():
    value = codec.decode(b"[9223372036854775807,-9223372036854775808,9223372036854775808,-0,1.0]").value
    assert value == [2**63 - 1, -(2**63), 2.0**63, 0, 1.0]
    assert list(map(type, value)) == [int, int, float, int, float]


def test_last_duplicate_wins_and_each_path_is_reported_once():
    decoded = codec.decode(b'{"a":1,"a":2,"a":3,"l":[{"x":1,"x":{"y":1,"y":2}}]}')
    assert decoded.value == {"a": 3, "l": [{"x": {"y": 2}}]}
    assert decoded.duplicates == ["a", "l[0].x", "l[0].x.y"]
    assert decoded.strict_errors[0] == 'duplicate field "a"'


def test_duplicates_are_reported_up_to_upstreams_limit():
    members = ",".join(f'"k{i}":1,"k{i}":2' for i in range(300))
    decoded = codec.decode(b"{" + members.encode() + b"}")
    assert len(decoded.duplicates) == codec.STRICT_ERRORS_MAX
    assert len(decoded.value) == 300


def test_paths_of_deep_duplicates_stay_bounded():
    deep = b'{"kkkkkkkkkk":' * 5000
    data = deep + b"[" + b",".join(b'{"x":1,"x":2}' for _ in range(2000)) + b"]" + b"}" * 5000
    assert sum(map(len, codec.decode(data).duplicates)) < 1_000_000


@pytest.mark.parametrize("opening, closing", [(b"[", b"]"), (b'{"a":', b"}")])
def test_depth_is_limited_to_ten_thousand(opening, closing):
    fits = opening * 9_999 + b"[]" + closing * 9_999
    value = codec.decode(fits).value
    assert codec.decode(codec.encode(value)).value is not None
    with pytest.raises(codec.DecodeError, match="exceeded max depth"):
        codec.decode(opening * 10_000 + b"[]" + closing * 10_000)


def test_number_beyond_float_is_no_syntax_error():
    with pytest.raises(codec.DecodeError) as caught:
        codec.decode(b'{"a":1e400}')
    assert caught.value.message == "json: cannot unmarshal number 1e400 into Go value of type float64"
    assert not caught.value.is_syntax


@pytest.mark.parametrize(
    "value, text",
    [
        (1.0, "1"),
        (-0.5, "-0.5"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (1.5e-7, "1.5e-7"),
        (0.000001, "0.000001"),
        ('a\n\t\x01"\\é😀\u2028', '"a\\n\\t\\u0001\\"\\\\é😀\u2028"'),
        ({"b": [True, None], "a": {}}, '{"b":[true,null],"a":{}}'),
        ("\ud800", '"\ufffd\ufffd\ufffd"'),
    ],
)
def test_encode_writes_numbers_and_texts(value, text):
    assert codec.encode(value).decode() == text


def test_encode_refuses_what_json_cannot_say():
    with pytest.raises(ValueError, match="no form"):
        codec.encode([float("inf")])
    with pytest.raises(TypeError):
        codec.encode({"a": object()})


def test_resource_version_is_spliced_in_and_taken_out():
    obj = {
        "spec": {"metadata": {}},
        "metadata": {"name": "a", "resourceVersion": "3"},
        "kind": "K",
        "apiVersion": "g/v1",
    }
    stored = codec.encode(codec.canonical_object(obj))
    assert stored == b'{"apiVersion":"g/v1","kind":"K","metadata":{"name":"a"},"spec":{"metadata":{}}}'
    spliced = codec.splice_resource_version(stored, 17)
    assert codec.decode(spliced).value["metadata"] == {"resourceVersion": "17", "name": "a"}
    assert codec.remove_resource_version(spliced) == (stored, 17)
    assert obj["metadata"]["resourceVersion"] == "3"


def test_resource_version_is_spliced_into_empty_metadata():
    stored = codec.encode(codec.canonical_object({"kind": 'a"metadata":{', "metadata": None}))
    spliced = codec.splice_resource_version(stored, 1)
    assert codec.load(spliced)["metadata"] == {"resourceVersion": "1"}
    assert codec.remove_resource_version(spliced) == (stored, 1)


def test_numbers_that_are_too_large_may_be_kept_where_nobody_reads_them():
    decoded = codec.decode(b'{"a":1e400,"b":[-1e999]}', keeps_huge=True)
    assert (decoded.value, decoded.huge) == ({"a": float("inf"), "b": [float("-inf")]}, "1e400")
    with pytest.raises(codec.DecodeError, match="cannot unmarshal number 1e400 into Go value of type float64"):
        codec.decode(b'{"a":1e400}')
    assert codec.decode(b'{"a":1e300}', keeps_huge=True).huge == ""


@pytest.mark.parametrize(
    "members",
    [
        '"a":1,"b":[1.5,-0,"é"]',
        '"a":1,"a":2',
        '"a":9223372036854775808',
        '"a":"\\ud800"',
        '"a":[1,]',
        '"a":' + "[" * 300 + "]" * 300,
    ],
)
def test_a_large_text_is_read_as_a_small_one(members):
    """Above some size another decoder reads it."""

    def outcome(text):
        try:
            decoded = codec.decode(text)
        except codec.DecodeError as error:
            return error.message
        decoded.value.pop("long", None)
        return decoded.value, decoded.duplicates, decoded.huge

    small = f'{{"long":"",{members}}}'.encode()
    large = f'{{"long":"{"x" * 300_000}",{members}}}'.encode()
    assert outcome(large) == outcome(small)
    plain = codec.load_plain(large)
    assert plain is None or plain == codec.decode(large).value
