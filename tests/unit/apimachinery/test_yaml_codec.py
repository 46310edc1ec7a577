"""YAML is read and written as sigs.k8s.io/yaml does it."""

import json

import pytest

from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.codec import yaml as codec
from support import recorded


@pytest.mark.parametrize("row", recorded.load("yaml-decode.json"), ids=lambda row: repr(row["text"])[:40])
def test_decode_answers_as_go(row):
    data = row["text"].encode()
    if "error" in row:
        with pytest.raises(codec.DecodeError) as caught:
            codec.decode(data)
        assert caught.value.message == row["error"]
        return
    decoded = codec.decode(data)
    assert decoded.value == json_codec.decode(row["json"].encode()).value
    assert decoded.strict_error == row.get("strict", "")


@pytest.mark.parametrize("row", recorded.load("yaml-encode.json"), ids=lambda row: json.dumps(row["value"])[:40])
def test_encode_answers_as_go(row):
    assert codec.encode(row["value"]).decode() == row["yaml"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: .inf\na: 1\n", {"a": 1}),
        ("spec: {b: [.nan]}\nspec: {}\n", {"spec": {}}),
        ("a: &x .inf\nb: *x\na: 2\nb: 3\n", {"a": 2, "b": 3}),
        ("a: !!merge b\n", {"a": "b"}),
    ],
)
def test_what_has_no_json_form_may_be_replaced_before_it_is_missed(text, value):
    assert codec.decode(text.encode()).value == value


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("b: -.inf\na: [1, {c: .inf}]\n", "json: unsupported value: +Inf"),
        ("b: -.inf\n~: 1\n", "unsupported map key of type: %!s(<nil>), key: <nil>, value: 1"),
        ("~: .inf\n", "unsupported map key of type: %!s(<nil>), key: <nil>, value: +Inf"),
        ("? z: .inf\n", 'yaml: invalid map key: map[interface {}]interface {}{"z":+Inf}'),
    ],
)
def test_of_what_has_no_json_form_keys_are_told_first_then_numbers_in_the_order_of_names(text, told):
    with pytest.raises(codec.DecodeError) as caught:
        codec.decode(text.encode())
    assert caught.value.message == told


def test_bytes_that_are_no_text_are_refused():
    with pytest.raises(codec.DecodeError, match="yaml: invalid leading UTF-8 octet"):
        codec.decode(b"a: \xff\n")


def test_json_under_a_yaml_type_reads_numbers_as_yaml_does():
    assert codec.decode(b'{"a":1.0,"b":[1e3,2.5]}').value == {"a": 1, "b": [1000, 2.5]}
    assert type(codec.decode(b'{"a":1.0}').value["a"]) is int


def test_json_with_duplicates_is_read_as_yaml():
    decoded = codec.decode(b'{"a":1,\n"a":2}')
    assert decoded.value == {"a": 2}
    assert decoded.duplicates == ['line 2: key "a" already set in map']


@pytest.mark.parametrize("text", ['{"a":"\\/"}', '{"a":"\\ud83d\\ude00"}', '{"a":"\x7f"}'])
def test_json_that_is_no_yaml_is_refused(text):
    with pytest.raises(codec.DecodeError):
        codec.decode(text.encode())


@pytest.mark.parametrize("opening, closing", [("[", "]"), ("- ", ""), ("{a: ", "}")])
def test_depth_is_limited_without_recursion(opening, closing):
    assert codec.decode((opening * 9_990 + "x" + closing * 9_990).encode()).value is not None
    with pytest.raises(codec.DecodeError, match="exceeded max depth of 10000"):
        codec.decode((opening * 10_010 + "x" + closing * 10_010).encode())


def test_aliases_that_multiply_are_refused_before_they_are_copied():
    lines = ["a: &a [x,x,x,x,x,x,x,x,x,x]"]
    for name, previous in zip("bcdefghi", "abcdefgh", strict=True):
        lines.append(f"{name}: &{name} [{','.join([f'*{previous}'] * 10)}]")
    with pytest.raises(codec.DecodeError, match="yaml: document contains excessive aliasing"):
        codec.decode("\n".join(lines).encode())


def test_aliased_values_are_copies():
    value = codec.decode(b"a: &x {k: [1]}\nb: *x\n").value
    value["a"]["k"].append(2)
    assert value["b"] == {"k": [1]}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (-0.0, "0"),
        (1.2345678901234567e18, "1234567890123456800"),
        (2.0**63, "9223372036854776000"),
        (-(2.0**63), "-9.223372036854776e+18"),
        (1.8446744073709550e19, "18446744073709550000"),
        (2.0**64, "1.8446744073709552e+19"),
        (1e300, "1e+300"),
    ],
)
def test_whole_floats_are_integers_where_those_can_be_read(value, text):
    assert codec.encode({"v": value}).decode() == f"v: {text}\n"


def test_encoded_values_read_back():
    value = {"a": ["yes", "1", 1, 1.5, None, True, "", "x: y", "line\nline\n", " ", "é", "😀"], "b": {}, "c": []}
    assert codec.decode(codec.encode(value)).value == value


