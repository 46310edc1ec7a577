"""The resources of scheduling.k8s.io."""

from __future__ import annotations

from quarterdeck.registry.builtin.definition import Behaviour, Definition, describe, later


def definitions() -> list[Definition]:
    return [
        later(
            describe("scheduling.k8s.io", "priorityclasses", "PriorityClass", namespaced=False, short_names=("pc",)),
            _load_priority_class,
        )
    ]


def _load_priority_class() -> Behaviour:
    from quarterdeck.registry.builtin.scheduling.priorityclass import PriorityClassStrategy, default_priority_class

    return Behaviour(PriorityClassStrategy(namespaced=False), default=default_priority_class)
