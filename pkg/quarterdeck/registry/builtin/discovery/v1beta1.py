"""Endpoint slices as servers before 1.25 stored them: in discovery.k8s.io/v1beta1, which nobody serves any more.

Source: pkg/apis/discovery/v1beta1/conversion.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.registry.strategy import Object

V1: Final = "discovery.k8s.io/v1"
V1BETA1: Final = "discovery.k8s.io/v1beta1"

_ZONE: Final = "topology.kubernetes.io/zone"
_HOST: Final = "kubernetes.io/hostname"


def slice_from_v1beta1(endpoint_slice: Object) -> Object:
    """Decoded JSON, which is not changed."""
    made = {**endpoint_slice, "apiVersion": V1}
    if endpoints := endpoint_slice.get("endpoints"):
        made["endpoints"] = [_endpoint(endpoint) for endpoint in endpoints]
    return made


def _endpoint(endpoint: Object) -> Object:
    """The zone has a member of its own, and the host is told once where it is the node."""
    made = {name: value for name, value in endpoint.items() if name != "topology"}
    left = dict(endpoint.get("topology") or {})
    if (zone := left.pop(_ZONE, None)) is not None:
        made["zone"] = zone
    if _HOST in left and left[_HOST] == endpoint.get("nodeName"):
        del left[_HOST]
    if left:
        made["deprecatedTopology"] = left
    return made
