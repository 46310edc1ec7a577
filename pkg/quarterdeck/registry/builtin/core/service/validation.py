"""What a service may say. Source: pkg/apis/core/validation/validation.go (validateService, ValidateServiceUpdate,
ValidateLoadBalancerStatus)."""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.apimachinery import addresses, field, gotext, names
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.core.service import fields
from quarterdeck.registry.builtin.core.service.allocation import HEADLESS
from quarterdeck.registry.builtin.core.service.families import check_addresses, check_addresses_kept
from quarterdeck.registry.builtin.core.service.fields import CLUSTER_IP, EXTERNAL_NAME, LOAD_BALANCER, NODE_PORT, Spec
from quarterdeck.registry.builtin.core.service.warnings import HINTS, MODE
from quarterdeck.registry.strategy import Object

_TYPES: Final = (CLUSTER_IP, EXTERNAL_NAME, LOAD_BALANCER, NODE_PORT)
_AFFINITIES: Final = ("ClientIP", "None")
_AFFINITY_S_MAX: Final = 86400
_TRAFFIC_POLICIES: Final = ("Cluster", "Local")
_DISTRIBUTIONS: Final = ("PreferClose", "PreferSameZone", "PreferSameNode")
_BALANCED_ONLY: Final = "may only be used when `type` is 'LoadBalancer'"
_SOURCE_RANGES: Final = "service.beta.kubernetes.io/load-balancer-source-ranges"


def validate_service(obj: Object, old: Object | None) -> list[FieldError]:
    """The metadata's own rules aside."""
    spec, annotations = obj["spec"], obj["metadata"].get("annotations") or {}
    known: Spec = old["spec"] if old is not None else {}
    problems: list[FieldError] = []
    if MODE in annotations and HINTS in annotations and annotations[MODE] != annotations[HINTS]:
        text = f"must match annotations[{HINTS}] when both are specified"
        problems.append(field.invalid(field.key("metadata.annotations", MODE), annotations[MODE], text))
    if not spec.get("ports") and not fields.is_headless(spec) and spec["type"] != EXTERNAL_NAME:
        problems.append(field.required("spec.ports"))
    problems += _check_by_type(spec)
    problems += _check_ports(spec.get("ports") or [])
    for key, value in (spec.get("selector") or {}).items():
        problems += [field.invalid("spec.selector", key, text) for text in names.qualified_name(key)]
        problems += [field.invalid("spec.selector", value, text) for text in names.label_value(value)]
    problems += _check_affinity(spec)
    problems += check_addresses(spec, known)
    problems += _check_external_addresses(spec.get("externalIPs") or [], known.get("externalIPs") or [])
    if spec["type"] not in _TYPES:
        problems.append(field.not_among("spec.type", spec["type"], list(_TYPES)))
    problems += _check_ports_differ(spec)
    problems += _check_source_ranges(spec, annotations, old)
    problems += _check_balancer(spec, None)
    return problems + _check_traffic(spec)


def validate_service_update(new: Object, old: Object) -> list[FieldError]:
    spec, known = new["spec"], old["spec"]
    problems = check_addresses_kept(spec, known)
    # Upstream looks at the class for the update and once more as for a new service, and tells twice what is wrong.
    both_balance = spec["type"] == known["type"] == LOAD_BALANCER
    problems += _check_balancer_class(spec, known if both_balance else None)
    both_check = fields.needs_health_check(known) and fields.needs_health_check(spec)
    if both_check and not fields.is_same(spec, known, "healthCheckNodePort"):
        problems.append(field.forbidden("spec.healthCheckNodePort", checks.IMMUTABLE))
    return problems + validate_service(new, old)


def _check_by_type(spec: Spec) -> list[FieldError]:
    kind = spec["type"]
    problems: list[FieldError] = []
    if kind in (LOAD_BALANCER, NODE_PORT) and fields.is_headless(spec):
        text = f"may not be set to 'None' for {kind} services"
        problems.append(field.invalid("spec.clusterIPs[0]", HEADLESS, text))
    if kind != EXTERNAL_NAME:
        return problems
    for name in ("clusterIPs", "ipFamilies"):
        if spec.get(name):
            problems.append(field.forbidden(f"spec.{name}", "may not be set for ExternalName services"))
    if spec.get("ipFamilyPolicy") is not None:
        problems.append(field.forbidden("spec.ipFamilyPolicy", "may not be set for ExternalName services"))
    name = spec.get("externalName", "").removesuffix(".")
    if not name:
        return [*problems, field.required("spec.externalName")]
    return problems + [field.invalid("spec.externalName", name, text) for text in names.dns1123_subdomain(name)]


