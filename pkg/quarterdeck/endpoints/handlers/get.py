"""GET of one object: the bytes that the watch cache holds. Source: apiserver/pkg/endpoints/handlers/get.go."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from quarterdeck.apimachinery import errors
from quarterdeck.endpoints import negotiation, respond
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.freshread import FreshRead
from quarterdeck.endpoints.handlers import common
from quarterdeck.endpoints.handlers.filling import keeps_unfilled
from quarterdeck.endpoints.negotiation import Output
from quarterdeck.endpoints.query import Query, first, parse_query
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.registry import keynames
from quarterdeck.registry.errors import interpret_silence
from quarterdeck.registry.scope import Scope
from quarterdeck.storage.cacher import EncodingError, Entry, ListOptions, build_selection, encode
from quarterdeck.storage.cacher.options import EXACT, parse_revision
from quarterdeck.storage.interface import Told
from quarterdeck.transport.messages import Response


def handle_get(request: RequestContext, info: RequestInfo, scope: Scope) -> Response | Awaitable[Response]:
    address = info.address
    output = common.negotiate_output(request, scope)
    is_consistent = scope.store.lags
    is_from_cache = False
    if request.query:
        query = parse_query(request.query)
        check_export(query)
        text = first(query, "resourceVersion")
        revision = requested_revision(text, scope)
        if revision and first(query, "resourceVersionMatch") == EXACT:
            return _get_at(request, info, scope, revision)
        if revision > scope.store.cache.revision:
            return _get_when_fresh(request, info, scope, revision)
        is_consistent = is_consistent and not text
        is_from_cache = bool(text)
    if is_consistent:
        tell = scope.store.cache.shared.tell_revision
        if tell is not None:
            return _FreshGet(tell, request, info, scope, output)
        return _get_when_fresh(request, info, scope, None)
    entry = scope.store.get(address.namespace, address.name)
    if common.takes_long(scope, output, entry.data):
        later = common.respond_later(request, scope, output, 200, entry)
        return _unless_stuck(later, scope, entry) if scope.codec.waits and is_from_cache else later
    if output is negotiation.PLAIN_JSON:
        return respond.json_response(200, encode(entry, scope.object_form))
    return common.respond_transformed(request, scope, output, 200, entry)


def check_export(query: Query) -> None:
    """Raises BadRequest where an object is asked for without what the server set. Only "0" and "false" do not ask."""
    values = query.get("export")
    if values is not None and values[0].lower() not in ("0", "false"):
        raise errors.BadRequest("the export parameter, deprecated since v1.14, is no longer supported")


def requested_revision(text: str, scope: Scope) -> int:
    """Upstream answers a malformed one with 500, but where it has no cache to ask."""
    try:
        return parse_revision(text)
    except ValueError as error:
        if scope.store.cache.is_uncached:
            raise errors.BadRequest(f"invalid resource version: {error}") from error
        raise errors.Unreasoned(str(error)) from error


async def _unless_stuck(shown: Awaitable[Response], scope: Scope, entry: Entry) -> Response:
    """An object that cannot be converted is not in the cache that upstream asks where a resourceVersion is given."""
    try:
        return await shown
    except EncodingError as error:
        if keeps_unfilled(scope, entry):
            raise
        raise errors.NotFound.of(scope.store.group, scope.store.resource, entry.name) from error


async def _get_at(request: RequestContext, info: RequestInfo, scope: Scope, revision: int) -> Response:
    """Differs from upstream: it does not look at resourceVersionMatch here. What that is for a list it is for one
    object too."""
    address, store = info.address, scope.store
    store.key(address.namespace, address.name)  # refuses names that are no names
    namespace = address.namespace if store.namespaced else ""
    keynames.check_namespace(store.shown_prefix, namespace, address.name)
    selection = build_selection(namespace, address.name)
    options = ListOptions(namespace, selection, resource_version=str(revision), resource_version_match=EXACT)
    found = (await store.cache.list(options)).entries
    if not found:
        raise errors.NotFound.of(store.group, store.resource, address.name)
    output = common.negotiate_output(request, scope)
    if common.takes_long(scope, output, found[0].data):
        return await common.respond_later(request, scope, output, 200, found[0])
    return common.respond_entry(request, scope, output, 200, found[0])


class _FreshGet(FreshRead):
    __slots__ = ("_info", "_output", "_request", "_scope")

    def __init__(
        self, tell: Callable[[Told], None], request: RequestContext, info: RequestInfo, scope: Scope, output: Output
    ) -> None:
        super().__init__(tell)
        self._request = request
        self._info = info
        self._scope = scope
        self._output = output

    def show(self, revision: int) -> Response | None:
        scope, address = self._scope, self._info.address
        store = scope.store
        if revision > store.cache.shared.revision:
            return None
        entry = store.get(address.namespace, address.name)
        if common.takes_long(scope, self._output, entry.data):
            return None
        return common.respond_entry(self._request, scope, self._output, 200, entry)

    def wait(self, revision: int) -> Awaitable[Response]:
        return _get_when_fresh(self._request, self._info, self._scope, None, revision)

    def refuse(self, error: BaseException) -> Exception:
        store = self._scope.store
        return interpret_silence(error, store.group, store.resource, self._info.address.name)


async def _get_when_fresh(
    request: RequestContext, info: RequestInfo, scope: Scope, revision: int | None, told: int = 0
) -> Response:
    """The client has seen a newer state than this server: wait for it, or say so. None: as new as the store is, which
    may have told its revision."""
    entry = await scope.store.get_fresh(info.address.namespace, info.address.name, revision, told)
    output = common.negotiate_output(request, scope)
    if common.takes_long(scope, output, entry.data):
        return await common.respond_later(request, scope, output, 200, entry)
    return common.respond_entry(request, scope, output, 200, entry)
