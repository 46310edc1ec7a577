"""Services of a server that has ranges of IPv6, or of both families: which families and addresses they get."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.apimachinery import errors
from quarterdeck.registry.builtin.core.service.families import complete_stored
from support.services import PORTS, Object, Services, messages, with_services

BOTH = ("10.0.0.0/24", "fd00::/112")
FIRST_IPV6 = ("fd00::/112", "10.0.0.0/24")
IPV6 = ("fd00::/112",)
ADDRESS_V4 = "10.0.0.7"
ADDRESS_V6 = "fd00::7"


def families(addresses: list[str]) -> list[str]:
    return ["IPv6" if ":" in each else "IPv4" for each in addresses]


@pytest.mark.parametrize(
    ("ranges", "spec", "expected", "policy"),
    [
        (IPV6, {}, ["IPv6"], "SingleStack"),
        (IPV6, {"ipFamilyPolicy": "PreferDualStack"}, ["IPv6"], "PreferDualStack"),
        (BOTH, {}, ["IPv4"], "SingleStack"),
        (BOTH, {"ipFamilyPolicy": "PreferDualStack"}, ["IPv4", "IPv6"], "PreferDualStack"),
        (BOTH, {"ipFamilyPolicy": "RequireDualStack"}, ["IPv4", "IPv6"], "RequireDualStack"),
        (BOTH, {"ipFamilies": ["IPv6"]}, ["IPv6"], "SingleStack"),
        (BOTH, {"ipFamilies": ["IPv6"], "ipFamilyPolicy": "RequireDualStack"}, ["IPv6", "IPv4"], "RequireDualStack"),
        (BOTH, {"clusterIP": ADDRESS_V6}, ["IPv6"], "SingleStack"),
        (FIRST_IPV6, {}, ["IPv6"], "SingleStack"),
        (FIRST_IPV6, {"ipFamilyPolicy": "PreferDualStack"}, ["IPv6", "IPv4"], "PreferDualStack"),
    ],
)
def test_a_service_gets_an_address_of_each_family(
    monkeypatch: pytest.MonkeyPatch, ranges: tuple[str, ...], spec: Object, expected: list[str], policy: str
) -> None:
    async def body(services: Services) -> None:
        made = (await services.create("s", ports=PORTS, **spec))["spec"]
        assert (made["ipFamilies"], made["ipFamilyPolicy"]) == (expected, policy)
        assert families(made["clusterIPs"]) == expected
        assert made["clusterIP"] == made["clusterIPs"][0]
        assert services.held() == set(made["clusterIPs"])

    with_services(monkeypatch, body, ranges)


@pytest.mark.parametrize(
    ("ranges", "spec", "expected"),
    [
        (IPV6, {"ipFamilies": ["IPv4"]}, 'spec.ipFamilies[0]: Invalid value: "IPv4": not configured on this cluster'),
        (
            IPV6,
            {"clusterIP": ADDRESS_V4},
            'spec.clusterIPs[0]: Invalid value: ["10.0.0.7"]: IPv4 is not configured on this cluster',
        ),
        (
            BOTH,
            {"clusterIP": "fd01::7"},
            'spec.clusterIPs: Invalid value: ["fd01::7"]: failed to allocate IP fd01::7: the provided network does not '
            "match the current range",
        ),
    ],
)
def test_families_and_addresses_that_are_not_there_are_refused(
    monkeypatch: pytest.MonkeyPatch, ranges: tuple[str, ...], spec: Object, expected: str
) -> None:
    async def body(services: Services) -> None:
        with pytest.raises(errors.Invalid) as refused:
            await services.create("s", ports=PORTS, **spec)
        assert messages(refused.value) == [expected]
        assert services.held() == set()

    with_services(monkeypatch, body, ranges)


@pytest.mark.parametrize(
    ("spec", "shown"),
    [({"clusterIP": "fd00::"}, '["fd00::",""]'), ({"clusterIPs": ["fd00::", ADDRESS_V4], "clusterIP": "fd00::"}, "")],
)
def test_a_refused_address_is_shown_with_the_place_of_the_other(
    monkeypatch: pytest.MonkeyPatch, spec: Object, shown: str
) -> None:
    async def body(services: Services) -> None:
        with pytest.raises(errors.Invalid) as refused:
            await services.create("s", ports=PORTS, ipFamilyPolicy="RequireDualStack", **spec)
        wanted = shown or '["fd00::","10.0.0.7"]'
        assert messages(refused.value)[0].startswith(f"spec.clusterIPs: Invalid value: {wanted}: failed to allocate IP")

    with_services(monkeypatch, body, BOTH)


def test_the_second_address_comes_and_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    async def body(services: Services) -> None:
        made = (await services.create("s", ports=PORTS, clusterIP=ADDRESS_V4))["spec"]
        assert made["clusterIPs"] == [ADDRESS_V4]
        shown = (await services.change("s", dry_run=True, ipFamilyPolicy="RequireDualStack"))["spec"]
        assert shown["clusterIPs"] == [ADDRESS_V4, "fd00::"]
        wider = (await services.change("s", ipFamilyPolicy="PreferDualStack", ipFamilies=None, clusterIPs=None))["spec"]
        assert (wider["clusterIPs"][0], wider["ipFamilies"]) == (ADDRESS_V4, ["IPv4", "IPv6"])
        assert services.held() == {ADDRESS_V4, wider["clusterIPs"][1]}
        with pytest.raises(errors.Invalid) as refused:
            await services.change("s", clusterIPs=[ADDRESS_V4])
        assert messages(refused.value) == [
            "spec.ipFamilyPolicy: Invalid value: \"PreferDualStack\": must be 'SingleStack' to release the secondary "
            "cluster IP"
        ]
        narrow = (await services.change("s", ipFamilyPolicy="SingleStack"))["spec"]
        assert (narrow["clusterIPs"], narrow["ipFamilies"]) == ([ADDRESS_V4], ["IPv4"])
        assert services.held() == {ADDRESS_V4}
        asked = await services.change(
            "s", ipFamilyPolicy="RequireDualStack", ipFamilies=None, clusterIPs=[ADDRESS_V4, ADDRESS_V6]
        )
        assert asked["spec"]["clusterIPs"] == [ADDRESS_V4, ADDRESS_V6]
        await services.change("s", type="ExternalName", externalName="x.dev")
        assert services.held() == set()

    with_services(monkeypatch, body, BOTH)


def test_an_address_is_one_however_it_is_spelled(monkeypatch: pytest.MonkeyPatch) -> None:
    async def body(services: Services) -> None:
        made = await services.create("s", ports=PORTS, clusterIP="FD00:0::7")
        assert made["spec"]["clusterIP"] == "FD00:0::7"
        assert services.held() == {ADDRESS_V6}
        with pytest.raises(errors.Invalid) as refused:
            await services.create("t", ports=PORTS, clusterIP=ADDRESS_V6)
        assert messages(refused.value)[0].endswith("provided IP is already allocated")
        await services.delete("s")
        assert services.held() == set()

    with_services(monkeypatch, body, IPV6)


def build_range(*conditions: Object) -> Object:
    return {
        "metadata": {"name": "kubernetes"},
        "spec": {"cidrs": ["10.93.0.0/24", "fd93::/112"]},
        "status": {"conditions": list(conditions)},
    }


def test_the_object_of_the_servers_ranges_says_which_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    async def body(services: Services) -> None:
        # Where nobody says whether it is ready, it is.
        await services.put("servicecidrs", "kubernetes", build_range())
        made = (await services.create("s", ports=PORTS, ipFamilyPolicy="RequireDualStack"))["spec"]
        assert made["clusterIPs"][0].startswith("10.93.0.")
        assert made["clusterIPs"][1].startswith("fd93::")
        with pytest.raises(errors.Invalid):
            await services.create("t", ports=PORTS, clusterIP=ADDRESS_V4)

    with_services(monkeypatch, body, BOTH)


def test_ranges_that_are_not_ready_give_no_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    async def body(services: Services) -> None:
        await services.put("servicecidrs", "kubernetes", build_range({"type": "Ready", "status": "False"}))
        with pytest.raises(errors.InternalError, match="range is full"):
            await services.create("s", ports=PORTS)

    with_services(monkeypatch, body)


@pytest.mark.parametrize(
    ("spec", "ranges", "expected"),
    [
        (
            {"clusterIP": ADDRESS_V4},
            ["IPv4"],
            {"clusterIPs": [ADDRESS_V4], "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack"},
        ),
        (
            {"clusterIP": ADDRESS_V6},
            ["IPv4"],
            {"clusterIPs": [ADDRESS_V6], "ipFamilies": ["IPv6"], "ipFamilyPolicy": "SingleStack"},
        ),
        (
            {"clusterIP": "None"},
            ["IPv6"],
            {"clusterIPs": ["None"], "ipFamilies": ["IPv6", "IPv4"], "ipFamilyPolicy": "RequireDualStack"},
        ),
        (
            {"clusterIP": "None", "selector": {"a": "b"}},
            ["IPv6", "IPv4"],
            {"clusterIPs": ["None"], "ipFamilies": ["IPv6"], "ipFamilyPolicy": "SingleStack"},
        ),
        (
            {"clusterIP": ADDRESS_V4, "clusterIPs": [ADDRESS_V4], "ipFamilies": ["IPv4"]},
            ["IPv4"],
            {},
        ),
    ],
)
def test_a_service_of_an_older_server_gets_its_families(
    spec: Object, ranges: list[str], expected: dict[str, Any]
) -> None:
    service = {"spec": {"type": "ClusterIP", **spec}}
    complete_stored(service, ranges)
    assert service["spec"] == {"type": "ClusterIP", **spec, **expected}


def test_an_external_service_of_an_older_server_has_no_policy_for_traffic() -> None:
    service = {"spec": {"type": "ExternalName", "externalName": "x.dev", "internalTrafficPolicy": "Cluster"}}
    complete_stored(service, ["IPv4"])
    assert service["spec"] == {"type": "ExternalName", "externalName": "x.dev"}


def test_what_loses_its_address_is_given_a_second_one_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Upstream allocates before it looks at what the client sent."""

    async def body(services: Services) -> None:
        await services.create("s", ports=PORTS, type="NodePort", clusterIP=ADDRESS_V4)
        with pytest.raises(errors.Invalid) as refused:
            await services.change("s", clusterIP="None", clusterIPs=["None"], ipFamilyPolicy="RequireDualStack")
        first, *_, last = messages(refused.value)
        assert first.startswith('spec.clusterIPs[0]: Invalid value: ["None","fd00::')
        assert last.endswith("'None' must be the first and only value")
        assert not [each for each in services.held() if ":" in each]

    with_services(monkeypatch, body, BOTH)
