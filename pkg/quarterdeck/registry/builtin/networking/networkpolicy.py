"""Network policies as data: nobody filters anything.

Source: pkg/registry/networking/networkpolicy/strategy.go, pkg/apis/networking/{v1/defaults,validation/validation}.go.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from typing import Final

from quarterdeck.apimachinery import addresses, field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks, written
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object

_PROTOCOLS: Final = ("TCP", "UDP", "SCTP")
_TYPES: Final = ("Ingress", "Egress")
_DIRECTIONS: Final = (("ingress", "from"), ("egress", "to"))


def default_policy(obj: Object) -> None:
    spec = obj["spec"]
    for direction, _ in _DIRECTIONS:
        for rule in spec.get(direction) or ():
            for port in rule.get("ports") or ():
                port.setdefault("protocol", "TCP")
    if not spec.get("policyTypes"):
        spec["policyTypes"] = ["Ingress", "Egress"] if spec.get("egress") else ["Ingress"]


class NetworkPolicyStrategy(BuiltinStrategy):
    def default_new(self, obj: Object) -> None:
        obj["metadata"]["generation"] = 1

    def keep(self, new: Object, old: Object) -> None:
        # Nothing that is stored has empty lists or maps, and Go tells them apart.
        if new["spec"] != old.get("spec") or written.has_empty(new["spec"], "spec"):
            new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1

    def check(self, obj: Object) -> list[FieldError]:
        return _validate_spec(obj["spec"], set())

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        return _validate_spec(new["spec"], {text for _, text in _ranges(old["spec"])})

    def warn(self, obj: Object) -> list[str]:
        return _warnings_of(obj)


def _ranges(spec: Object) -> Iterator[tuple[str, str]]:
    """(path, range) of every one that is named."""
    for direction, member in _DIRECTIONS:
        for position, rule in enumerate(spec.get(direction) or []):
            of_rule = field.index(f"spec.{direction}", position)
            for number, peer in enumerate(rule.get(member) or []):
                block = peer.get("ipBlock")
                if block is None:
                    continue
                at = f"{field.index(f'{of_rule}.{member}', number)}.ipBlock"
                yield f"{at}.cidr", block.get("cidr", "")
                for place, text in enumerate(block.get("except") or []):
                    yield field.index(f"{at}.except", place), text


def _warnings_of(obj: Object) -> list[str]:
    found: list[str] = []
    for path, text in _ranges(obj["spec"]):
        found += addresses.warn_of_cidr(text, path)
    return found


def _validate_spec(spec: Object, known: set[str]) -> list[FieldError]:
    problems = checks.label_selector("spec.podSelector", spec.get("podSelector") or {})
    for direction, member in _DIRECTIONS:
        for position, rule in enumerate(spec.get(direction) or []):
            at = field.index(f"spec.{direction}", position)
            for number, port in enumerate(rule.get("ports") or []):
                problems += _port(field.index(f"{at}.ports", number), port)
            for number, peer in enumerate(rule.get(member) or []):
                problems += _peer(field.index(f"{at}.{member}", number), peer, known)
    types = spec.get("policyTypes") or []
    if len(types) > len(_TYPES):
        detail = "may not specify more than two policyTypes"
        return [*problems, field.invalid("spec.policyTypes", types, detail)]
    for position, kind in enumerate(types):
        problems += checks.one_of(field.index("spec.policyTypes", position), kind, _TYPES)
    return problems


def _port(path: str, port: Object) -> list[FieldError]:
    number, end, at = port.get("port"), port.get("endPort"), f"{path}.endPort"
    problems: list[FieldError] = []
    if (protocol := port.get("protocol")) is not None:
        problems += checks.one_of(f"{path}.protocol", protocol, _PROTOCOLS)
    if number is None:
        if end is not None:
            problems.append(field.invalid(at, end, "may not be specified when `port` is not specified"))
    elif isinstance(number, str):
        if end is not None:
            problems.append(field.invalid(at, end, "may not be specified when `port` is non-numeric"))
        problems += checks.name(f"{path}.port", number, names.port_name)
    else:
        problems += checks.port_number(f"{path}.port", number)
        if end is not None:
            if end < number:
                # Upstream shows the port here.
                problems.append(field.invalid(at, number, "must be greater than or equal to `port`"))
            problems += checks.port_number(at, end)
    return problems


def _peer(path: str, peer: Object, known: set[str]) -> list[FieldError]:
    problems: list[FieldError] = []
    selectors = [name for name in ("podSelector", "namespaceSelector") if peer.get(name) is not None]
    for name in selectors:
        problems += checks.label_selector(f"{path}.{name}", peer[name])
    block = peer.get("ipBlock")
    if block is not None:
        problems += _block(f"{path}.ipBlock", block, known)
    if block is None and not selectors:
        problems.append(field.required(path, "must specify a peer"))
    elif block is not None and selectors:
        problems.append(field.forbidden(path, "may not specify both ipBlock and another peer"))
    return problems


def _block(path: str, block: Object, known: set[str]) -> list[FieldError]:
    text = block.get("cidr", "")
    if not text:
        return [field.required(f"{path}.cidr")]
    problems = _range(f"{path}.cidr", text, known)
    parsed = addresses.parse_cidr(text)
    if parsed is None:
        return problems
    for position, except_ in enumerate(block.get("except") or []):
        at = field.index(f"{path}.except", position)
        problems += _range(at, except_, known)
        inner = addresses.parse_cidr(except_)
        if inner is not None and not _is_strictly_in(inner[1], parsed[1]):
            problems.append(field.invalid(at, except_, "must be a strict subset of `cidr`"))
    return problems


def _is_strictly_in(inner: addresses.Network, outer: addresses.Network) -> bool:
    """As Go tells it: mapped addresses are IPv4 addresses, but the length of a prefix is taken as it is written."""
    start = addresses.unmapped(outer.network_address)
    length = outer.prefixlen - (outer.max_prefixlen - start.max_prefixlen)
    plain = ipaddress.ip_network(f"{start}/{length}")
    return addresses.unmapped(inner.network_address) in plain and outer.prefixlen < inner.prefixlen


def _range(path: str, text: str, known: set[str]) -> list[FieldError]:
    return [] if text in known else addresses.validate_cidr(text, path)
