"""The answers that rules ask for, in the words that clients know."""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import errors
from quarterdeck.endpoints import respond
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.filters import overload
from quarterdeck.faults import actions
from quarterdeck.faults.rule import Rule
from quarterdeck.transport.messages import Response

_CLASSES: Final[dict[int, type[errors.APIStatus]]] = {
    400: errors.BadRequest,
    401: errors.Unauthorized,
    403: errors.Forbidden,
    404: errors.NotFound,
    409: errors.Conflict,
    410: errors.Expired,
    422: errors.Invalid,
    429: errors.TooManyRequests,
    500: errors.InternalError,
    503: errors.ServiceUnavailable,
    504: errors.Timeout,
}
_TEXTS: Final = {
    401: "Unauthorized",
    429: "Too many requests, please try again later.",
    503: "the server is currently unable to handle the request",
    504: "Timeout: request did not complete within requested timeout - context deadline exceeded",
}


def conflict(request: RequestContext, name: str) -> errors.APIStatus:
    """As of an object that somebody else has changed."""
    address = request.info.address
    return errors.Conflict.modified(address.group, address.resource, name)


def too_many(retry_after_s: int) -> Response:
    """As from a server that has no room."""
    return overload.build_refusal(retry_after_s)


def error_of(rule: Rule, action: actions.Error) -> errors.APIStatus:
    code = action.code
    if not action.message and code == errors.InternalError.code:
        error: errors.APIStatus = errors.InternalError.of(f"fault {rule.name}")
    else:
        made = _CLASSES[code]
        error = made(action.message or _TEXTS.get(code) or f"fault {rule.name}", {})
    if action.retry_after_s:
        error.details = {**(error.details or {}), "retryAfterSeconds": action.retry_after_s}
    return error


def answer(request: RequestContext, rule: Rule, action: actions.Error) -> Response:
    """In place of an answer that is there already."""
    return respond.complete(request, respond.error_response(request, error_of(rule, action)))
