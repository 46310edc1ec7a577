"""Addresses behind services, and the words for services that lead nowhere."""

from __future__ import annotations

import pytest

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
def test_address(name: str, port: int, address: str) -> None:
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
def test_refusal(service: Service, text: str) -> None:
    with pytest.raises(ServiceUnresolved) as caught:
        SERVICES.resolve(service)
    assert str(caught.value) == text


def test_addresses_given_at_the_start() -> None:
    known = {Service("n", "plain", 0): ("localhost", 1), Service("n", "absent", 443): ("localhost", 2)}
    services = Services(lambda namespace, name: None, known)
    assert services.resolve(Service("n", "plain", 8443)) == ("localhost", 1)
    assert services.resolve(Service("n", "absent", 443)) == ("localhost", 2)
    with pytest.raises(ServiceUnresolved):
        services.resolve(Service("n", "absent", 8443))
