"""Integers as Go's strconv reads them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarterdeck.apimachinery import strconv

ZEROS = "0" * 30


@given(st.integers(-(2**63), 2**63 - 1), st.sampled_from(["", ZEROS]))
def test_what_fits_64_bits_is_read_whatever_zeros_it_begins_with(number: int, zeros: str) -> None:
    sign = "-" if number < 0 else ""
    assert strconv.parse_int(f"{sign}{zeros}{abs(number)}") == number


@given(st.integers(1, 64), st.data())
def test_unsigned_numbers_have_so_many_bits(bits: int, data: st.DataObject) -> None:
    fits = data.draw(st.integers(0, 2**bits - 1))
    assert strconv.parse_uint(f"{ZEROS}{fits}", bits) == fits
    with pytest.raises(strconv.NumError, match="value out of range"):
        strconv.parse_uint(str(2**bits + fits), bits)


@pytest.mark.parametrize("text", ["", "+", "-", "x", "1_0", " 1", "1 ", "1\n", "٣", "0x1", "1.0", "+-1"])
def test_what_is_no_number_is_told_in_words_of_go(text: str) -> None:
    for read, name in ((strconv.parse_int, "ParseInt"), (strconv.parse_uint, "ParseUint")):
        with pytest.raises(strconv.NumError, match=f"^strconv.{name}: parsing .*: invalid syntax$"):
            read(text)


def test_unsigned_numbers_have_no_sign() -> None:
    assert strconv.parse_int("+5") == 5
    for text in ("+5", "-5"):
        with pytest.raises(strconv.NumError, match="invalid syntax"):
            strconv.parse_uint(text)


@pytest.mark.parametrize("text", [str(2**63), str(-(2**63) - 1), "9" * 5000, "-" + "9" * 21])
def test_what_is_beyond_64_bits_is_out_of_range(text: str) -> None:
    with pytest.raises(strconv.NumError, match="value out of range"):
        strconv.parse_int(text)


def test_an_error_tells_the_call_and_the_reason_apart() -> None:
    with pytest.raises(strconv.NumError) as caught:
        strconv.parse_int("a", "Atoi")
    assert (caught.value.call, caught.value.reason) == ('strconv.Atoi: parsing "a"', "invalid syntax")