def _check_ports(ports: list[dict[str, Any]]) -> list[FieldError]:
    problems: list[FieldError] = []
    seen: set[str] = set()
    for position, port in enumerate(ports):
        path, name = field.index("spec.ports", position), port.get("name", "")
        if name:
            problems += [field.invalid(f"{path}.name", name, text) for text in names.dns1123_label(name)]
            if name in seen:
                problems.append(field.duplicate(f"{path}.name", name))
            seen.add(name)
        elif len(ports) > 1:
            problems.append(field.required(f"{path}.name"))
        problems += checks.port_number(f"{path}.port", port["port"])
        if port["protocol"] not in checks.PROTOCOLS:
            problems.append(field.not_among(f"{path}.protocol", port["protocol"], list(checks.PROTOCOLS)))
        target = port["targetPort"]
        if isinstance(target, int):
            problems += checks.port_number(f"{path}.targetPort", target)
        else:
            problems += [field.invalid(f"{path}.targetPort", target, text) for text in names.port_name(target)]
        protocol = port.get("appProtocol")
        if protocol is not None:
            problems += [
                field.invalid(f"{path}.appProtocol", protocol, text) for text in names.qualified_name(protocol)
            ]
    return problems


def _check_ports_differ(spec: Spec) -> list[FieldError]:
    ports = spec.get("ports") or []
    problems: list[FieldError] = []
    if spec["type"] == CLUSTER_IP:
        problems += [
            field.forbidden(
                f"{field.index('spec.ports', position)}.nodePort", "may not be used when `type` is 'ClusterIP'"
            )
            for position, port in enumerate(ports)
            if port.get("nodePort")
        ]
    seen: set[tuple[str, int]] = set()
    for position, port in enumerate(ports):
        if not (number := port.get("nodePort")):
            continue
        if (port["protocol"], number) in seen:
            problems.append(field.duplicate(f"{field.index('spec.ports', position)}.nodePort", number))
        seen.add((port["protocol"], number))
    seen = set()
    for position, port in enumerate(ports):
        key = (port["protocol"], port["port"])
        if key in seen:
            problems.append(field.duplicate(field.index("spec.ports", position), _show_port(*key)))
        seen.add(key)
    return problems


def _show_port(protocol: str, number: int) -> field.GoText:
    """A duplicate as upstream's internal type prints what it compares."""
    return field.GoText(
        f'{{"Name":"","Protocol":"{protocol}","AppProtocol":null,"Port":{number},"TargetPort":0,"NodePort":0}}'
    )


def _check_affinity(spec: Spec) -> list[FieldError]:
    affinity = spec["sessionAffinity"]
    if affinity not in _AFFINITIES:
        return [field.not_among("spec.sessionAffinity", affinity, list(_AFFINITIES))]
    if affinity == "None":
        return []
    timeout = spec["sessionAffinityConfig"]["clientIP"]["timeoutSeconds"]
    if 0 < timeout <= _AFFINITY_S_MAX:
        return []
    path = "spec.sessionAffinityConfig.clientIP.timeoutSeconds"
    return [field.invalid(path, timeout, f"must be greater than 0 and less than {_AFFINITY_S_MAX}")]


def _check_external_addresses(given: list[str], known: list[str]) -> list[FieldError]:
    problems: list[FieldError] = []
    for position, address in enumerate(given):
        path = field.index("spec.externalIPs", position)
        found = [] if address in known else addresses.validate_ip(address, path)
        problems += found or addresses.validate_endpoint_ip(address, path)
    return problems


def _check_source_ranges(spec: Spec, annotations: dict[str, str], old: Object | None) -> list[FieldError]:
    problems: list[FieldError] = []
    known = {} if old is None else old
    old_annotations = (known.get("metadata") or {}).get("annotations") or {}
    if spec.get("loadBalancerSourceRanges"):
        path = "spec.LoadBalancerSourceRanges"
        if spec["type"] != LOAD_BALANCER:
            problems.append(field.forbidden(path, _BALANCED_ONLY))
        before = [gotext.strip(text) for text in (known.get("spec") or {}).get("loadBalancerSourceRanges") or []]
        for position, text in enumerate(spec["loadBalancerSourceRanges"]):
            if gotext.strip(text) not in before:
                problems += addresses.validate_cidr(gotext.strip(text), field.index(path, position))
    elif _SOURCE_RANGES in annotations:
        path = field.key("metadata.annotations", _SOURCE_RANGES)
        if spec["type"] != LOAD_BALANCER:
            problems.append(field.forbidden(path, _BALANCED_ONLY))
        given = annotations[_SOURCE_RANGES]
        if gotext.strip(given) and given != old_annotations.get(_SOURCE_RANGES):
            for text in given.split(","):
                problems += addresses.validate_cidr(gotext.strip(text), path)
    return problems


