"""What a client is told of a service that is taken.

Source: pkg/api/service/warnings.go, pkg/registry/core/service/strategy.go (WarningsOnUpdate of the status).
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import addresses, field
from quarterdeck.registry.builtin.core.service.allocation import HEADLESS
from quarterdeck.registry.builtin.core.service.fields import CLUSTER_IP, EXTERNAL_NAME
from quarterdeck.registry.strategy import Object

HINTS: Final = "service.kubernetes.io/topology-aware-hints"
MODE: Final = "service.kubernetes.io/topology-mode"


def warnings_of(obj: Object) -> list[str]:
    spec = obj["spec"]
    kind, external = spec["type"], spec.get("externalIPs") or []
    found: list[str] = []
    if HINTS in (obj["metadata"].get("annotations") or {}):
        found.append(f"annotation {HINTS} is deprecated, please use {MODE} instead")
    if spec.get("clusterIP") not in (None, "", HEADLESS):
        for position, address in enumerate(spec.get("clusterIPs") or []):
            found += addresses.warn_of_ip(address, field.index("spec.clusterIPs", position))
    is_headless = kind == CLUSTER_IP and spec.get("clusterIP") == HEADLESS
    if is_headless:
        if spec.get("loadBalancerIP"):
            found.append("spec.loadBalancerIP is ignored for headless services")
        if external:
            found.append("spec.externalIPs is ignored for headless services")
        if spec["sessionAffinity"] != "None":
            found.append("spec.SessionAffinity is ignored for headless services")
    for position, address in enumerate(external):
        found += addresses.warn_of_ip(address, field.index("spec.externalIPs", position))
    if external and not is_headless and kind != EXTERNAL_NAME:
        found.append("spec.externalIPs is deprecated and may no longer be implemented in some clusters")
    if spec.get("loadBalancerIP"):
        found += addresses.warn_of_ip(spec["loadBalancerIP"], "spec.loadBalancerIP")
    for position, text in enumerate(spec.get("loadBalancerSourceRanges") or []):
        found += addresses.warn_of_cidr(text, field.index("spec.loadBalancerSourceRanges", position))
    if kind == EXTERNAL_NAME and external:
        found.append('spec.externalIPs is ignored when spec.type is "ExternalName"')
    if kind != EXTERNAL_NAME and spec.get("externalName"):
        found.append('spec.externalName is ignored when spec.type is not "ExternalName"')
    if spec.get("trafficDistribution") == "PreferClose":
        found.append('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"')
    return found


def warnings_of_status(obj: Object) -> list[str]:
    found: list[str] = []
    for position, each in enumerate((obj["status"].get("loadBalancer") or {}).get("ingress") or []):
        if address := each.get("ip"):
            found += addresses.warn_of_ip(address, field.index("status.loadBalancer.ingress", position))
    return found
