"""DELETE of one object. Source: apiserver/pkg/endpoints/handlers/delete.go (DeleteResource)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from quarterdeck.admission.chain import Chain
from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.endpoints import body, delete_options, negotiation, respond
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.delete_options import DeleteOptions
from quarterdeck.endpoints.handlers import common
from quarterdeck.endpoints.negotiation import Output
from quarterdeck.endpoints.query import first, parse_query
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.endpoints.table import columns
from quarterdeck.registry.deletion import NOTHING, Options
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.write_admission import DeletionAdmission
from quarterdeck.storage.cacher import Entry, StoredForm
from quarterdeck.transport.messages import Response

_UNSAFE: Final = "apiserver.k8s.io/unsafe-delete-ignore-read-error"


class DeleteHandler:
    def __init__(self, admission: Chain) -> None:
        self._admission = admission

    async def __call__(self, request: RequestContext, info: RequestInfo, scope: Scope) -> Response:
        address = info.address
        output = common.negotiate_output(request, scope)
        body.check_size(request)
        options = delete_options.read(request, parse_query(request.query))
        if scope.undeletable is not None:
            _check_deletable(scope, scope.undeletable, address.name)
        if options.ignores_read_errors:
            request.annotations[_UNSAFE] = ""
        origin = request.origin(options, dry_run=bool(options.dry_run))
        context = DeletionAdmission(self._admission, scope, origin).context()
        warn_of_orphans(request, scope, options)
        stored = await scope.store.delete(scope, address.namespace, address.name, registry_options(options), context)
        if stored.data == NOTHING:
            return _respond_nothing(request, scope, output)
        if stored.data:
            # 202 tells a client that asked for cascading deletion that it goes on.
            waits = not stored.deleted and options.orphan_dependents is False
            status = 202 if waits else 200
            if common.takes_long(scope, output, stored.data):
                return await common.respond_later(request, scope, output, status, scope.entry_of(stored))
            return common.respond_stored(request, scope, output, status, stored)
        if output.as_kind == negotiation.TABLE:  # a Status is none, but how it should be shown is read all the same
            columns.parse_include_object(first(parse_query(request.query), "includeObject"))
        success = common.status_success(scope, address.name, stored.uid)
        if request.audit is not None:
            request.audit.log_status(success)
        return respond.value_response(200, success, output)


def _check_deletable(scope: Scope, undeletable: Mapping[str, str], name: str) -> None:
    """Before the object is looked at. As upstream, a deletion of many deletes such objects too."""
    if name in undeletable:
        raise errors.Forbidden.of(scope.resource.group, scope.resource.name, name, undeletable[name])


def _respond_nothing(request: RequestContext, scope: Scope, output: Output) -> Response:
    """An object of the scope's kind and version of which nothing is said; nobody stored or converted it."""
    resource, form = scope.resource, scope.object_form
    if isinstance(form, StoredForm):
        data = form.encode_empty()
    else:
        data = json_codec.encode({"apiVersion": resource.api_version, "kind": resource.kind})
    shown = replace(scope, object_form=StoredForm(resource.api_version, resource.kind), shown_form=None)
    return common.respond_entry(request, shown, output, 200, Entry("", "", data, 0, 0))


def warn_of_orphans(request: RequestContext, scope: Scope, options: DeleteOptions) -> None:
    if scope.orphan_warning and options.propagation_policy is None and options.orphan_dependents is None:
        request.warnings.append(scope.orphan_warning)


def registry_options(options: DeleteOptions) -> Options:
    return Options(
        propagation_policy=options.propagation_policy or "",
        orphan_dependents=options.orphan_dependents,
        grace_period_s=options.grace_period_s,
        precondition_uid=options.precondition_uid,
        precondition_resource_version=options.precondition_resource_version,
        ignores_read_errors=options.ignores_read_errors,
    )
