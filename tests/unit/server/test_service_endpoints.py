"""The endpoints of services are found in what is stored, of whichever kinds are served."""

from __future__ import annotations

import asyncio
from typing import Any

from quarterdeck.server.serviceendpoints import ServiceEndpoints
from support.control import World

SLICES = ("discovery.k8s.io", "v1", "endpointslices")


def endpoints(name: str, address: str) -> dict[str, Any]:
    subset = {"addresses": [{"ip": address}], "ports": [{"name": "https", "port": 9443}]}
    return {"apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": name, "namespace": "ns"}, "subsets": [subset]}


def endpoint_slice(name: str, service: str, address: str) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "ns", "labels": {"kubernetes.io/service-name": service}}
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": metadata,
        "addressType": "IPv4",
        "ports": [{"name": "https", "port": 8443}],
        "endpoints": [{"addresses": [address]}],
    }


def test_endpoints_of_a_service() -> None:
    async def body() -> None:
        world = await World().start()
        found = ServiceEndpoints(world.builtin)
        assert found.pick("ns", "a", "https") is None
        await world.create(world.builtin["", "v1", "endpoints"][""], endpoints("a", "10.0.0.1"))
        assert found.pick("ns", "a", "https") == ("10.0.0.1", 9443)
        assert found.pick("ns", "a", "other") is found.pick("other", "a", "https") is None
        if (slices := world.builtin.get(SLICES)) is not None:
            await world.create(slices[""], endpoint_slice("a-1", "a", "10.0.0.2"))
            await world.create(slices[""], endpoint_slice("b-1", "b", "10.0.0.3"))
            assert found.pick("ns", "a", "https") == ("10.0.0.2", 8443)
            assert found.pick("ns", "b", "https") == ("10.0.0.3", 8443)

    asyncio.run(body())


def test_a_server_that_has_neither_kind() -> None:
    assert ServiceEndpoints({}).pick("ns", "a", "https") is None
