"""The resources of scheduling.k8s.io."""

from __future__ import annotations

from typing import Final

from quarterdeck.registry.builtin.definition import Behaviour, Definition, describe, later

SYSTEM_CLASSES: Final = ("system-node-critical", "system-cluster-critical")


def definitions() -> list[Definition]:
    return [
        later(
            describe("scheduling.k8s.io", "priorityclasses", "PriorityClass", namespaced=False, short_names=("pc",)),
            _load_priority_class,
            undeletable=dict.fromkeys(SYSTEM_CLASSES, "this is a system priority class and cannot be deleted"),
        )
    ]


def _load_priority_class() -> Behaviour:
    from quarterdeck.registry.builtin.scheduling.priorityclass import PriorityClassStrategy, default_priority_class

    return Behaviour(PriorityClassStrategy(namespaced=False), default=default_priority_class)
