"""Services: what is defaulted, refused, kept; which addresses and ports a write takes, and that it gives them back."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.registry.builtin.core.service import ranges
from quarterdeck.registry.builtin.core.service.allocation import NODE_PORTS
from quarterdeck.registry.builtin.core.service.strategy import ServiceStatusStrategy
from quarterdeck.storage.interface import Unavailable
from support.services import ADDRESS, PORTS, Object, Services, messages, with_services


def test_an_update_tells_twice_what_is_wrong_with_the_class_of_balancers(monkeypatch: pytest.MonkeyPatch) -> None:
    async def body(services: Services) -> None:
        await services.create("s", ports=PORTS)
        with pytest.raises(errors.APIStatus) as caught:
            await services.change("s", loadBalancerClass="x.dev/y")
        expected = "spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'"
        assert messages(caught.value) == [expected] * 2

    with_services(monkeypatch, body)


def test_a_service_is_defaulted(monkeypatch: pytest.MonkeyPatch) -> None:
    async def body(services: Services) -> None:
        spec = (await services.create("s", ports=PORTS))["spec"]
        assert spec["ports"] == [{"port": 80, "protocol": "TCP", "targetPort": 80}]
        assert (spec["type"], spec["ipFamilies"], spec["ipFamilyPolicy"]) == ("ClusterIP", ["IPv4"], "SingleStack")
        assert "externalTrafficPolicy" not in spec
        external = (await services.create("e", type="ExternalName", externalName="x.dev"))["spec"]
        assert not {"ipFamilies", "clusterIP", "internalTrafficPolicy"} & set(external)
        open_spec = (await services.create("h", clusterIP="None"))["spec"]
        assert (open_spec["ipFamilies"], open_spec["ipFamilyPolicy"]) == (["IPv4", "IPv6"], "RequireDualStack")
        sticky = await services.create("a", ports=PORTS, sessionAffinity="ClientIP", externalIPs=["1.2.3.4"])
        assert sticky["spec"]["sessionAffinityConfig"] == {"clientIP": {"timeoutSeconds": 10800}}
        assert sticky["spec"]["externalTrafficPolicy"] == "Cluster"

    with_services(monkeypatch, body)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, ["spec.ports: Required value"]),
        ({"type": "ExternalName"}, ["spec.externalName: Required value"]),
        (
            {"ports": [{"port": 80}, {"port": 81}]},
            ["spec.ports[0].name: Required value", "spec.ports[1].name: Required value"],
        ),
        (
            {"ports": [{"port": 80, "protocol": "ICMP"}]},
            ['spec.ports[0].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"'],
        ),
        (
            {"type": "NodePort", "clusterIP": "None", "ports": [{"port": 80, "nodePort": 30001}]},
            ["spec.clusterIPs[0]: Invalid value: \"None\": may not be set to 'None' for NodePort services"],
        ),
        (
            {"ports": [{"port": 80, "nodePort": 30001}]},
            ["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
        ),
        (
            {"ports": PORTS, "clusterIPs": [ADDRESS]},
            [
                f'spec.clusterIPs: Invalid value: ["{ADDRESS}"]: must be empty when `clusterIP` is not specified',
            ],
        ),
        (
            {"ports": PORTS, "clusterIP": "x"},
            ['spec.clusterIPs[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
        ),
        (
            {"ports": PORTS, "clusterIP": "::1"},
            ['spec.clusterIPs[0]: Invalid value: ["::1"]: IPv6 is not configured on this cluster'],
        ),
        (
            {"ports": PORTS, "ipFamilies": ["IPv6"]},
            ['spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster'],
        ),
        (
            {"ports": PORTS, "ipFamilyPolicy": "RequireDualStack"},
            [
                'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": '
                "this cluster is not configured for dual-stack services"
            ],
        ),
        (
            {"ports": PORTS, "externalIPs": ["127.0.0.1"]},
            [
                'spec.externalIPs[0]: Invalid value: "127.0.0.1": '
                "may not be in the loopback range (127.0.0.0/8, ::1/128)"
            ],
        ),
        (
            {"ports": PORTS, "externalTrafficPolicy": "Local"},
            ['spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services'],
        ),
        (
            {"ports": PORTS, "trafficDistribution": "Near"},
            [
                'spec.trafficDistribution: Unsupported value: "Near": '
                'supported values: "PreferClose", "PreferSameZone", "PreferSameNode"'
            ],
        ),
    ],
)
def test_what_a_service_may_not_say(spec: dict[str, Any], expected: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    async def body(services: Services) -> None:
        with pytest.raises(errors.Invalid) as refused:
            await services.create("s", **spec)
        assert messages(refused.value) == expected
        assert services.held() == set()

    with_services(monkeypatch, body)


def test_values_are_held_as_long_as_a_stored_service_names_them(monkeypatch: pytest.MonkeyPatch) -> None:
    async def body(services: Services) -> None:
        made = (await services.create("s", type="NodePort", ports=PORTS))["spec"]
        address, port = made["clusterIP"], made["ports"][0]["nodePort"]
        assert port in NODE_PORTS
        assert services.held() == {address, str(port)}
        kept = (await services.change("s", clusterIP=None, clusterIPs=None, ports=PORTS))["spec"]
        assert (kept["clusterIP"], kept["ports"][0]["nodePort"]) == (address, port)
        moved = (await services.change("s", ports=[{"port": 80, "nodePort": 30007}]))["spec"]
        assert services.held() == {address, "30007"} == {moved["clusterIP"], str(moved["ports"][0]["nodePort"])}
        await services.change("s", type="ClusterIP")
        assert services.held() == {address}
        await services.change("s", type="ExternalName", externalName="x.dev")
        assert services.held() == set()
        again = (await services.change("s", type="ClusterIP"))["spec"]
        assert services.held() == {again["clusterIP"]}
        await services.delete("s")
        assert services.held() == set()

    with_services(monkeypatch, body)


def test_node_ports_are_of_the_range_that_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    async def body(services: Services) -> None:
        made = [await services.create(name, type="NodePort", ports=PORTS) for name in ("a", "b")]
        assert {each["spec"]["ports"][0]["nodePort"] for each in made} == {80, 81}
        with pytest.raises(errors.Invalid, match=r"provided port is not in the valid range.*valid ports is 80-81"):
            await services.create("s", type="NodePort", ports=[{"port": 80, "nodePort": 30000}])
        with pytest.raises(errors.InternalError, match="range is full"):
            await services.create("s", type="NodePort", ports=PORTS)
        shown = await services.create("s", type="NodePort", ports=PORTS, dry_run=True)
        assert shown["spec"]["ports"][0]["nodePort"] == 32769

    with_services(monkeypatch, body, node_ports=range(80, 82))


def test_a_node_port_that_a_service_without_addresses_names_stays_free(monkeypatch: pytest.MonkeyPatch) -> None:
    async def body(services: Services) -> None:
        named = [{"port": 80, "nodePort": 30050}]
        outside = await services.create("outside", type="ExternalName", externalName="a.example", ports=named)
        assert outside["spec"]["ports"][0]["nodePort"] == 30050
        assert services.held() == set()
        await services.create("inside", type="NodePort", ports=named)
        assert "30050" in services.held()

    with_services(monkeypatch, body)


def test_the_port_after_the_largest_number_is_the_smallest(monkeypatch: pytest.MonkeyPatch) -> None:
    async def body(services: Services) -> None:
        ports = [{"port": 80, "nodePort": 2**31 - 1}]
        with pytest.raises(errors.Invalid, match=r"healthCheckNodePort: Invalid value: -2147483648: must be between"):
            await services.create("s", dry_run=True, ports=ports, type="LoadBalancer", externalTrafficPolicy="Local")

    with_services(monkeypatch, body)


def test_a_dry_run_counts_from_zero_where_only_negative_ports_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    async def body(services: Services) -> None:
        ports = [{"port": 80, "nodePort": -5}]
        local = {"type": "LoadBalancer", "externalTrafficPolicy": "Local", "allocateLoadBalancerNodePorts": False}
        shown = await services.create("s", dry_run=True, ports=ports, **local)
        assert shown["spec"]["healthCheckNodePort"] == 1

    with_services(monkeypatch, body)


def test_dry_runs_take_and_free_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    async def body(services: Services) -> None:
        made = await services.create("s", type="NodePort", ports=PORTS, clusterIP=ADDRESS)
        held, revision = services.held(), services.storage.revision
        asked = await services.create("d", dry_run=True, ports=PORTS, clusterIP="10.0.0.8", type="NodePort")
        assert asked["spec"]["clusterIP"] == "10.0.0.8"
        assert asked["spec"]["ports"][0]["nodePort"] == NODE_PORTS[-1] + 2  # as upstream shows it
        # The range's own, which no service can have: nobody looks for a free one.
        assert (await services.create("d", dry_run=True, ports=PORTS))["spec"]["clusterIP"] == "10.0.0.0"
        await services.change("s", dry_run=True, type="ExternalName", externalName="x.dev")
        await services.change("s", dry_run=True, ports=[{"port": 80, "nodePort": 30009}])
        await services.delete("s", dry_run=True)
        assert (services.held(), services.storage.revision) == (held, revision)
        # Nobody looks whether the address is taken, only where it is.
        assert (await services.create("d", dry_run=True, ports=PORTS, clusterIP=ADDRESS))["spec"]["clusterIP"]
        with pytest.raises(errors.Invalid) as refused:
            await services.create("d", dry_run=True, ports=PORTS, clusterIP="10.93.0.5")
        assert messages(refused.value) == [
            'spec.clusterIPs: Invalid value: ["10.93.0.5"]: failed to allocate IP 10.93.0.5: the provided IP '
            "(10.93.0.5) is not in the valid range. The range of valid IPs is 10.0.0.0/24"
        ]
        assert made["spec"]["clusterIP"] == ADDRESS

    with_services(monkeypatch, body)


@pytest.mark.parametrize("address", ["10.0.0.0", "10.0.0.255", "10.0.1.0", "10.93.0.5"])
def test_the_ends_of_a_range_are_outside_of_it(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    async def body(services: Services) -> None:
        with pytest.raises(errors.Invalid) as refused:
            await services.create("s", ports=PORTS, clusterIP=address)
        assert messages(refused.value)[0].endswith("the provided network does not match the current range")

    with_services(monkeypatch, body)


def build_range(status: str) -> Object:
    conditions = [{"type": "Ready", "status": status}]
    return {"metadata": {"name": "x"}, "spec": {"cidrs": ["10.93.0.0/24"]}, "status": {"conditions": conditions}}


@pytest.mark.parametrize(("status", "is_usable"), [("True", True), ("False", False)])
def test_a_further_range_is_used_when_it_is_ready(
    monkeypatch: pytest.MonkeyPatch, status: str, is_usable: bool
) -> None:
    async def body(services: Services) -> None:
        await services.put("servicecidrs", "x", build_range(status))
        if is_usable:
            made = await services.create("s", ports=PORTS, clusterIP="10.93.0.5")
            assert made["spec"]["clusterIPs"] == ["10.93.0.5"]
            return
        with pytest.raises(errors.Invalid) as refused:
            await services.create("s", ports=PORTS, clusterIP="10.93.0.5")
        assert messages(refused.value) == [
            'spec.clusterIPs: Invalid value: ["10.93.0.5"]: failed to allocate IP 10.93.0.5: the provided network does '
            "not match the current range"
        ]

    with_services(monkeypatch, body)


def test_an_address_that_somebody_else_has_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    async def body(services: Services) -> None:
        await services.put("ipaddresses", ADDRESS, {"metadata": {"name": ADDRESS}, "spec": {"parentRef": {}}})
        with pytest.raises(errors.Invalid) as refused:
            await services.create("s", ports=PORTS, clusterIP=ADDRESS)
        assert messages(refused.value)[0].endswith("provided IP is already allocated")

    with_services(monkeypatch, body)


def test_a_range_keeps_none_of_its_addresses() -> None:
    found = ranges.parse("10.0.0.0/12")
    assert found is not None
    assert (len(found), found.first, found[len(found) - 1], found.set_aside) == (
        2**20 - 2,
        "10.0.0.1",
        "10.15.255.254",
        256,
    )
    assert ("10.0.0.0" in found, "10.15.255.255" in found, "10.16.0.1" in found, "x" in found) == (False,) * 4
    assert found[:2] == ["10.0.0.1", "10.0.0.2"]
    small = ranges.parse("fd00::/120")
    assert small is not None
    assert (len(small), small.first, small[254], small.set_aside) == (255, "fd00::1", "fd00::ff", 16)
    assert ("fd00::" in small, "fd00::100" in small, "FD00:0::1" in small, "10.0.0.1" in small) == (
        False,
        False,
        True,
        False,
    )
    large = ranges.parse("fd00::/64")
    assert large is not None
    assert ("fd00::ffff:ffff:ffff:ffff" in large, large.set_aside) == (True, 256)
    assert ranges.parse("fd00::/63") is None


def test_the_health_checks_port_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    async def body(services: Services) -> None:
        await services.create("s", ports=PORTS, type="LoadBalancer", externalTrafficPolicy="Local")
        with pytest.raises(errors.Invalid) as refused:
            await services.change("s", healthCheckNodePort=30111)
        assert messages(refused.value) == ["spec.healthCheckNodePort: Forbidden: field is immutable"]

    with_services(monkeypatch, body)


def test_what_a_failed_write_reserved_is_free_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async def body(services: Services) -> None:
        await services.create("s", ports=PORTS, clusterIP=ADDRESS)
        held = services.held()
        with pytest.raises(errors.AlreadyExists):
            await services.create("s", ports=PORTS, type="NodePort")
        services.storage.fail = lambda _key: True
        with pytest.raises(errors.APIStatus):
            await services.create("t", ports=PORTS, type="NodePort", clusterIP="10.0.0.9")
        with pytest.raises(errors.APIStatus):
            await services.change("s", type="NodePort")
        with pytest.raises(errors.APIStatus):
            await services.delete("s")
        assert services.held() == held
        assert services.allocators.addresses._reserved.total() == 0

    with_services(monkeypatch, body)


def test_a_write_that_nobody_knows_the_outcome_of_keeps_its_values(monkeypatch: pytest.MonkeyPatch) -> None:
    async def body(services: Services) -> None:
        async def lose(*_args: object) -> int:
            raise Unavailable("stopped")

        monkeypatch.setattr(services.storage, "create", lose)
        with pytest.raises(errors.APIStatus):
            await services.create("s", ports=PORTS, clusterIP=ADDRESS)
        assert services.held() == {ADDRESS}

    with_services(monkeypatch, body)


def test_many_writers_share_no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    async def body(services: Services) -> None:
        async def work(writer: int) -> None:
            for number in range(30):
                name = f"s{writer}-{number}"
                made = await services.create(name, type="NodePort", ports=PORTS)
                with pytest.raises(errors.Invalid):
                    await services.create(f"{name}-same", ports=PORTS, clusterIP=made["spec"]["clusterIP"])
                await services.create(f"{name}-dry", dry_run=True, ports=PORTS)
                if number % 3 == 0:
                    await services.delete(name)
                elif number % 3 == 1:
                    await services.change(name, type="ExternalName", externalName="x.dev")
                    await services.change(name, type="ClusterIP", externalName=None)
                entries = services.scope.store.cache.state.all()
                addresses = [json_codec.load(entry.data)["spec"].get("clusterIP") for entry in entries]
                given = [address for address in addresses if address]
                assert len(given) == len(set(given))

        await asyncio.gather(*(work(writer) for writer in range(8)))
        stored = [json_codec.load(entry.data)["spec"] for entry in services.scope.store.cache.state.all()]
        addresses = [spec["clusterIP"] for spec in stored]
        ports = [str(port["nodePort"]) for spec in stored for port in spec["ports"] if "nodePort" in port]
        assert len(set(addresses)) == len(addresses) == 160
        assert len(set(ports)) == len(ports) == 80
        assert services.held() == {*addresses, *ports}

    with_services(monkeypatch, body)


def test_a_full_range_is_told_and_what_becomes_free_is_given_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async def body(services: Services) -> None:
        for number in range(254):
            await services.create(f"s{number}", ports=PORTS)
        with pytest.raises(
            errors.InternalError, match='failed to allocate a serviceIP for Service "more": range is full'
        ):
            await services.create("more", ports=PORTS)
        freed = (await services.change("s7"))["spec"]["clusterIP"]
        await services.delete("s7")
        assert (await services.create("more", ports=PORTS))["spec"]["clusterIP"] == freed

    with_services(monkeypatch, body)


def test_headless_services_change_their_type_only_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    async def body(services: Services) -> None:
        await services.create("h", ports=PORTS, clusterIP="None", selector={"a": "b"})
        with pytest.raises(errors.Invalid) as refused:
            await services.change("h", type="NodePort")
        assert messages(refused.value) == [
            "spec.clusterIPs[0]: Invalid value: \"None\": may not be set to 'None' for NodePort services"
        ]
        assert services.held() == set()
        changed = await services.change("h", type="ExternalName", externalName="x.dev")
        assert not {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"} & set(changed["spec"])

    with_services(monkeypatch, body)


def test_a_changed_address_is_looked_at_before_it_is_told_to_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    async def body(services: Services) -> None:
        await services.create("s", ports=PORTS, clusterIP=ADDRESS)
        for address, expected in (
            ("a/b", "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"),
            ("fd00::1", "expected an IPv4 value as indicated by `ipFamilies[0]`"),
        ):
            with pytest.raises(errors.Invalid) as refused:
                await services.change("s", clusterIP=address, clusterIPs=None)
            assert messages(refused.value) == [f'spec.clusterIPs[0]: Invalid value: "{address}": {expected}']

    with_services(monkeypatch, body)


def test_an_address_of_the_wrong_family_is_told_of_beside_other_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    async def body(services: Services) -> None:
        with pytest.raises(errors.Invalid) as refused:
            await services.create("s", ports=PORTS, clusterIP="fd00::1", ipFamilies=["IPv4", "IPv4"])
        assert messages(refused.value) == [
            'spec.ipFamilies[1]: Duplicate value: "IPv4"',
            'spec.clusterIPs[0]: Invalid value: "fd00::1": expected an IPv4 value as indicated by `ipFamilies[0]`',
        ]

    with_services(monkeypatch, body)


def test_a_service_without_addresses_shows_no_internal_traffic_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    async def body(services: Services) -> None:
        external: dict[str, Any] = {"type": "ExternalName", "externalName": "x.dev"}
        made = await services.create("s", **external, internalTrafficPolicy="Local")
        assert "internalTrafficPolicy" not in made["spec"]
        await services.create("t", ports=PORTS)
        changed = await services.change("t", **external, internalTrafficPolicy="Local")
        assert "internalTrafficPolicy" not in changed["spec"]
        with pytest.raises(errors.Invalid):
            await services.change("s", internalTrafficPolicy="x")

    with_services(monkeypatch, body)


def test_ports_without_a_name_that_ask_for_one_node_port_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    async def body(services: Services) -> None:
        await services.create("s", type="NodePort", ports=[{"port": 80, "nodePort": 30009}])
        with pytest.raises(errors.Unreasoned) as refused:
            await services.change("s", ports=[{"port": 81}, {"port": 82}])
        assert refused.value.message == "duplicate nodePort: {TCP 30009}"

    with_services(monkeypatch, body)


def test_odd_addresses_of_balancers_are_warned_of() -> None:
    status = {"loadBalancer": {"ingress": [{"hostname": "a"}, {"ip": "FD00:0::1", "ipMode": "VIP"}]}}
    obj: Object = {"metadata": {"name": "s", "namespace": "n"}, "spec": {"type": "LoadBalancer"}, "status": status}
    assert ServiceStatusStrategy().warn_of_update(obj, obj) == [
        'status.loadBalancer.ingress[1]: IPv6 address "FD00:0::1" should be in RFC 5952 canonical format ("fd00::1")'
    ]


def test_an_address_that_comes_with_the_type_of_names_stands_in_both_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """Upstream looks at the list alone, which is empty where only the one address is new; readers find it there."""

    async def body(services: Services) -> None:
        await services.create("s", ports=PORTS)
        named = {"type": "ExternalName", "externalName": "x.dev", "clusterIP": "None", "clusterIPs": None}
        changed = (await services.change("s", **named))["spec"]
        assert (changed["clusterIP"], changed["clusterIPs"]) == ("None", ["None"])
        with pytest.raises(errors.Invalid, match="clusterIPs: Forbidden: may not be set for ExternalName services"):
            await services.change("s", **named)

    with_services(monkeypatch, body)


def test_a_service_that_a_write_of_its_status_makes_is_warned_of() -> None:
    warned: list[str] = []
    spec = {"type": "ClusterIP", "sessionAffinity": "None", "ports": [], "trafficDistribution": "PreferClose"}
    obj = {"metadata": {"name": "s", "namespace": "ns"}, "spec": {**spec, "clusterIP": "None", "clusterIPs": ["None"]}}
    assert ServiceStatusStrategy().validate(obj, warned) == []
    assert warned == ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"']


def test_an_address_is_given_to_nobody_whom_an_object_cannot_name(monkeypatch: pytest.MonkeyPatch) -> None:
    async def body(services: Services) -> None:
        for name, wrong in (("", "Required value"), ("a/b", "Invalid value: \"a/b\": may not contain '/'")):
            with pytest.raises(errors.Invalid) as refused:
                await services.create(name, ports=PORTS, clusterIP="10.0.0.9")
            assert messages(refused.value) == [
                'spec.clusterIPs: Invalid value: ["10.0.0.9"]: failed to allocate IP 10.0.0.9: '
                f'IPAddress.networking.k8s.io "10.0.0.9" is invalid: spec.parentRef.name: {wrong}'
            ]
        assert services.held() == set()

    with_services(monkeypatch, body)
