"""Where a request meets its audit: a filter behind authentication, and what stands around the other filters for it.

None of this is there where nothing is audited. Source: apiserver/pkg/endpoints/filters/{audit,authn_audit,
request_deadline,authorization}.go.
"""

from __future__ import annotations

import html
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

from quarterdeck._kernels.metrics import now_s
from quarterdeck.apimachinery import errors, gofmt, questions
from quarterdeck.apimachinery.questions import Unanswered
from quarterdeck.apimachinery.user import User
from quarterdeck.audit.addresses import source_ips
from quarterdeck.audit.levels import NONE
from quarterdeck.audit.metrics import AuditMetrics
from quarterdeck.audit.origin import Origin
from quarterdeck.audit.policy import Policy
from quarterdeck.audit.record import Record
from quarterdeck.audit.sinks import Backends
from quarterdeck.authorization.authorizer import Attributes, Authorizer
from quarterdeck.endpoints import respond
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.filters.authorization import attributes_of
from quarterdeck.endpoints.longrunning import is_long_running
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.transport.fields import as_utf8
from quarterdeck.transport.messages import Response

Answer = Response | Awaitable[Response | None] | None
Filter = Callable[[RequestContext, RequestInfo], Answer]

_AGENT_BYTES_MAX: Final = 1024
_DECISION: Final = "authorization.k8s.io/decision"
_REASON: Final = "authorization.k8s.io/reason"
_ALLOW: Final = "allow"
_FORBID: Final = "forbid"
_NOBODY: Final = User("")


class Auditor:
    """Begins the audit of requests, as the policy says."""

    def __init__(self, policy: Policy, sink: Backends, metrics: AuditMetrics) -> None:
        self.sink = sink
        self.metrics = metrics
        self._policy = policy

    def begin(self, request: RequestContext, info: RequestInfo, user: User | None) -> Record | None:
        """None: the policy wants nothing of it. `user` None: nobody who could be authenticated."""
        asked = attributes_of(info, request.query)
        decision = self._policy.evaluate(user or _NOBODY, asked)
        self.metrics.levels[decision.level].inc()
        if decision.level == NONE:
            return None
        request.audit = record = Record(self.sink, decision, _origin_of(request, info, asked, user))
        return record


class AuditFilter:
    """Stands behind authentication: the user is the one who sends the request, whoever it acts for."""

    def __init__(self, auditor: Auditor) -> None:
        self._auditor = auditor

    def __call__(self, request: RequestContext, info: RequestInfo) -> Answer:
        record = self._auditor.begin(request, info, request.user)
        if record is None:
            return None
        waiting = record.receive(request.annotations)
        if waiting is None:
            return None
        if not self._auditor.sink.waits_first:
            record.await_at_end(waiting)
            return None
        return self._require(request, waiting)

    async def _require(self, request: RequestContext, waiting: Awaitable[bool]) -> Response | None:
        """A request whose event could not be kept is refused, where a backend is that strict."""
        if await waiting:
            return None
        self._auditor.metrics.rejected.inc()
        request.audit = None
        text = f"Internal Server Error: {gofmt.quote(_uri_of(request))}: failed to store audit event\n"
        return respond.text_response(500, html.escape(text, quote=False), nosniff=True)


class RefusalAudit:
    """Around a filter that stands before the audit: who is refused there has one event."""

    def __init__(self, inner: Filter, auditor: Auditor) -> None:
        self._inner = inner
        self._auditor = auditor

    def __call__(self, request: RequestContext, info: RequestInfo) -> Answer:
        try:
            answered = self._inner(request, info)
        except errors.APIStatus:
            self._begin(request, info)
            raise
        if answered is None or isinstance(answered, Response):
            return answered
        return self._wait(request, info, answered)

    async def _wait(
        self, request: RequestContext, info: RequestInfo, waiting: Awaitable[Response | None]
    ) -> Response | None:
        try:
            return await waiting
        except errors.APIStatus:
            self._begin(request, info)
            raise

    def _begin(self, request: RequestContext, info: RequestInfo) -> None:
        record = self._auditor.begin(request, info, None)
        if record is not None:
            record.is_refused = True