def _check_balancer(spec: Spec, known: Spec | None) -> list[FieldError]:
    problems: list[FieldError] = []
    if spec.get("allocateLoadBalancerNodePorts") is not None and spec["type"] != LOAD_BALANCER:
        problems.append(field.forbidden("spec.allocateLoadBalancerNodePorts", _BALANCED_ONLY))
    return problems + _check_balancer_class(spec, known)


def _check_balancer_class(spec: Spec, known: Spec | None) -> list[FieldError]:
    path, given = "spec.loadBalancerClass", spec.get("loadBalancerClass")
    problems: list[FieldError] = []
    if known is not None and given != known.get("loadBalancerClass"):
        problems.append(field.invalid(path, field.named(given), "may not change once set"))
    if given is None:
        return problems
    if spec["type"] != LOAD_BALANCER:
        return [*problems, field.forbidden(path, _BALANCED_ONLY)]
    return problems + [field.invalid(path, given, text) for text in names.qualified_name(given)]


def _check_traffic(spec: Spec) -> list[FieldError]:
    problems: list[FieldError] = []
    external, path = spec.get("externalTrafficPolicy", ""), "spec.externalTrafficPolicy"
    if not fields.is_externally_accessible(spec):
        if external:
            problems.append(
                field.invalid(path, field.named(external), "may only be set for externally-accessible services")
            )
    elif external not in _TRAFFIC_POLICIES:
        problems.append(field.not_among(path, external, list(_TRAFFIC_POLICIES)))
    port, path = spec.get("healthCheckNodePort", 0), "spec.healthCheckNodePort"
    if fields.needs_health_check(spec):
        problems += checks.port_number(path, port) if port else [field.required(path)]
    elif port:
        text = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
        problems.append(field.invalid(path, port, text))
    for name, allowed, refuse in (
        ("internalTrafficPolicy", _TRAFFIC_POLICIES, field.not_among),
        ("trafficDistribution", _DISTRIBUTIONS, field.not_supported),
    ):
        given = spec.get(name)
        if given is not None and given not in allowed:
            problems.append(refuse(f"spec.{name}", given, list(allowed)))
    return problems


def validate_balancer_status(new: Object, old: Object) -> list[FieldError]:
    path = "status.loadBalancer.ingress"
    ingress = (new["status"].get("loadBalancer") or {}).get("ingress") or []
    if ingress and new["spec"]["type"] != LOAD_BALANCER:
        return [field.forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")]
    before = ((old.get("status") or {}).get("loadBalancer") or {}).get("ingress") or []
    known = {each.get("ip") for each in before}
    problems: list[FieldError] = []
    for position, each in enumerate(ingress):
        problems += _check_ingress(each, field.index(path, position), known)
    return problems


def _check_ingress(ingress: dict[str, Any], path: str, known: set[str | None]) -> list[FieldError]:
    problems: list[FieldError] = []
    address, mode, host = ingress.get("ip", ""), ingress.get("ipMode"), ingress.get("hostname", "")
    if address and address not in known:
        problems += addresses.validate_ip(address, f"{path}.ip")
    if mode is None:
        if address:
            problems.append(field.required(f"{path}.ipMode", "must be specified when `ip` is set"))
    elif not address:
        problems.append(field.forbidden(f"{path}.ipMode", "may not be specified when `ip` is not set"))
    elif mode not in ("Proxy", "VIP"):
        problems.append(field.not_among(f"{path}.ipMode", mode, ["Proxy", "VIP"]))
    if host:
        problems += [field.invalid(f"{path}.hostname", host, text) for text in names.dns1123_subdomain(host)]
        if addresses.parse_ip(host) is not None:
            problems.append(field.invalid(f"{path}.hostname", host, "must be a DNS name, not an IP address"))
    return problems
