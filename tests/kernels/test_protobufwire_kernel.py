"""Fields without a table: every length of a varint, signs, and that no bytes are a danger."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarterdeck._kernels import protobufwire as kernel

NUMBERS = st.integers(1, 2**29 - 1)
VALUES = st.integers(-(2**63), 2**63 - 1) | st.binary(max_size=300)


def field(number, value):
    return kernel.bytes_field(number, value) if isinstance(value, bytes) else kernel.varint_field(number, value)


@pytest.mark.parametrize(
    "written, value",
    [
        (b"\x08\x00", 0),
        (b"\x08\x7f", 127),
        (b"\x08\x80\x01", 128),
        (b"\x08" + b"\xff" * 8 + b"\x7f", 2**63 - 1),
        (b"\x08" + b"\xff" * 9 + b"\x01", -1),
        (b"\x08" + b"\x80" * 9 + b"\x01", -(2**63)),
    ],
)
def test_numbers_of_every_length(written, value):
    assert kernel.varint_field(1, value) == written
    assert kernel.read_fields(written) == [(1, value)]


def test_numbers_beyond_64_bits_are_cut():
    assert kernel.varint_field(1, 2**64 + 5) == kernel.varint_field(1, 5)
    assert kernel.read_fields(kernel.varint_field(1, 2**64 - 1)) == [(1, -1)]


def test_a_head_is_what_comes_before_counted_bytes():
    for value in (b"", b"a", bytes(127), bytes(128), bytes(2**14), bytes(2**21)):
        assert kernel.bytes_head(16, len(value)) + value == kernel.bytes_field(16, value)
        assert kernel.read_fields(kernel.bytes_field(16, value)) == [(16, value)]
    with pytest.raises(ValueError, match="not negative"):
        kernel.bytes_head(1, -1)


@given(st.lists(st.tuples(NUMBERS, VALUES)))
def test_what_is_written_is_read(fields):
    assert kernel.read_fields(b"".join(field(*each) for each in fields)) == fields


def test_fixed_numbers_are_bytes_and_groups_are_passed_over():
    message = b"\x09" + bytes(8) + b"\x15" + bytes(4) + b"\x1b\x20\x01\x23\x24\x1c" + b"\x28\x07"
    assert kernel.read_fields(message) == [(1, bytes(8)), (2, bytes(4)), (5, 7)]


@given(st.binary())
def test_any_bytes_are_read_or_refused(message):
    try:
        kernel.read_fields(message)
    except kernel.WireError:
        pass


@pytest.mark.parametrize("message", [b"\x08", b"\x0a\x05ab", b"\x0c", b"\x00\x00", b"\x0e", b"\x08" + b"\xff" * 11])
def test_what_is_no_message(message):
    with pytest.raises(kernel.WireError):
        kernel.read_fields(message)


def test_other_types_are_refused():
    with pytest.raises(TypeError):
        kernel.bytes_field(1, "text")
    with pytest.raises(TypeError):
        kernel.varint_field(1, "1")
    with pytest.raises(TypeError):
        kernel.read_fields(None)
