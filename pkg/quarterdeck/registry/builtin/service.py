"""Services as data: nobody routes to them.

Differs from upstream: no cluster IP and no node port is given out, so that `spec.clusterIP` is what the client said.
Source: pkg/registry/core/service/strategy.go, pkg/apis/core/v1/defaults.go (SetDefaults_Service),
pkg/apis/core/validation (ValidateService).
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import field
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin.podspec import PROTOCOLS, validate_port
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object

_TYPES: Final = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
_AFFINITIES: Final = ("ClientIP", "None")
_STICKY_S: Final = 10800
_OUTSIDE: Final = ("NodePort", "LoadBalancer")


def default_service(obj: Object) -> None:
    spec = obj["spec"]
    spec.setdefault("sessionAffinity", "None")
    spec.setdefault("type", "ClusterIP")
    if spec["sessionAffinity"] == "ClientIP":
        config = spec.setdefault("sessionAffinityConfig", {}).setdefault("clientIP", {})
        config.setdefault("timeoutSeconds", _STICKY_S)
    for port in spec.get("ports") or ():
        port.setdefault("protocol", "TCP")
        if port.get("targetPort") in (0, "", None):
            port["targetPort"] = port.get("port", 0)
    if spec["type"] in _OUTSIDE:
        spec.setdefault("externalTrafficPolicy", "Cluster")
    if spec["type"] == "LoadBalancer":
        spec.setdefault("allocateLoadBalancerNodePorts", True)
    if spec["type"] != "ExternalName":
        spec.setdefault("internalTrafficPolicy", "Cluster")


def select_service_fields(obj: Object) -> dict[str, str]:
    spec = obj.get("spec") or {}
    return {"spec.clusterIP": spec.get("clusterIP", ""), "spec.type": spec.get("type", "")}


class ServiceStrategy(BuiltinStrategy):
    def default_new(self, obj: Object) -> None:
        obj["status"] = {"loadBalancer": {}}
        _set_families(obj["spec"])

    def keep(self, new: Object, old: Object) -> None:
        new["status"] = old.get("status", {})
        before = old["spec"]
        for name in ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"):
            if name in before and name not in new["spec"] and new["spec"].get("type") != "ExternalName":
                new["spec"][name] = before[name]
        _set_families(new["spec"])

    def check(self, obj: Object) -> list[FieldError]:
        return _validate_spec(obj["spec"])

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        after, before = new["spec"], old["spec"]
        same_type = after.get("type") == before.get("type") != "ExternalName"
        if same_type and before.get("clusterIP") and after.get("clusterIP") != before["clusterIP"]:
            detail = "may not change once set"
            return [field.invalid("spec.clusterIPs[0]", [after.get("clusterIP", "")], detail)]
        return self.check(new)


class ServiceStatusStrategy(ServiceStrategy):
    def keep(self, new: Object, old: Object) -> None:
        new["spec"] = old.get("spec", {})

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        balanced = ((new.get("status") or {}).get("loadBalancer") or {}).get("ingress")
        if balanced and new["spec"].get("type") != "LoadBalancer":
            detail = "may only be used when `spec.type` is 'LoadBalancer'"
            return [field.forbidden("status.loadBalancer.ingress", detail)]
        return []


def _set_families(spec: Object) -> None:
    """One family of addresses is all that there is."""
    if spec.get("type") == "ExternalName":
        for name in ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"):
            spec.pop(name, None)
        return
    spec.setdefault("ipFamilies", ["IPv4"])
    spec.setdefault("ipFamilyPolicy", "SingleStack")
    if spec.get("clusterIP"):
        spec.setdefault("clusterIPs", [spec["clusterIP"]])


def _validate_spec(spec: Object) -> list[FieldError]:
    problems = []
    kind, ports = spec.get("type", ""), spec.get("ports") or []
    is_headless = spec.get("clusterIP") == "None"
    if not ports and not is_headless and kind != "ExternalName":
        problems.append(field.required("spec.ports"))
    if kind == "ExternalName" and not spec.get("externalName"):
        problems.append(field.required("spec.externalName"))
    for position, port in enumerate(ports):
        problems += _validate_port(port, field.index("spec.ports", position), is_named=len(ports) > 1)
    if spec.get("sessionAffinity") not in _AFFINITIES:
        problems.append(field.not_supported("spec.sessionAffinity", spec.get("sessionAffinity"), list(_AFFINITIES)))
    if kind not in _TYPES:
        problems.append(field.not_supported("spec.type", kind, list(_TYPES)))
    return problems


def _validate_port(port: Object, path: str, *, is_named: bool) -> list[FieldError]:
    problems = []
    if is_named and not port.get("name"):
        problems.append(field.required(f"{path}.name"))
    problems += validate_port(port.get("port", 0), f"{path}.port")
    protocol = port.get("protocol", "")
    if protocol not in PROTOCOLS:
        problems.append(field.not_supported(f"{path}.protocol", protocol, list(PROTOCOLS)))
    if isinstance(port.get("targetPort"), int):
        problems += validate_port(port["targetPort"], f"{path}.targetPort")
    return problems
