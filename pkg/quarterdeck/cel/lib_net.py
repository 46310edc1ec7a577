"""Functions of IP addresses and CIDR blocks.

Source: Go's net/netip (ParsePrefix) and apiserver's pkg/cel/library/ip.go and cidr.go.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import ClassVar, Final

from quarterdeck._kernels import celvalue
from quarterdeck.apimachinery import gofmt
from quarterdeck.apimachinery.netip import AddressError, parse_address
from quarterdeck.cel.digits import read_int
from quarterdeck.cel.memo import memoized
from quarterdeck.cel.values import CelErr, no_such_overload

_INT64_MAX: Final = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class IP:
    address: ipaddress.IPv4Address | ipaddress.IPv6Address

    cel_type: ClassVar[str] = "net.IP"
    cel_unit_equality: ClassVar[bool] = True

    @property
    def cel_size(self) -> int:
        return 4 if self.address.version == 4 else 16

    @property
    def cel_string(self) -> str:
        return str(self.address)


@dataclass(frozen=True, slots=True)
class CIDR:
    address: ipaddress.IPv4Address | ipaddress.IPv6Address
    bits: int

    cel_type: ClassVar[str] = "net.CIDR"
    cel_unit_equality: ClassVar[bool] = True

    @property
    def cel_size(self) -> int:
        return -(-self.bits // 8)

    @property
    def cel_string(self) -> str:
        return f"{self.address}/{self.bits}"

    def masked(self) -> int:
        shift = self.address.max_prefixlen - self.bits
        return int(self.address) >> shift << shift


def _is_mapped(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    return address.version == 6 and int(address) >> 32 == 0xFFFF


def _read_ip(text: str) -> IP:
    try:
        address, zone = parse_address(text)
    except AddressError as error:
        raise AddressError(
            f"IP Address {gofmt.quote(text)} parse error during conversion from string: {error}"
        ) from None
    if zone:
        raise AddressError(f"IP address {gofmt.quote(text)} with zone value is not allowed")
    if _is_mapped(address):
        raise AddressError(f"IPv4-mapped IPv6 address {gofmt.quote(text)} is not allowed")
    return IP(address)


def _parse_prefix(text: str) -> CIDR:
    def fail(message: str) -> AddressError:
        return AddressError(f"netip.ParsePrefix({gofmt.quote(text)}): {message}")

    body, slash, bits = text.rpartition("/")
    if not slash:
        raise fail("no '/'")
    try:
        address, zone = parse_address(body)
    except AddressError as error:
        raise fail(str(error)) from None
    if zone:
        raise fail("IPv6 zones cannot be present in a prefix")
    if len(bits) > 1 and not "1" <= bits[0] <= "9":
        raise fail(f"bad bits after slash: {gofmt.quote(bits)}")
    if not (bits.isascii() and bits.isdigit()) or read_int(bits) > _INT64_MAX:  # what Go's Atoi refuses
        raise fail(f"bad bits after slash: {gofmt.quote(bits)}")
    if read_int(bits) > address.max_prefixlen:
        raise fail("prefix length out of range")
    return CIDR(address, int(bits))


def _read_cidr(text: str) -> CIDR:
    try:
        block = _parse_prefix(text)
    except AddressError as error:
        raise AddressError(f"network address parse error during conversion from string: {error}") from None
    if _is_mapped(block.address):
        raise AddressError(f"IPv4-mapped IPv6 address {gofmt.quote(text)} is not allowed")
    return block


@memoized
def to_ip(text: str) -> object:
    try:
        return _read_ip(text)
    except AddressError as error:
        return CelErr(str(error))


def is_ip(text: str) -> object:
    return type(to_ip(text)) is IP


def is_canonical(text: str) -> object:
    found = to_ip(text)
    return found.cel_string == text if isinstance(found, IP) else found


@memoized
def to_cidr(text: str) -> object:
    try:
        return _read_cidr(text)
    except AddressError as error:
        return CelErr(f"network address parse error during conversion from string: {error}")


def is_cidr(text: str) -> object:
    return type(to_cidr(text)) is CIDR


def family(ip: IP) -> object:
    return ip.address.version


def is_unspecified(ip: IP) -> object:
    return ip.address.is_unspecified


def is_loopback(ip: IP) -> object:
    return ip.address.is_loopback


def is_link_local_multicast(ip: IP) -> object:
    if isinstance(ip.address, ipaddress.IPv4Address):
        return int(ip.address) >> 8 == 0xE00000
    return int(ip.address) >> 120 == 0xFF and int(ip.address) >> 112 & 0x0F == 0x02


def is_link_local_unicast(ip: IP) -> object:
    if isinstance(ip.address, ipaddress.IPv4Address):
        return int(ip.address) >> 16 == 0xA9FE
    return int(ip.address) >> 118 == 0x3FA


def is_global_unicast(ip: IP) -> object:
    address = ip.address
    if isinstance(address, ipaddress.IPv4Address) and (int(address) in (0, 0xFFFFFFFF)):
        return False
    return not (address.is_unspecified or address.is_loopback or address.is_multicast or is_link_local_unicast(ip))


def contains_ip(block: CIDR, ip: object) -> object:
    if isinstance(ip, str):
        ip = to_ip(ip)
    if not isinstance(ip, IP):
        return no_such_overload  # whatever is wrong with a text is not told, as upstream has it
    if ip.address.version != block.address.version:
        return False
    shift = block.address.max_prefixlen - block.bits
    return int(ip.address) >> shift == int(block.address) >> shift


def contains_cidr(block: CIDR, other: object) -> object:
    if isinstance(other, str):
        other = to_cidr(other)
    if not isinstance(other, CIDR):
        return other if type(other) is CelErr else no_such_overload
    if block.address.version != other.address.version or block.bits > other.bits:
        return False
    shift = block.address.max_prefixlen - block.bits
    return int(other.address) >> shift == int(block.address) >> shift


def cidr_ip(block: CIDR) -> object:
    return IP(block.address)


def prefix_length(block: CIDR) -> object:
    return block.bits


def masked(block: CIDR) -> object:
    return CIDR(type(block.address)(block.masked()), block.bits)


def contains_cost(args: tuple[object, object], result: object) -> int:
    """Comparing two byte strings. What is asked may be no block, but an error."""
    return _tenth(2 * celvalue.actual_size(args[0]))


def contains_text_cost(args: tuple[object, object], result: object) -> int:
    """The same, and parsing the text."""
    return contains_cost(args, result) + _tenth(celvalue.actual_size(args[1]))


def contains_cidr_cost(args: tuple[object, object], result: object) -> int:
    return contains_cost(args, result) + _tenth(celvalue.actual_size(args[0])) + 1


def contains_cidr_text_cost(args: tuple[object, object], result: object) -> int:
    return contains_cidr_cost(args, result) + _tenth(celvalue.actual_size(args[1]))


def _tenth(size: int) -> int:
    product = float(size) * 0.1
    return int(product) + (product > int(product))
