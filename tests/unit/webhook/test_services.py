"""Addresses behind services, and the words for services that lead nowhere."""

from __future__ import annotations

import random

import pytest

from quarterdeck.webhook import endpoints
from quarterdeck.webhook.client import ServiceUnresolved
from quarterdeck.webhook.config import Service
from quarterdeck.webhook.services import Services

PORTS = [{"port": 443}, {"port": 8443}]
FOUND = {
    "plain": {"type": "ClusterIP", "clusterIP": "10.0.0.7", "ports": PORTS},
    "node": {"type": "NodePort", "clusterIP": "10.0.0.8", "ports": PORTS},
    "external": {"type": "ExternalName", "externalName": "a.b"},
    "headless": {"type": "ClusterIP", "clusterIP": "None", "ports": PORTS},
    "odd": {"type": "Odd"},
}
SERVICES = Services(lambda namespace, name: {"spec": FOUND[name]} if namespace == "n" and name in FOUND else None)


@pytest.mark.parametrize(
    ("name", "port", "address"),
    [("plain", 443, "10.0.0.7"), ("plain", 8443, "10.0.0.7"), ("node", 443, "10.0.0.8"), ("external", 9, "a.b")],
)
def test_a_service_leads_to_an_address_and_a_port(name: str, port: int, address: str) -> None:
    assert SERVICES.resolve(Service("n", name, port)) == (address, port)


@pytest.mark.parametrize(
    ("service", "text"),
    [
        (Service("n", "absent", 443), 'service "absent" not found'),
        (Service("m", "plain", 443), 'service "plain" not found'),
        (Service("n", "plain", 1), 'no service port 1 found for service "plain"'),
        (Service("n", "headless", 443), 'cannot route to service with ClusterIP "None"'),
        (Service("n", "odd", 443), 'unsupported service type "Odd"'),
    ],
)
def test_a_service_that_leads_nowhere_is_told(service: Service, text: str) -> None:
    with pytest.raises(ServiceUnresolved) as caught:
        SERVICES.resolve(service)
    assert str(caught.value) == text


SLICES = [
    {"ports": [{"name": "", "port": 1}], "endpoints": [{"addresses": ["10.1.0.1"]}]},
    {
        "ports": [{"name": "https", "port": 9443}, {"name": "none"}],
        "endpoints": [
            {"addresses": ["10.1.0.2"], "conditions": {"ready": False}},
            {"addresses": ["10.1.0.3", "10.1.0.4"], "conditions": {"ready": True}},
            {"addresses": ["10.1.0.5"], "conditions": {}},
        ],
    },
    {"ports": None, "endpoints": None},
]
ENDPOINTS = {
    "subsets": [
        {"ports": [{"port": 1}], "addresses": [{"ip": "10.2.0.1"}]},
        {"ports": [{"name": "https", "port": 2}], "notReadyAddresses": [{"ip": "10.2.0.2"}]},
        {"ports": [{"name": "both", "port": 3}], "addresses": [{"ip": "10.2.0.3"}, {"ip": "10.2.0.4"}]},
    ]
}


@pytest.mark.parametrize(
    ("port", "of_slices", "of_endpoints"),
    [
        ("", {("10.1.0.1", 1)}, {("10.2.0.1", 1)}),
        ("https", {("10.1.0.3", 9443), ("10.1.0.5", 9443)}, {None}),
        ("none", {None}, {None}),
        ("both", {None}, {("10.2.0.3", 3), ("10.2.0.4", 3)}),
    ],
)
def test_ready_endpoints(port: str, of_slices: set[object], of_endpoints: set[object]) -> None:
    for chosen in range(2):
        random.seed(chosen)
        assert endpoints.pick(SLICES, port) in of_slices
        assert endpoints.pick_from_endpoints(ENDPOINTS, port) in of_endpoints


def test_an_endpoint_is_called_before_the_cluster_address() -> None:
    found = {("n", "plain", ""): ("10.1.0.1", 9443), ("n", "headless", ""): ("10.1.0.2", 9443)}
    services = Services(SERVICES._lookup, None, lambda *asked: found.get(asked))
    assert services.resolve(Service("n", "plain", 443)) == ("10.1.0.1", 9443)
    assert services.resolve(Service("n", "headless", 443)) == ("10.1.0.2", 9443)
    assert services.resolve(Service("n", "node", 443)) == ("10.0.0.8", 443)
    with pytest.raises(ServiceUnresolved):
        services.resolve(Service("n", "plain", 1))


def test_addresses_given_at_the_start() -> None:
    known = {Service("n", "plain", 0): ("localhost", 1), Service("n", "absent", 443): ("localhost", 2)}
    services = Services(lambda namespace, name: None, known)
    assert services.resolve(Service("n", "plain", 8443)) == ("localhost", 1)
    assert services.resolve(Service("n", "absent", 443)) == ("localhost", 2)
    with pytest.raises(ServiceUnresolved):
        services.resolve(Service("n", "absent", 8443))
