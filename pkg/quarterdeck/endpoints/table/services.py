"""The table of services. Source: kubernetes/pkg/printers/internalversion/printers.go."""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.endpoints.table.cells import AGE, NAME, Column, dig, text
from quarterdeck.endpoints.table.columns import Object

_NONE: Final = "<none>"


def _external_ip(obj: Object) -> str:
    spec = obj.get("spec") or {}
    if spec.get("type") == "ExternalName":
        return str(spec.get("externalName", ""))
    external = spec.get("externalIPs") or []
    if spec.get("type") == "LoadBalancer":
        ingress = dig(obj, ("status", "loadBalancer", "ingress")) or []
        balancers = sorted({each.get("ip") or each.get("hostname") or "" for each in ingress} - {""})
        return ",".join([*balancers, *external]) or "<pending>"
    if not spec.get("type"):
        return "<unknown>"
    return ",".join(external) or _NONE


def _ports(obj: Object) -> str:
    ports = dig(obj, ("spec", "ports")) or []
    return ",".join(_port(port) for port in ports) or _NONE


def _port(port: dict[str, Any]) -> str:
    number = f"{port['port']}:{port['nodePort']}" if port.get("nodePort") else f"{port['port']}"
    return f"{number}/{port.get('protocol', 'TCP')}"


def _cluster_ip(obj: Object) -> str:
    return dig(obj, ("spec", "clusterIP")) or _NONE


def _service_selector(obj: Object) -> str:
    selector = dig(obj, ("spec", "selector")) or {}
    return ",".join(f"{key}={selector[key]}" for key in sorted(selector)) or _NONE


SERVICE: Final = (
    NAME,
    Column(
        "Type",
        text("spec", "type"),
        "type determines how the Service is exposed. Defaults to ClusterIP. Valid options are ExternalName,"
        ' ClusterIP, NodePort, and LoadBalancer. "ClusterIP" allocates a cluster-internal IP address for'
        " load-balancing to endpoints. Endpoints are determined by the selector or if that is not specified, by"
        ' manual construction of an Endpoints object or EndpointSlice objects. If clusterIP is "None", no virtual'
        " IP is allocated and the endpoints are published as a set of endpoints rather than a virtual IP."
        ' "NodePort" builds on ClusterIP and allocates a port on every node which routes to the same endpoints as'
        ' the clusterIP. "LoadBalancer" builds on NodePort and creates an external load-balancer (if supported in'
        ' the current cloud) which routes to the same endpoints as the clusterIP. "ExternalName" aliases this'
        " service to the specified externalName. Several other fields do not apply to ExternalName services. More"
        " info: https://kubernetes.io/docs/concepts/services-networking/service/#publishing-services-service-types",
    ),
    Column(
        "Cluster-IP",
        lambda obj, now_s: _cluster_ip(obj),
        "clusterIP is the IP address of the service and is usually assigned randomly. If an address is specified"
        " manually, is in-range (as per system configuration), and is not in use, it will be allocated to the"
        " service; otherwise creation of the service will fail. This field may not be changed through updates unless"
        " the type field is also being changed to ExternalName (which requires this field to be blank) or the type"
        " field is being changed from ExternalName (in which case this field may optionally be specified, as describe"
        ' above).  Valid values are "None", empty string (""), or a valid IP address. Setting this to "None"'
        ' makes a "headless service" (no virtual IP), which is useful when direct endpoint connections are'
        " preferred and proxying is not required.  Only applies to types ClusterIP, NodePort, and LoadBalancer. If"
        " this field is specified when creating a Service of type ExternalName, creation will fail. This field will"
        " be wiped when updating a Service to type ExternalName. More info:"
        " https://kubernetes.io/docs/concepts/services-networking/service/#virtual-ips-and-service-proxies",
    ),
    Column(
        "External-IP",
        lambda obj, now_s: _external_ip(obj),
        "externalIPs is a list of IP addresses for which nodes in the cluster will also accept traffic for this"
        " service.  These IPs are not managed by Kubernetes.  The user is responsible for ensuring that traffic"
        " arrives at a node with this IP.  A common example is external load-balancers that are not part of the"
        " Kubernetes system.",
    ),
    Column(
        "Port(s)",
        lambda obj, now_s: _ports(obj),
        "The list of ports that are exposed by this service. More info:"
        " https://kubernetes.io/docs/concepts/services-networking/service/#virtual-ips-and-service-proxies",
    ),
    AGE,
    Column(
        "Selector",
        lambda obj, now_s: _service_selector(obj),
        "Route service traffic to pods with label keys and values matching this selector. If empty or not present,"
        " the service is assumed to have an external process managing its endpoints, which Kubernetes will not"
        " modify. Only applies to types ClusterIP, NodePort, and LoadBalancer. Ignored if type is ExternalName. More"
        " info: https://kubernetes.io/docs/concepts/services-networking/service/",
        priority=1,
    ),
)
