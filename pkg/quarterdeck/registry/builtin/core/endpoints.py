"""Endpoints: the addresses behind a service, in their old form.

Source: pkg/registry/core/endpoint/strategy.go, pkg/apis/core/validation/validation.go (ValidateEndpoints*).
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import addresses, field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object

_MEMBERS: Final = ("addresses", "notReadyAddresses")
_MANAGED_BY: Final = "endpoints.kubernetes.io/managed-by"
_CONTROLLER: Final = "endpoint-controller"


def default_endpoints(obj: Object) -> None:
    for subset in obj.get("subsets") or ():
        for port in subset.get("ports") or ():
            port.setdefault("protocol", "TCP")


class EndpointsStrategy(BuiltinStrategy):
    allow_create_on_update = True
    validates_metadata_again = True

    def check(self, obj: Object) -> list[FieldError]:
        return _validate(obj, {})

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        return _validate(new, old)

    def warn(self, obj: Object) -> list[str]:
        return _warnings_of(obj)


def _warnings_of(obj: Object) -> list[str]:
    """The controller writes no odd address, and is not looked after."""
    if (obj["metadata"].get("labels") or {}).get(_MANAGED_BY) == _CONTROLLER:
        return []
    found: list[str] = []
    for position, subset in enumerate(obj.get("subsets") or []):
        for member in _MEMBERS:
            at = f"{field.index('subsets', position)}.{member}"
            for number, address in enumerate(subset.get(member) or []):
                found += addresses.warn_of_ip(address.get("ip", ""), f"{field.index(at, number)}.ip")
    return found


def _validate(obj: Object, old: Object) -> list[FieldError]:
    """Subsets that are those of `old` are let pass, whatever is wrong with them."""
    subsets = obj.get("subsets") or []
    if checks.same(subsets, old.get("subsets")):
        return []
    problems: list[FieldError] = []
    for position, subset in enumerate(subsets):
        problems += _subset(field.index("subsets", position), subset)
    return problems


def _subset(path: str, subset: Object) -> list[FieldError]:
    problems: list[FieldError] = []
    if not subset.get("addresses") and not subset.get("notReadyAddresses"):
        problems.append(field.required(path, "must specify `addresses` or `notReadyAddresses`"))
    for member in _MEMBERS:
        for position, address in enumerate(subset.get(member) or []):
            problems += _address(field.index(f"{path}.{member}", position), address)
    ports = subset.get("ports") or []
    for position, port in enumerate(ports):
        problems += _port(field.index(f"{path}.ports", position), port, needs_name=len(ports) > 1)
    return problems


def _address(path: str, address: Object) -> list[FieldError]:
    ip = address.get("ip", "")
    problems = addresses.validate_ip(ip, f"{path}.ip")
    if hostname := address.get("hostname"):
        problems += checks.name(f"{path}.hostname", hostname, names.dns1123_label)
    if (node := address.get("nodeName")) is not None:
        problems += checks.name(f"{path}.nodeName", node, names.dns1123_subdomain)
    return problems + addresses.validate_endpoint_ip(ip, f"{path}.ip")


def _port(path: str, port: Object, *, needs_name: bool) -> list[FieldError]:
    problems: list[FieldError] = []
    if name := port.get("name"):
        problems += checks.name(f"{path}.name", name, names.dns1123_label)
    elif needs_name:
        problems.append(field.required(f"{path}.name"))
    problems += checks.port_number(f"{path}.port", port.get("port", 0))
    problems += checks.required_one_of(f"{path}.protocol", port.get("protocol", ""), checks.PROTOCOLS)
    if (protocol := port.get("appProtocol")) is not None:
        problems += checks.name(f"{path}.appProtocol", protocol, names.qualified_name)
    return problems
