"""Refuses what the user may not do, with 403 and upstream's text; with 500 what cannot be decided.

system:masters are asked about nothing; whatever else is allowed, the authorizer knows.
Source: apiserver/pkg/endpoints/filters/authorization.go, handlers/responsewriters/errors.go (forbiddenMessage).
"""

from __future__ import annotations

import html
import logging
from collections.abc import Awaitable
from functools import partial
from typing import Final

from quarterdeck._kernels.metrics import now_s
from quarterdeck.apimachinery import errors, fields, gofmt, names, questions
from quarterdeck.apimachinery.questions import Unanswered
from quarterdeck.apimachinery.requirements import SelectorError
from quarterdeck.apimachinery.user import User
from quarterdeck.authorization import selectors
from quarterdeck.authorization.authorizer import Attributes, Authorizer
from quarterdeck.authorization.selectors import Selectors
from quarterdeck.endpoints import respond
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.options import parse_optional_int
from quarterdeck.endpoints.query import first, parse_query
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.metrics.registry import Family, Histogram
from quarterdeck.transport.messages import Response

# Final: compiled code looks up what a module may set anew in a dictionary each time.
_now_s: Final = now_s
_Attributes: Final = Attributes

_LOG: Final = logging.getLogger(__name__)
_OF_MANY: Final = ("list", "watch", "deletecollection")


class AuthorizationFilter:
    """`refusals` counts what was answered 403, `denials` those of them that an authorizer denied, `failures` what was
    answered 500. `durations` by result: seconds."""

    def __init__(self, authorizer: Authorizer, durations: Family[Histogram]) -> None:
        self.refusals = 0
        self.denials = 0
        self.failures = 0
        self._authorizer = authorizer
        self._durations = durations
        self._took = durations.labels("allowed")

    def __call__(self, request: RequestContext, info: RequestInfo) -> Response | Awaitable[Response | None] | None:
        begin_s = _now_s()
        if request.user.is_master:
            self._took.observe_since(begin_s)
            return None
        try:
            return self._check(request, info, begin_s)
        except Unanswered:
            return questions.settle(partial(self._check, request, info, begin_s))

    def _check(self, request: RequestContext, info: RequestInfo, begin_s: float) -> Response | None:
        user = request.user
        attributes = attributes_of(info, request.query)
        if self._authorizer.allows(user, attributes):
            self._took.observe_since(begin_s)
            return None
        decision = self._authorizer.authorize(user, attributes)
        result = "error" if decision.error else "denied" if decision.is_denied else "no-opinion"
        self._durations.labels(result).observe_since(begin_s)
        if decision.error:
            self.failures += 1
            return _undecided(request, decision.error)
        self.refusals += 1
        self.denials += decision.is_denied
        raise forbidden(user, attributes, decision.reason)


def _undecided(request: RequestContext, error: str) -> Response:
    """Source: apiserver/pkg/endpoints/handlers/responsewriters/errors.go (InternalError)."""
    _LOG.error("%s %s cannot be authorized: %s", request.method, request.path, error)
    target = f"{request.path}?{request.query}" if request.query else request.path
    return respond.text_response(
        500, _escape(f"Internal Server Error: {gofmt.quote(target)}: {error}") + "\n", nosniff=True
    )


def attributes_of(info: RequestInfo, query: str) -> Attributes:
    """A list or a watch whose field selector names one object counts as a request for that object."""
    address = info.address
    if not address.is_resource:
        return _Attributes(info.verb, path=info.path, is_resource=False)
    return _Attributes(
        info.verb,
        address.group,
        address.version,
        address.resource,
        address.subresource,
        address.namespace,
        address.name or _find_selected_name(info, query),
        info.path,
        selectors=_read_selectors(info, query) if query else None,
    )


def _read_selectors(info: RequestInfo, query: str) -> Selectors | None:
    """The old addresses of watches do not count: not all of them have selectors."""
    if not ("fieldSelector" in query or "labelSelector" in query):
        return None
    if info.verb not in _OF_MANY or info.address.is_watch_path:
        return None
    options = parse_query(query)
    return selectors.read(first(options, "fieldSelector"), first(options, "labelSelector"))


def _find_selected_name(info: RequestInfo, query: str) -> str:
    """Nothing where an option of the request cannot be read: it is refused for that later."""
    if "fieldSelector" not in query or info.verb not in ("list", "watch") or info.address.is_watch_path:
        return ""
    options = parse_query(query)
    try:
        for name in ("limit", "timeoutSeconds"):
            parse_optional_int(options, name)
        name = fields.parse(first(options, "fieldSelector")).exact_value("metadata.name") or ""
    except (errors.APIStatus, SelectorError):
        return ""
    return "" if names.path_segment_name(name) else name


def _escape(text: str) -> str:
    return html.escape(text, quote=False)


def forbidden(user: User, asked: Attributes, reason: str) -> errors.Forbidden:
    """The texts are HTML-escaped, but for the reason: a browser may show them."""
    name = _escape(gofmt.quote(user.name))
    if not asked.is_resource:
        text = f"User {name} cannot {asked.verb} path {_escape(gofmt.quote(asked.path))}"
    else:
        resource = f"{asked.resource}/{asked.subresource}" if asked.subresource else asked.resource
        group = _escape(gofmt.quote(asked.group))
        text = f"User {name} cannot {asked.verb} resource {_escape(gofmt.quote(resource))} in API group {group}"
        if asked.namespace:
            text += f" in the namespace {_escape(gofmt.quote(asked.namespace))}"
        else:
            text += " at the cluster scope"
    if reason:
        text += f": {reason}"
    refusal = errors.Forbidden.of(asked.group, asked.resource, asked.name, text)
    refusal.nosniff = True
    return refusal
