"""Answers: objects in the negotiated form, Status for errors, the headers that every answer carries.

Source: apiserver/pkg/endpoints/handlers/{response.go,responsewriters}.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Any, Final, overload

from quarterdeck._kernels import jsonindent
from quarterdeck.apimachinery import accept as accept_header
from quarterdeck.apimachinery import gofmt
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.codec import protobuf as protobuf_codec
from quarterdeck.apimachinery.codec import yaml as yaml_codec
from quarterdeck.apimachinery.errors import APIStatus, Timeout, Unreasoned
from quarterdeck.endpoints import negotiation
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.transport.messages import Body, Headers, Response

_WARNING_AGENT: Final = "-"
_WARNINGS_RUNES_MAX: Final = 4 * 1024
_WARNING_RUNES_MAX: Final = 256
_INDENTED_BYTES_MAX: Final = 1024 * 1024  # 5 ms
_GROWTH_MAX: Final = 8

TEXT: Final = "text/plain; charset=utf-8"


_NOSNIFF: Final = ("X-Content-Type-Options", "nosniff")
_NO_CACHE: Final = ("Cache-Control", "no-cache, private")
_JSON_TYPE: Final = ("Content-Type", negotiation.JSON)
_JSON_ALONE: Final = [_JSON_TYPE]
_LINE_BREAK: Final = 10
_READERS: Final = frozenset("cWM")


def complete(request: RequestContext, response: Response) -> Response:
    """Add what every answer carries: the audit ID, a caching rule where it has none, the warnings."""
    headers = response.headers
    if headers == _JSON_ALONE:
        # A cheap test first: only curl, Wget and browsers get indented answers.
        if request.headers.get("user-agent", "")[:1] in _READERS or "pretty" in request.query:
            _indent_if_wanted(request, response)
        headers.append(("Audit-Id", request.audit_id))
        headers.append(_NO_CACHE)
    else:
        headers.append(("Audit-Id", request.audit_id))
        for name, _ in headers:
            if name == "Cache-Control":
                break
        else:
            if not request.info.address.is_bare:  # which is answered before the filter that upstream has for this
                headers.append(_NO_CACHE)
    if request.lane is not None:
        headers += request.lane.headers
    if request.warnings:
        headers += format_warnings(request.warnings)
    return response


def format_warnings(warnings: list[str]) -> Headers:
    """`299 - "text"`, each text once (RFC 7234, 5.5). Where all hold too much, each is cut, and only as many follow the
    one that was too much as still fit (upstream: filters.recorder.AddWarning)."""
    texts = filter(_is_header_text, _each_once(warnings))  # one at a time: there may be very many
    kept: list[str] = []
    runes = 0
    for text in texts:
        kept.append(text)
        runes += len(text)
        if runes > _WARNINGS_RUNES_MAX:
            kept = [text[:_WARNING_RUNES_MAX] for text in kept]
            runes = sum(map(len, kept))
            break
    else:
        return [_format_warning(text) for text in kept]
    while runes < _WARNINGS_RUNES_MAX and (more := next(texts, None)) is not None:
        kept.append(more[:_WARNING_RUNES_MAX])
        runes += len(kept[-1])
    return [_format_warning(text) for text in kept]


def _each_once(texts: list[str]) -> Iterator[str]:
    seen: set[str] = set()
    for text in texts:
        if text not in seen:
            seen.add(text)
            yield text


def _is_header_text(text: str) -> bool:
    """Upstream makes no header of anything else."""
    return bool(text) and not any(unicodedata.category(char) in ("Cc", "Cs") for char in text)


def _format_warning(text: str) -> tuple[str, str]:
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    return "Warning", f'299 {_WARNING_AGENT} "{quoted}"'


def _indent_if_wanted(request: RequestContext, response: Response) -> None:
    if accept_header.wants_pretty(request.query, request.headers.get("user-agent", "")):
        response.body = indent(response.body)


@overload
def indent(body: bytes) -> bytes: ...


@overload
def indent(body: Body) -> Body: ...


def indent(body: Body) -> Body:
    """Indented JSON. Differs from upstream: what is large stays as it is, since nobody reads it and others had
    to wait; so does what would grow out of proportion, which deep documents do."""
    if not isinstance(body, bytes) or len(body) > _INDENTED_BYTES_MAX:
        return body
    return jsonindent.indent(body, _INDENTED_BYTES_MAX + _GROWTH_MAX * len(body)) or body


def json_response(status: int, body: bytes) -> Response:
    """A JSON object, that gets the line break which Go's encoder writes, where it is not indented or has it already.
    What is large is not copied for that."""
    if body[1] == _LINE_BREAK or body[-1] == _LINE_BREAK:
        return Response(status, [_JSON_TYPE], body, compressible=True)
    if len(body) > _INDENTED_BYTES_MAX:
        return Response(status, [_JSON_TYPE], [body, b"\n"], compressible=True)
    return Response(status, [_JSON_TYPE], body + b"\n", compressible=True)


def yaml_response(status: int, value: object) -> Response:
    """A value that go-yaml cannot read is answered with what it says of it; what was written stays."""
    try:
        text = yaml_codec.encode(value)
    except yaml_codec.DecodeError as error:
        text = yaml_codec.encode(Unreasoned(error.message).to_status())
        status = Unreasoned.code if status < 400 else status
    return Response(status, [("Content-Type", negotiation.YAML)], text, compressible=True)


def text_response(status: int, text: str, *, nosniff: bool = False) -> Response:
    headers = [("Content-Type", TEXT)]
    if nosniff:
        headers.append(_NOSNIFF)
    return Response(status, headers, text.encode())


def not_found_page() -> Response:
    """What a path that nothing serves answers (Go's http.NotFound)."""
    return text_response(404, "404 page not found\n", nosniff=True)


def unreadable(request: RequestContext) -> Response:
    """Of a path that ends with what only begins one (upstream: RequestInfoFactory.NewRequestInfo)."""
    address = f"{request.http.path}?{request.query}" if request.query else request.http.path
    detail = f"failed to create RequestInfo: unable to determine kind and namespace from url, {address}"
    text = f"Internal Server Error: {gofmt.quote(address)}: {detail}\n"
    for char, shown in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(char, shown)
    return text_response(500, text, nosniff=True)


def value_response(status: int, value: dict[str, Any], output: negotiation.Output) -> Response:
    """A document that was not stored (a Status, a review) in the negotiated media type."""
    if output.media_type == negotiation.YAML:
        return yaml_response(status, value)
    packed = protobuf_codec.encode(value) if output.media_type == negotiation.PROTOBUF else None
    if packed is not None:
        return Response(status, [("Content-Type", negotiation.PROTOBUF)], packed)
    data = json_codec.encode(value)
    return json_response(status, indent(data) if output.pretty else data)


def error_response(request: RequestContext, error: APIStatus) -> Response:
    """The Status of an error in the form that was asked for, or in indented JSON where that is none of ours; what the
    audit shows of it, too."""
    output = negotiation.negotiate_error(request.headers.get("accept", ""))
    status = error.to_status()
    if request.audit is not None:
        if output is not None:
            request.audit.log_status(status)
        else:
            request.audit.hide_answer()
    response = value_response(error.http_code, status, output or negotiation.PRETTY_JSON)
    seconds = error.retry_after_s
    if (seconds is not None or error.nosniff) and response.headers == _JSON_ALONE:
        _indent_if_wanted(request, response)  # which `complete` leaves to whoever adds more headers
    if seconds is not None:
        response.headers.append(("Retry-After", str(seconds)))
    if error.nosniff:
        response.headers.append(_NOSNIFF)
    return response


def late_response(request: RequestContext) -> Response:
    """What a request is told that takes longer than it may, whatever its client accepts: upstream's timeout filter
    answers in its handler's stead, and what that would have added is lost (apiserver/pkg/server/filters/timeout.go)."""
    status = Timeout.of("request did not complete within the allotted timeout", 0).to_status()
    request.warnings.clear()
    if request.audit is not None:
        request.audit.log_status(status)
    del status["kind"], status["apiVersion"]
    return Response(Timeout.code, [("Content-Type", TEXT)], json_codec.encode(status) + b"\n")
