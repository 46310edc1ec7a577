"""The resources of flowcontrol.apiserver.k8s.io."""

from __future__ import annotations

from functools import partial
from typing import Final

from quarterdeck.registry.builtin import written
from quarterdeck.registry.builtin.definition import Behaviour, Definition, describe, later
from quarterdeck.storage.cacher import Cacher

GROUP: Final = "flowcontrol.apiserver.k8s.io"
LEVELS: Final = "prioritylevelconfigurations"


def definitions(cacher: Cacher) -> list[Definition]:
    """Which levels there are is read from what `cacher` holds."""
    return [
        later(
            describe(GROUP, "flowschemas", "FlowSchema", namespaced=False, has_status=True),
            partial(_load_flow_schema, cacher),
        ),
        later(
            describe(GROUP, LEVELS, "PriorityLevelConfiguration", namespaced=False, has_status=True),
            _load_priority_level,
        ),
    ]


def _load_flow_schema(cacher: Cacher) -> Behaviour:
    from quarterdeck.registry.builtin.flowcontrol.schemas import (
        FlowSchemaStatusStrategy,
        FlowSchemaStrategy,
        default_flow_schema,
    )

    levels = partial(cacher.resource, GROUP, LEVELS)
    status = FlowSchemaStatusStrategy(levels)
    return Behaviour(FlowSchemaStrategy(levels), {"status": status}, default=default_flow_schema, note=written.note)


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
