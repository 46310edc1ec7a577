"""Addresses and ranges that programs read in different ways are told of as what they are."""

from __future__ import annotations

import pytest

from quarterdeck.apimachinery.addresses import validate_cidr, validate_ip

_ZEROS = "must not have leading 0s"
_ZEROS_OF_RANGE = "must not have leading 0s in IP or prefix length"
_NONE = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
_NO_RANGE = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10.0.0.1", None),
        ("2001:db8::1", None),
        ("2001:0db8::0001", None),
        ("010.0.0.1", _ZEROS),
        ("2001:00db8::1", _ZEROS),
        ("00000:0:0:0:0:0:0:00001", _ZEROS),
        ("2001:12345::1", _NONE),
        ("2001:00g::1", _NONE),
        ("::00000", _ZEROS),
        ("1.2.3", _NONE),
    ],
)
def test_an_address(text: str, expected: str | None) -> None:
    problems = [each.detail for each in validate_ip(text, "f")]
    assert problems == ([] if expected is None else [expected])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10.0.0.0/8", None),
        ("10.0.0.0/08", _ZEROS_OF_RANGE),
        ("10.0.0.0/0008", _ZEROS_OF_RANGE),
        ("10.0.0.0/" + "0" * 5000 + "8", _ZEROS_OF_RANGE),
        ("2001:00db8::/32", _ZEROS_OF_RANGE),
        ("2001:db8::/32", None),
        ("0.0.0.0/0", None),
        ("0.0.0.0/00", _ZEROS_OF_RANGE),
        ("10.0.0.0/33", _NO_RANGE),
        ("10.0.0.0/0033", _NO_RANGE),
        ("10.0.0.0/", _NO_RANGE),
        ("10.0.0.0/" + "9" * 5000, _NO_RANGE),
    ],
)
def test_what_is_wrong_with_a_range_is_told(text: str, expected: str | None) -> None:
    problems = [each.detail for each in validate_cidr(text, "f")]
    assert problems == ([] if expected is None else [expected])
