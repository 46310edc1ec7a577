"""The application that the transport calls: the filters in order, then the router; and what is done with errors.

Filters are a flat tuple of functions; one that returns a response ends the request. An APIStatus becomes its Status;
anything else that escapes is a bug: logged, counted, answered 500 without detail. Cancellation passes.
Source of the order: apiserver/pkg/server/config.go (DefaultBuildHandlerChain).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from quarterdeck.apimachinery import aside, errors, meta
from quarterdeck.endpoints import respond
from quarterdeck.endpoints.metrics import RequestMetrics, now_s
from quarterdeck.endpoints.request_info import RequestInfo, build_request_info
from quarterdeck.endpoints.router import Router
from quarterdeck.registry.scope import Scope
from quarterdeck.transport.messages import Request, Response

logger = logging.getLogger(__name__)

_MANY_CAUSES: Final = 500  # more of them are written beside the event loop

Filter = Callable[[Request, RequestInfo], Response | None]


class Application:
    """Calls every filter for every request. `panics` counts the bugs that were answered 500."""

    def __init__(self, filters: tuple[Filter, ...], router: Router, metrics: RequestMetrics) -> None:
        self._filters = filters
        self._router = router
        self._metrics = metrics
        self.panics = 0

    def __call__(self, request: Request) -> Response | Awaitable[Response]:
        request.received_s = now_s()
        request.audit_id = request.headers.get("audit-id") or meta.new_uid()
        try:
            result = self._answer(request)
        except errors.APIStatus as error:
            result = respond.error_response(request, error)
        except Exception as error:  # noqa: BLE001 - the outermost frame: nothing may reach the connection
            result = self._answer_bug(request, error)
        if isinstance(result, Response):
            return self._metrics.observe(request, respond.complete(request, result))
        return self._finish(request, result)

    def _answer(self, request: Request) -> Response | Awaitable[Response]:
        info = build_request_info(request.method, request.path, request.query)
        request.info = info
        for check in self._filters:
            response = check(request, info)
            if response is not None:
                return response
        return self._router.route(request, info)

    async def _finish(self, request: Request, result: Awaitable[Response]) -> Response:
        inflight = self._metrics.inflight_of(request)
        inflight.begin(request.received_s)
        scope = request.scope
        of_definition = scope.in_flight if isinstance(scope, Scope) else None
        if of_definition is not None:
            of_definition.begin()
        try:
            response = await result
        except errors.APIStatus as error:
            if _takes_long(error):
                response = await aside.run(respond.error_response, request, error)
            else:
                response = respond.error_response(request, error)
        except asyncio.CancelledError:
            if not request.is_late:
                raise
            text = "request did not complete within requested timeout - context deadline exceeded"
            response = respond.error_response(request, errors.Timeout.of(text, 0))
        except Exception as error:  # noqa: BLE001 - as above
            response = self._answer_bug(request, error)
        finally:
            inflight.end()
            if of_definition is not None:
                of_definition.end()
        return self._metrics.observe(request, respond.complete(request, response))

    def _answer_bug(self, request: Request, error: Exception) -> Response:
        self.panics += 1
        logger.error("%s %s failed (audit ID %s)", request.method, request.path, request.audit_id, exc_info=error)
        text = f"This request caused apiserver to panic. Look in the logs for details (audit ID {request.audit_id}).\n"
        return respond.text_response(500, text)


def _takes_long(error: errors.APIStatus) -> bool:
    causes = error.details.get("causes") if error.details is not None else None
    return isinstance(causes, list) and len(causes) > _MANY_CAUSES