def test_deep_values_are_written():
    value: object = "x"
    for _ in range(3_000):
        value = [value]
    assert codec.encode(value).endswith(b"- x\n")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a: 1",
        '{"a": [1, 2.5]}',
        "".join(f"- name: n{number}\n  value: {number}\n" for number in range(2000)),
        "a: 1\n" * 600,
        "a: [" + "1, " * 600 + "b: {",
    ],
)
def test_reading_in_steps_is_reading(text):
    def outcome(read):
        try:
            return read()
        except codec.DecodeError as error:
            return error.message

    def read_in_steps():
        steps = codec.decode_in_steps(text.encode())
        while True:
            try:
                next(steps)
            except StopIteration as stop:
                return stop.value

    assert outcome(read_in_steps) == outcome(lambda: codec.decode(text.encode()))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a\x85b", "a b"),  # what go-yaml takes for the end of a line
        ("<\x85 \x85&b", "|-\n  <\n  &b"),
        ("\x85a\x01\x85", '" a\\x01 "'),
    ],
)
def test_texts_are_written_as_go_yaml_reads_them_in_json(text, written):
    numbers = {"b": [1, -0.5, 2.0**63, 2.0**64]}
    assert codec.encode({"a": text, **numbers}) == f"a: {written}\n".encode() + codec.encode(numbers)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        *((f"a{char}b", "control characters are not allowed") for char in "\x7f\x80\x84\x86\x9f\ufffe\uffff"),
        ("a\x85--- b", "line 2: found unexpected document indicator"),
        ({"a\x85b": 1}, "line 1: did not find expected ',' or '}'"),
        ({"a" * 1023: 1}, "did not find expected ',' or '}'"),
        ({"<" * 171: 1}, "did not find expected ',' or '}'"),
    ],
)
def test_what_go_yaml_cannot_read_in_json_is_not_written(value, told):
    with pytest.raises(codec.DecodeError) as refused:
        codec.encode([value])
    assert codec.write([value])
    assert refused.value.message == f"yaml: {told}"
    assert codec.encode({"a" * 1022: "<" * 171}).startswith(b"? aaa")


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("a\u2028", "'a\u2028'"),
        ("\u2028\u2029", "'\u2028\u2029'"),
        ("'\u2028", "'''\u2028'"),
        ("a \u2028", '"a \\L"'),
        ("\ue000\u2028", "'\ue000\u2028'"),  # the first of the marks
        ('\ufeffa\n\xe9 "\\\u2028\U0001f600', '"\\uFEFF\\x61\\n\\xE9\\x20\\"\\\\\\L\\U0001F600"'),
        ("\ufeff" + "a b " * 30, '"\\uFEFF' + "\\x61\\x20\\x62\\x20" * 30 + '"'),
        ("a\ufeffb", '"a\\uFEFFb"'),
    ],
)
def test_texts_are_written_as_go_yaml_does_where_libyaml_does_otherwise(value, written):
    assert codec.encode({"k": value, "l": [value]}).decode() == f"k: {written}\nl:\n- {written}\n"
    assert codec.decode(codec.encode({"k": value})).value == {"k": value}


def test_keys_that_end_with_a_line_break_are_no_longer():
    assert codec.encode({"a\u2028": 1}).decode() == "? 'a\u2028'\n: 1\n"


def test_texts_that_only_look_corrected_stay():
    text = "x\u2028    '\ny\n"
    assert codec.decode(codec.encode({"k": text, "l": "a\u2028"})).value == {"k": text, "l": "a\u2028"}


@pytest.mark.parametrize("text", ["Y Q==", "\\tYQ==", "YQ==\\x1c", "YQ", "YQ===", "é"])
def test_nothing_but_line_breaks_may_stand_in_binary_texts(text):
    assert codec.decode(b'a: !!binary "YQ\\n==\\r"').value == {"a": "a"}
    with pytest.raises(codec.DecodeError, match="!!binary value contains invalid base64 data"):
        codec.decode(f'a: !!binary "{text}"'.encode())


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ('{"a"\n:1}', "yaml: line 1: did not find expected ',' or '}'"),
        ('{"a":1}\n\t', "yaml: line 2: found character that cannot start any token"),
        ('{"' + "k" * 1023 + '":1}', "yaml: did not find expected ',' or '}'"),
        ('{"' + r"\t" * 512 + '":1}', "yaml: did not find expected ',' or '}'"),
    ],
    ids=["apart", "tab", "long", "escaped"],
)
def test_json_whose_layout_yaml_minds_is_refused(text, refusal):
    with pytest.raises(codec.DecodeError) as caught:
        codec.decode(text.encode())
    assert caught.value.message == refusal


def test_json_that_fits_yaml_is_read():
    key = "k" * 1022
    assert codec.decode(f'{{\n\t"{key}":1}}\t\n'.encode()).value == {key: 1}
    assert codec.decode(('{"' + "é" * 1022 + '":1}').encode()).value == {"é" * 1022: 1}
