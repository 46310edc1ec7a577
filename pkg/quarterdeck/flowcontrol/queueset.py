"""The seats of one priority level, and the way of requests through it: let in, made to wait, refused.

Differs from upstream: requests that are answered at once never overlap. They count as holding their seats until the
loop has gone round (`turn_seats`), so that what one flow has ready takes no more of a turn than the level's seats, and
the rest waits in its fair queue; nobody is refused for them alone. docs/adr/0100 tells why.

Source: apiserver/pkg/util/flowcontrol/fairqueuing/queueset/queueset.go.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Final

from quarterdeck.flowcontrol.demand import Demand
from quarterdeck.flowcontrol.fairqueues import FairQueues
from quarterdeck.flowcontrol.kinds import Kinds
from quarterdeck.flowcontrol.tickets import QueuedLane, Ticket
from quarterdeck.flowcontrol.work import Work
from quarterdeck.metrics.registry import Utilization

# Seats that are taken in turns of the loop until somebody looks whether it is still the same turn.
_LOOK_SEATS: Final = 8

TOO_FULL: Final = "concurrency-limit"
QUEUE_FULL: Final = "queue-full"
TIMED_OUT: Final = "time-out"


class QueueSet:
    """`limit` seats. Without queues, what finds no seats is refused. An exempt one lets everybody in, and counts.

    A caller that finds nobody waiting and room for its seats adds them to `turn_seats`, and is in: it calls
    `end_turn_later` where `looks_at` of them are reached. Everybody else gets a ticket. `usage` is told of those, as
    shares of the limit, or of `idle_bound` where that is 0, `kinds` too."""

    __slots__ = (
        "_clock", "_demand", "_idle_bound", "_is_turn_ending", "_kinds", "_loop", "_turn", "_usage", "cancelled",
        "dispatched", "executing", "fair", "is_exempt", "length_max", "limit", "looks_at", "rejected", "seats_in_use",
        "seats_waiting", "timed_out", "turn_seats", "unqueued", "waiting",
    )  # fmt: skip

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        clock: Callable[[], float],
        demand: Demand,
        usage: Utilization,
        kinds: Kinds,
        *,
        is_exempt: bool = False,
        idle_bound: int = 1,
    ) -> None:
        self._loop = loop
        self._clock = clock
        self._demand = demand
        self._usage = usage
        self._kinds = kinds
        self._idle_bound = idle_bound
        self.is_exempt = is_exempt
        self.fair = FairQueues(clock())
        self.unqueued: set[Ticket] = set()  # executing, without queues
        self.length_max = 0
        self.limit = self.looks_at = 1
        self._is_turn_ending = False
        self._turn = 0
        self.turn_seats = 0
        self.waiting = self.executing = self.seats_in_use = self.seats_waiting = 0
        self.dispatched = self.rejected = self.timed_out = self.cancelled = 0

    @property
    def is_idle(self) -> bool:
        return not (self.waiting or self.executing)

    def configure(self, queues: int, hand_size: int, length_max: int) -> None:
        """Queues that are too many go when they are empty."""
        self._advance()
        self.length_max = length_max
        self.fair.configure(queues, hand_size)
        self._bound_usage()

    def set_limit(self, limit: int) -> None:
        self._advance()
        self.limit = limit
        self.looks_at = min(_LOOK_SEATS, max(limit // 2, 1))
        self._bound_usage()
        self._dispatch()

    def end_turn_later(self) -> None:
        """The seats of this turn of the loop are free when it has gone round."""
        if not self._is_turn_ending:
            self._is_turn_ending = True
            self._loop.call_soon(self._end_turn)

    def _end_turn(self) -> None:
        self._is_turn_ending = False
        self._turn += 1
        self._demand.note_peak(self.turn_seats + self.seats_in_use)
        self.turn_seats = 0
        self._dispatch()

    def begin(self, flow: QueuedLane, work: Work, details: object, arrived_s: float) -> Ticket:
        """The ticket of a request that has been let in and turns out to take its time: its seats are not those of a
        turn any more."""
        now_s = self._advance()
        ticket = Ticket(flow, work, arrived_s, details)
        if not self.is_exempt:
            self.turn_seats = max(self.turn_seats - work.width, 0)
        if self.fair.wanted:
            self.fair.execute(self.fair.pick(flow, is_anybody_waiting=self.waiting > 0), ticket)
        self._start(ticket, now_s)
        return ticket

    def enqueue(self, flow: QueuedLane, work: Work, details: object, arrived_s: float) -> Ticket | None:
        """A ticket with a decision to wait for; None: refused."""
        now_s = self._advance()
        queue = self.fair.pick(flow)
        if self.fair.wanted:
            if self.seats_in_use >= self.limit and len(queue.waiting) >= self.length_max:
                self._refuse(flow, QUEUE_FULL)
                return None
        elif not self._has_room(work.width, turn_seats=0):
            self._refuse(flow, TOO_FULL)
            return None
        ticket = Ticket(flow, work, arrived_s, details)
        ticket.decision = self._loop.create_future()
        self.fair.add(queue, ticket)
        self._count_waiting(ticket, 1, now_s)
        flow.counts.lengths.observe(len(queue.waiting))
        self._note_demand(now_s)
        if self.turn_seats:
            self.end_turn_later()
        self._dispatch()
        return ticket

    def leave(self, ticket: Ticket, *, is_late: bool) -> None:
        """A request that waits does not do so any more: its time is over, or its client has left."""
        queue = ticket.queue
        if queue is None or ticket not in queue.waiting:
            return
        now_s = self._advance()
        self.fair.remove(queue, ticket)
        self._count_waiting(ticket, -1, now_s)
        self.rejected += 1
        self.cancelled += 1
        self.timed_out += is_late
        ticket.flow.counts.reject(TIMED_OUT)
        ticket.flow.counts.refused_waits.observe(now_s - ticket.arrived_s)
        _decide(ticket, is_let_in=False)
        self._note_demand(now_s)
        self._dispatch()

    def _finish(self, ticket: Ticket) -> None:
        """The request is answered. Its seats are free, at once or when what it leaves to do is done."""
        ticket.end = _ended
        ticket.details = None  # which may know this ticket
        now_s = self._advance()
        self.executing -= 1
        ticket.flow.counts.executing -= 1
        self._kinds.execute(-1, now_s, is_write=ticket.work.is_write)
        if ticket.queue is not None:
            self.fair.finish(ticket, now_s - ticket.started_s)
        else:
            self.unqueued.discard(ticket)
        if ticket.work.latency_s > 0:
            self._loop.call_later(ticket.work.latency_s, self._release_later, ticket)
            self.note_usage()
        else:
            self._release(ticket, now_s)

    def _release_later(self, ticket: Ticket) -> None:
        self._release(ticket, self._advance())

    def _release(self, ticket: Ticket, now_s: float) -> None:
        width = ticket.work.width
        self.seats_in_use -= width
        if ticket.turn == self._turn:  # it waited, and was answered at once then
            self.turn_seats += width
        ticket.flow.counts.executing_seats -= width
        if ticket.queue is not None:
            self.fair.release(ticket)
        self._note_demand(now_s)
        if self.waiting:
            self._dispatch()

    def _dispatch(self) -> None:
        """Let in as many as there are seats for."""
        while self.waiting and self.seats_in_use + self.turn_seats < self.limit:
            ticket = self.fair.find_next()
            width = ticket.work.width
            if not self._has_room(width, self.turn_seats):
                ticket.flow.counts.no_accommodation += 1
                break
            now_s = self._clock()
            self._count_waiting(ticket, -1, now_s)
            self._narrow(ticket)
            self.fair.dispatch(ticket)
            self._start(ticket, now_s)
            _decide(ticket, is_let_in=True)
        if self.waiting and not self.fair.wanted:
            self._refuse_those_without_room()

    def _narrow(self, ticket: Ticket) -> None:
        """What a request leaves to do takes no more seats than there are, and so the longer."""
        work = ticket.work
        if work.final_seats > self.limit > 0:
            latency_s = work.final_seats * work.latency_s / self.limit
            ticket.work = work._replace(final_seats=self.limit, latency_s=latency_s)

    def _has_room(self, width: int, turn_seats: int) -> bool:
        """A request that is wider than the level is let in when nothing else is."""
        if self.is_exempt:
            return True
        if width > self.limit:
            return self.executing == 0 and turn_seats == 0
        return self.seats_in_use + turn_seats + width <= self.limit

    def _start(self, ticket: Ticket, now_s: float) -> None:
        ticket.started_s = now_s
        ticket.end = partial(self._finish, ticket)
        counts, width = ticket.flow.counts, ticket.work.width
        self.executing += 1
        self.seats_in_use += width
        counts.executing += 1
        counts.executing_seats += width
        self._kinds.execute(1, now_s, is_write=ticket.work.is_write)
        if not self.fair.wanted:
            if ticket.queue is not None:
                self.fair.finish(ticket, 0.0)
                self.fair.release(ticket)
                ticket.queue = None
            self.unqueued.add(ticket)
        if ticket.decision is not None:
            ticket.turn = self._turn
            self.end_turn_later()
            self.dispatched += 1
            counts.dispatched += 1
            counts.waits.observe(now_s - ticket.arrived_s)
        self._note_demand(now_s)

    def _refuse(self, flow: QueuedLane, reason: str) -> None:
        self.rejected += 1
        flow.counts.reject(reason)
        flow.counts.refused_waits.observe(0.0)

    def _refuse_those_without_room(self) -> None:
        """Of a level without queues: they have waited for the loop to go round, and others have the seats by now."""
        for ticket in [each for queue in self.fair.all for each in queue.waiting]:
            queue = ticket.queue
            if queue is not None and not self._has_room(ticket.work.width, turn_seats=0):
                self.fair.remove(queue, ticket)
                self._count_waiting(ticket, -1, self._clock())
                self._refuse(ticket.flow, TOO_FULL)
                _decide(ticket, is_let_in=False)

    def _count_waiting(self, ticket: Ticket, change: int, now_s: float) -> None:
        counts, seats = ticket.flow.counts, change * ticket.work.width
        self.waiting += change
        self.seats_waiting += seats
        counts.waiting += change
        counts.waiting_seats += seats
        self._kinds.wait(change, now_s, is_write=ticket.work.is_write)

    def _advance(self) -> float:
        """The time, up to which R is moved on."""
        now_s = self._clock()
        self.fair.advance(now_s, min(self.seats_in_use + self.seats_waiting, self.limit))
        return now_s

    def _note_demand(self, now_s: float) -> None:
        wanted = self.seats_in_use + self.seats_waiting
        self._demand.set(wanted, now_s)
        self._usage.note(self.executing, self.waiting, self.seats_in_use, wanted, now_s)

    def note_usage(self) -> None:
        """Of the time until now. What is answered at once uses nothing for any time."""
        wanted = self.seats_in_use + self.seats_waiting
        self._usage.note(self.executing, self.waiting, self.seats_in_use, wanted, self._clock())

    def _bound_usage(self) -> None:
        places = max(self.length_max, 1) * max(self.fair.wanted, 1)
        seats = self.limit or self._idle_bound
        self._usage.bound(seats, places, seats, seats, self._clock())


def _decide(ticket: Ticket, *, is_let_in: bool) -> None:
    if ticket.timer is not None:
        ticket.timer.cancel()
    assert ticket.decision is not None
    if not ticket.decision.done():
        ticket.decision.set_result(is_let_in)


def _ended() -> None:
    """A ticket ends once."""
