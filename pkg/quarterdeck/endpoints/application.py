"""The application that the transport calls: the filters in order, then the router; and what is done with errors.

Filters are a flat tuple of functions; one that returns a response ends the request, and one that has to ask another
server returns what to wait for: the rest goes on when that is done. An APIStatus becomes its Status;
anything else that escapes is a bug: logged, counted, answered 500 without detail. Cancellation passes.
Source of the order: apiserver/pkg/server/config.go (DefaultBuildHandlerChain).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Generator
from typing import Any, Final

from quarterdeck._kernels.metrics import now_s
from quarterdeck._kernels.uids import new_request_id
from quarterdeck.apimachinery import errors, offload
from quarterdeck.endpoints import respond
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.freshread import FreshRead
from quarterdeck.endpoints.metrics import Inflight, MeteredStream, RequestMetrics
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.endpoints.router import Router
from quarterdeck.endpoints.seats import LateSeats, take_seats
from quarterdeck.flowcontrol.lane import Lane
from quarterdeck.transport.http1_answers import SMALL_BODY_BYTES
from quarterdeck.transport.messages import Parked, Request, Response

# Final: compiled code looks up what a module may set anew in a dictionary each time.
_now_s: Final = now_s
_new_request_id: Final = new_request_id

logger = logging.getLogger(__name__)

_MANY_CAUSES: Final = 500  # more of them are written beside the event loop

Filter = Callable[[RequestContext, RequestInfo], Response | Awaitable[Response | None] | None]


class Application:
    """Calls every filter for every request. `panics` counts the bugs that were answered 500. `late_seats`: of reads
    that wait for the store's revision."""

    def __init__(
        self, filters: tuple[Filter, ...], router: Router, metrics: RequestMetrics, late_seats: LateSeats | None = None
    ) -> None:
        self._filters = filters
        self._router = router
        self._metrics = metrics
        self.late_seats = LateSeats() if late_seats is None else late_seats
        self.panics = 0

    def __call__(self, http: Request) -> Response | Awaitable[Response]:
        request = RequestContext(http, http.headers.get("audit-id") or _new_request_id(), _now_s())
        try:
            result = self._answer(request)
        except errors.APIStatus as error:
            result = respond.error_response(request, error)
        except Exception as error:  # noqa: BLE001 - the outermost frame: nothing may reach the connection
            result = self.answer_bug(request, error)
        if isinstance(result, Response):
            return self.complete(request, result)
        if isinstance(result, FreshRead):
            return ParkedRead(self, request, result)
        return self.finish(request, result)

    def complete(self, request: RequestContext, response: Response) -> Response | Awaitable[Response]:
        """What every answer gets before the transport has it."""
        response = self._metrics.observe(request, respond.complete(request, response))
        if request.lane is not None:
            _leave_lane(request, request.lane, response)
        audit = request.audit
        return response if audit is None else audit.finish(response, request.annotations)

    def _answer(self, request: RequestContext) -> Response | Awaitable[Response]:
        info = request.info
        if info.address.is_bare:  # before anybody asks who it is
            return respond.unreadable(request)
        done = 0
        for check in self._filters:
            done += 1
            answered = check(request, info)
            if answered is None:
                continue
            if isinstance(answered, Response):
                return answered
            return self._answer_later(request, answered, done)
        return self._router.route(request, info)

    async def _answer_later(self, request: RequestContext, waiting: Awaitable[Response | None], done: int) -> Response:
        """What `_answer` does after a filter that waits; `done` filters have been called."""
        response = await waiting
        if response is not None:
            return response
        info = request.info
        for check in self._filters[done:]:
            answered = check(request, info)
            if answered is not None and not isinstance(answered, Response):
                answered = await answered
            if answered is not None:
                return answered
        result = self._router.route(request, info)
        if isinstance(result, Response):
            return result
        take_seats(request)
        scope = request.scope
        of_definition = scope.in_flight if scope is not None else None
        if of_definition is None:
            return await result
        of_definition.begin()
        try:
            return await result
        finally:
            of_definition.end()

    def begin(self, request: RequestContext) -> Inflight:
        """The request is not answered at once. What comes back has to be told of its end, and so has its definition."""
        inflight = self._metrics.inflight_of(request)
        inflight.begin(request.received_s)
        scope = request.scope
        if scope is not None and scope.in_flight is not None:
            scope.in_flight.begin()
        return inflight

    async def finish(
        self, request: RequestContext, result: Awaitable[Response], begun: Inflight | None = None
    ) -> Response:
        """`begun`: what `begin` gave, where the request has waited before."""
        inflight = self.begin(request) if begun is None else begun
        take_seats(request)
        scope = request.scope
        of_definition = scope.in_flight if scope is not None else None
        response: Response | None = None
        refusal: errors.APIStatus | None = None
        try:
            response = await result
        except errors.APIStatus as error:
            if _takes_long(error):
                refusal = error  # nothing waits in an `except` (docs/adr/0005)
            else:
                response = respond.error_response(request, error)
        except asyncio.CancelledError:
            if not request.http.is_late:
                if request.release is not None:
                    request.release()
                if request.audit is not None:
                    request.audit.abandon(request.annotations)
                raise
            response = respond.late_response(request)
        except Exception as error:  # noqa: BLE001 - as above
            response = self.answer_bug(request, error)
        finally:
            inflight.end()
            if of_definition is not None:
                of_definition.end()
        if response is None:
            response = await offload.run(respond.error_response, request, refusal)
        answer = self.complete(request, response)
        return answer if isinstance(answer, Response) else await answer

    def answer_bug(self, request: RequestContext, error: Exception) -> Response:
        self.panics += 1
        logger.error("%s %s failed (audit ID %s)", request.method, request.path, request.audit_id, exc_info=error)
        if request.audit is not None:
            request.audit.panic(error, request.annotations)
            request.audit = None
        text = f"This request caused apiserver to panic. Look in the logs for details (audit ID {request.audit_id}).\n"
        return respond.text_response(500, text)


