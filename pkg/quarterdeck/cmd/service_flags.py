"""The flags of services: from which range they get addresses, and where the server's own leads to."""

from __future__ import annotations

import argparse
from typing import Final

from quarterdeck.apimachinery import addresses
from quarterdeck.cmd.values import parse_list
from quarterdeck.server.config import DEFAULT_SERVICE_RANGE

_PREFIX_MAX: Final = 30


def add(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--service-cluster-ip-range",
        type=_parse_range,
        default=DEFAULT_SERVICE_RANGE,
        metavar="CIDR",
        help="IPv4: from which services get addresses (default %(default)s)",
    )

    parser.add_argument(
        "--advertise-address",
        type=_parse_address,
        default="",
        metavar="IP",
        help="where the service kubernetes leads to (default: the address that is listened on, else the host's)",
    )
    parser.add_argument(
        "--endpoint-reconciler-type",
        choices=("master-count", "lease", "none"),
        default="lease",
        help="none: that service leads nowhere (default %(default)s)",
    )


def _parse_address(text: str) -> str:
    address = addresses.parse_ip(text)
    if text and address is None:
        raise argparse.ArgumentTypeError(f"failed to parse IP: {text!r}")
    return "" if address is None else str(address)


def _parse_range(text: str) -> str:
    """Of two families, only IPv4 counts."""
    for each in parse_list(text):
        parsed = addresses.parse_cidr(each)
        if parsed is not None and parsed[1].version == 4 and parsed[1].prefixlen <= _PREFIX_MAX:
            return str(parsed[1])
    raise argparse.ArgumentTypeError(f"{text!r} has no range of IPv4 addresses for services")
