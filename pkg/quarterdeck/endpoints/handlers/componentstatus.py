"""GET of the statuses of components: the other servers of a control plane are asked how they are.

Source: pkg/registry/core/componentstatus/rest.go, pkg/registry/core/rest/storage_core.go (serversToValidate).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import replace
from functools import cache
from typing import Final

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.handlers import common
from quarterdeck.endpoints.handlers.list import respond_listing
from quarterdeck.endpoints.list_options import parse_collection_options
from quarterdeck.endpoints.query import parse_query
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.endpoints.table.builtin import convertor_for
from quarterdeck.registry.builtin.reviews import COMPONENT_STATUSES, component_status_scope
from quarterdeck.registry.scope import Scope
from quarterdeck.storage.cacher import Entry, ListResult
from quarterdeck.storage.cacher.selection import select
from quarterdeck.transport.client.probe import probe
from quarterdeck.transport.messages import Response

_DEPRECATION: Final = "v1 ComponentStatus is deprecated in v1.19+"
_HOST: Final = "127.0.0.1"
_PORTS: Final = {"controller-manager": 10257, "scheduler": 10259}
# The store is in this process.
_STORE: Final = "etcd-0"
_NAMES: Final = (*_PORTS, _STORE)


class ComponentStatuses:
    """A plain handler: None where the address is another."""

    def __call__(self, request: RequestContext) -> Response | Awaitable[Response] | None:
        info = request.info
        address = info.address
        if (address.group, address.version, address.resource) != ("", "v1", COMPONENT_STATUSES.name):
            return None
        if address.namespace or address.subresource or address.path_verb:
            raise errors.NotFound.generic()
        if request.method != "GET":
            raise errors.MethodNotAllowed("the server does not allow this method on the requested resource", {})
        request.scope = scope = _scope()
        request.warnings.append(_DEPRECATION)
        request.annotations["k8s.io/deprecated"] = "true"
        return _get(request, info, scope) if address.name else _list(request, info, scope)


@cache
def _scope() -> Scope:
    return replace(component_status_scope(), table=lambda: convertor_for("", COMPONENT_STATUSES.kind))


async def _get(request: RequestContext, info: RequestInfo, scope: Scope) -> Response:
    output = common.negotiate_output(request, scope)
    name = info.address.name
    if name not in _NAMES:
        raise errors.NotFound.of("", COMPONENT_STATUSES.singular, name)
    return common.respond_entry(request, scope, output, 200, await _ask(name))


async def _list(request: RequestContext, info: RequestInfo, scope: Scope) -> Response:
    """Components have no labels."""
    output = common.negotiate_output(request, scope)
    query = parse_query(request.query)
    selection = parse_collection_options(query, info, scope).list.selection
    if info.verb == "watch":
        raise errors.MethodNotAllowed.of("", COMPONENT_STATUSES.name, info.verb)
    entries = await asyncio.gather(*(_ask(name) for name in _NAMES))
    return await respond_listing(scope, output, query, ListResult(select(entries, selection), 0))


async def _ask(name: str) -> Entry:
    is_healthy, message = True, "ok"
    if name != _STORE:
        is_healthy, message = await probe(_HOST, _PORTS[name], "/healthz")
    condition = {"type": "Healthy", "status": "True" if is_healthy else "False"}
    if message:
        condition["message"] = message
    status = {
        "apiVersion": "v1",
        "kind": COMPONENT_STATUSES.kind,
        "metadata": {"name": name},
        "conditions": [condition],
    }
    return Entry(name, "", json_codec.encode(status), 0, 0, {}, {})
