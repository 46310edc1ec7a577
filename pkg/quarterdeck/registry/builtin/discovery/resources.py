"""The resources of discovery.k8s.io."""

from __future__ import annotations

from quarterdeck.registry.builtin.definition import Behaviour, Definition, describe, later


def definitions() -> list[Definition]:
    return [later(describe("discovery.k8s.io", "endpointslices", "EndpointSlice"), _load_endpoint_slice)]


def _load_endpoint_slice() -> Behaviour:
    from quarterdeck.registry.builtin.discovery.endpointslice import EndpointSliceStrategy, default_slice

    return Behaviour(EndpointSliceStrategy(namespaced=True), default=default_slice)
