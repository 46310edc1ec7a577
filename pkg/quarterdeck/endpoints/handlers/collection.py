"""DELETE of a collection: every object that a list with the same selectors shows, many at once.

Source: apiserver/pkg/endpoints/handlers/delete.go (DeleteCollection), registry/generic/registry/store.go.
"""

from __future__ import annotations

from dataclasses import replace

from quarterdeck.admission.chain import Chain
from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.concurrency import for_each
from quarterdeck.endpoints import body, delete_options
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.handlers import common
from quarterdeck.endpoints.handlers.converted_lists import list_converted
from quarterdeck.endpoints.handlers.delete import registry_options, warn_of_orphans
from quarterdeck.endpoints.handlers.filling import check_deleted
from quarterdeck.endpoints.handlers.list import respond_listing
from quarterdeck.endpoints.list_options import parse_collection_options
from quarterdeck.endpoints.query import parse_query
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.registry.collection_admission import CollectionAdmission
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.showing import check_shown
from quarterdeck.storage.cacher import Entry, ListOptions, awaited_form
from quarterdeck.storage.cacher.options import EXACT
from quarterdeck.transport.messages import Response


class DeleteCollectionHandler:
    """The answer is the list of what was there when the deletion began."""

    def __init__(self, admission: Chain) -> None:
        self._admission = admission

    async def __call__(self, request: RequestContext, info: RequestInfo, scope: Scope) -> Response:
        output = common.negotiate_output(request, scope)
        body.check_size(request)
        query = parse_query(request.query)
        selected = _as_paged(parse_collection_options(query, info, scope).list)
        options = delete_options.read(request, query)
        await check_deleted(scope, selected)
        if awaited_form(scope.object_form) is not None:
            listing = await list_converted(scope, selected)  # an object that cannot be shown is not deleted
        else:
            listing = scope.store.cache.list_now(selected) or await scope.store.cache.list(selected)
            await check_shown(scope, listing.entries)
        origin = request.origin(options, dry_run=bool(options.dry_run))
        context = CollectionAdmission(self._admission, scope, origin).context()
        warn_of_orphans(request, scope, options)
        if listing.entries and scope.resource.namespaced and not info.address.namespace:
            raise errors.BadRequest("Namespace parameter required.")  # which the first deletion misses
        deletion = replace(registry_options(options), is_one_of_many=True)

        async def delete(entry: Entry) -> None:
            try:
                await scope.store.delete(scope, entry.namespace, entry.name, deletion, context)
            except errors.APIStatus as error:
                if not errors.is_not_found(error):  # else another request deleted it first
                    raise

        # Upstream deletes one by one and stops at the first failure; a precondition fits one object at most.
        has_preconditions = deletion.precondition_uid is not None or deletion.precondition_resource_version is not None
        await for_each(listing.entries, delete, at_once=1 if has_preconditions else scope.store.deletions_at_once)
        return await respond_listing(scope, output, query, listing)


def _as_paged(options: ListOptions) -> ListOptions:
    """Upstream reads a collection that is to go page by page (deleteCollectionPageSize), and pages show exactly the
    revision that was asked for, save where the key of one object is known. Here it is one list of the same revision."""
    if options.resource_version in ("", "0") or options.resource_version_match or options.continue_token:
        return options
    if options.is_single:
        return options._replace(limit=options.limit or 1)
    return options._replace(resource_version_match=EXACT)
