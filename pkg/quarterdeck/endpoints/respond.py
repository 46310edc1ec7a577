"""Answers: objects in the negotiated form, Status for errors, the headers that every answer carries.

Source: apiserver/pkg/endpoints/handlers/{response.go,responsewriters}.
"""

from __future__ import annotations

import unicodedata
from typing import Any, Final

from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.codec import protobuf as protobuf_codec
from quarterdeck.apimachinery.codec import yaml as yaml_codec
from quarterdeck.apimachinery.errors import APIStatus
from quarterdeck.endpoints import negotiation
from quarterdeck.transport.messages import Headers, Request, Response

_WARNING_AGENT: Final = "-"
_WARNINGS_RUNES_MAX: Final = 4 * 1024
_WARNING_RUNES_MAX: Final = 256

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
    """`299 - "text"`, each text once (RFC 7234, 5.5). Where all hold too much, each is cut, and only as many follow the
    one that was too much as still fit (upstream: filters.recorder.AddWarning)."""
    texts = list(filter(_is_header_text, dict.fromkeys(warnings)))
    runes, kept = 0, len(texts)
    for position, text in enumerate(texts):
        runes += len(text)
        if runes > _WARNINGS_RUNES_MAX:
            kept = position + 1
            break
    if runes <= _WARNINGS_RUNES_MAX:
        return [_format_warning(text) for text in texts]
    cut = [text[:_WARNING_RUNES_MAX] for text in texts]
    runes = sum(map(len, cut[:kept]))
    while kept < len(cut) and runes < _WARNINGS_RUNES_MAX:
        runes += len(cut[kept])
        kept += 1
    return [_format_warning(text) for text in cut[:kept]]


def _is_header_text(text: str) -> bool:
    """Upstream makes no header of anything else."""
    return bool(text) and not any(unicodedata.category(char) in ("Cc", "Cs") for char in text)


def _format_warning(text: str) -> tuple[str, str]:
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    return "Warning", f'299 {_WARNING_AGENT} "{quoted}"'


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
    packed = protobuf_codec.encode(value) if media_type == negotiation.PROTOBUF else None
    if packed is not None:
        return Response(status, [("Content-Type", negotiation.PROTOBUF)], packed)
    return json_response(status, json_codec.encode(value))


def error_response(request: Request, error: APIStatus) -> Response:
    media_type = negotiation.negotiate_error(request.headers.get("accept", ""))
    response = value_response(error.http_code, error.to_status(), media_type)
    if (seconds := error.retry_after_s) is not None:
        response.headers.append(("Retry-After", str(seconds)))
    return response
