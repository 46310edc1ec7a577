"""Addresses as Go reads them, and what it tells of texts that are none."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarterdeck.apimachinery import netip


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("::1::", 'multiple :: in address (at ":")'),
        ("::1::2", 'multiple :: in address (at ":2")'),
        ("1:2", "address string too short"),
        ("1:2:3:4:5:6:7:8:9", 'trailing garbage after address (at "9")'),
        ("1:2:3:4:5:6:7::8", "the :: must expand to at least one field of zeros"),
        ("1:2:3:4:5:6:7:8::", "the :: must expand to at least one field of zeros"),
        ("12345::", 'each group must have 4 or less digits (at "12345::")'),
        (":1", 'each colon-separated field must have at least one digit (at ":1")'),
        ("1:", 'colon must be followed by more characters (at ":")'),
        ("1:x", 'each colon-separated field must have at least one digit (at "x")'),
        ("1x:2", 'unexpected character, want colon (at "x:2")'),
        ("1:2:1.2.3.4", 'embedded IPv4 address must replace the final 2 fields of the address (at "1.2.3.4")'),
        (
            "::1:2:3:4:5:6:7:1.2.3.4",
            'too many hex fields to fit an embedded IPv4 at the end of the address (at "1.2.3.4")',
        ),
        ("::1.2.3", "IPv4 address too short"),
        ("::1.2..3", 'IPv4 field must have at least one digit (at ".3")'),
        ("::1.2.3.04", "IPv4 field has octet with leading zero"),
        ("fe80::%", "zone must be a non-empty string"),
    ],
)
def test_a_text_that_is_no_ipv6_address_is_told_where_it_goes_wrong(text, fault):
    with pytest.raises(netip.AddressError) as caught:
        netip.parse_address(text)
    assert str(caught.value) == f'ParseAddr("{text}"): {fault}'


@given(st.ip_addresses(v=6))
def test_every_way_to_write_an_ipv6_address_is_read(address):
    for text in (str(address), address.exploded, str(address).upper()):
        assert netip.parse_address(text) == (address, "")
    head, last = address.exploded.rsplit(":", 2)[0], int(address) & 0xFFFFFFFF
    assert netip.parse_address(f"{head}:{ipaddress.IPv4Address(last)}%z") == (address, "z")
