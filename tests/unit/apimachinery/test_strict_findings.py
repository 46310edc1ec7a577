"""The order of what strict decoding finds."""

import pytest

from quarterdeck.apimachinery.codec.json import decode
from quarterdeck.apimachinery.codec.strict import order_findings, sort_key
from quarterdeck.apimachinery.patch import jsonpatch_body


@pytest.mark.parametrize(
    "text, unknown, expected",
    [
        (b'{"z":1,"a":1,"a":2}', ["z"], ['unknown field "z"', 'duplicate field "a"']),
        (b'{"a":1,"a":2,"z":1}', ["z"], ['duplicate field "a"', 'unknown field "z"']),
        (b'{"z":{"a":1,"a":2},"z":1}', ["z"], ['unknown field "z"']),
        (b'{"l":[{},{"x":1,"a":1,"a":2,"a":3}]}', ["l[1].x"], ['unknown field "l[1].x"', 'duplicate field "l[1].a"']),
        (b'{"a":{"q":1},"a":{"b":1,"b":2}}', [], ['duplicate field "a"', 'duplicate field "a.b"']),
    ],
)  # fmt: skip
def test_findings_stand_in_the_order_of_the_text(text, unknown, expected):
    assert order_findings(text, decode(text).strict_errors, unknown, 100) == expected


def test_a_text_nested_too_deeply_keeps_what_was_found():
    text = b'{"z":1,"a":' + b"[" * 5000 + b"]" * 5000 + b',"b":1,"b":2}'
    assert order_findings(text, decode(text).strict_errors, ["z"], 100) == ['duplicate field "b"', 'unknown field "z"']


def test_sorted_paths_go_member_by_member():
    paths = ["b", "a[10].x", "a-b", "a[2].y", "a.c", "a[2].x"]
    assert sorted(paths, key=sort_key) == ["a.c", "a[2].x", "a[2].y", "a[10].x", "a-b", "b"]


def test_operations_of_a_patch_are_told_of_one_after_the_other():
    text = b'[{"op":"add","path":"/a","extra":1,"value":{"k":1,"k":2}},{"op":"add","op":"test","path":"/a","value":1}]'
    assert jsonpatch_body.decode(text).strict_errors == [
        'json patch unknown field "[0].extra"',
        'json patch duplicate field "[0].value.k"',
        'json patch duplicate field "[1].op"',
    ]
