"""The resources of flowcontrol.apiserver.k8s.io."""

from __future__ import annotations

from typing import Final

from quarterdeck.registry.builtin.definition import Behaviour, Definition, describe, later

GROUP: Final = "flowcontrol.apiserver.k8s.io"
LEVELS: Final = "prioritylevelconfigurations"


def definitions() -> list[Definition]:
    return [
        later(describe(GROUP, "flowschemas", "FlowSchema", namespaced=False, has_status=True), _load_flow_schema),
        later(
            describe(GROUP, LEVELS, "PriorityLevelConfiguration", namespaced=False, has_status=True),
            _load_priority_level,
        ),
    ]


def _load_flow_schema() -> Behaviour:
    from quarterdeck.registry.builtin.flowcontrol.schemas import (
        FlowSchemaStatusStrategy,
        FlowSchemaStrategy,
        default_flow_schema,
    )

    return Behaviour(
        FlowSchemaStrategy(namespaced=False),
        {"status": FlowSchemaStatusStrategy(namespaced=False)},
        default=default_flow_schema,
    )


def _load_priority_level() -> Behaviour:
    from quarterdeck.registry.builtin.flowcontrol.levels import (
        PriorityLevelStatusStrategy,
        PriorityLevelStrategy,
        default_priority_level,
    )

    return Behaviour(
        PriorityLevelStrategy(namespaced=False),
        {"status": PriorityLevelStatusStrategy(namespaced=False)},
        default=default_priority_level,
    )