class ParkedRead(Parked):
    """A request that waits for the store's revision alone, and for whom it does."""

    __slots__ = ("_application", "_done", "_failed", "_inflight", "_is_over", "_read", "_request", "_task")

    def __init__(self, application: Application, request: RequestContext, read: FreshRead) -> None:
        self._application = application
        self._request = request
        self._read = read
        self._is_over = False
        self._inflight: Inflight | None = None
        self._task: asyncio.Task[None] | None = None
        self._done: Callable[[Response], None] | None = None
        self._failed: Callable[[], None] | None = None

    def __await__(self) -> Generator[Any, Any, Response]:
        return self._application.finish(self._request, self._read).__await__()

    def begin(self, done: Callable[[Response], None], failed: Callable[[], None]) -> None:
        self._done = done
        self._failed = failed
        self._inflight = self._application.begin(self._request)
        self._application.late_seats.add(self._request)
        self._read.tell(self._told)

    def cancel(self) -> None:
        if self._task is not None:
            # After its first step, without which it would not tell of its end (transport/http1_waiting.py).
            asyncio.get_running_loop().call_soon(self._task.cancel)
        elif not self._is_over:
            request = self._request
            if request.http.is_late:
                self._answer(respond.late_response(request))
                return
            self._end()
            if request.release is not None:
                request.release()
            if request.audit is not None:
                request.audit.abandon(request.annotations)

    def _told(self, revision: int, error: BaseException | None) -> None:
        if self._is_over:
            return
        request = self._request
        response: Response | None = None
        try:
            if error is not None:
                raise self._read.refuse(error)
            response = self._read.show(revision)
        except errors.APIStatus as refusal:
            response = respond.error_response(request, refusal)
        except Exception as bug:  # noqa: BLE001 - as above
            response = self._application.answer_bug(request, bug)
        if response is not None:
            self._answer(response)
            return
        self._is_over = True
        self._application.late_seats.discard(request)
        rest = self._application.finish(request, self._read.wait(revision), self._inflight)
        self._go_on(rest)

    def _answer(self, response: Response) -> None:
        self._end()
        answer = self._application.complete(self._request, response)
        if not isinstance(answer, Response):
            self._go_on(answer)
        elif self._done is not None:
            self._done(answer)

    def _end(self) -> None:
        self._is_over = True
        self._application.late_seats.discard(self._request)
        if self._inflight is None:
            return
        self._inflight.end()
        scope = self._request.scope
        if scope is not None and scope.in_flight is not None:
            scope.in_flight.end()

    def _go_on(self, rest: Awaitable[Response]) -> None:
        self._task = asyncio.get_running_loop().create_task(self._deliver(rest))

    async def _deliver(self, rest: Awaitable[Response]) -> None:
        try:
            answer = await rest
        except BaseException:
            if self._failed is not None:
                self._failed()
            raise
        if self._done is not None:
            self._done(answer)


def _leave_lane(request: RequestContext, lane: Lane, response: Response) -> None:
    """The request is answered. One whose answer is sent in pieces is at its end when they are sent."""
    if lane.executions is not None:
        lane.executions.observe(_now_s() - request.received_s)
    release = request.release
    if type(response) is Response:
        body = response.body
        if type(body) is not bytes or len(body) > SMALL_BODY_BYTES:
            request.http.on_end = release or lane.begin(request.work, request, request.received_s)
            return
    elif isinstance(response, MeteredStream) and request.count_watch is not None:
        response.on_closed = request.count_watch(request)
    if release is not None:
        release()


def _takes_long(error: errors.APIStatus) -> bool:
    causes = error.details.get("causes") if error.details is not None else None
    return isinstance(causes, list) and len(causes) > _MANY_CAUSES
