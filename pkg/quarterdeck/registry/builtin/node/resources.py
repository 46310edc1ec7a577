"""The resources of node.k8s.io."""

from __future__ import annotations

from quarterdeck.registry.builtin.definition import Behaviour, Definition, describe, later


def definitions() -> list[Definition]:
    return [later(describe("node.k8s.io", "runtimeclasses", "RuntimeClass", namespaced=False), _load_runtime_class)]


def _load_runtime_class() -> Behaviour:
    from quarterdeck.registry.builtin.node.runtimeclass import RuntimeClassStrategy

    return Behaviour(RuntimeClassStrategy(namespaced=False))
