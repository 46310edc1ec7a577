"""DELETE of one object. Source: apiserver/pkg/endpoints/handlers/delete.go (DeleteResource)."""

from __future__ import annotations

from collections.abc import Awaitable

from quarterdeck.admission.chain import DELETE, Attributes, Chain
from quarterdeck.endpoints import body, delete_options, respond
from quarterdeck.endpoints.delete_options import DeleteOptions
from quarterdeck.endpoints.handlers import common
from quarterdeck.endpoints.query import parse_query
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.registry.deletion import Options
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object
from quarterdeck.registry.writes import WriteContext
from quarterdeck.transport.messages import Request, Response


class DeleteHandler:
    def __init__(self, admission: Chain) -> None:
        self._admission = admission

    async def __call__(self, request: Request, info: RequestInfo, scope: Scope) -> Response:
        address = info.address
        output = common.negotiate_output(request, scope)
        body.check_size(request)
        options = delete_options.read(request, parse_query(request.query))
        context = deletion_context(self._admission, request, scope, dry_run=bool(options.dry_run))
        stored = await scope.store.delete(scope, address.namespace, address.name, registry_options(options), context)
        if stored.data and (not stored.deleted or scope.store.returns_deleted):
            # 202 tells a client that asked for cascading deletion that it goes on.
            waits = not stored.deleted and options.orphan_dependents is False
            return common.respond_stored(request, scope, output, 202 if waits else 200, stored)
        success = common.status_success(scope, address.name, stored.uid)
        return respond.value_response(200, success, output)


def registry_options(options: DeleteOptions) -> Options:
    return Options(
        propagation_policy=options.propagation_policy or "",
        orphan_dependents=options.orphan_dependents,
        grace_period_s=options.grace_period_s,
        precondition_uid=options.precondition_uid,
        precondition_resource_version=options.precondition_resource_version,
        ignores_read_errors=options.ignores_read_errors,
    )


def deletion_context(admission: Chain, request: Request, scope: Scope, *, dry_run: bool) -> WriteContext:
    """Admission of a deletion: both passes see the object that is to go."""

    def admit(obj: Object, _old: Object | None) -> Awaitable[None] | None:
        attributes = common.attributes_of(request, scope, DELETE, None, obj, dry_run=dry_run)
        attributes.name = obj["metadata"]["name"]
        attributes.namespace = obj["metadata"].get("namespace", "")
        waiting = admission.admit(attributes)
        return admission.validate(attributes) if waiting is None else _validate_after(waiting, admission, attributes)

    return WriteContext(dry_run, request.warnings, admit)


async def _validate_after(waiting: Awaitable[None], admission: Chain, attributes: Attributes) -> None:
    await waiting
    again = admission.validate(attributes)
    if again is not None:
        await again
