"""What flow control is doing right now, for whoever looks into a server: levels, queues and requests, as tables.

Source: apiserver/pkg/util/flowcontrol/apf_controller_debug.go.
"""

from __future__ import annotations

import datetime
import time
from collections.abc import Iterable, Mapping
from typing import Final

from quarterdeck._kernels.metrics import now_s
from quarterdeck.apimachinery.meta import join_api_version
from quarterdeck.apimachinery.time import ZERO
from quarterdeck.endpoints import respond
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.query import first, parse_query
from quarterdeck.flowcontrol.flows import Level
from quarterdeck.flowcontrol.tickets import Ticket
from quarterdeck.transport.messages import Request, Response

_ROOT: Final = "/debug/api_priority_and_fairness/"
_WIDTH_MIN: Final = 8
_LEVELS: Final = (
    "PriorityLevelName", "ActiveQueues", "IsIdle", "IsQuiescing", "WaitingRequests", "ExecutingRequests",
    "DispatchedRequests", "RejectedRequests", "TimedoutRequests", "CancelledRequests",
)  # fmt: skip
_QUEUES: Final = (
    "PriorityLevelName", "Index", "PendingRequests", "ExecutingRequests", "SeatsInUse", "NextDispatchR",
    "InitialSeatsSum", "MaxSeatsSum", "TotalWorkSum",
)  # fmt: skip
_REQUESTS: Final = (
    "PriorityLevelName", "FlowSchemaName", "QueueIndex", "RequestIndexInQueue", "FlowDistingsher", "ArriveTime",
    "InitialSeats", "FinalSeats", "AdditionalLatency", "StartTime",
)  # fmt: skip
_DETAILS: Final = ("UserName", "Verb", "APIPath", "Namespace", "Name", "APIVersion", "Resource", "SubResource")

Row = tuple[str, ...]


class FlowDumps:
    """Answers /debug/api_priority_and_fairness/dump_…."""

    def __init__(self, levels: Mapping[str, Level]) -> None:
        """`levels` by name; it is read at each request."""
        self._levels = levels

    def __call__(self, http: Request) -> Response | None:
        if not http.path.startswith(_ROOT):
            return None
        levels = [level for _, level in sorted(self._levels.items())]
        name = http.path[len(_ROOT) :]
        if name == "dump_priority_levels":
            rows = [_LEVELS, *map(_show_level, levels)]
        elif name == "dump_queues":
            rows = [_QUEUES, *(row for level in levels for row in _show_queues(level))]
        elif name == "dump_requests":
            has_details = bool(first(parse_query(http.query), "includeRequestDetails"))
            head = _REQUESTS + _DETAILS if has_details else _REQUESTS
            rows = [head, *(row for level in levels for row in _show_requests(level, has_details=has_details))]
        else:
            return None
        return respond.text_response(200, _lay_out(rows))


def _show_level(level: Level) -> Row:
    queues = level.queues
    numbers = (queues.waiting, queues.executing, queues.dispatched, queues.rejected, queues.timed_out, queues.cancelled)
    active = sum(bool(queue.waiting) for queue in queues.fair.all)
    return (level.spec.name, str(active), _bool(queues.is_idle), _bool(level.is_leaving), *map(str, numbers))


def _show_queues(level: Level) -> Iterable[Row]:
    fair = level.queues.fair
    for index, queue in enumerate(fair.all if fair.wanted else ()):
        yield (
            level.spec.name,
            str(index),
            str(len(queue.waiting)),
            str(len(queue.executing)),
            str(queue.seats_in_use),
            _seat_seconds(queue.next_r),
            str(sum(ticket.work.seats for ticket in queue.waiting)),
            str(queue.width),
            _seat_seconds(queue.amount),
        )


def _show_requests(level: Level, *, has_details: bool) -> Iterable[Row]:
    for index, queue in enumerate(level.queues.fair.all):
        for position, ticket in enumerate(queue.waiting):
            yield _show_request(level, index, position, ticket, has_details=has_details)
        for ticket in queue.executing:
            yield _show_request(level, index, -1, ticket, has_details=has_details)
    for ticket in level.queues.unqueued:
        yield _show_request(level, -1, -1, ticket, has_details=has_details)


def _show_request(level: Level, queue: int, position: int, ticket: Ticket, *, has_details: bool) -> Row:
    work = ticket.work
    row = (
        level.spec.name,
        ticket.flow.schema,
        str(queue),
        str(position),
        ticket.flow.distinguisher,
        _time(ticket.arrived_s),
        str(work.seats),
        str(work.final_seats),
        _latency(work.latency_s),
        _time(ticket.started_s) if ticket.started_s else ZERO,
    )
    request = ticket.details
    if not has_details or not isinstance(request, RequestContext):
        return row
    address = request.info.address
    version = join_api_version(address.group, address.version)
    of_object = (address.namespace, address.name, version, address.resource, address.subresource)
    return (*row, request.user.name, request.info.verb, request.path, *of_object)


def _lay_out(rows: list[Row]) -> str:
    """Columns as wide as their widest cell, commas included, and a blank (Go's tabwriter)."""
    cells = [[f"{cell}," for cell in row[:-1]] + [row[-1]] for row in rows]
    widths = [max(_WIDTH_MIN, *(len(row[column]) + 1 for row in cells)) for column in range(len(cells[0]) - 1)]
    return "".join(
        "".join(cell.ljust(width) for cell, width in zip(row, [*widths, 0], strict=True)) + "\n" for row in cells
    )


def _seat_seconds(value: float) -> str:
    whole, part = divmod(round(value * 1e8), 10**8)
    return f"{whole}.{part:08}ss"


def _latency(seconds: float) -> str:
    """As Go prints a duration; it is some milliseconds, or a few seconds."""
    if not seconds:
        return "0s"
    return f"{seconds:.9g}s" if seconds >= 1 else f"{seconds * 1e3:.9g}ms"


def _time(at_s: float) -> str:
    """On the clock of requests, as RFC 3339 with as many digits as it has."""
    nanoseconds = time.time_ns() - round((now_s() - at_s) * 1e9)
    seconds, part = divmod(nanoseconds, 10**9)
    text = datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{text}.{part:09}".rstrip("0").rstrip(".") + "Z"


def _bool(value: bool) -> str:
    return "true" if value else "false"
