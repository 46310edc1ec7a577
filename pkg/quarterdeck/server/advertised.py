"""The address by which others reach this server.

Source: apiserver/pkg/server/options/serving.go (DefaultExternalAddress), apimachinery/pkg/util/net/interface.go
(ResolveBindAddress). Upstream reads the table of routes; here the system is asked which address it would send from.
"""

from __future__ import annotations

import ipaddress
import socket
from typing import Final

from quarterdeck.registry.builtin.core.service import ranges
from quarterdeck.server.config import Config, ConfigError

_PORT: Final = 9
# Of the ranges for documentation (RFC 5737, RFC 3849): nothing is sent to them.
_ELSEWHERE: Final = ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"))


def find(config: Config) -> str:
    """Empty where there is none, or nobody is to be told."""
    if not config.has_endpoints:
        return ""
    for text in (config.advertise_address, config.bind_address):
        if text and not _stands_for_others(text, is_given=text == config.advertise_address):
            return text
    return _find_host_address()


def own(config: Config) -> list[str]:
    """By which pods, and others, reach this server: the address of the service `kubernetes` and the one it leads to, or
    that is advertised where it leads nowhere."""
    service = ranges.own(config.service_ranges)[0].first
    return [each for each in (service, config.advertise_address or find(config)) if each]


def check(config: Config) -> None:
    """Raises ConfigError where the service `kubernetes` would lead to an address of another family than its own."""
    address = find(config)
    if address and (":" in address) != (":" in config.service_ranges[0]):
        primary = config.service_ranges[0]
        raise ConfigError(f'service IP family "{primary}" must match public address family "{address}"')


def _stands_for_others(text: str, *, is_given: bool) -> bool:
    address = ipaddress.ip_address(text)
    return address.is_unspecified or (address.is_loopback and not is_given)


def _find_host_address() -> str:
    """Of IPv4 where the host has one."""
    for family, elsewhere in _ELSEWHERE:
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                probe.connect((elsewhere, _PORT))
                found: str = probe.getsockname()[0]
                return found
        except OSError:
            continue
    return ""
