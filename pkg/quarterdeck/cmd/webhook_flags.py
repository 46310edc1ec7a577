"""Flags of webhooks and APIServices: where the services are that they name, where no network leads to them."""

from __future__ import annotations

import argparse
import re
from typing import Final

from quarterdeck.server.config import ServiceAddress

_FORM: Final = re.compile(
    r"(?P<namespace>[a-z0-9-]+)/(?P<name>[a-z0-9-]+)(?::(?P<port>[0-9]{1,5}))?="
    r"(?:\[(?P<address>[0-9a-fA-F:.]+)\]|(?P<host>[^:\[\]]+)):(?P<at>[0-9]{1,5})"
)
_PORT_MAX: Final = 65535


def add(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--webhook-service-address",
        action="append",
        default=[],
        type=parse_service_address,
        metavar="NAMESPACE/NAME[:PORT]=HOST:PORT",
        help="where a service is that webhooks or APIServices name, instead of its cluster address; may be given again",
    )


def parse_service_address(text: str) -> ServiceAddress:
    """Raises ArgumentTypeError."""
    found = _FORM.fullmatch(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAMESPACE/NAME[:PORT]=HOST:PORT")
    port, at = int(found["port"] or 0), int(found["at"])
    if port > _PORT_MAX or not 0 < at <= _PORT_MAX:
        raise argparse.ArgumentTypeError(f"{text!r}: a port is not between 1 and {_PORT_MAX}")
    return ServiceAddress(found["namespace"], found["name"], port, found["address"] or found["host"], at)
