"""Tables of networking and discovery. Source: kubernetes/pkg/printers/internalversion/printers.go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from quarterdeck.apimachinery import gotext
from quarterdeck.endpoints.table.cells import AGE, NAME, NONE, Column, dig, name_of_class, selector, text
from quarterdeck.endpoints.table.columns import Object

_SHOWN_MAX: Final = 3


def _class_name(obj: Object) -> str:
    name = dig(obj, ("spec", "ingressClassName"))
    return NONE if name is None else name


def _hosts(obj: Object) -> str:
    rules = dig(obj, ("spec", "rules")) or []
    hosts: list[str] = []
    for position, rule in enumerate(rules):
        if len(hosts) == _SHOWN_MAX:
            return f"{','.join(hosts)} + {len(rules) - _SHOWN_MAX} more..."
        if rules[position].get("host"):
            hosts.append(rule["host"])
    return ",".join(hosts) or "*"


def _points(obj: Object) -> str:
    found = dig(obj, ("status", "loadBalancer", "ingress")) or []
    return ",".join(sorted({each.get("ip") or each.get("hostname") or "" for each in found} - {""}))


def _parameters(obj: Object) -> str:
    parameters = dig(obj, ("spec", "parameters"))
    if parameters is None:
        return NONE
    group = parameters.get("apiGroup")
    kind = parameters.get("kind", "") if group is None else f"{parameters.get('kind', '')}.{group}"
    return f"{kind}/{parameters.get('name', '')}"


def _parent(obj: Object) -> str:
    parent = dig(obj, ("spec", "parentRef"))
    if parent is None:
        return NONE
    group = parent.get("group")
    resource = f"{parent.get('resource', '')}.{group}" if group else parent.get("resource", "")
    return "/".join(part for part in (gotext.lower(resource), parent.get("namespace"), parent.get("name", "")) if part)


def _ports(obj: Object) -> str:
    shown = []
    for port in obj.get("ports") or ():
        number = port.get("port")
        shown.append(port.get("name", "*") if number is None else str(number))
    return _some(shown)


def _endpoints(obj: Object) -> str:
    return _some([address for endpoint in obj.get("endpoints") or () for address in endpoint.get("addresses") or ()])


def _some(found: Sequence[str]) -> str:
    shown = ",".join(found[:_SHOWN_MAX])
    if len(found) > _SHOWN_MAX:
        return f"{shown} + {len(found) - _SHOWN_MAX} more..."
    return shown or "<unset>"


_INGRESS_CLASS: Final = (
    NAME._replace(cell=name_of_class(("ingressclass.kubernetes.io/is-default-class",))),
    Column("Controller", text("spec", "controller"), "Controller that is responsible for handling this class"),
    Column("Parameters", lambda obj, now_s: _parameters(obj), "A reference to a resource with additional parameters"),
    AGE,
)

_INGRESS: Final = (
    NAME,
    Column(
        "Class",
        lambda obj, now_s: _class_name(obj),
        "The name of the IngressClass resource that should be used for additional configuration",
    ),
    Column(
        "Hosts",
        lambda obj, now_s: _hosts(obj),
        "Hosts that incoming requests are matched against before the ingress rule",
    ),
    Column(
        "Address", lambda obj, now_s: _points(obj), "Address is a list containing ingress points for the load-balancer"
    ),
    Column(
        "Ports",
        lambda obj, now_s: "80, 443" if dig(obj, ("spec", "tls")) else "80",
        "Ports of TLS configurations that open",
    ),
    AGE,
)

# Upstream gives rows an age here without a column for it.
_IP_ADDRESS: Final = (
    NAME,
    Column(
        "ParentRef",
        lambda obj, now_s: _parent(obj),
        "ParentRef references the resource that an IPAddress is attached to. An IPAddress must reference a parent"
        " object.",
    ),
    Column("", AGE.cell, ""),
)

_NETWORK_POLICY: Final = (
    NAME,
    Column(
        "Pod-Selector",
        selector("spec", "podSelector"),
        "podSelector selects the pods to which this NetworkPolicy object applies. The array of rules is applied to"
        " any pods selected by this field. An empty selector matches all pods in the policy's namespace. Multiple"
        " network policies can select the same set of pods. In this case, the ingress rules for each are combined"
        " additively. This field is optional. If it is not specified, it defaults to an empty selector.",
    ),
    AGE,
)

_SERVICE_CIDR: Final = (
    NAME,
    Column(
        "CIDRs",
        lambda obj, now_s: ",".join(dig(obj, ("spec", "cidrs")) or ()),
        'CIDRs defines the IP blocks in CIDR notation (e.g. "192.168.0.0/24" or "2001:db8::/64") from which to'
        " assign service cluster IPs. Max of two CIDRs is allowed, one of each IP family. This field is immutable.",
    ),
    AGE,
)

_ENDPOINT_SLICE: Final = (
    NAME,
    Column(
        "AddressType",
        text("addressType"),
        "addressType specifies the type of address carried by this EndpointSlice. All addresses in this slice must be"
        " the same type. This field is immutable after creation. The following address types are currently supported:"
        " * IPv4: Represents an IPv4 Address. * IPv6: Represents an IPv6 Address. * FQDN: Represents a Fully"
        " Qualified Domain Name. (Deprecated) The EndpointSlice controller only generates, and kube-proxy only"
        ' processes, slices of addressType "IPv4" and "IPv6". No semantics are defined for the "FQDN" type.',
    ),
    Column(
        "Ports",
        lambda obj, now_s: _ports(obj),
        "ports specifies the list of network ports exposed by each endpoint in this slice. Each port must have a"
        " unique name. Each slice may include a maximum of 100 ports. Services always have at least 1 port, so"
        " EndpointSlices generated by the EndpointSlice controller will likewise always have at least 1 port."
        " EndpointSlices used for other purposes may have an empty ports list.",
    ),
    Column(
        "Endpoints",
        lambda obj, now_s: _endpoints(obj),
        "endpoints is a list of unique endpoints in this slice. Each slice may include a maximum of 1000 endpoints.",
    ),
    AGE,
)

PRINTERS: Final = {
    ("discovery.k8s.io", "EndpointSlice"): _ENDPOINT_SLICE,
    ("networking.k8s.io", "Ingress"): _INGRESS,
    ("networking.k8s.io", "IngressClass"): _INGRESS_CLASS,
    ("networking.k8s.io", "IPAddress"): _IP_ADDRESS,
    ("networking.k8s.io", "NetworkPolicy"): _NETWORK_POLICY,
    ("networking.k8s.io", "ServiceCIDR"): _SERVICE_CIDR,
}
