"""Endpoint slices: the addresses behind a service, some hundreds in an object.

Source: pkg/registry/discovery/endpointslice/strategy.go, pkg/apis/discovery/{v1/defaults,validation/validation}.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import addresses, field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object

_TYPES: Final = ("FQDN", "IPv4", "IPv6")
_ENDPOINTS_MAX: Final = 1000
_ADDRESSES_MAX: Final = 100
_PORTS_MAX: Final = 20000
_HINTS_MAX: Final = 8
_MEMBERS: Final = ("addressType", "endpoints", "ports")
_HOSTNAME: Final = "kubernetes.io/hostname"
_MANAGED_BY: Final = "endpointslice.kubernetes.io/managed-by"
_CONTROLLERS: Final = ("endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io")


def default_slice(obj: Object) -> None:
    for port in obj.get("ports") or ():
        port.setdefault("name", "")
        port.setdefault("protocol", "TCP")


class EndpointSliceStrategy(BuiltinStrategy):
    validates_metadata_again = True
    validates_changed_metadata = False

    def default_new(self, obj: Object) -> None:
        obj["metadata"]["generation"] = 1
        _drop_topology(obj, None)

    def keep(self, new: Object, old: Object) -> None:
        before = old["metadata"]
        new["metadata"]["generation"] = before.get("generation", 0)
        same_labels = (new["metadata"].get("labels") or {}) == (before.get("labels") or {})
        if not same_labels or any((new.get(name) or None) != (old.get(name) or None) for name in _MEMBERS):
            new["metadata"]["generation"] += 1
        _drop_topology(new, old)

    def check(self, obj: Object) -> list[FieldError]:
        return _validate(obj, {})

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        problems = _validate(new, old)
        if new.get("addressType", "") != old.get("addressType", ""):
            problems.append(field.invalid("addressType", field.named(new.get("addressType", "")), checks.IMMUTABLE))
        return problems

    def warn(self, obj: Object) -> list[str]:
        is_deprecated = obj.get("addressType") == "FQDN"
        found = ["spec.addressType: FQDN endpoints are deprecated"] if is_deprecated else []
        return found + _warn_of_addresses(obj)

    def warn_of_update(self, new: Object, old: Object) -> list[str]:
        return _warn_of_addresses(new)


def _drop_topology(new: Object, old: Object | None) -> None:
    """v1 does not write the old field; a node's name that stood there before is kept where it belongs now."""
    if old is not None and new.get("endpoints") == old.get("endpoints"):
        return
    before = old.get("endpoints") or [] if old is not None else []
    known = {(each.get("deprecatedTopology") or {}).get(_HOSTNAME) for each in before}
    for endpoint in new.get("endpoints") or []:
        node = (endpoint.pop("deprecatedTopology", None) or {}).get(_HOSTNAME)
        if node and node in known and "nodeName" not in endpoint and not names.dns1123_subdomain(node):
            endpoint["nodeName"] = node


def _warn_of_addresses(obj: Object) -> list[str]:
    """The controllers write no odd address."""
    found: list[str] = []
    if (obj["metadata"].get("labels") or {}).get(_MANAGED_BY) in _CONTROLLERS:
        return found
    for position, endpoint in enumerate(obj.get("endpoints") or []):
        for number, address in enumerate(endpoint.get("addresses") or []):
            at = field.index(f"{field.index('endpoints', position)}.addresses", number)
            found += addresses.warn_of_ip(address, at)
    return found


def _validate(obj: Object, old: Object) -> list[FieldError]:
    """Endpoints that are those of `old` are let pass, whatever is wrong with them."""
    kind, endpoints = obj.get("addressType", ""), obj.get("endpoints") or []
    problems = checks.required_one_of("addressType", kind, _TYPES) + _ports(obj.get("ports") or [])
    return problems if checks.same(endpoints, old.get("endpoints")) else problems + _endpoints(endpoints, kind)


def _endpoints(endpoints: list[Object], kind: str) -> list[FieldError]:
    if len(endpoints) > _ENDPOINTS_MAX:
        return [field.too_many("endpoints", len(endpoints), _ENDPOINTS_MAX)]
    problems: list[FieldError] = []
    for position, endpoint in enumerate(endpoints):
        problems += _endpoint(field.index("endpoints", position), endpoint, kind)
    return problems


