"""The resources of networking.k8s.io. They are data: nobody routes or filters anything."""

from __future__ import annotations

from typing import Final

from quarterdeck.registry.builtin.definition import Behaviour, Definition, describe, later

GROUP: Final = "networking.k8s.io"


def definitions() -> list[Definition]:
    return [
        later(describe(GROUP, "ingressclasses", "IngressClass", namespaced=False), _load_ingress_class),
        later(describe(GROUP, "ingresses", "Ingress", has_status=True, short_names=("ing",)), _load_ingress),
        later(describe(GROUP, "ipaddresses", "IPAddress", namespaced=False, short_names=("ip",)), _load_ip_address),
        later(describe(GROUP, "networkpolicies", "NetworkPolicy", short_names=("netpol",)), _load_network_policy),
        later(describe(GROUP, "servicecidrs", "ServiceCIDR", namespaced=False, has_status=True), _load_service_cidr),
    ]


def _load_ingress_class() -> Behaviour:
    from quarterdeck.registry.builtin.networking.ingressclass import IngressClassStrategy, default_class

    return Behaviour(IngressClassStrategy(namespaced=False), default=default_class)


def _load_ingress() -> Behaviour:
    from quarterdeck.registry.builtin import written
    from quarterdeck.registry.builtin.networking.ingress import IngressStatusStrategy, IngressStrategy

    status = IngressStatusStrategy(namespaced=True)
    return Behaviour(IngressStrategy(namespaced=True), {"status": status}, note=written.note)


def _load_ip_address() -> Behaviour:
    from quarterdeck.registry.builtin.networking.ipaddress import IPAddressStrategy, name_is_ip_address

    return Behaviour(IPAddressStrategy(namespaced=False, name_check=name_is_ip_address))


def _load_network_policy() -> Behaviour:
    from quarterdeck.registry.builtin import written
    from quarterdeck.registry.builtin.networking.networkpolicy import NetworkPolicyStrategy, default_policy

    return Behaviour(NetworkPolicyStrategy(namespaced=True), default=default_policy, note=written.note)


def _load_service_cidr() -> Behaviour:
    from quarterdeck.registry.builtin import written
    from quarterdeck.registry.builtin.networking.servicecidr import ServiceCIDRStatusStrategy, ServiceCIDRStrategy

    status = ServiceCIDRStatusStrategy(namespaced=False)
    return Behaviour(ServiceCIDRStrategy(namespaced=False), {"status": status}, note=written.note)
