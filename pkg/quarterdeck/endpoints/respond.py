"""Answers: objects in the negotiated form, Status for errors, the headers that every answer carries.

Source: apiserver/pkg/endpoints/handlers/{response.go,responsewriters}.
"""

from __future__ import annotations

import unicodedata
from typing import Any, Final

from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.codec import yaml as yaml_codec
from quarterdeck.apimachinery.errors import APIStatus
from quarterdeck.endpoints import negotiation
from quarterdeck.transport.messages import Headers, Request, Response

_WARNING_AGENT: Final = "-"
_WARNINGS_BYTES_MAX: Final = 256 * 1024  # upstream truncates what all warnings of an answer hold

TEXT: Final = "text/plain; charset=utf-8"


_NO_CACHE: Final = ("Cache-Control", "no-cache, private")
_JSON_TYPE: Final = ("Content-Type", negotiation.JSON)


def complete(request: Request, response: Response) -> Response:
    """Add what every answer carries: the audit ID, a caching rule where it has none, the warnings."""
    headers = response.headers
    headers.append(("Audit-Id", request.audit_id))
    for name, _ in headers:
        if name == "Cache-Control":
            break
    else:
        headers.append(_NO_CACHE)
    if request.warnings:
        headers += format_warnings(request.warnings)
    return response


def format_warnings(warnings: list[str]) -> Headers:
    """`299 - "text"`, each text once (RFC 7234, 5.5)."""
    headers: Headers = []
    size = 0
    for text in dict.fromkeys(warnings):
        if any(unicodedata.category(char) == "Cc" for char in text):
            continue  # upstream makes no header of it
        quoted = text.replace("\\", "\\\\").replace('"', '\\"')
        size += len(quoted)
        if size > _WARNINGS_BYTES_MAX:
            break
        headers.append(("Warning", f'299 {_WARNING_AGENT} "{quoted}"'))
    return headers


def json_response(status: int, body: bytes) -> Response:
    return Response(status, [_JSON_TYPE], body, compressible=True)


def text_response(status: int, text: str, *, nosniff: bool = False) -> Response:
    headers = [("Content-Type", TEXT)]
    if nosniff:
        headers.append(("X-Content-Type-Options", "nosniff"))
    return Response(status, headers, text.encode())


def not_found_page() -> Response:
    """What a path that nothing serves answers (Go's http.NotFound)."""
    return text_response(404, "404 page not found\n", nosniff=True)


def value_response(status: int, value: dict[str, Any], media_type: str) -> Response:
    """A document that was not stored (a Status, a review) in the negotiated media type."""
    if media_type == negotiation.YAML:
        return Response(status, [("Content-Type", negotiation.YAML)], yaml_codec.encode(value))
    return json_response(status, json_codec.encode(value))


def error_response(request: Request, error: APIStatus) -> Response:
    media_type = negotiation.negotiate_error(request.headers.get("accept", ""))
    response = value_response(error.http_code, error.to_status(), media_type)
    if (seconds := error.retry_after_s) is not None:
        response.headers.append(("Retry-After", str(seconds)))
    return response
