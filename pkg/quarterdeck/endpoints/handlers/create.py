"""POST: a new object. Source: apiserver/pkg/endpoints/handlers/create.go."""

from __future__ import annotations

from collections.abc import Awaitable
from functools import partial
from typing import Final

from quarterdeck.admission.chain import Chain
from quarterdeck.apimachinery import errors, meta, offload
from quarterdeck.apimachinery.codec import body as codec
from quarterdeck.endpoints import body
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.handlers import common
from quarterdeck.endpoints.options import WriteOptions, parse_create_options
from quarterdeck.endpoints.query import parse_query
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.registry import owners
from quarterdeck.registry.awaited import settle
from quarterdeck.registry.builtin.codec import BuiltinCodec
from quarterdeck.registry.errors import RequestTooLarge
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.store import GENERATE_NAME_TRIES_MAX
from quarterdeck.registry.strategy import Object
from quarterdeck.registry.write_admission import WriteAdmission
from quarterdeck.registry.writes import WriteResult
from quarterdeck.transport.messages import Response

# What the server alone sets (upstream: rest.WipeObjectMetaSystemFields).
_SYSTEM_MEMBERS: Final = (
    "creationTimestamp",
    "uid",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "selfLink",
)


def read_create_options(request: RequestContext) -> WriteOptions:
    """The options of a create, checked before the body is read, in upstream's order. Raises UnsupportedMediaType,
    RequestEntityTooLarge, BadRequest, Invalid."""
    codec.media_type_of(request.headers.get("content-type", ""))
    body.check_size(request)
    return parse_create_options(parse_query(request.query))


def drop_system_members(metadata: Object) -> None:
    """Of what is posted: nobody owns what is not kept, and no plugin sees it."""
    for member in _SYSTEM_MEMBERS:
        metadata.pop(member, None)


class CreateHandler:
    def __init__(self, admission: Chain) -> None:
        self._admission = admission

    async def __call__(self, request: RequestContext, info: RequestInfo, scope: Scope) -> Response:
        output = common.negotiate_output(request, scope)
        options = read_create_options(request)
        is_large = common.is_large(request, scope)
        if is_large:
            obj = await body.decode_object_aside(request, scope, options.field_validation)
        else:
            obj = body.decode_object(request, scope, options.field_validation)
        metadata = meta.ensure_metadata(obj)
        common.set_namespace(metadata, scope, info.address.namespace)
        if scope.codec.waits:
            admission = await settle(partial(self._prepare, request, scope, obj, options))
        elif is_large:
            admission = await offload.run(self._prepare, request, scope, obj, options)
        else:
            admission = self._prepare(request, scope, obj, options)
        waiting = admission.mutate(obj, None)
        if waiting is not None:
            await waiting
        metadata = obj["metadata"]
        common.set_namespace(metadata, scope, info.address.namespace)  # which a plugin may have changed
        stored: WriteResult | None = None
        try:
            stored = await _create(scope, obj, admission, is_large=is_large)
        except RequestTooLarge:
            metadata.pop("managedFields", None)  # which can be large
        if stored is None:
            stored = await _create(scope, obj, admission, is_large=is_large)
        if common.takes_long(scope, output, stored.data):
            return await common.respond_later(request, scope, output, 201, scope.entry_of(stored))
        return common.respond_stored(request, scope, output, 201, stored)

    def _prepare(self, request: RequestContext, scope: Scope, obj: Object, options: WriteOptions) -> WriteAdmission:
        metadata: Object = obj["metadata"]
        if "ownerReferences" in metadata:
            owners.drop_repeated(obj, request.warnings, is_admitted=False)
        drop_system_members(metadata)
        record_ownership(request, scope, None, obj, options)
        return WriteAdmission(self._admission, scope, request.origin(options, dry_run=options.dry_run))


def _create(scope: Scope, obj: Object, admission: WriteAdmission, *, is_large: bool) -> Awaitable[WriteResult]:
    metadata = obj["metadata"]
    if metadata.get("name") or not metadata.get("generateName"):
        return scope.store.create(scope, obj, admission.context(is_large=is_large))
    return _create_generated(scope, obj, admission, is_large=is_large)


async def _create_generated(scope: Scope, obj: Object, admission: WriteAdmission, *, is_large: bool) -> WriteResult:
    """Under a name that nobody has. Mutating admission has seen none."""
    metadata = obj["metadata"]
    prefix = metadata["generateName"]
    for attempt in range(GENERATE_NAME_TRIES_MAX):
        name = meta.generate_name(prefix) if scope.strategy.generates_names else prefix
        candidate = {**obj, "metadata": {**metadata, "name": name}}
        try:
            return await scope.store.create(scope, candidate, admission.context(is_large=is_large))
        except errors.AlreadyExists:
            if attempt == GENERATE_NAME_TRIES_MAX - 1:
                raise
    raise AssertionError("unreachable: the last attempt returns or raises")


def record_ownership(
    request: RequestContext, scope: Scope, live: Object | None, obj: Object, options: WriteOptions
) -> None:
    """Record in managedFields what this writer sets. An object of another kind, or of a version that its kind does not
    have, is not tracked."""
    is_of_kind = obj.get("kind") == scope.resource.kind and scope.is_convertible(obj)
    if not is_of_kind or (scope.ownership is None and not obj["metadata"].get("managedFields")):
        obj["metadata"].pop("managedFields", None)
    elif scope.ownership is not None:
        if live is not None and isinstance(codec := scope.codec, BuiltinCodec):
            live = codec.as_compared(live, obj)
        scope.own(live, obj, common.manager_of(options.field_manager, request.headers.get("user-agent", "")))
