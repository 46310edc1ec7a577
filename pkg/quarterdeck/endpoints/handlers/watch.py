"""WATCH: a stream of events, fed by the watch cache. Source: apiserver/pkg/endpoints/handlers/{get,watch}.go."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

from quarterdeck.apimachinery import errors
from quarterdeck.endpoints import negotiation
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.handlers import common
from quarterdeck.endpoints.handlers.filling import fill, is_unfilled
from quarterdeck.endpoints.handlers.forms import form_of
from quarterdeck.endpoints.handlers.protobuf_forms import ProtobufFraming
from quarterdeck.endpoints.list_options import CollectionOptions, parse_collection_options
from quarterdeck.endpoints.metrics import kind_of
from quarterdeck.endpoints.negotiation import Output
from quarterdeck.endpoints.query import parse_query
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.metrics.registry import Family, Histogram, Registry
from quarterdeck.registry.scope import Scope
from quarterdeck.storage.cacher import EncodingError, Entry, Form, Watch, WatchOptions, frames
from quarterdeck.storage.cacher.frames import Framing
from quarterdeck.storage.cacher.options import parse_watch_revision
from quarterdeck.transport.fields import asks_for_websocket
from quarterdeck.transport.messages import Headers, Response, Stream, StreamWriter

Note = Callable[[RequestContext, Watch], None]
_LIST_BOUNDS_S: Final = (0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 2, 4, 6, 8, 10, 15, 20, 30, 45, 60)


def time_watch_lists(registry: Registry) -> Family[Histogram]:
    """Source: apiserver/pkg/endpoints/metrics/metrics.go (RecordWatchListLatency)."""
    return registry.histogram(
        "apiserver_watch_list_duration_seconds",
        "[BETA] Response latency distribution in seconds for watch list requests broken by group, version, resource "
        "and scope.",
        _LIST_BOUNDS_S,
        ("group", "version", "resource", "scope"),
    )


class WatchHandler:
    """`min_request_timeout_s`: a watch whose client names no timeout lasts once to twice as long. `list_times` are told
    how long it took to send the objects that watches begin with, and `note` of each watch, where somebody wants to
    know."""

    def __init__(self, min_request_timeout_s: int, list_times: Family[Histogram], note: Note | None = None) -> None:
        self._min_request_timeout_s = min_request_timeout_s
        self._list_times = list_times
        self._note = note

    def __call__(self, request: RequestContext, info: RequestInfo, scope: Scope) -> Response | Awaitable[Response]:
        output = common.negotiate_output(request, scope)
        query = parse_query(request.query)
        options = parse_collection_options(query, info, scope)
        if output.as_kind or output.media_type == negotiation.YAML:
            parse_watch_revision(options.list.resource_version)  # its errors come before those of the form
        form = form_of(scope, output, query)
        if output.media_type == negotiation.YAML:
            raise errors.NotAcceptable.of(negotiation.STREAM_TYPES)
        if _is_list(output):
            form = _LISTS[output.media_type]
        if is_unfilled(scope):
            return self._open_when_filled(request, scope, options, form)
        return self._open(request, scope, options, form)

    async def _open_when_filled(
        self, request: RequestContext, scope: Scope, options: CollectionOptions, form: Form
    ) -> Response:
        parse_watch_revision(options.list.resource_version)  # its errors come first
        await fill(scope)
        return self._open(request, scope, options, form)

    def _open(self, request: RequestContext, scope: Scope, options: CollectionOptions, form: Form) -> Response:
        timeout_s = self._timeout_s(options.timeout_s)
        if timeout_s <= 0:
            parse_watch_revision(options.list.resource_version)
            return _EndedStream(form.framing.content_type)
        watch = scope.store.cache.watch(
            WatchOptions(
                options.list.selection,
                options.list.resource_version,
                options.send_initial_events,
                options.allow_bookmarks,
                timeout_s,
            ),
            form,
        )
        if watch.tells_of_initial_end:
            _, _, group, version, resource, _, reach = kind_of(request)
            times = self._list_times.labels(group, version, resource, reach)
            watch.on_replayed = partial(times.observe_since, request.received_s)
        if self._note is not None:
            self._note(request, watch)
        headers = request.http.headers
        if "upgrade" in headers and asks_for_websocket(headers):
            from quarterdeck.endpoints.handlers import watch_sockets  # with a library that few servers need

            return watch_sockets.answer(headers, watch, form.framing.content_type)
        return WatchStream(watch, form.framing.content_type)

    def _timeout_s(self, given_s: int | None) -> float:
        # A negative timeout has passed already; so has none at all where the minimum is 0.
        return float(given_s or self._min_request_timeout_s * (1 + random.random()))


def _is_list(output: Output) -> bool:
    return output.as_kind == negotiation.PARTIAL_METADATA_LIST


class _ListForm:
    """PartialObjectMetadataList: an object cannot be shown as a list, so that the first event ends the watch."""

    is_stored = False
    is_kept = False
    has_header = False

    def __init__(self, framing: Framing) -> None:
        self.framing = framing

    def encode(self, entry: Entry) -> bytes:
        raise EncodingError("the requested object is not a list")

    def encode_first(self, entry: Entry) -> bytes:
        return self.encode(entry)

    def encode_bookmark(self, revision: int, *, is_initial_end: bool, is_first: bool) -> bytes:
        raise EncodingError("the requested object is not a list")


_LISTS: Final[dict[str, Form]] = {
    negotiation.JSON: _ListForm(frames.JSON),
    negotiation.PROTOBUF: _ListForm(ProtobufFraming("", "")),
}


class WatchStream(Stream):
    """The transport's side of a watch."""

    __slots__ = ("_watch",)

    def __init__(self, watch: Watch, content_type: str) -> None:
        headers: Headers = [("Content-Type", content_type)]
        Stream.__init__(self, 200, headers)
        self._watch = watch

    def opened(self, writer: StreamWriter) -> None:
        self._watch.attach(writer)

    def resumed(self) -> None:
        self._watch.resumed()

    def closed(self) -> None:
        self._watch.closed()


class _EndedStream(Stream):
    """A watch that is over before it tells anything. Upstream chooses by chance between that and its first event."""

    __slots__ = ()

    def __init__(self, content_type: str) -> None:
        headers: Headers = [("Content-Type", content_type)]
        Stream.__init__(self, 200, headers)

    def opened(self, writer: StreamWriter) -> None:
        writer.end()
