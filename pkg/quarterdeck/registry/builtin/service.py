"""Services, as data: defaulted, checked, given a cluster address; nothing routes to them.

One family of addresses (IPv4) and the range 10.0.0.0/24, as kube-apiserver without flags.
Source: pkg/registry/core/service/{strategy.go,storage/alloc.go}, pkg/apis/core/{v1/defaults,validation/validation}.go.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from quarterdeck.apimachinery import field, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry import deletion
from quarterdeck.registry.builtin.allocation import Allocator
from quarterdeck.registry.builtin.podspec import PROTOCOLS, validate_port
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object

CLUSTER_RANGE: Final = "10.0.0.0/24"
NODE_PORTS: Final = range(30000, 32768)

_HEADLESS: Final = "None"
_TYPES: Final = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
_AFFINITIES: Final = ("ClientIP", "None")
_AFFINITY_S: Final = 10800
_BAD_ADDRESS: Final = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
_BAD_NODE_PORT: Final = (
    f"provided port is not in the valid range. The range of valid ports is {NODE_PORTS[0]}-{NODE_PORTS[-1]}"
)
_DUAL: Final = "RequireDualStack"


def default_service(obj: Object) -> None:
    spec = obj["spec"]
    spec.setdefault("sessionAffinity", "None")
    if spec["sessionAffinity"] == "ClientIP":
        client = spec.setdefault("sessionAffinityConfig", {}).setdefault("clientIP", {})
        client.setdefault("timeoutSeconds", _AFFINITY_S)
    spec.setdefault("type", "ClusterIP")
    for port in spec.get("ports") or []:
        port.setdefault("protocol", "TCP")
        if port.get("targetPort") in (None, 0, ""):
            port["targetPort"] = port["port"]
    if spec["type"] in ("NodePort", "LoadBalancer"):
        spec.setdefault("externalTrafficPolicy", "Cluster")
    if spec["type"] != "ExternalName":
        spec.setdefault("internalTrafficPolicy", "Cluster")
    if spec["type"] == "LoadBalancer":
        spec.setdefault("allocateLoadBalancerNodePorts", True)


def select_service_fields(obj: Object) -> dict[str, str]:
    spec = obj.get("spec") or {}
    return {"spec.clusterIP": spec.get("clusterIP", ""), "spec.type": spec.get("type", "")}


class Allocators:
    """What the services of one server share. `services` gives them all, decoded."""

    def __init__(self, services: Callable[[], Iterable[Object]]) -> None:
        self.addresses = Allocator(
            lambda: map(str, ipaddress.ip_network(CLUSTER_RANGE).hosts()),
            lambda: (address for service in services() for address in _addresses_of(service)),
        )
        self.node_ports = Allocator(
            lambda: map(str, NODE_PORTS),
            lambda: (port for service in services() for port in _node_ports_of(service)),
        )


class ServiceStrategy(BuiltinStrategy):
    def __init__(self, allocators: Allocators) -> None:
        super().__init__(namespaced=True, name_check=names.name_is_dns1123_label)
        self._allocators = allocators

    def default_new(self, obj: Object) -> None:
        obj["status"] = {"loadBalancer": {}}
        _mirror_address(obj["spec"])
        _choose_families(obj["spec"])

    def validate(self, obj: Object, warnings: list[str]) -> list[FieldError]:
        return super().validate(obj, warnings) or self._allocate(obj["spec"], {})

    def keep(self, new: Object, old: Object) -> None:
        new["status"] = old.get("status") or {}
        spec, known = new["spec"], old["spec"]
        if spec["type"] != "ExternalName" and known["type"] != "ExternalName":
            if not spec.get("clusterIP") and not spec.get("clusterIPs"):
                for name in ("clusterIP", "clusterIPs"):
                    if name in known:
                        spec[name] = known[name]
            elif spec.get("clusterIP") != known.get("clusterIP") and spec.get("clusterIPs") == known.get("clusterIPs"):
                spec["clusterIPs"] = [spec["clusterIP"]]
            for name in ("ipFamilies", "ipFamilyPolicy"):
                if name in known:
                    spec.setdefault(name, known[name])
        _keep_node_ports(spec, known)
        _mirror_address(spec)
        _choose_families(spec)

    def check(self, obj: Object) -> list[FieldError]:
        return _check_spec(obj["spec"])

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        spec, known = new["spec"], old["spec"]
        # Families are looked at while addresses are allocated, which upstream does first on an update.
        if problems := _check_families(spec):
            return problems
        return _check_addresses_kept(spec, known) + _check_spec(spec) or self._allocate(spec, known)

    def mark(self, obj: Object, options: deletion.Options) -> Object | None:
        marked = super().mark(obj, options)
        if marked is None:
            for address in _addresses_of(obj):
                self._allocators.addresses.release(address)
            for port in _node_ports_of(obj):
                self._allocators.node_ports.release(port)
        return marked

    def _allocate(self, spec: dict[str, Any], known: dict[str, Any]) -> list[FieldError]:
        """Give what the type of the service needs; refuse what was asked for and cannot be had."""
        problems: list[FieldError] = []
        if spec["type"] != "ExternalName":
            problems += self._allocate_address(spec, known)
        if spec["type"] == "NodePort" or spec.get("allocateLoadBalancerNodePorts"):
            problems += self._allocate_node_ports(spec, known)
        return problems

    def _allocate_address(self, spec: dict[str, Any], known: dict[str, Any]) -> list[FieldError]:
        asked, addresses = spec.get("clusterIP", ""), self._allocators.addresses
        if asked in (_HEADLESS, known.get("clusterIP")):
            return []
        if not asked:
            chosen = addresses.allocate()
            if chosen is None:
                return [field.internal("spec.clusterIPs", "failed to allocate a serviceIP: range is full")]
            spec["clusterIP"], spec["clusterIPs"] = chosen, [chosen]
            return []
        text = ""
        if asked not in addresses:
            text = f"the provided IP is not in the valid range. The range of valid IPs is {CLUSTER_RANGE}"
            text = f"failed to allocate IP {asked}: {text}"
        elif not addresses.is_free(asked):
            text = f"failed to allocate IP {asked}: provided IP is already allocated"
        if text:
            return [field.invalid("spec.clusterIPs", [asked], text)]
        addresses.take(asked)
        return []

    def _allocate_node_ports(self, spec: dict[str, Any], known: dict[str, Any]) -> list[FieldError]:
        held = {port.get("nodePort") for port in known.get("ports") or []}
        node_ports, problems = self._allocators.node_ports, []
        for position, port in enumerate(spec.get("ports") or []):
            at = f"{field.index('spec.ports', position)}.nodePort"
            asked = port.get("nodePort")
            if asked is None:
                chosen = node_ports.allocate()
                if chosen is None:
                    return [field.internal(at, "failed to allocate a nodePort: range is full")]
                port["nodePort"] = int(chosen)
            elif asked not in NODE_PORTS:
                problems.append(field.invalid(at, asked, _BAD_NODE_PORT))
            elif asked not in held and not node_ports.is_free(str(asked)):
                problems.append(field.invalid(at, asked, "provided port is already allocated"))
            else:
                node_ports.take(str(asked))
        return problems


class ServiceStatusStrategy(ServiceStrategy):
    def keep(self, new: Object, old: Object) -> None:
        new["spec"] = old["spec"]

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        balancer = new["status"]["loadBalancer"]
        if balancer.get("ingress") and new["spec"]["type"] != "LoadBalancer":
            text = "may only be used when `spec.type` is 'LoadBalancer'"
            return [field.forbidden("status.loadBalancer.ingress", text)]
        return []


def _addresses_of(service: Object) -> Iterator[str]:
    spec = service.get("spec") or {}
    return (address for address in spec.get("clusterIPs") or [] if address != _HEADLESS)


def _node_ports_of(service: Object) -> Iterator[str]:
    spec = service.get("spec") or {}
    return (str(port["nodePort"]) for port in spec.get("ports") or [] if port.get("nodePort"))


def _mirror_address(spec: dict[str, Any]) -> None:
    """clusterIP and the first of clusterIPs are the same."""
    if spec["type"] == "ExternalName":
        return
    if spec.get("clusterIP") and not spec.get("clusterIPs"):
        spec["clusterIPs"] = [spec["clusterIP"]]
    elif spec.get("clusterIPs") and not spec.get("clusterIP"):
        spec["clusterIP"] = spec["clusterIPs"][0]


def _choose_families(spec: dict[str, Any]) -> None:
    """A headless service without a selector may have endpoints of both families; every other has IPv4."""
    if spec["type"] == "ExternalName":
        return
    is_open = spec.get("clusterIP") == _HEADLESS and not spec.get("selector")
    spec.setdefault("ipFamilyPolicy", _DUAL if is_open else "SingleStack")
    is_dual = is_open and spec["ipFamilyPolicy"] != "SingleStack"
    spec.setdefault("ipFamilies", ["IPv4", "IPv6"] if is_dual else ["IPv4"])


def _keep_node_ports(spec: dict[str, Any], known: dict[str, Any]) -> None:
    """A port that is written without its node port keeps it."""
    held = {
        (port["port"], port["protocol"]): port["nodePort"] for port in known.get("ports") or [] if "nodePort" in port
    }
    if spec["type"] in ("NodePort", "LoadBalancer"):
        for port in spec.get("ports") or []:
            number = held.get((port["port"], port["protocol"]))
            if number is not None:
                port.setdefault("nodePort", number)


def _check_addresses_kept(spec: dict[str, Any], known: dict[str, Any]) -> list[FieldError]:
    if "ExternalName" in (spec["type"], known["type"]):
        return []
    new, old = spec.get("clusterIPs") or [], known.get("clusterIPs") or []
    if old and new and new[0] != old[0]:
        return [field.invalid("spec.clusterIPs[0]", [*new], "may not change once set")]
    return []


def _check_spec(spec: dict[str, Any]) -> list[FieldError]:
    problems: list[FieldError] = []
    kind, ports = spec["type"], spec.get("ports") or []
    is_headless = spec.get("clusterIP") == _HEADLESS
    if not ports and not is_headless and kind != "ExternalName":
        problems.append(field.required("spec.ports"))
    problems += _check_kind(spec)
    for position, port in enumerate(ports):
        problems += _check_port(port, field.index("spec.ports", position), is_named=len(ports) > 1)
    problems += _check_ports_differ(ports)
    for key, value in (spec.get("selector") or {}).items():
        problems += [field.invalid("spec.selector", key, text) for text in names.qualified_name(key)]
        problems += [field.invalid("spec.selector", value, text) for text in names.label_value(value)]
    if spec["sessionAffinity"] not in _AFFINITIES:
        problems.append(field.not_supported("spec.sessionAffinity", spec["sessionAffinity"], list(_AFFINITIES)))
    return problems + _check_addresses(spec)


def _check_kind(spec: dict[str, Any]) -> list[FieldError]:
    kind = spec["type"]
    if kind not in _TYPES:
        return [field.not_supported("spec.type", kind, list(_TYPES))]
    if kind != "ExternalName":
        return []
    if spec.get("clusterIP"):
        return [field.forbidden("spec.clusterIPs[0]", "may not be set for ExternalName services")]
    name = spec.get("externalName", "")
    if not name:
        return [field.required("spec.externalName")]
    return [field.invalid("spec.externalName", name, text) for text in names.dns1123_subdomain(name.removesuffix("."))]


def _check_port(port: dict[str, Any], path: str, *, is_named: bool) -> list[FieldError]:
    problems: list[FieldError] = []
    name = port.get("name", "")
    if is_named and not name:
        problems.append(field.required(f"{path}.name"))
    elif name:
        problems += [field.invalid(f"{path}.name", name, text) for text in names.dns1123_label(name)]
    problems += validate_port(port["port"], f"{path}.port")
    if port["protocol"] not in PROTOCOLS:
        problems.append(field.not_supported(f"{path}.protocol", port["protocol"], list(PROTOCOLS)))
    target = port["targetPort"]
    if isinstance(target, int):
        problems += validate_port(target, f"{path}.targetPort")
    else:
        problems += [field.invalid(f"{path}.targetPort", target, text) for text in names.port_name(target)]
    return problems


def _check_ports_differ(ports: list[dict[str, Any]]) -> list[FieldError]:
    problems: list[FieldError] = []
    seen_names: set[str] = set()
    seen: set[tuple[str, int]] = set()
    for position, port in enumerate(ports):
        path, name = field.index("spec.ports", position), port.get("name", "")
        if name and name in seen_names:
            problems.append(field.duplicate(f"{path}.name", name))
        seen_names.add(name)
        key = (port["protocol"], port["port"])
        if key in seen:
            problems.append(field.duplicate(path, _show_port(port)))
        seen.add(key)
    return problems


def _show_port(port: dict[str, Any]) -> field.GoText:
    """A duplicate as upstream's internal type prints what it compares."""
    protocol, number = port["protocol"], port["port"]
    return field.GoText(
        f'{{"Name":"","Protocol":"{protocol}","AppProtocol":null,"Port":{number},"TargetPort":0,"NodePort":0}}'
    )


def _check_addresses(spec: dict[str, Any]) -> list[FieldError]:
    if spec["type"] == "ExternalName":
        return []
    problems: list[FieldError] = []
    addresses = spec.get("clusterIPs") or []
    for position, address in enumerate(addresses):
        if address != _HEADLESS and not _is_address(address):
            problems.append(field.invalid(field.index("spec.clusterIPs", position), address, _BAD_ADDRESS))
    return problems + _check_families(spec)


def _check_families(spec: dict[str, Any]) -> list[FieldError]:
    if spec["type"] == "ExternalName" or spec.get("clusterIP") == _HEADLESS:
        return []
    problems = [
        field.invalid(field.index("spec.ipFamilies", position), family, "not configured on this cluster")
        for position, family in enumerate(spec.get("ipFamilies") or [])
        if family != "IPv4"
    ]
    if spec.get("ipFamilyPolicy") == _DUAL:
        text = "this cluster is not configured for dual-stack services"
        problems.append(field.invalid("spec.ipFamilyPolicy", _DUAL, text))
    return problems


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
