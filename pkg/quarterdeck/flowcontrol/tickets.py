"""A request that waits for its seats or has them, and the queue in which it waits.

Source: apiserver/pkg/util/flowcontrol/fairqueuing/queueset/types.go.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from mypy_extensions import mypyc_attr

from quarterdeck.flowcontrol.counts import SchemaCounts
from quarterdeck.flowcontrol.lane import Lane
from quarterdeck.flowcontrol.work import Work


@mypyc_attr(allow_interpreted_subclasses=True)
class QueuedLane(Lane):
    """Requests that are alike to the queues of their level. `key` chooses the hand of queues (dealer.hash_flow);
    `dealt` are the deck and the size that the hand is of."""

    __slots__ = ("counts", "dealt", "distinguisher", "hand", "key", "schema")

    def __init__(
        self, headers: list[tuple[str, str]], schema: str, counts: SchemaCounts, distinguisher: str, key: int
    ) -> None:
        super().__init__(headers, counts.executions)
        self.schema = schema
        self.counts = counts
        self.distinguisher = distinguisher
        self.key = key
        self.hand: tuple[int, ...] = ()
        self.dealt = (0, 0)


class Queue:
    """Requests of some flows in the order in which they came. `next_r`: where, on the level's meter of progress, the
    next of them is to be dispatched."""

    __slots__ = ("amount", "executing", "next_r", "seats_in_use", "waiting", "width")

    def __init__(self) -> None:
        self.waiting: dict[Ticket, None] = {}
        self.executing: dict[Ticket, None] = {}  # a set that takes little while it is empty: there are hundreds
        self.next_r = 0.0
        self.seats_in_use = 0
        self.amount = 0.0  # of those that wait, in seat-seconds
        self.width = 0  # of those that wait, in seats

    @property
    def is_active(self) -> bool:
        return bool(self.waiting or self.executing)

    def add(self, ticket: Ticket) -> None:
        self.waiting[ticket] = None
        self.amount += ticket.work.amount
        self.width += ticket.work.width

    def remove(self, ticket: Ticket) -> None:
        del self.waiting[ticket]
        self.amount = self.amount - ticket.work.amount if self.waiting else 0.0
        self.width -= ticket.work.width


class Ticket:
    """One request on its way through a level: it waits in `queue`, then it has its seats, then it gives them back with
    `end`. `decision` is there while it waits: whether it may go on."""

    __slots__ = (
        "arrival_r",
        "arrived_s",
        "decision",
        "details",
        "end",
        "flow",
        "queue",
        "started_s",
        "timer",
        "turn",
        "work",
    )

    def __init__(self, flow: QueuedLane, work: Work, arrived_s: float, details: object) -> None:
        """`details` tell who asks for what, for those who look at the queues."""
        self.flow = flow
        self.work = work
        self.arrived_s = arrived_s
        self.details = details
        self.started_s = 0.0
        self.turn = -1  # of the loop, in which it was let in after it had waited
        self.arrival_r = 0.0
        self.queue: Queue | None = None
        self.decision: asyncio.Future[bool] | None = None
        self.timer: asyncio.TimerHandle | None = None
        self.end: Callable[[], None] = _nothing


def _nothing() -> None:
    """Of a ticket without seats."""
