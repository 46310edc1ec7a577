"""The resources of coordination.k8s.io."""

from __future__ import annotations

from quarterdeck.registry.builtin.coordination.lease import LeaseStrategy
from quarterdeck.registry.builtin.definition import Definition, describe


def definitions() -> list[Definition]:
    return [Definition(describe("coordination.k8s.io", "leases", "Lease"), LeaseStrategy(namespaced=True))]
