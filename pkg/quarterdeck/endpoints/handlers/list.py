"""LIST: the bytes that the watch cache holds, joined. Source: apiserver/pkg/endpoints/handlers/get.go (ListResource).

A large list is put together while it is sent, so that many slow readers of it cost references and not copies.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Final

from quarterdeck._kernels import listparts
from quarterdeck.apimachinery import clock, errors, offload
from quarterdeck.apimachinery.codec import json as codec
from quarterdeck.endpoints import negotiation, respond
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.freshread import FreshRead
from quarterdeck.endpoints.handlers import common
from quarterdeck.endpoints.handlers.converted_lists import list_converted
from quarterdeck.endpoints.handlers.filling import check_list, is_from_cache, is_unfilled
from quarterdeck.endpoints.handlers.forms import MetadataForm, TableForm, form_of
from quarterdeck.endpoints.handlers.protobuf_forms import ProtobufForm
from quarterdeck.endpoints.list_options import parse_collection_options
from quarterdeck.endpoints.negotiation import Output
from quarterdeck.endpoints.query import Query, parse_query
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.registry.scope import Scope
from quarterdeck.storage import interface
from quarterdeck.storage.cacher import (
    EncodingError,
    Entry,
    KeptList,
    ListOptions,
    ListResult,
    awaited_form,
    encode,
    prepare,
    refusals,
    waits_for_newest,
)
from quarterdeck.transport.messages import LazyBody, Response

# A list of more bytes than this is joined in pieces of that size while it is sent.
PIECE_BYTES: Final = 256 * 1024
# Objects that have to be encoded first are encoded so many bytes at a time, of which each object counts some more; then
# other requests have their turn.
_STEP_BYTES: Final = 128 * 1024
_ENTRY_COST_BYTES: Final = 512


def handle_list(request: RequestContext, info: RequestInfo, scope: Scope) -> Response | Awaitable[Response]:
    output = common.negotiate_output(request, scope)
    query = parse_query(request.query)
    options = parse_collection_options(query, info, scope).list
    if is_unfilled(scope) and (is_from_cache(options) or not scope.codec.waits):
        return _list_when_filled(scope, output, query, options)
    if awaited_form(scope.object_form) is not None:
        return _list_later(scope, output, query, list_converted(scope, options))
    cache = scope.store.cache
    tell = cache.shared.tell_revision
    if tell is not None and waits_for_newest(cache, options):
        return _FreshList(tell, scope, output, query, options)
    listing = cache.list_now(options)
    if listing is None:
        return _list_later(scope, output, query, cache.list(options))
    return _respond_if_short(scope, output, listing) or respond_listing(scope, output, query, listing)


class _FreshList(FreshRead):
    """What is short and stored as it is shown is answered by the call that tells the revision. `_listing`: what was
    listed then of what takes longer to show."""

    __slots__ = ("_listing", "_options", "_output", "_query", "_scope")

    def __init__(
        self, tell: Callable[[interface.Told], None], scope: Scope, output: Output, query: Query, options: ListOptions
    ) -> None:
        super().__init__(tell)
        self._scope = scope
        self._output = output
        self._query = query
        self._options = options
        self._listing: ListResult | None = None

    def show(self, revision: int) -> Response | None:
        scope = self._scope
        self._listing = listing = scope.store.cache.list_now(self._options, revision)
        return None if listing is None else _respond_if_short(scope, self._output, listing)

    def wait(self, revision: int) -> Awaitable[Response]:
        scope, listing = self._scope, self._listing
        if listing is not None:
            return respond_listing(scope, self._output, self._query, listing)
        return _list_later(scope, self._output, self._query, scope.store.cache.list(self._options, revision))

    def refuse(self, error: BaseException) -> Exception:
        if isinstance(error, Exception) and not isinstance(error, interface.Unavailable):
            return error
        return refusals.unavailable()


async def _list_when_filled(scope: Scope, output: Output, query: Query, options: ListOptions) -> Response:
    await check_list(scope, options)
    if awaited_form(scope.object_form) is not None:
        return await _list_later(scope, output, query, list_converted(scope, options))
    return await _list_later(scope, output, query, scope.store.cache.list(options))


async def _list_later(scope: Scope, output: Output, query: Query, pending: Awaitable[ListResult]) -> Response:
    try:
        listing = await pending
    except EncodingError as error:
        raise errors.Unreasoned(str(error)) from error
    return await respond_listing(scope, output, query, listing)


async def respond_listing(scope: Scope, output: Output, query: Query, listing: ListResult) -> Response:
    """What was listed, as it was negotiated."""
    if _is_plain(scope, output):
        kept = _kept(listing)
        if not _gather_if_short(kept):
            await kept.gather()
        return _respond_stored(scope, listing, kept)
    response = await _respond_encoded(scope, output, query, listing)
    if output.pretty and output.media_type == negotiation.JSON:
        response.body = respond.indent(response.body)
    return response


def _is_plain(scope: Scope, output: Output) -> bool:
    is_json = output.media_type == negotiation.JSON and not output.as_kind and not output.pretty
    return is_json and scope.object_form.is_stored


def _kept(listing: ListResult) -> KeptList:
    return listing.kept or KeptList(listing.entries)


def _respond_if_short(scope: Scope, output: Output, listing: ListResult) -> Response | None:
    """What is stored as it is shown, and not long; `respond_listing` shows everything."""
    if not _is_plain(scope, output):
        return None
    kept = _kept(listing)
    return _respond_stored(scope, listing, kept) if _gather_if_short(kept) else None


def _gather_if_short(kept: KeptList) -> bool:
    """Whether the bytes are there, then: those of many objects have to be awaited."""
    if not kept.is_gathered and kept.fits_a_step:
        kept.gather_now()
    return kept.is_gathered


def _respond_stored(scope: Scope, listing: ListResult, kept: KeptList) -> Response:
    return _respond_parts(scope, listing, kept.data, kept.data_bytes)


async def _respond_encoded(scope: Scope, output: Output, query: Query, listing: ListResult) -> Response:
    form = form_of(scope, output, query)
    try:
        await prepare(form, listing.entries)
    except EncodingError as error:
        raise errors.Unreasoned(str(error)) from error
    if output.as_kind == negotiation.PARTIAL_METADATA:
        raise errors.NotAcceptable(
            f"you requested PartialObjectMetadata, but the requested object is a list ({_go_type(scope)})"
        )
    if isinstance(form, TableForm):
        now_s = clock.wall_s()
        entries = form.in_order(listing.entries)
        rows = await _encode_all(entries, lambda entry: form.encode_row(encode(entry, form.base), now_s))
        body = form.build_list(_list_metadata(listing), rows)
    elif isinstance(form, ProtobufForm):
        messages = await _encode_all(listing.entries, lambda entry: encode(entry, form))
        return form.respond_list(_list_metadata(listing), messages, PIECE_BYTES)
    elif isinstance(form, MetadataForm):
        items = await _encode_all(listing.entries, form.encode)
        body = b'{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/%b","metadata":%b,"items":%b}\n' % (
            output.meta_version.encode(),
            codec.encode(_list_metadata(listing)),
            b"[%b]" % b",".join(items) if items else b"null",
        )
    else:
        parts = await _encode_all(listing.entries, lambda e: encode(e, form))
        response = _respond_parts(scope, listing, parts, listparts.add_sizes(parts))
        if output.media_type != negotiation.YAML:
            return response
        body = response.body if isinstance(response.body, bytes) else b"".join(response.body)
    return await _in_media_type(output, body)


async def _encode_all(entries: list[Entry], encode_one: Callable[[Entry], bytes]) -> list[bytes]:
    """Raises Unreasoned where one of them cannot be converted, as upstream fails the whole list."""
    parts: list[bytes] = []
    try:
        cost = 0
        for entry in entries:
            size = len(entry.data)
            if size > offload.LARGE_BYTES:
                parts.append(await offload.run(encode_one, entry))
                continue
            cost += size + _ENTRY_COST_BYTES
            if cost > _STEP_BYTES:
                await asyncio.sleep(0)
                cost = size
            parts.append(encode_one(entry))
    except EncodingError as error:
        raise errors.Unreasoned(str(error)) from error
    return parts


async def _in_media_type(output: Output, body: bytes) -> Response:
    if output.media_type != negotiation.YAML:
        return respond.json_response(200, body)
    return await offload.run(_to_yaml, body) if len(body) > offload.LARGE_BYTES else _to_yaml(body)


def _to_yaml(data: bytes) -> Response:
    return respond.yaml_response(200, codec.load(data))


# - the envelope


def _respond_parts(scope: Scope, listing: ListResult, parts: list[bytes], parts_bytes: int) -> Response:
    """`parts`: the objects in the scope's version. Items of built-in lists carry no kind and apiVersion."""
    resource = scope.resource
    metadata = _list_metadata(listing)
    cut = 0
    if scope.is_custom:
        names = (b'{"apiVersion":"%b","items":[', b'],"kind":"%b","metadata":%b}\n')
        head = names[0] % resource.api_version.encode()
        # Unstructured lists always have a continue.
        shown = {"continue": "", **metadata}
        tail = names[1] % (resource.list_kind.encode(), codec.encode(shown))
    else:
        head = b'{"kind":"%b","apiVersion":"%b","metadata":%b,"items":[' % (
            resource.list_kind.encode(),
            resource.api_version.encode(),
            codec.encode(metadata),
        )
        tail = b"]}\n"
        cut = len(b'{"apiVersion":"%b","kind":"%b",' % (resource.api_version.encode(), resource.kind.encode()))
    size = len(head) + len(tail) + parts_bytes + max(len(parts) - 1, 0) - max(cut - 1, 0) * len(parts)
    if size <= PIECE_BYTES:
        return respond.json_response(200, b"".join(_join_pieces(head, parts, parts_bytes, cut, tail)))
    body = LazyBody(size, lambda: _join_pieces(head, parts, parts_bytes, cut, tail))
    return Response(200, [("Content-Type", negotiation.JSON)], body, compressible=True)


