"""The flags of services: from which ranges they get addresses and node ports, and where the server's own leads to.

Source: cmd/kube-apiserver/app/options/{options,validation}.go, apimachinery/pkg/util/net/port_range.go.
"""

from __future__ import annotations

import argparse
import re
from typing import Final

from quarterdeck.apimachinery import addresses
from quarterdeck.apimachinery.addresses import Network
from quarterdeck.server.config import DEFAULT_NODE_PORTS, DEFAULT_SERVICE_RANGES

_ADDRESSES_MIN: Final = 8
_PORT_MAX: Final = 65535
_PORTS: Final = re.compile(r"(\d+)(?:([-+])(\d+))?", re.ASCII)


def add(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--service-cluster-ip-range",
        type=_parse_ranges,
        default=DEFAULT_SERVICE_RANGES,
        metavar="CIDR[,CIDR]",
        help="from which services get addresses: one range, or one of each family, of which the first is the primary"
        f" one (default {','.join(DEFAULT_SERVICE_RANGES)})",
    )
    parser.add_argument(
        "--service-node-port-range",
        type=_parse_ports,
        default=DEFAULT_NODE_PORTS,
        metavar="FIRST-LAST",
        help="from which services get node ports; FIRST+COUNT is that many more than one"
        f" (default {DEFAULT_NODE_PORTS[0]}-{DEFAULT_NODE_PORTS[-1]})",
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


def _parse_ranges(text: str) -> tuple[str, ...]:
    found: list[Network] = []
    for position, each in enumerate(text.split(",") if text else DEFAULT_SERVICE_RANGES):
        parsed = addresses.parse_cidr(each)
        if parsed is None:
            kind = "an ip net" if position else "a valid cidr"
            raise argparse.ArgumentTypeError(f"service-cluster-ip-range[{position}] is not {kind}")
        found.append(parsed[1])
    if found[0].num_addresses < _ADDRESSES_MIN:
        text = f"the service cluster IP range must be at least {_ADDRESSES_MIN} IP addresses"
        raise argparse.ArgumentTypeError(f"error determining service IP ranges for primary service cidr: {text}")
    if len(found) > 2:
        raise argparse.ArgumentTypeError("--service-cluster-ip-range must not contain more than two entries")
    if len(found) == 2 and found[0].version == found[1].version:
        raise argparse.ArgumentTypeError(
            "--service-cluster-ip-range[0] and --service-cluster-ip-range[1] must be of different IP family"
        )
    return tuple(map(str, found))


def _parse_ports(text: str) -> range:
    text = text.strip()
    if not text:
        return DEFAULT_NODE_PORTS
    parsed = _PORTS.fullmatch(text)
    if parsed is None:
        raise argparse.ArgumentTypeError(f"unable to parse port range: {text}")
    first = last = int(parsed[1])
    if parsed[2] is not None:
        last = int(parsed[3]) + (first if parsed[2] == "+" else 0)
    if max(first, last) > _PORT_MAX:
        raise argparse.ArgumentTypeError(f"the port range cannot be greater than {_PORT_MAX}: {text}")
    if last < first:
        raise argparse.ArgumentTypeError(f"end port cannot be less than start port: {text}")
    return range(first, last + 1)
