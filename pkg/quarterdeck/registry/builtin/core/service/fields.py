"""The fields of a service that hang together: what is defaulted, what an update takes from the old object or drops.

Source: pkg/apis/core/v1/defaults.go, pkg/registry/core/service/strategy.go (dropTypeDependentFields),
pkg/registry/core/service/storage/storage.go (patchAllocatedValues, normalizeClusterIPs).
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.registry.builtin.core.service.allocation import HEADLESS
from quarterdeck.registry.strategy import Object

Spec = dict[str, Any]

CLUSTER_IP: Final = "ClusterIP"
EXTERNAL_NAME: Final = "ExternalName"
LOAD_BALANCER: Final = "LoadBalancer"
NODE_PORT: Final = "NodePort"
_AFFINITY_S: Final = 10800


def default_service(obj: Object) -> None:
    spec = obj["spec"]
    spec.setdefault("sessionAffinity", "None")
    if spec["sessionAffinity"] == "None":
        spec.pop("sessionAffinityConfig", None)
    if spec["sessionAffinity"] == "ClientIP":
        client = (spec.get("sessionAffinityConfig") or {}).get("clientIP") or {}
        if client.get("timeoutSeconds") is None:
            spec["sessionAffinityConfig"] = {"clientIP": {"timeoutSeconds": _AFFINITY_S}}
    spec.setdefault("type", CLUSTER_IP)
    for port in spec.get("ports") or []:
        port.setdefault("protocol", "TCP")
        if port.get("targetPort") in (None, 0, ""):
            port["targetPort"] = port["port"]
    if is_externally_accessible(spec):
        spec.setdefault("externalTrafficPolicy", "Cluster")
    if spec["type"] in (CLUSTER_IP, NODE_PORT, LOAD_BALANCER):
        spec.setdefault("internalTrafficPolicy", "Cluster")
    if spec["type"] == LOAD_BALANCER:
        spec.setdefault("allocateLoadBalancerNodePorts", True)
        for ingress in (obj.get("status") or {}).get("loadBalancer", {}).get("ingress") or []:
            if ingress.get("ip"):
                ingress.setdefault("ipMode", "VIP")


def is_headless(spec: Spec) -> bool:
    return spec.get("clusterIPs") == [HEADLESS]


def needs_addresses(spec: Spec) -> bool:
    return bool(spec["type"] != EXTERNAL_NAME)


def needs_node_ports(spec: Spec) -> bool:
    is_balanced = spec["type"] == LOAD_BALANCER and spec.get("allocateLoadBalancerNodePorts", True)
    return bool(spec["type"] == NODE_PORT or is_balanced)


def may_have_node_ports(spec: Spec) -> bool:
    """Those that it is given, or those that the client names."""
    return spec["type"] in (NODE_PORT, LOAD_BALANCER)


def needs_health_check(spec: Spec) -> bool:
    return bool(spec["type"] == LOAD_BALANCER and spec.get("externalTrafficPolicy") == "Local")


def is_externally_accessible(spec: Spec) -> bool:
    if spec["type"] == CLUSTER_IP:
        return bool(spec.get("externalIPs"))
    return spec["type"] in (NODE_PORT, LOAD_BALANCER)


def is_same(new: Spec, old: Spec, name: str) -> bool:
    """Whether two fields are equal, an empty one being none."""
    return (new.get(name) or None) == (old.get(name) or None)


def node_ports_of(spec: Spec) -> set[int]:
    return {port["nodePort"] for port in spec.get("ports") or [] if port.get("nodePort")}


def keep_allocated(new: Spec, old: Spec) -> None:
    """What an update does not name it keeps: addresses, node ports (by the names of ports), the health check's port."""
    if needs_addresses(old) and needs_addresses(new):
        if not new.get("clusterIP"):
            _copy(new, old, "clusterIP")
        if not new.get("clusterIPs"):
            _copy(new, old, "clusterIPs")
    if needs_node_ports(old) and needs_node_ports(new):
        _keep_node_ports(new, old)
    if needs_health_check(old) and needs_health_check(new) and not new.get("healthCheckNodePort"):
        _copy(new, old, "healthCheckNodePort")


def _keep_node_ports(new: Spec, old: Spec) -> None:
    used = node_ports_of(old) & node_ports_of(new)
    known = {port.get("name", ""): port.get("nodePort", 0) for port in old.get("ports") or []}
    for port in new.get("ports") or []:
        number = known.get(port.get("name", ""), 0)
        if not port.get("nodePort") and number and number not in used:
            port["nodePort"] = number


def match_addresses(new: Spec, old: Spec | None) -> None:
    """clusterIP and clusterIPs of a client that knows only one of them."""
    if old is None:
        if new.get("clusterIP") and not new.get("clusterIPs"):
            new["clusterIPs"] = [new["clusterIP"]]
        return
    if old.get("clusterIPs") and not new.get("clusterIPs") and is_same(new, old, "clusterIP"):
        _copy(new, old, "clusterIPs")
    if not is_same(new, old, "clusterIP") and is_same(new, old, "clusterIPs"):
        if new.get("clusterIP"):
            new["clusterIPs"] = [new["clusterIP"]]
        else:
            new.pop("clusterIPs", None)


def drop_by_type(new: Spec, old: Spec) -> None:
    """What the old type needed and the new one does not goes, unless the client changed it: then it is refused."""
    if needs_addresses(old) and not needs_addresses(new):
        if is_same(new, old, "clusterIP") and is_same(new, old, "clusterIPs"):
            new.pop("clusterIP", None)
            new.pop("clusterIPs", None)
        for name in ("ipFamilies", "ipFamilyPolicy"):
            _drop_same(new, old, name)
    if may_have_node_ports(old) and not may_have_node_ports(new) and node_ports_of(new) <= node_ports_of(old):
        for port in new.get("ports") or []:
            port.pop("nodePort", None)
    if needs_health_check(old) and not needs_health_check(new):
        _drop_same(new, old, "healthCheckNodePort")
    if old["type"] == LOAD_BALANCER and new["type"] != LOAD_BALANCER:
        _drop_same(new, old, "allocateLoadBalancerNodePorts")
        _drop_same(new, old, "loadBalancerClass")
    if is_externally_accessible(old) and not is_externally_accessible(new):
        _drop_same(new, old, "externalTrafficPolicy")


def show(spec: Spec) -> None:
    """What was taken of a client as it is shown to all: an address of a service that is to have none stands in both
    places, and some members in none (upstream: defaultOnReadService)."""
    match_addresses(spec, None)
    if spec["type"] == EXTERNAL_NAME:
        spec.pop("internalTrafficPolicy", None)


def _drop_same(new: Spec, old: Spec, name: str) -> None:
    if new.get(name) == old.get(name):
        new.pop(name, None)


def _copy(new: Spec, old: Spec, name: str) -> None:
    if name in old:
        new[name] = old[name]
