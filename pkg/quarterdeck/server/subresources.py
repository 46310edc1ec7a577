"""Wiring of what has handlers of its own: subresources, what is asked of pods, resources without a store."""

from __future__ import annotations

from collections.abc import Awaitable, Iterable
from typing import Final

from quarterdeck.admission.chain import Chain
from quarterdeck.apimachinery import errors
from quarterdeck.apis.resource import APIResource
from quarterdeck.authorization.authorizer import Authorizer
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.handlers.builtin_scale import BuiltinScaleHandler
from quarterdeck.endpoints.handlers.componentstatus import ComponentStatuses
from quarterdeck.endpoints.handlers.disruptionbudgets import DisruptionBudgets
from quarterdeck.endpoints.handlers.eviction import EvictionHandler
from quarterdeck.endpoints.handlers.podbinding import BindingHandler
from quarterdeck.endpoints.handlers.podconnect import StreamHandlers
from quarterdeck.endpoints.handlers.proxies import FindKnown, ProxyHandler
from quarterdeck.endpoints.handlers.reviews import Reviews
from quarterdeck.endpoints.handlers.scale import CustomScaleHandler, handle_get_scale
from quarterdeck.endpoints.proxy.connecting import Connecting
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.endpoints.router import Handler, VirtualHandler
from quarterdeck.registry.identity import LOOPBACK, Identity
from quarterdeck.registry.scope import Builtin, Scope
from quarterdeck.transport.messages import Response

_PARTS_OF_OBJECTS: Final = 2


def build_subresource_handlers(
    admission: Chain, authorizer: Authorizer, served: Builtin, connecting: Connecting, find_known: FindKnown
) -> dict[tuple[str, str], Handler]:
    """By subresource and verb."""
    pods, budgets = served["", "v1", "pods"], served["policy", "v1", "poddisruptionbudgets"]
    disruptions = DisruptionBudgets(Identity(admission, LOOPBACK), budgets[""], budgets["status"])
    handle_proxy = ProxyHandler(connecting, served["", "v1", "endpoints"][""], pods[""], find_known)
    streams = StreamHandlers(connecting, authorizer)
    return {
        **_build_scale_handlers(admission),
        ("binding", "create"): BindingHandler(admission, pods["binding"]),
        ("eviction", "create"): EvictionHandler(admission, pods["status"], disruptions),
        ("log", "get"): streams.log,
        **{(name, verb): streams.attach for name in ("attach", "exec") for verb in ("create", "get")},
        **{("portforward", verb): streams.forward_ports for verb in ("create", "get")},
        **{("proxy", verb): handle_proxy for verb in ("create", "delete", "get", "patch", "update")},
    }


def build_virtual(
    reviews: Reviews, admission: Chain, served: Builtin, unstored: Iterable[APIResource]
) -> VirtualHandler:
    """What has no store, of these."""
    known = {(each.group, each.version, each.name) for each in unstored}
    bindings, components = BindingHandler(admission, served["", "v1", "pods"]["binding"]), ComponentStatuses()

    def respond(request: RequestContext) -> Response | Awaitable[Response] | None:
        address = request.info.address
        if (address.group, address.version, address.resource) not in known:
            return None
        if len(address.parts) > _PARTS_OF_OBJECTS:  # also where those are empty
            raise errors.NotFound.generic()
        for handler in (reviews, bindings.create, components):
            response = handler(request)
            if response is not None:
                return response
        return None

    return respond


def _build_scale_handlers(admission: Chain) -> dict[tuple[str, str], Handler]:
    custom, of_builtin = CustomScaleHandler(admission), BuiltinScaleHandler(admission)

    def write(request: RequestContext, info: RequestInfo, scope: Scope) -> Awaitable[Response]:
        return custom(request, info, scope) if scope.is_custom else of_builtin(request, info, scope)

    return {("scale", "get"): handle_get_scale, ("scale", "update"): write, ("scale", "patch"): write}
