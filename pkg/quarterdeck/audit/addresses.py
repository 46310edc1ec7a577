"""Where a request came from, through which proxies. Source: apimachinery/pkg/util/net/http.go (SourceIPs)."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import Final

from quarterdeck.apimachinery.addresses import parse_ip

_FORWARDED: Final = "x-forwarded-for"
_REAL: Final = "x-real-ip"


def source_ips(headers: Mapping[str, str], remote: str) -> list[str]:
    """All but the last are what the client says."""
    if _FORWARDED not in headers and _REAL not in headers:
        return _read(remote) if ":" in remote else [remote] if remote else []
    found = [address for part in headers.get(_FORWARDED, "").split(",") for address in _read(part)]
    found += [address for address in _read(headers.get(_REAL, "")) if address not in found]
    return found + [address for address in _read(remote) if found[-1:] != [address]]


def _read(text: str) -> list[str]:
    """Nothing where it is no address."""
    address = parse_ip(text.strip())
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return [] if address is None else [str(address)]
