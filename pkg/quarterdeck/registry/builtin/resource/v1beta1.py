"""Resource claims, their templates and slices in resource.k8s.io/v1beta1, in which servers before 1.34 stored them.

Source: pkg/apis/resource/v1beta1/conversion.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.registry.strategy import Object

V1: Final = "resource.k8s.io/v1"
V1BETA1: Final = "resource.k8s.io/v1beta1"

# What v1 says of a request in a member of its own.
_BEFORE: Final = ("deviceClassName", "selectors", "allocationMode", "count", "adminAccess")
_BEHIND: Final = ("tolerations", "capacity")
_EXACT: Final = (*_BEFORE, *_BEHIND)


def claim_from_v1beta1(claim: Object) -> Object:
    """Decoded JSON, which is not changed."""
    return {**claim, "apiVersion": V1, "spec": _claim_spec(claim.get("spec") or {})}


def template_from_v1beta1(template: Object) -> Object:
    spec = template.get("spec") or {}
    return {**template, "apiVersion": V1, "spec": {**spec, "spec": _claim_spec(spec.get("spec") or {})}}


def slice_from_v1beta1(resource_slice: Object) -> Object:
    """A slice that names no node, or is not for all, says nothing of that."""
    spec = dict(resource_slice.get("spec") or {})
    for name in ("nodeName", "allNodes"):
        if not spec.get(name):
            spec.pop(name, None)
    if devices := spec.get("devices"):
        spec["devices"] = [{"name": device.get("name") or "", **(device.get("basic") or {})} for device in devices]
    return {**resource_slice, "apiVersion": V1, "spec": spec}


def _claim_spec(spec: Object) -> Object:
    devices = spec.get("devices") or {}
    if not devices.get("requests"):
        return spec
    return {**spec, "devices": {**devices, "requests": [_request(each) for each in devices["requests"]]}}


def _request(request: Object) -> Object:
    """An empty text and no number say nothing, as they do where they are left out."""
    exactly = {name: request[name] for name in _EXACT if request.get(name) not in (None, "", 0, [])}
    if request.get("adminAccess") is not None:
        exactly["adminAccess"] = request["adminAccess"]
    made = {name: value for name, value in request.items() if name not in _EXACT}
    if exactly:
        made["exactly"] = exactly
    return made


def claim_to_v1beta1(claim: Object) -> Object:
    """Of v1 or v1beta2, which are alike; so for the others."""
    return {**claim, "apiVersion": V1BETA1, "spec": _claim_spec_to_v1beta1(claim.get("spec") or {})}


def template_to_v1beta1(template: Object) -> Object:
    spec = template.get("spec") or {}
    made = {**spec, "spec": _claim_spec_to_v1beta1(spec.get("spec") or {})}
    return {**template, "apiVersion": V1BETA1, "spec": made}


def slice_to_v1beta1(resource_slice: Object) -> Object:
    spec = dict(resource_slice.get("spec") or {})
    for name in ("nodeName", "allNodes"):
        if not spec.get(name):
            spec.pop(name, None)
    if devices := spec.get("devices"):
        spec["devices"] = [_device_to_v1beta1(device) for device in devices]
    return {**resource_slice, "apiVersion": V1BETA1, "spec": spec}


def _device_to_v1beta1(device: Object) -> Object:
    basic = {name: value for name, value in device.items() if name != "name"}
    return {"name": device.get("name") or "", "basic": basic}


def _claim_spec_to_v1beta1(spec: Object) -> Object:
    devices = spec.get("devices") or {}
    if not devices.get("requests"):
        return spec
    return {**spec, "devices": {**devices, "requests": [_request_to_v1beta1(each) for each in devices["requests"]]}}


def _request_to_v1beta1(request: Object) -> Object:
    """In the order of Go's type."""
    exactly = {name: value for name, value in (request.get("exactly") or {}).items() if value not in (None, "", 0, [])}
    if (admin_access := (request.get("exactly") or {}).get("adminAccess")) is not None:
        exactly["adminAccess"] = admin_access
    # The name of the class is written in any case.
    before = {"deviceClassName": "", **{name: exactly[name] for name in _BEFORE if name in exactly}}
    made = {"name": request.get("name") or "", **before}
    if "firstAvailable" in request:
        made["firstAvailable"] = request["firstAvailable"]
    return {**made, **{name: exactly[name] for name in _BEHIND if name in exactly}}
