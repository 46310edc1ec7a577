"""The bytes of a stored object: the revision is put in, the metadata cut out, texts found."""

from __future__ import annotations

import pytest

from quarterdeck._kernels import objectbytes


@pytest.mark.parametrize(
    ("value", "spliced"),
    [
        (b'{"apiVersion":"v1","kind":"A","metadata":{"name":"x"}}', b'{"resourceVersion":"12","name":"x"}}'),
        (b'{"apiVersion":"v1","kind":"A","metadata":{}}', b'{"resourceVersion":"12"}}'),
        (b'{"apiVersion":"","kind":"","metadata":{}}', b'{"resourceVersion":"12"}}'),
        (
            b'{"apiVersion":"v1","kind":"A","metadata":{"resourceVersion":"7","name":"x"}}',
            b'{"resourceVersion":"12","name":"x"}}',
        ),
        (b'{"apiVersion":"v1","kind":"A","metadata":{"resourceVersion":"7"}}', b'{"resourceVersion":"12"}}'),
    ],
)
def test_splice_puts_the_revision_first(value: bytes, spliced: bytes) -> None:
    result = objectbytes.splice_revision(value, 12)
    assert result is not None
    assert result.endswith(b'"metadata":' + spliced)
    assert objectbytes.splice_revision(result, 2**63 - 1) == result.replace(b'"12"', b'"9223372036854775807"')


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"{}",
        b'{"apiVersion":"v1"',
        b'{"apiVersion":"v1","kind":"A"',
        b'{"apiVersion":"v1","kind":"A","metadata":{',
        b'{"apiVersion":"v1","kind":"A","metadata":{"resourceVersion":"7',
        b'{"kind":"A","apiVersion":"v1","metadata":{}}',
        b'{"apiVersion": "v1","kind":"A","metadata":{}}',
        b'{"apiVersion":"v\\"1","kind":"A","metadata":{}}',
        b'{"apiVersion":"v1","kind":"A","spec":{},"metadata":{}}',
    ],
)
def test_splice_refuses_what_is_not_canonical(value: bytes) -> None:
    assert objectbytes.splice_revision(value, 1) is None


@pytest.mark.parametrize(
    ("metadata", "rest"),
    [(b"{}", b"}"), (b'{"a":"}"}', b',"x":{}}'), (b'{"a":"\\"}{","l":[{},["]"]]}', b',"spec":{"}":1}}')],
)
def test_metadata_is_cut_out(metadata: bytes, rest: bytes) -> None:
    data = b'{"apiVersion":"v1","kind":"A","metadata":' + metadata + rest
    assert objectbytes.slice_metadata(data) == metadata
    assert objectbytes.slice_metadata(data[: 42 + len(metadata) - 2]) is None
    assert objectbytes.slice_metadata(b'{"metadata":{}}') is None


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"", False),
        (b'"a":', True),
        (b'x"b":', True),
        (b'"a', False),
        (b"\x00" * 5000 + b'"b":' + b"\x00", True),
        (b'"a"' * 5000, False),
    ],
)
def test_either_text_is_found_anywhere(data: bytes, found: bool) -> None:
    assert objectbytes.holds_any(data, b'"a":', b'"b":') is found


@pytest.mark.parametrize("revision", [0, 1, 9, 10, 2**63 - 1, -1, -(2**63)])
def test_any_number_is_written_in_digits(revision: int) -> None:
    spliced = objectbytes.splice_revision(b'{"apiVersion":"v1","kind":"A","metadata":{"a":1}}', revision)
    assert spliced == b'{"apiVersion":"v1","kind":"A","metadata":{"resourceVersion":"%d","a":1}}' % revision
