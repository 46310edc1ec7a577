"""Lets requests in by priority and fairness, makes them wait, or refuses them.

A request that finds room costs a look-up of its flow and a few counts; it has its seats until the loop has gone round.
Only what takes its time, or has to wait, gets a ticket (flowcontrol/queueset.py).

Source: apiserver/pkg/server/filters/priority-and-fairness.go.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

from quarterdeck._kernels.metrics import now_s
from quarterdeck.endpoints import longrunning
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.filters import overload
from quarterdeck.endpoints.metrics import RequestMetrics
from quarterdeck.endpoints.query import first, parse_query
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.flowcontrol.classifier import Asked
from quarterdeck.flowcontrol.controller import FlowController
from quarterdeck.flowcontrol.estimates import (
    Stats,
    Watches,
    estimate_list,
    estimate_write,
    is_counted,
    is_write,
    name_of,
)
from quarterdeck.flowcontrol.flows import Flow
from quarterdeck.flowcontrol.tickets import Ticket
from quarterdeck.flowcontrol.work import ONE_SEAT, WRITE_SEAT, Work
from quarterdeck.transport.messages import Response

_WAIT_SHARE: Final = 4  # of the time that a request has, a quarter may be spent waiting
_WAIT_MAX_S: Final = 60.0
_MANY: Final = 1 << 30
_LISTS: Final = frozenset(("list", "watch"))


class FlowControlFilter:
    """`stats` tells how many objects there are of a resource, and of what size."""

    def __init__(self, controller: FlowController, stats: Stats, metrics: RequestMetrics) -> None:
        self.watches = Watches()
        self._controller = controller
        self._stats = stats
        self._metrics = metrics

    def __call__(self, request: RequestContext, info: RequestInfo) -> Awaitable[Response | None] | None:
        address, verb = info.address, info.verb
        if longrunning.is_connection(info):
            return None
        flow = self._controller.classifier.find(request.user, asked_by(info))
        request.lane = flow
        work = ONE_SEAT
        width = 1
        if verb != "get":
            work = request.work = self._estimate(request, info, flow) if address.is_resource else WRITE_SEAT
            width = work.width
        queues, counts = flow.queues, flow.counts
        if not flow.is_exempt:
            counts.seats.observe(width)
            taken = queues.turn_seats + width
            if verb != "get" or not address.is_resource:
                # What is read of one object is answered at once: what others are at does not stand in its way.
                taken = taken + queues.seats_in_use if not queues.waiting else _MANY
            if taken > queues.limit:
                request.release = _nothing
                return self._wait(request, flow, work)
            queues.turn_seats += width
            if queues.turn_seats >= queues.looks_at:
                queues.end_turn_later()
            counts.waits.observe(0.0)
        queues.dispatched += 1
        counts.dispatched += 1
        return None

    async def _wait(self, request: RequestContext, flow: Flow, work: Work) -> Response | None:
        """Its place in the queue is taken when this begins to run, so that nothing stays behind of what never does."""
        ticket = flow.queues.enqueue(flow, work, request, request.received_s)
        if ticket is None:
            return self._refuse(request, flow)
        assert ticket.decision is not None
        if not ticket.decision.done():
            longest_s = min((request.ends_s - request.received_s) / _WAIT_SHARE, _WAIT_MAX_S)
            wait_s = request.received_s + longest_s - now_s()
            loop = asyncio.get_running_loop()
            ticket.timer = loop.call_later(max(wait_s, 0.0), partial(flow.queues.leave, ticket, is_late=True))
        request.http.is_queued = True
        try:
            is_let_in = await ticket.decision
        except asyncio.CancelledError:
            self._give_up(flow, ticket)
            raise
        finally:
            request.http.is_queued = False
        if not is_let_in:
            return self._refuse(request, flow)
        request.release = ticket.end
        return None

    @staticmethod
    def _give_up(flow: Flow, ticket: Ticket) -> None:
        if ticket.timer is not None:
            ticket.timer.cancel()
        flow.queues.leave(ticket, is_late=False)
        ticket.end()  # where it has been let in meanwhile

    def _refuse(self, request: RequestContext, flow: Flow) -> Response:
        return overload.refuse(self._metrics, request, flow.level.retry_after.note(int(time.time())))

    def _estimate(self, request: RequestContext, info: RequestInfo, flow: Flow) -> Work:
        address, verb = info.address, info.verb
        seats_max = flow.level.seats_max
        if verb in _LISTS:
            if verb == "watch":
                request.count_watch = self._count_watch
            if flow.is_exempt:
                return ONE_SEAT
            query = parse_query(request.query) if request.query else {}
            name = address.name or name_of(first(query, "fieldSelector"))
            return estimate_list(
                verb, query, name, self._stats(address.group, address.version, address.resource), seats_max
            )
        if not is_write(verb) or (address.resource == "serviceaccounts" and address.subresource == "token"):
            return WRITE_SEAT
        watches = self.watches.count(address.group, address.resource, address.namespace, address.name)
        flow.counts.watch_counts.observe(watches)
        return estimate_write(watches, seats_max)

    def _count_watch(self, request: RequestContext) -> Callable[[], None] | None:
        selector = first(parse_query(request.query), "fieldSelector") if request.query else ""
        address = request.info.address
        if not is_counted(address.resource, selector):
            return None
        key = (address.group, address.resource, address.namespace, address.name or name_of(selector))
        self.watches.add(*key)
        return partial(self.watches.remove, *key)


def asked_by(info: RequestInfo) -> Asked:
    address = info.address
    if not address.is_resource:
        return (info.verb, info.path)
    return (info.verb, address.group, address.resource, address.subresource, address.namespace)


def _nothing() -> None:
    """Of a request that waits: it has nothing to give back."""
