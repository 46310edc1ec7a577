"""The audit of requests that the transport refuses for the size of their bodies, before anybody else sees them.

Source: apiserver/pkg/endpoints/handlers/rest.go (limitedReadBody), which refuses them when everything else is settled.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import suppress

from quarterdeck._kernels.metrics import now_s
from quarterdeck._kernels.uids import new_request_id
from quarterdeck.apimachinery import errors
from quarterdeck.endpoints import respond
from quarterdeck.endpoints.body import BODY_BYTES_MAX
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.filters.auditing import Auditor, Filter
from quarterdeck.transport.messages import Request, Response


class LargeBodies:
    """`authentication` finds the user, where it can."""

    def __init__(self, auditor: Auditor, authentication: Filter) -> None:
        self._auditor = auditor
        self._authentication = authentication
        self._waiting: set[asyncio.Task[None]] = set()

    def __call__(self, http: Request) -> None:
        request = RequestContext(http, http.headers.get("audit-id") or new_request_id(), now_s())
        try:
            waiting = self._authentication(request, request.info)
        except errors.APIStatus:
            waiting = None
        if waiting is None or isinstance(waiting, Response):
            self._note(request)
            return
        task = asyncio.get_running_loop().create_task(self._note_later(request, waiting))
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)

    async def _note_later(self, request: RequestContext, waiting: Awaitable[Response | None]) -> None:
        with suppress(errors.APIStatus):
            await waiting
        self._note(request)

    def _note(self, request: RequestContext) -> None:
        user = request.user if request.user.name else None
        record = self._auditor.begin(request, request.info, user)
        if record is None:
            return
        record.receive(request.annotations)
        error = errors.RequestEntityTooLarge.of(f"limit is {BODY_BYTES_MAX}")
        # What is awaited for the answer is not waited for: it is on its way.
        record.finish(respond.error_response(request, error), request.annotations)