def _endpoint(path: str, endpoint: Object, kind: str) -> list[FieldError]:
    found, at = endpoint.get("addresses") or [], f"{path}.addresses"
    problems: list[FieldError] = []
    if not found:
        problems.append(field.required(at, "must contain at least 1 address"))
    elif len(found) > _ADDRESSES_MAX:
        problems.append(field.too_many(at, len(found), _ADDRESSES_MAX))
    for position, address in enumerate(found):
        problems += _address(field.index(at, position), address, kind)
    if (node := endpoint.get("nodeName")) is not None:
        problems += checks.name(f"{path}.nodeName", node, names.dns1123_subdomain)
    if (hostname := endpoint.get("hostname")) is not None:
        problems += checks.name(f"{path}.hostname", hostname, names.dns1123_label)
    return problems + _hints(f"{path}.hints", endpoint.get("hints") or {})


def _address(path: str, text: str, kind: str) -> list[FieldError]:
    if kind == "FQDN":
        return _domain(path, text)
    if kind not in ("IPv4", "IPv6"):
        return []
    # Upstream has let pass odd forms of addresses that are to be IPv4 for longer.
    validate = addresses.validate_ip if kind == "IPv4" else addresses.validate_plain_ip
    if problems := validate(text, path):
        return problems
    address = addresses.parse_ip(text)
    if address is not None and address.version != int(kind[-1]):
        of_all = path.rpartition("[")[0]  # where upstream tells of the wrong family
        problems.append(field.invalid(of_all, text, f"must be an {kind} address"))
    return problems + addresses.validate_endpoint_ip(text, path)


def _domain(path: str, text: str) -> list[FieldError]:
    """Source: apimachinery/pkg/util/validation (IsFullyQualifiedDomainName)."""
    if not text:
        return [field.required(path)]
    name = text.removesuffix(".")
    if texts := names.dns1123_subdomain(name):
        return [field.invalid(path, name, ",".join(texts))]
    labels = name.split(".")
    if len(labels) < 2:
        return [field.invalid(path, name, "should be a domain with at least two segments separated by dots")]
    for label in labels:
        if texts := names.dns1123_label(label):
            return [field.invalid(path, label, ",".join(texts))]
    return []


def _hints(path: str, hints: Object) -> list[FieldError]:
    problems: list[FieldError] = []
    for member, texts in (("forZones", names.label_value), ("forNodes", names.dns1123_subdomain)):
        found = [each.get("name", "") for each in hints.get(member) or []]
        if len(found) > _HINTS_MAX:
            return [*problems, field.too_many(f"{path}.{member}", len(found), _HINTS_MAX)]
        problems += _hinted(f"{path}.{member}", found, texts)
    return problems


def _hinted(path: str, found: list[str], texts: checks.Texts) -> list[FieldError]:
    problems: list[FieldError] = []
    seen: set[str] = set()
    for position, name in enumerate(found):
        at = f"{field.index(path, position)}.name"
        if name in seen:
            problems.append(field.duplicate(at, name))
        seen.add(name)
        problems += checks.name(at, name, texts)
    return problems


def _ports(ports: list[Object]) -> list[FieldError]:
    if len(ports) > _PORTS_MAX:
        return [field.too_many("ports", len(ports), _PORTS_MAX)]
    problems: list[FieldError] = []
    seen: set[str] = set()
    for position, port in enumerate(ports):
        at, name = field.index("ports", position), port.get("name", "")
        if name:
            problems += checks.name(f"{at}.name", name, names.dns1123_label)
        if name in seen:
            problems.append(field.duplicate(f"{at}.name", field.named(name)))
        seen.add(name)
        problems += checks.one_of(f"{at}.protocol", port.get("protocol", ""), checks.PROTOCOLS)
        if (protocol := port.get("appProtocol")) is not None:
            problems += checks.name(f"{at}.appProtocol", protocol, names.qualified_name)
    return problems
