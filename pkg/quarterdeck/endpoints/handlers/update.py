"""PUT: an object replaced whole. Source: apiserver/pkg/endpoints/handlers/update.go."""

from __future__ import annotations

from functools import partial

from quarterdeck.admission.chain import Chain
from quarterdeck.apimachinery import meta
from quarterdeck.apimachinery.errors import BadRequest
from quarterdeck.authorization.authorizer import Authorizer
from quarterdeck.endpoints import body
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.handlers import common, untracked
from quarterdeck.endpoints.handlers.create import record_ownership
from quarterdeck.endpoints.handlers.creation import confirmation
from quarterdeck.endpoints.options import WriteOptions, parse_update_options
from quarterdeck.endpoints.query import parse_query
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.registry.errors import RequestTooLarge
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object, copy_object
from quarterdeck.registry.write_admission import WriteAdmission
from quarterdeck.registry.writes import Update, WriteResult
from quarterdeck.transport.messages import Response


class UpdateHandler:
    def __init__(self, admission: Chain, authorizer: Authorizer | None = None) -> None:
        self._admission = admission
        self._authorizer = authorizer

    async def __call__(self, request: RequestContext, info: RequestInfo, scope: Scope) -> Response:
        address = info.address
        if not address.name:
            raise BadRequest("name must be provided")
        output = common.negotiate_output(request, scope)
        body.check_size(request)
        options = parse_update_options(parse_query(request.query))
        is_large = common.is_large(request, scope)
        if is_large:
            obj = await body.decode_object_aside(request, scope, options.field_validation)
        else:
            obj = body.decode_object(request, scope, options.field_validation)
        metadata = meta.ensure_metadata(obj)
        common.set_namespace(metadata, scope, address.namespace)
        common.check_name(obj, address.name)
        if "ownerReferences" in metadata:
            await common.drop_repeated_owners(request, obj)

        admission = WriteAdmission(self._admission, scope, request.origin(options, dry_run=options.dry_run))
        context = admission.context(is_large=is_large)
        admission.confirm_create = confirmation(self._authorizer, request, info, scope)
        make = partial(_replace, request, scope, obj, options)
        transform = partial(admission.transform_made, make, context)
        uid = metadata.get("uid") or ""
        update = Update(transform, precondition_uid=uid)
        try:
            stored: WriteResult | None = await scope.store.update(
                scope, address.namespace, address.name, update, context
            )
        except RequestTooLarge:
            stored = None
        if stored is None:
            stored = await untracked.replace(scope, address, admission, obj, uid, is_large=context.is_large)
        status = 201 if stored.created else 200
        if common.takes_long(scope, output, stored.data):
            return await common.respond_later(request, scope, output, status, scope.entry_of(stored))
        return common.respond_stored(request, scope, output, status, stored)


def _replace(request: RequestContext, scope: Scope, obj: Object, options: WriteOptions, live: Object | None) -> Object:
    """The object that replaces the live one: a copy, since a write that meets a conflict is tried again."""
    new = copy_object(obj)
    record_ownership(request, scope, live, new, options)
    return new