def _join_pieces(head: bytes, parts: list[bytes], parts_bytes: int, cut: int, tail: bytes) -> Iterator[bytes]:
    if not parts:
        yield head + tail
        return
    # As many objects a piece as make about PIECE_BYTES, going by the average.
    count = PIECE_BYTES * len(parts) // (parts_bytes + 1)
    if not count:  # large ones: to join them would be to copy them
        for position, part in enumerate(parts):
            yield b"," if position else head
            yield b"{" + part[cut:] if cut else part
        yield tail
        return
    for begin in range(0, len(parts), count):
        # Nothing but the parts is held while the piece waits for its client.
        end = begin + count
        yield listparts.join_parts(parts, begin, end, cut, b"," if begin else head, tail if end >= len(parts) else b"")


def _list_metadata(listing: ListResult) -> dict[str, object]:
    metadata: dict[str, object] = {"resourceVersion": str(listing.revision)} if listing.revision else {}
    if listing.continue_token:
        metadata["continue"] = listing.continue_token
    if listing.remaining is not None:
        metadata["remainingItemCount"] = listing.remaining
    return metadata


def _go_type(scope: Scope) -> str:
    """How Go prints the type of the resource's list."""
    return "*unstructured.UnstructuredList" if scope.is_custom else common.go_type(scope, scope.resource.list_kind)
