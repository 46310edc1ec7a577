"""Ingresses, their classes, network policies, service ranges, addresses and endpoint slices: what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.registry.builtin.discovery.endpointslice import EndpointSliceStrategy, default_slice
from quarterdeck.registry.builtin.networking import resources
from quarterdeck.registry.builtin.networking.ingress import IngressStatusStrategy, IngressStrategy
from quarterdeck.registry.builtin.networking.ingressclass import IngressClassStrategy, default_class
from quarterdeck.registry.builtin.networking.ipaddress import IPAddressStrategy, name_is_ip_address
from quarterdeck.registry.builtin.networking.networkpolicy import NetworkPolicyStrategy, default_policy
from quarterdeck.registry.builtin.networking.servicecidr import ServiceCIDRStrategy
from support.builtin_kind import BuiltinKind

KINDS = {each.resource.kind: BuiltinKind(each) for each in resources.definitions()}
SERVICE = {"service": {"name": "s", "port": {"number": 80}}}


def build(**members: Any) -> dict[str, Any]:
    return {"metadata": {"name": "a", "namespace": "ns"}, "spec": members}


def told(problems: list[Any]) -> list[str]:
    return [f"{one.path}: {one.body()}" for one in problems]


def build_ingress(path: dict[str, Any], **rule: Any) -> dict[str, Any]:
    return build(rules=[{**rule, "http": {"paths": [path]}}])


@pytest.mark.parametrize(
    ("ingress", "expected"),
    [
        (build(), ["spec: Invalid value: null: either `defaultBackend` or `rules` must be specified"]),
        (
            build(defaultBackend={}),
            ['spec.defaultBackend: Invalid value: "": resource or service backend is required'],
        ),
        (
            build(defaultBackend={"service": {"name": "s", "port": {}}}),
            ["spec.defaultBackend: Required value: port name or number is required"],
        ),
        (
            build(defaultBackend={"service": {"name": "s", "port": {"name": "n", "number": 1}}}),
            ['spec.defaultBackend: Invalid value: "": cannot set both port name & port number'],
        ),
        (
            build_ingress({"path": "a//", "pathType": "Exact", "backend": SERVICE}),
            [
                'spec.rules[0].http.paths[0].path: Invalid value: "a//": must be an absolute path',
                "spec.rules[0].http.paths[0].path: Invalid value: \"a//\": must not contain '//'",
            ],
        ),
        (build_ingress({"pathType": "ImplementationSpecific", "backend": SERVICE}), []),
        (
            build_ingress({"path": "/", "backend": {}}),
            ["spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified"],
        ),
        (
            build_ingress({"path": "/", "pathType": "Prefix", "backend": SERVICE}, host="1.2.3.4"),
            ['spec.rules[0].host: Invalid value: "1.2.3.4": must be a DNS name, not an IP address'],
        ),
    ],
)
def test_what_is_wrong_with_an_ingress_is_told(ingress: dict[str, Any], expected: list[str]) -> None:
    assert told(IngressStrategy(namespaced=True).check(ingress)) == expected


def test_a_wildcard_of_an_ingress_begins_the_host() -> None:
    ingress = build(defaultBackend=SERVICE, tls=[{"hosts": ["*.a.dev", "*.*.dev"], "secretName": "A_B"}])
    found = IngressStrategy(namespaced=True).check(ingress)
    assert [one.path for one in found] == ["spec.tls[0].hosts[1]", "spec.tls[0].secretName"]
    assert [one.path for one in IngressStrategy(namespaced=True).check_update(ingress, ingress)] == [
        "spec.tls[0].hosts[1]"
    ]


@pytest.mark.parametrize(
    ("service", "is_let_be"),
    [("a", False), ("1a", True), ("Bad_", True)],
)
def test_rules_of_a_wildcard_that_were_wrong_may_stay_so(service: str, is_let_be: bool) -> None:
    """Whether they were is told by the older names of services, which begin with a letter."""

    def of(path: str, name: str) -> dict[str, Any]:
        backend = {"service": {"name": name, "port": {"number": 80}}}
        return build_ingress({"path": path, "pathType": "Prefix", "backend": backend}, host="*.a.dev")

    found = IngressStrategy(namespaced=True).check_update(of("relative", "Bad_"), of("/", service))
    assert bool(found) != is_let_be


def test_the_status_of_an_ingress() -> None:
    ingress = {**build(), "status": {"loadBalancer": {"ingress": [{"ip": "bad"}, {"hostname": "1.2.3.4"}]}}}
    assert told(IngressStatusStrategy(namespaced=True).check_update(ingress, build())) == [
        'status.loadBalancer.ingress[0].ip: Invalid value: "bad": must be a valid IP address, (e.g. 10.9.8.7 or '
        "2001:db8::ffff)",
        'status.loadBalancer.ingress[1].hostname: Invalid value: "1.2.3.4": must be a DNS name, not an IP address',
    ]
    odd = {**build(), "status": {"loadBalancer": {"ingress": [{"ip": "FD00::1"}]}}}
    (warning,) = IngressStatusStrategy(namespaced=True).warn(odd)
    assert warning.startswith("status.loadBalancer.ingress[0]: IPv6 address ")


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"kind": "K", "name": "n"}, []),
        ({"scope": "Odd"}, ["kind", "name", "scope"]),
        ({"kind": "K", "name": "n", "scope": "Namespace"}, ["namespace"]),
        ({"kind": "K", "name": "n", "namespace": "x"}, ["namespace"]),
    ],
)
def test_parameters_of_ingress_classes(parameters: dict[str, Any], expected: list[str]) -> None:
    obj = build(controller="a.dev/c", parameters=parameters)
    default_class(obj)
    found = IngressClassStrategy(namespaced=False).check(obj)
    assert [one.path.removeprefix("spec.parameters.") for one in found] == expected


def test_the_scope_of_parameters_is_shown_as_a_plain_text() -> None:
    obj = build(controller="a.dev/c", parameters={"kind": "K", "name": "n", "scope": "a>b"})
    found = told(IngressClassStrategy(namespaced=False).check(obj))
    assert found == ['spec.parameters.scope: Unsupported value: "a>b": supported values: "Cluster", "Namespace"']


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({"ports": [{"port": 80, "endPort": 90}], "from": [{"podSelector": {}}]}, []),
        (
            {"ports": [{"endPort": 5}]},
            [
                "spec.ingress[0].ports[0].endPort: Invalid value: 5: may not be specified when `port` is not specified",
            ],
        ),
        (
            {"ports": [{"port": 9, "endPort": 5}]},
            ["spec.ingress[0].ports[0].endPort: Invalid value: 9: must be greater than or equal to `port`"],
        ),
        ({"from": [{}]}, ["spec.ingress[0].from[0]: Required value: must specify a peer"]),
        (
            {"from": [{"podSelector": {}, "ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.0.0.0/8", "10.1.0.0/16"]}}]},
            [
                'spec.ingress[0].from[0].ipBlock.except[0]: Invalid value: "10.0.0.0/8": must be a strict subset of '
                "`cidr`",
                "spec.ingress[0].from[0]: Forbidden: may not specify both ipBlock and another peer",
            ],
        ),
    ],
)
def test_network_policies(rule: dict[str, Any], expected: list[str]) -> None:
    obj = build(podSelector={}, ingress=[rule])
    default_policy(obj)
    assert told(NetworkPolicyStrategy(namespaced=True).check(obj)) == expected


MAPPED = "must not have an IPv4-mapped IPv6 address"
OUTSIDE = "must be a strict subset of `cidr`"


@pytest.mark.parametrize(
    ("cidr", "except_", "expected"),
    [
        ("1.2.3.0/24", "::ffff:1.2.3.0/121", [MAPPED]),
        ("1.2.3.0/24", "::ffff:1.2.4.0/121", [MAPPED, OUTSIDE]),
        ("::/0", "::ffff:1.2.3.0/120", [MAPPED, OUTSIDE]),
        ("::ffff:1.2.3.0/120", "1.2.3.0/25", [MAPPED, OUTSIDE]),  # of a shorter prefix, as it is written
        ("::ffff:1.2.3.0/120", "::ffff:1.2.3.128/121", [MAPPED, MAPPED]),
        ("fd00::/8", "fd01::/16", []),
        ("fd00::/8", "10.0.0.0/16", [OUTSIDE]),
    ],
)
def test_what_a_block_leaves_out_is_inside_it(cidr: str, except_: str, expected: list[str]) -> None:
    obj = build(podSelector={}, ingress=[{"from": [{"ipBlock": {"cidr": cidr, "except": [except_]}}]}])
    found = NetworkPolicyStrategy(namespaced=True).check(obj)
    assert [one.detail for one in found] == expected


def test_policy_types_come_from_the_rules() -> None:
    obj = build(podSelector={}, egress=[{}])
    default_policy(obj)
    assert obj["spec"]["policyTypes"] == ["Ingress", "Egress"]


@pytest.mark.parametrize(
    ("ranges", "expected"),
    [
        ([], "Required value: at least one CIDR required"),
        (["10.0.0.0/24", "fd00::/120"], ""),
        (["10.0.0.0/24", "10.1.0.0/24"], "may specify no more than one IP for each IP family"),
        (["10.0.0.1/24"], "must not have bits set beyond the prefix length"),
        (["fd00:0::/120"], 'must be in canonical form ("fd00::/120")'),
        (["010.0.0.0/24"], "must not have leading 0s in IP or prefix length"),
    ],
)
def test_service_ranges(ranges: list[str], expected: str) -> None:
    found = told(ServiceCIDRStrategy(namespaced=False).check(build(cidrs=ranges)))
    assert len(found) == bool(expected) and expected in "".join(found)


@pytest.mark.parametrize(
    ("ranges", "paths"),
    [
        (["x", "y"], ["spec.cidrs[0]", "spec.cidrs[1]"]),  # of no family
        (["x", "fd00::/120"], ["spec.cidrs[0]"]),
        (["fd00:0::/120", "fd01::/120"], ["spec.cidrs[0]", "spec.cidrs"]),
        (["10.0.0.1/24", "10.1.0.0/24"], ["spec.cidrs[0]", "spec.cidrs"]),
        (["10.0.0.0/24", "::ffff:10.1.0.0/112"], ["spec.cidrs[1]", "spec.cidrs"]),
        (["10.0.0.0/24", "::ffff:10.1.0.0/64"], ["spec.cidrs[1]", "spec.cidrs"]),
        (["::ffff:1.2.3.4/24", "fd00::/120"], ["spec.cidrs[0]"]),
        (["10.0.0.0/24", "x", "y"], ["spec.cidrs"]),
    ],
)
def test_each_service_range_is_checked_and_then_their_families(ranges: list[str], paths: list[str]) -> None:
    found = ServiceCIDRStrategy(namespaced=False).check(build(cidrs=ranges))
    assert [each.path for each in found] == paths


def test_a_service_range_may_get_a_second_family() -> None:
    strategy, old = ServiceCIDRStrategy(namespaced=False), build(cidrs=["10.0.0.0/24"])
    assert strategy.check_update(build(cidrs=["10.0.0.0/24", "fd00::/120"]), old) == []
    assert [one.path for one in strategy.check_update(build(cidrs=["10.1.0.0/24"]), old)] == ["spec.cidrs[0]"]
    assert [one.path for one in strategy.check_update(build(), old)] == ["spec.cidrs"]


def test_lists_that_are_written_down_empty_are_shown_so() -> None:
    detail = "either `defaultBackend` or `rules` must be specified"
    assert KINDS["Ingress"].refusals({"spec": {"rules": []}}) == [f"spec: Invalid value: []: {detail}"]
    assert KINDS["Ingress"].refusals({"spec": {"rules": None}}) == [f"spec: Invalid value: null: {detail}"]
    old = {"spec": {"cidrs": ["10.0.0.0/24"]}}
    for spec, shown in (({"cidrs": []}, "[]"), ({}, "null")):
        refusals = [f"spec.cidrs: Invalid value: {shown}: field is immutable"]
        assert KINDS["ServiceCIDR"].refusals_of_update({"spec": spec}, old) == refusals


def test_addresses_are_called_after_themselves_and_keep_their_parent() -> None:
    assert name_is_ip_address("10.0.0.1") == []
    assert name_is_ip_address("FD00::1") == ['must be in canonical form ("fd00::1")']
    strategy = IPAddressStrategy(namespaced=False)
    new, old = (build(parentRef={"resource": "services", "name": name}) for name in "ab")
    for address in (new, old):
        address["metadata"]["resourceVersion"] = "1"
    assert told(strategy.check_update(new, old)) == [
        'spec.parentRef: Invalid value: {"Group":"","Resource":"services","Namespace":"","Name":"a"}: field is '
        "immutable"
    ]


def build_slice(kind: str, *addresses: str, **endpoint: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": "a", "namespace": "ns"},
        "addressType": kind,
        "endpoints": [{"addresses": list(addresses), **endpoint}],
    }


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        (build_slice("IPv4", "10.1.1.1"), []),
        (build_slice("IPv4"), ["endpoints[0].addresses: Required value: must contain at least 1 address"]),
        (
            build_slice("IPv4", "fd00::1"),
            ['endpoints[0].addresses: Invalid value: "fd00::1": must be an IPv4 address'],
        ),
        (
            build_slice("IPv4", "127.0.0.1"),
            [
                'endpoints[0].addresses[0]: Invalid value: "127.0.0.1": may not be in the loopback range '
                "(127.0.0.0/8, ::1/128)"
            ],
        ),
        (
            build_slice("IPv6", "ff12::1"),
            [
                'endpoints[0].addresses[0]: Invalid value: "ff12::1": may not be in the link-local multicast range '
                "(224.0.0.0/24, ff02::/10)"
            ],
        ),
        (
            build_slice("FQDN", "b"),
            [
                'endpoints[0].addresses[0]: Invalid value: "b": should be a domain with at least two segments '
                "separated by dots"
            ],
        ),
        (
            build_slice("IPv4", "10.1.1.1", hints={"forZones": [{"name": "z"}, {"name": "z"}]}),
            ['endpoints[0].hints.forZones[1].name: Duplicate value: "z"'],
        ),
    ],
)
def test_endpoint_slices(obj: dict[str, Any], expected: list[str]) -> None:
    assert told(EndpointSliceStrategy(namespaced=True).check(obj)) == expected


@pytest.mark.parametrize(
    ("kind", "address", "expected"),
    [
        ("IPv4", "FD00:0::1", ['endpoints[0].addresses: Invalid value: "FD00:0::1": must be an IPv4 address']),
        ("IPv4", "127.0.0.01", ['endpoints[0].addresses[0]: Invalid value: "127.0.0.01": must not have leading 0s']),
        (
            "IPv4",
            "::ffff:010.0.0.1",
            ['endpoints[0].addresses[0]: Invalid value: "::ffff:010.0.0.1": must not have leading 0s'],
        ),
        (
            "IPv6",
            "FD00:0::1",
            ['endpoints[0].addresses[0]: Invalid value: "FD00:0::1": must be in canonical form ("fd00::1")'],
        ),
        ("IPv6", "10.0.0.1", ['endpoints[0].addresses: Invalid value: "10.0.0.1": must be an IPv6 address']),
    ],
)
def test_the_form_of_an_address_counts_before_its_family(kind: str, address: str, expected: list[str]) -> None:
    assert told(EndpointSliceStrategy(namespaced=True).check(build_slice(kind, address))) == expected


def test_ports_of_a_slice_are_told_before_its_endpoints() -> None:
    obj = {**build_slice("IPv4"), "ports": [{"name": "a", "protocol": "x"}]}
    problems = EndpointSliceStrategy(namespaced=True).check(obj)
    assert [each.path for each in problems] == ["ports[0].protocol", "endpoints[0].addresses"]


def test_too_many_zones_of_an_endpoint_are_told_without_its_nodes() -> None:
    zones = [{"name": str(number)} for number in range(9)]
    obj = build_slice("IPv4", "10.1.1.1", hints={"forZones": zones, "forNodes": [{"name": "!"}]})
    assert told(EndpointSliceStrategy(namespaced=True).check(obj)) == [
        "endpoints[0].hints.forZones: Too many: 9: must have at most 8 items"
    ]


def test_old_endpoints_of_a_slice_are_let_pass_as_a_whole() -> None:
    strategy, old = EndpointSliceStrategy(namespaced=True), build_slice("IPv4", "10.1.1.01")
    assert strategy.check_update(old, old) == []
    assert told(strategy.check_update(build_slice("IPv4", "10.1.1.01", zone="z"), old)) == [
        'endpoints[0].addresses[0]: Invalid value: "10.1.1.01": must not have leading 0s'
    ]


def test_a_new_slice_of_names_is_warned_of() -> None:
    strategy, names = EndpointSliceStrategy(namespaced=True), build_slice("FQDN", "a.b")
    assert strategy.warn(names) == ["spec.addressType: FQDN endpoints are deprecated"]
    assert strategy.warn_of_update(names, names) == []


def test_a_slice_counts_its_changes_and_keeps_no_topology() -> None:
    strategy = EndpointSliceStrategy(namespaced=True)
    old = build_slice("IPv4", "10.1.1.1", deprecatedTopology={"kubernetes.io/hostname": "n"})
    old["ports"] = [{}]
    default_slice(old)
    assert old["ports"] == [{"name": "", "protocol": "TCP"}]
    old["metadata"]["generation"] = 3
    new = {**build_slice("IPv4", "10.1.1.1"), "ports": old["ports"]}
    strategy.prepare_for_update(new, old)
    assert (new["metadata"]["generation"], new["endpoints"]) == (4, [{"addresses": ["10.1.1.1"]}])
    strategy.prepare_for_create(old)
    assert "deprecatedTopology" not in old["endpoints"][0]