class ImpersonationAudit:
    """Around the filter of impersonation. `find_constraint`: the verb of the narrow way by which a user was allowed to
    act as another one just now."""

    def __init__(self, inner: Filter, find_constraint: Callable[[User], str]) -> None:
        self._inner = inner
        self._find_constraint = find_constraint

    def __call__(self, request: RequestContext, info: RequestInfo) -> Answer:
        answered = self._inner(request, info)
        if answered is None:
            if request.user is not request.original_user:
                self._note(request)
            return None
        return answered if isinstance(answered, Response) else self._wait(request, answered)

    async def _wait(self, request: RequestContext, waiting: Awaitable[Response | None]) -> Response | None:
        response = await waiting
        self._note(request)
        return response

    def _note(self, request: RequestContext) -> None:
        if request.audit is not None and request.user is not request.original_user:
            request.audit.impersonate(request.user, self._find_constraint(request.original_user))


class AuthorizationAudit:
    """Around the filter of authorization: what it decided, and why."""

    def __init__(self, inner: Filter, authorizer: Authorizer) -> None:
        self._inner = inner
        self._authorizer = authorizer

    def __call__(self, request: RequestContext, info: RequestInfo) -> Answer:
        if request.audit is None:
            return self._inner(request, info)
        try:
            answered = self._inner(request, info)
        except errors.Forbidden:
            self._note(request, info, _FORBID)
            raise
        if answered is None:
            try:
                self._note(request, info, _ALLOW)
            except Unanswered:  # what allowed it did not have to tell its reason
                return questions.settle(partial(self._note, request, info, _ALLOW))
            return None
        if isinstance(answered, Response):
            return _note_failure(request, answered)
        return self._wait(request, info, answered)

    async def _wait(
        self, request: RequestContext, info: RequestInfo, waiting: Awaitable[Response | None]
    ) -> Response | None:
        response: Response | None = None
        refusal: errors.Forbidden | None = None
        try:
            response = await waiting
        except errors.Forbidden as error:
            refusal = error  # nothing waits in an `except` (docs/adr/0005)
        if refusal is not None:
            await questions.settle(partial(self._note, request, info, _FORBID))
            raise refusal
        if response is not None:
            return _note_failure(request, response)
        return await questions.settle(partial(self._note, request, info, _ALLOW))

    def _note(self, request: RequestContext, info: RequestInfo, decision: str) -> None:
        """Raises Unanswered."""
        reason = ""  # none is told of who may do everything
        if not request.user.is_master:
            reason = self._authorizer.authorize(request.user, attributes_of(info, request.query)).reason
        request.annotations[_DECISION] = decision
        request.annotations[_REASON] = reason


def _note_failure(request: RequestContext, response: Response) -> Response:
    request.annotations[_REASON] = "internal error"
    return response


def _origin_of(request: RequestContext, info: RequestInfo, asked: Attributes, user: User | None) -> Origin:
    elapsed_s = now_s() - request.received_s
    path = info.path
    return Origin(
        as_utf8(request.audit_id),
        _uri_of(request),
        asked.verb,
        user,
        source_ips(request.headers, request.connection.remote_address),
        _agent_of(request),
        _ref_of(asked) if asked.is_resource else None,
        time.time_ns() - int(elapsed_s * 1e9),
        is_long_running=is_long_running(info),
        shows_response=asked.is_resource or path in ("/api", "/apis") or path.startswith(("/api/", "/apis/")),
    )


def _ref_of(asked: Attributes) -> dict[str, str]:
    """Without what is empty, in upstream's order."""
    ref = {"resource": asked.resource}
    if asked.namespace:
        ref["namespace"] = asked.namespace
    if asked.name:
        ref["name"] = asked.name
    if asked.group:
        ref["apiGroup"] = asked.group
    ref["apiVersion"] = asked.version
    if asked.subresource:
        ref["subresource"] = asked.subresource
    return ref


def _uri_of(request: RequestContext) -> str:
    path = request.http.base + request.path
    uri = f"{path}?{request.query}" if request.query else path
    return as_utf8(uri)


def _agent_of(request: RequestContext) -> str:
    agent = request.headers.get("user-agent", "")
    if len(agent) > _AGENT_BYTES_MAX:
        agent = f"{agent[:_AGENT_BYTES_MAX]}...TRUNCATED"
    return as_utf8(agent)
