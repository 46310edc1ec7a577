"""IP addresses and ranges as fields of built-in kinds: parsed, refused, warned of.

Source: apimachinery/pkg/util/validation/ip.go; pkg/apis/core/validation/validation.go (ValidateEndpointIP). The texts
of older fields are strict about what programs read in different ways (KEP-4858).
"""

from __future__ import annotations

import ipaddress
import re
from typing import Final

from quarterdeck.apimachinery import field, gofmt
from quarterdeck.apimachinery.field import FieldError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_NO_ADDRESS: Final = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
_NO_RANGE: Final = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
# In front of an octet, of an IPv4 address that ends an IPv6 address too.
_ZEROS: Final = re.compile(r"(?:(?<=[.:])|^)0+(?=[0-9]+(?:[./]|$))")
# In front of a group of an IPv6 address that would have more digits than it may.
_LONG_ZEROS: Final = re.compile(r"(?:(?<=:)|^)0+(?=[0-9a-fA-F]{4}(?:[:/]|$))")
# Differs from upstream: it reads zeros without end before a part of an address.
_LENGTH_MAX: Final = 64


def parse_ip(text: str) -> Address | None:
    """Leading zeros are let pass, a zone is not."""
    if "%" in text or len(text) > _LENGTH_MAX:
        return None
    try:
        if ":" in text:
            text = _LONG_ZEROS.sub("", text)
        return ipaddress.ip_address(_ZEROS.sub("", text) if "." in text else text)
    except ValueError:
        return None


def validate_ip(text: str, path: str) -> list[FieldError]:
    """A field that takes any form of an address, but no ambiguous one."""
    address = parse_ip(text)
    if address is None:
        return [field.invalid(path, text, _NO_ADDRESS)]
    problems: list[FieldError] = []
    if _has_zeros(text):
        problems.append(field.invalid(path, text, "must not have leading 0s"))
    elif is_mapped(address):
        problems.append(field.invalid(path, text, "must not be an IPv4-mapped IPv6 address"))
    return problems


def validate_endpoint_ip(text: str, path: str) -> list[FieldError]:
    """Addresses that mean something else on each node name no endpoint."""
    address = parse_ip(text)
    if address is None:
        return [field.invalid(path, text, "must be a valid IP address")]
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    problems: list[FieldError] = []
    if address.is_unspecified:
        problems.append(field.invalid(path, text, f"may not be unspecified ({text})"))
    if address.is_loopback:
        problems.append(field.invalid(path, text, "may not be in the loopback range (127.0.0.0/8, ::1/128)"))
    if address.is_link_local:
        problems.append(field.invalid(path, text, "may not be in the link-local range (169.254.0.0/16, fe80::/10)"))
    if _is_link_local_multicast(address):
        detail = "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"
        problems.append(field.invalid(path, text, detail))
    return problems


def warn_of_ip(text: str, path: str) -> list[str]:
    address = parse_ip(text)
    if address is None:
        return []
    if _has_zeros(text) or is_mapped(address):
        shown = gofmt.quote(str(unmapped(address)))
        return [f"{path}: non-standard IP address {gofmt.quote(text)} is invalid: use {shown}"]
    if address.version == 6 and str(address) != text:
        shown = gofmt.quote(str(address))
        return [f"{path}: IPv6 address {gofmt.quote(text)} should be in RFC 5952 canonical format ({shown})"]
    return []


def parse_cidr(text: str) -> tuple[Address, Network] | None:
    """The address as it was given and the range that it is in."""
    host, slash, bits = text.partition("/")
    address = parse_ip(host)
    if address is None or not slash or not (bits.isascii() and bits.isdigit()):
        return None
    bits = bits.lstrip("0") or "0"
    if len(bits) > 3 or int(bits) > address.max_prefixlen:
        return None
    return address, ipaddress.ip_network(f"{address}/{bits}", strict=False)


def validate_cidr(text: str, path: str) -> list[FieldError]:
    """A field that takes any form of a range, but no ambiguous one."""
    parsed = parse_cidr(text)
    if parsed is None:
        return [field.invalid(path, text, _NO_RANGE)]
    address, network = parsed
    if _has_zeros_in_range(text, network):
        return [field.invalid(path, text, "must not have leading 0s in IP or prefix length")]
    if is_mapped(address):
        return [field.invalid(path, text, "must not have an IPv4-mapped IPv6 address")]
    if network.network_address != address:
        return [field.invalid(path, text, "must not have bits set beyond the prefix length")]
    return []


def warn_of_cidr(text: str, path: str) -> list[str]:
    parsed = parse_cidr(text)
    if parsed is None:
        return []
    address, network = parsed
    quoted, plain = gofmt.quote(text), gofmt.quote(str(network))
    found: list[str] = []
    if network.network_address != address:
        single = gofmt.quote(f"{address}/{network.max_prefixlen}")
        found.append(f"{path}: CIDR value {quoted} is ambiguous in this context (should be {plain} or {single}?)")
    if _has_zeros_in_range(text, network) or is_mapped(address):
        found.append(f"{path}: non-standard CIDR value {quoted} is invalid: use {plain}")
    if not found and address.version == 6 and str(network) != text:
        found.append(f"{path}: IPv6 CIDR value {quoted} should be in RFC 5952 canonical format ({plain})")
    return found


def _has_zeros_in_range(text: str, network: Network) -> bool:
    return _has_zeros(text) or text.partition("/")[2] != str(network.prefixlen)


def _has_zeros(text: str) -> bool:
    if ":" in text and _LONG_ZEROS.search(text) is not None:
        return True
    return "." in text and _ZEROS.search(text) is not None


def is_mapped(address: Address) -> bool:
    return isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None


def family_of(address: Address) -> int:
    """4 or 6. What is mapped from one family into the other stays of its own."""
    return 4 if is_mapped(address) else address.version


def unmapped(address: Address) -> Address:
    """As Go prints and compares an address: a mapped one is the IPv4 address that it maps."""
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def _is_link_local_multicast(address: Address) -> bool:
    if isinstance(address, ipaddress.IPv4Address):
        return address in _MULTICAST_4
    # Whatever the flags in front of the scope say.
    return address.is_multicast and address.packed[1] & 0x0F == _LINK_LOCAL_SCOPE


_MULTICAST_4: Final = ipaddress.ip_network("224.0.0.0/24")
_LINK_LOCAL_SCOPE: Final = 2


def validate_plain_ip(text: str, path: str) -> list[FieldError]:
    """A field that takes an address only as it is printed."""
    address = parse_ip(text)
    problems = validate_ip(text, path)
    if not problems and address is not None and str(address) != text:
        problems.append(field.invalid(path, text, f"must be in canonical form ({gofmt.quote(str(address))})"))
    return problems


def validate_plain_cidr(text: str, path: str) -> list[FieldError]:
    """A field that takes a range only as it is printed."""
    parsed = parse_cidr(text)
    problems = validate_cidr(text, path)
    if not problems and parsed is not None and str(parsed[1]) != text:
        problems.append(field.invalid(path, text, f"must be in canonical form ({gofmt.quote(str(parsed[1]))})"))
    return problems
