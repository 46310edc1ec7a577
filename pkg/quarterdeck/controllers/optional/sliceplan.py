"""Which EndpointSlices a service should have, and what has to be done to those that it has.

Slices stay as they are as far as that goes: an endpoint stays in its slice, new ones go where there is room.
Source: k8s.io/endpointslice (reconciler.go, utils.go), pkg/api/v1/endpoints/util.go, pkg/api/v1/pod/util.go.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

from quarterdeck.apimachinery import meta
from quarterdeck.registry.strategy import Object

SERVICE_NAME: Final = "kubernetes.io/service-name"
MANAGED_BY: Final = "endpointslice.kubernetes.io/managed-by"
CONTROLLER: Final = "endpointslice-controller.k8s.io"
ENDPOINTS_MAX: Final = 100
_HEADLESS: Final = "service.kubernetes.io/headless"

Ports = tuple[tuple[str, str, int, str | None], ...]  # name, protocol, number, application protocol
Endpoint = dict[str, Any]


class Plan(NamedTuple):
    created: list[Object]
    updated: list[Object]
    deleted: list[Object]


def make(
    service: Object, pods: Iterable[Object], zone_of: Callable[[str], str | None], slices: Iterable[Object]
) -> Plan:
    """`pods` are those that the service selects, `slices` what was made for it before."""
    plan = Plan([], [], [])
    pods, slices = list(pods), list(slices)
    families = service["spec"].get("ipFamilies") or ["IPv4"]
    for family in families:
        wanted = _group(service, pods, zone_of, family)
        have: dict[Ports, list[Object]] = {}
        for each in slices:
            if each["addressType"] == family:
                have.setdefault(_ports_of(each), []).append(each)
        if not wanted:
            wanted = {(): {}}  # one slice without endpoints tells that there are none
        for ports, endpoints in wanted.items():
            _settle(plan, service, family, ports, endpoints, have.pop(ports, []))
        for left in have.values():
            plan.deleted.extend(left)
    plan.deleted.extend(each for each in slices if each["addressType"] not in families)
    return plan


def _group(
    service: Object, pods: list[Object], zone_of: Callable[[str], str | None], family: str
) -> dict[Ports, dict[str, Endpoint]]:
    """Endpoints by their ports, and by the UID of their pod."""
    found: dict[Ports, dict[str, Endpoint]] = {}
    for pod in pods:
        address = _address_of(pod, family)
        if address is None or (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed"):
            continue
        endpoint = _build_endpoint(service, pod, address, zone_of)
        found.setdefault(_find_ports(service, pod), {})[pod["metadata"]["uid"]] = endpoint
    return found


def _address_of(pod: Object, family: str) -> str | None:
    status = pod.get("status") or {}
    addresses = [each.get("ip") or "" for each in status.get("podIPs") or ()] or [status.get("podIP") or ""]
    version = 4 if family == "IPv4" else 6
    return next((each for each in addresses if each and ipaddress.ip_address(each).version == version), None)


def _find_ports(service: Object, pod: Object) -> Ports:
    """Ports that the pod does not have by the name that is asked for are left out."""
    found = []
    for port in service["spec"].get("ports") or ():
        number = _find_number(port, pod)
        if number is not None:
            found.append((port.get("name") or "", port["protocol"], number, port.get("appProtocol")))
    return tuple(found)


def _find_number(port: Object, pod: Object) -> int | None:
    target = port.get("targetPort", port["port"])
    if isinstance(target, int):
        return target
    sidecars = [each for each in pod["spec"].get("initContainers") or () if each.get("restartPolicy") == "Always"]
    for container in (*pod["spec"]["containers"], *sidecars):
        for each in container.get("ports") or ():
            if each.get("name") == target and each.get("protocol") == port["protocol"]:
                number: int = each["containerPort"]
                return number
    return None


def _build_endpoint(service: Object, pod: Object, address: str, zone_of: Callable[[str], str | None]) -> Endpoint:
    spec, metadata = pod["spec"], pod["metadata"]
    conditions = (pod.get("status") or {}).get("conditions") or ()
    is_serving = any(each.get("type") == "Ready" and each.get("status") == "True" for each in conditions)
    is_terminating = bool(meta.deletion_timestamp(pod))
    is_ready = bool(service["spec"].get("publishNotReadyAddresses")) or (is_serving and not is_terminating)
    endpoint: Endpoint = {
        "addresses": [address],
        "conditions": {"ready": is_ready, "serving": is_serving, "terminating": is_terminating},
    }
    if spec.get("hostname") and spec.get("subdomain") == service["metadata"]["name"]:
        endpoint["hostname"] = spec["hostname"]
    endpoint["targetRef"] = {
        "kind": "Pod",
        "namespace": metadata["namespace"],
        "name": metadata["name"],
        "uid": metadata["uid"],
    }
    node = spec.get("nodeName")
    if node:
        endpoint["nodeName"] = node
        if zone := zone_of(node):
            endpoint["zone"] = zone
    return endpoint


def _settle(
    plan: Plan, service: Object, family: str, ports: Ports, wanted: dict[str, Endpoint], have: list[Object]
) -> None:
    """Endpoints that stand in a slice stay there; the others fill the slices up, then new ones."""
    waiting = dict(wanted)
    kept: list[tuple[Object, list[Endpoint]]] = []
    for each in have:
        uids = [(endpoint.get("targetRef") or {}).get("uid") for endpoint in each.get("endpoints") or ()]
        kept.append((each, [waiting.pop(uid) for uid in uids if uid in waiting]))
    left = list(waiting.values())
    for _, endpoints in sorted(kept, key=lambda pair: -len(pair[1])):
        room = ENDPOINTS_MAX - len(endpoints)
        endpoints.extend(left[:room])
        del left[:room]
    filled = [pair for pair in kept if pair[1]]
    batches = [left[begin : begin + ENDPOINTS_MAX] for begin in range(0, len(left), ENDPOINTS_MAX)]
    if not filled and not batches:
        if kept:
            filled = kept[:1]
        else:
            batches = [[]]
    for each, endpoints in kept:
        if not any(each is one for one, _ in filled):
            plan.deleted.append(each)
            continue
        new = _build_slice(service, family, ports, endpoints, each["metadata"]["name"])
        if _differs(each, new):
            plan.updated.append(new)
    for batch in batches:
        name = meta.generate_name(f"{service['metadata']['name']}-")
        plan.created.append(_build_slice(service, family, ports, batch, name))


def _build_slice(service: Object, family: str, ports: Ports, endpoints: list[Endpoint], name: str) -> Object:
    of_service = service["metadata"]
    labels = {key: value for key, value in (of_service.get("labels") or {}).items() if key != _HEADLESS}
    labels |= {SERVICE_NAME: of_service["name"], MANAGED_BY: CONTROLLER}
    if service["spec"].get("clusterIP") == "None":
        labels[_HEADLESS] = ""
    owner = {
        "apiVersion": "v1",
        "kind": "Service",
        "name": of_service["name"],
        "uid": of_service["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {
            "name": name,
            "generateName": f"{of_service['name']}-",
            "namespace": of_service["namespace"],
            "labels": labels,
            "ownerReferences": [owner],
        },
        "addressType": family,
        "endpoints": endpoints or None,
        "ports": [_build_port(*port) for port in ports] or None,
    }


def _build_port(name: str, protocol: str, number: int, application: str | None) -> Object:
    port: Object = {"name": name, "protocol": protocol, "port": number}
    if application is not None:
        port["appProtocol"] = application
    return port


def _ports_of(obj: Object) -> Ports:
    return tuple(
        (each.get("name") or "", each.get("protocol") or "TCP", each.get("port") or 0, each.get("appProtocol"))
        for each in obj.get("ports") or ()
    )


def _differs(old: Object, new: Object) -> bool:
    have, want = old["metadata"], new["metadata"]
    return bool(
        (old.get("endpoints") or None) != new["endpoints"]
        or (have.get("labels") or {}) != want["labels"]
        or have.get("ownerReferences") != want["ownerReferences"]
    )
