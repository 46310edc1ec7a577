"""All requests with their answers, and the events of watches, go into a recording (recording/file.py).

The filter writes a request where its user is known; the application around writes the rest, and the requests that no
filter has let through.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Awaitable
from typing import Any, Final

from quarterdeck.apimachinery.codec import protobuf
from quarterdeck.apimachinery.user import User
from quarterdeck.endpoints import watch_events
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.request_info import RequestInfo, build_request_info
from quarterdeck.endpoints.watch_events import Events, TappedStream, TapWriter
from quarterdeck.recording import bodies
from quarterdeck.recording.bodies import Resource
from quarterdeck.recording.file import Writer
from quarterdeck.transport.fields import as_utf8
from quarterdeck.transport.messages import Application, Body, LazyBody, Request, Response, Stream, StreamWriter

_NOT_RECORDED: Final = ("/livez", "/readyz", "/healthz", "/metrics", "/quarterdeck/")


class _Exchange:
    __slots__ = ("is_written", "number", "resource")

    def __init__(self, number: int, resource: Resource) -> None:
        self.number = number
        self.resource = resource
        self.is_written = False


class Recorder:
    """The filter, and what `wrap` puts around the application."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._exchanges: dict[Request, _Exchange] = {}

    def __call__(self, request: RequestContext, info: RequestInfo) -> None:
        """The filter."""
        exchange = self._exchanges.get(request.http)
        if exchange is not None:
            self._write_request(request.http, exchange, request.user)

    def wrap(self, application: Application) -> Application:
        return functools.partial(self._record, application)

    def _record(self, application: Application, http: Request) -> Response | Awaitable[Response]:
        if http.path.startswith(_NOT_RECORDED):
            return application(http)
        address = build_request_info(http.method, http.path, http.query).address
        exchange = _Exchange(self._writer.number(), (address.group, address.resource, address.subresource))
        self._exchanges[http] = exchange
        answer = application(http)
        if not isinstance(answer, Response):
            return self._finish(http, exchange, answer)
        return self._write_answer(http, exchange, answer)

    async def _finish(self, http: Request, exchange: _Exchange, waiting: Awaitable[Response]) -> Response:
        try:
            answer = await waiting
        except BaseException:
            self._begin_answer(http, exchange)
            self._writer.put("answer", exchange.number, {"status": 0})
            raise
        return self._write_answer(http, exchange, answer)

    def _write_request(self, http: Request, exchange: _Exchange, user: User | None) -> None:
        exchange.is_written = True
        headers = http.headers
        told: dict[str, Any] = {"user": user.name, "groups": list(user.groups)} if user is not None else {}
        if http.base:
            told["cluster"] = http.base.rpartition("/")[2]
        told |= {"method": http.method, "path": f"{http.path}?{http.query}" if http.query else http.path}
        for name, header in (("type", "content-type"), ("accept", "accept"), ("agent", "user-agent")):
            if header in headers:
                told[name] = as_utf8(headers[header])
        told |= bodies.describe(http.body, headers.get("content-type", ""), exchange.resource)
        self._writer.put("request", exchange.number, told)

    def _begin_answer(self, http: Request, exchange: _Exchange) -> None:
        self._exchanges.pop(http, None)
        if not exchange.is_written:
            self._write_request(http, exchange, None)

    def _write_answer(self, http: Request, exchange: _Exchange, answer: Response) -> Response:
        """What the transport is to have instead."""
        self._begin_answer(http, exchange)
        kind = next((value for name, value in answer.headers if name == "Content-Type"), "")
        told = {"status": answer.status, "type": kind}
        if not isinstance(answer, Stream):
            told |= _describe_body(answer.body, kind, exchange.resource)
        self._writer.put("answer", exchange.number, told)
        if isinstance(answer, Stream) and watch_events.is_watch(answer):
            return _RecordedStream(answer, self._writer, exchange)
        return answer


def _describe_body(body: Body, content_type: str, resource: Resource) -> dict[str, Any]:
    if isinstance(body, bytes):
        return bodies.describe(body, content_type, resource)
    size = body.size if isinstance(body, LazyBody) else sum(map(len, body))
    if size > bodies.BODY_BYTES_MAX:
        return {"bytes": size}
    return bodies.describe(b"".join(body), content_type, resource)


class _RecordedStream(TappedStream):
    __slots__ = ("_events", "_exchange", "_file")

    def __init__(self, stream: Stream, file: Writer, exchange: _Exchange) -> None:
        super().__init__(stream, self._begin)
        self._events = Events(watch_events.content_type_of(stream))
        self._file = file
        self._exchange = exchange

    def _begin(self, writer: StreamWriter) -> StreamWriter:
        return _RecordingWriter(writer, self)

    def write_events(self, data: bytes) -> None:
        for event in self._events.split(data):
            number, resource = self._exchange.number, self._exchange.resource
            if self._events.is_json:
                told = bodies.describe(event, "application/json", resource)
            else:
                told = _describe_protobuf(event, resource)
            self._file.put("event", number, told)

    def closed(self) -> None:
        self._file.put("end", self._exchange.number, {})
        super().closed()


class _RecordingWriter(TapWriter):
    def __init__(self, writer: StreamWriter, stream: _RecordedStream) -> None:
        super().__init__(writer)
        self._stream = stream

    def take(self, data: bytes) -> None:
        self._stream.write_events(data)
        self._writer.write(data)


def _describe_protobuf(event: bytes, resource: Resource) -> dict[str, Any]:
    kind, data = watch_events.open_protobuf(event)
    try:
        value = {"type": kind, "object": protobuf.decode(data)}
    except ValueError:
        return {"bytes": len(event)}
    return bodies.describe(json.dumps(value).encode(), "application/json", resource)
