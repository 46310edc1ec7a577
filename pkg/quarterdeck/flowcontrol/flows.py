"""What a request is classified as: a flow of a flow schema, on a priority level.

Source: apiserver/pkg/util/flowcontrol/apf_controller.go (startRequest, priorityLevelState).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from quarterdeck.flowcontrol.counts import SchemaCounts
from quarterdeck.flowcontrol.demand import Demand
from quarterdeck.flowcontrol.queueset import QueueSet
from quarterdeck.flowcontrol.retryafter import RetryAfter
from quarterdeck.flowcontrol.tickets import QueuedLane
from quarterdeck.flowcontrol.work import Work

_SCHEMA_UID: Final = "X-Kubernetes-PF-FlowSchema-UID"
_LEVEL_UID: Final = "X-Kubernetes-PF-PriorityLevel-UID"


class Named(NamedTuple):
    name: str
    uid: str


class LevelSpec(NamedTuple):
    """Of a PriorityLevelConfiguration, with its defaults. `queues` 0: what finds no seats is refused.
    `borrowing_percent` None: as much as there is."""

    name: str
    uid: str = ""
    is_exempt: bool = False
    shares: int = 0
    lendable_percent: int = 0
    borrowing_percent: int | None = None
    queues: int = 0
    hand_size: int = 0
    queue_length_max: int = 0


class Level:
    """A priority level. Its limits, in seats: `nominal` as configured, `lower` to `upper` within which the lending
    between levels moves the limit that holds, which is that of its queues. `is_leaving`: nobody wants it any more, and
    it goes with its last request. `seats_max`: no request is reckoned wider (0: no such bound)."""

    __slots__ = (
        "demand",
        "is_leaving",
        "lower",
        "nominal",
        "queues",
        "retry_after",
        "seats_max",
        "spec",
        "target",
        "upper",
    )

    def __init__(self, spec: LevelSpec, queues: QueueSet, demand: Demand) -> None:
        self.spec = spec
        self.queues = queues
        self.demand = demand
        self.nominal = self.lower = self.upper = 0
        self.target = 0.0
        self.seats_max = 0
        self.is_leaving = False
        self.retry_after = RetryAfter()


class Flow(QueuedLane):
    """A flow of a schema, on a level. `headers` tell the client which schema and level it was."""

    __slots__ = ("is_exempt", "level", "queues")

    def __init__(self, schema: Named, level: Level, counts: SchemaCounts, distinguisher: str, key: int) -> None:
        uids = [(_LEVEL_UID, level.spec.uid), (_SCHEMA_UID, schema.uid)]
        super().__init__(uids, schema.name, counts, distinguisher, key)
        self.level = level
        self.queues = level.queues
        self.is_exempt = level.spec.is_exempt

    def begin(self, work: Work, details: object, arrived_s: float) -> Callable[[], None]:
        return self.queues.begin(self, work, details, arrived_s).end
