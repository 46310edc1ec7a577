"""Where requests to a `proxy` go, and where nobody may be led to."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.apimachinery import errors
from quarterdeck.endpoints.proxy import locations
from quarterdeck.endpoints.proxy.kubelets import PORT, Kubelets, KubeletSettings
from quarterdeck.endpoints.proxy.locations import NamedPort


def pod(address: str, *ports: int) -> dict[str, Any]:
    containers = [{"name": "a"}, {"name": "b", "ports": [{"containerPort": port} for port in ports]}]
    return {"spec": {"containers": containers}, "status": {"podIPs": [{"ip": address}]}}


def node(*addresses: tuple[str, str], port: int = 0) -> dict[str, Any]:
    told = [{"type": kind, "address": address} for kind, address in addresses]
    return {"status": {"addresses": told, "daemonEndpoints": {"kubeletEndpoint": {"Port": port}}}}


@pytest.mark.parametrize(
    ("parts", "path", "wanted"),
    [
        ((), "/x/proxy", ""),
        ((), "/x/proxy/", "/"),
        (("a", "b"), "/x/proxy/a/b", "/a/b"),
        (("a", "b"), "/x/proxy/a/b/", "/a/b/"),
        (("a", "..", "..", "..", "etc"), "/x", "/etc"),
        (("..",), "/x/proxy/../", "/"),
        (("", "a"), "/x/proxy//a", "/a"),
    ],
)
def test_the_path_behind_never_leads_above_the_root(parts: tuple[str, ...], path: str, wanted: str) -> None:
    assert locations.path_behind(parts, path) == wanted


def test_a_pod_is_called_at_the_port_that_is_named_or_its_first() -> None:
    found = locations.locate_pod(pod("10.0.0.7", 8080, 9090), NamedPort("", "p", ""))
    assert (found.authority, found.server.trusted) == ("10.0.0.7:8080", None)
    assert locations.locate_pod(pod("10.0.0.7", 8080), NamedPort("", "p", "81")).server.port == 81
    assert locations.locate_pod(pod("10.0.0.7"), NamedPort("", "p", "")).server.port == 80
    found = locations.locate_pod(pod("fd00::7"), NamedPort("https", "p", ""))
    assert (found.authority, found.server.port, found.server.trusted is None) == ("[fd00::7]", 443, False)


@pytest.mark.parametrize(
    "address",
    [
        *("", "127.0.0.1", "127.1.2.3", "169.254.169.254", "0.0.0.0", "224.0.0.1", "255.255.255.255", "::1", "fe80::1"),
        *("::", "ff02::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "localhost"),
    ],
)
def test_nobody_is_led_to_this_machine_or_its_link(address: str) -> None:
    with pytest.raises(errors.BadRequest, match="address not allowed"):
        locations.locate_pod(pod(address, 80), NamedPort("", "p", ""))


@pytest.mark.parametrize("port", ["0", "65536", "9" * 400, "web", "٣"])
def test_a_port_is_a_number_of_one(port: str) -> None:
    with pytest.raises(errors.ServiceUnavailable, match="error trying to reach service: dial tcp: "):
        locations.locate_pod(pod("10.0.0.7"), NamedPort("", "p", port))


async def test_a_node_has_its_kubelet_and_other_ports() -> None:
    kubelet = Kubelets(KubeletSettings()).server_of(node(("InternalIP", "192.0.2.9"), port=1234))
    for port in ("", "1234"):
        found = await locations.locate_node(kubelet, NamedPort("http", "n", port))
        assert (found.authority, found.server) == ("192.0.2.9:1234", kubelet)
    found = await locations.locate_node(kubelet, NamedPort("", "n", "9100"))
    assert (found.authority, found.server.trusted) == ("192.0.2.9:9100", None)


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1"])
async def test_a_node_that_is_named_as_this_machine_is_refused_at_every_port(name: str) -> None:
    kubelet = Kubelets(KubeletSettings()).server_of(node(("Hostname", name)))
    assert kubelet.port == PORT
    for port in ("", str(PORT), "9100"):
        with pytest.raises(errors.BadRequest, match="address not allowed"):
            await locations.locate_node(kubelet, NamedPort("", "n", port))


def test_a_node_is_called_at_the_preferred_of_its_addresses() -> None:
    told = node(("InternalIP", "192.0.2.9"), ("Hostname", "n.example"))
    assert Kubelets(KubeletSettings()).server_of(told).host == "n.example"
    assert Kubelets(KubeletSettings(preferred=("InternalIP",))).server_of(told).host == "192.0.2.9"
    text = r"no preferred addresses found; known addresses: \[{InternalIP 192.0.2.9} {Hostname n.example}\]"
    with pytest.raises(errors.Unreasoned, match=text):
        Kubelets(KubeletSettings(preferred=("ExternalIP",))).server_of(told)


def test_all_ready_addresses_with_the_port_come_once() -> None:
    subsets = [
        {"addresses": [{"ip": "a"}, {"ip": "b"}], "ports": [{"name": "web", "port": 1}]},
        {"addresses": [{"ip": "c"}], "ports": [{"name": "other", "port": 2}]},
        {"notReadyAddresses": [{"ip": "d"}], "ports": [{"name": "web", "port": 3}]},
        {"addresses": [{"ip": "e"}], "ports": [{"name": "web", "port": 4}]},
    ]
    found = sorted((address["ip"], port) for address, port in locations.addresses_of({"subsets": subsets}, "web"))
    assert found == [("a", 1), ("b", 1), ("e", 4)]
