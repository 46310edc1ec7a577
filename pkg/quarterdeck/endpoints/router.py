"""Finds who answers a request: a resource's handler, or one of the plain paths.

The rules of addresses are upstream's and differ between custom and built-in resources: an address that no custom
resource has is plain text 404, a built-in group answers with a Status. Sources: apiextensions-apiserver
pkg/apiserver/customresource_handler.go (ServeHTTP), go-restful as kube-apiserver configures it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Final, Protocol

from quarterdeck.apimachinery import errors
from quarterdeck.endpoints import body, respond
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.request_info import RequestInfo, decode
from quarterdeck.registry.scope import Scope
from quarterdeck.transport.messages import Request, Response

Handler = Callable[[RequestContext, RequestInfo, Scope], Response | Awaitable[Response]]
VirtualHandler = Callable[[RequestContext], Response | Awaitable[Response] | None]
PlainHandler = Callable[[Request], Response | Awaitable[Response] | None]
Scopes = Mapping[str, Scope]  # by subresource; "" is the resource itself

_SUBRESOURCE_VERBS: Final = frozenset(("get", "update", "patch"))
# Below these a path that is not served is a Status, elsewhere a page (roots of go-restful's web services).
_TREES: Final = ("/api/", "/version/", "/.well-known/openid-configuration/", "/openid/v1/jwks/")
_PROXY: Final = "proxy"  # the one place of built-in resources that is asked for a head
_PARTS_OF_OBJECTS: Final = 2
_PARTS_OF_SUBRESOURCES: Final = 3
_ACROSS_NAMESPACES: Final = frozenset(("list", "watch"))


class Resources(Protocol):
    """What is served right now. Both answers are snapshots that stay valid for the request."""

    def find(self, group: str, version: str, resource: str) -> Scopes | None: ...

    def is_builtin_group(self, group: str) -> bool: ...


_VERBS_OF_METHODS: Final = {"GET": "get", "POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}


class Router:
    """`handlers` by verb; `subresources` by (subresource, verb) where they have handlers of their own.
    `elsewhere` is asked first, as long as there is one: it answers for what other servers serve.
    For addresses that are no stored resource's `virtual` is asked, which knows resources that are not stored, then
    `plain` in order."""

    def __init__(
        self,
        resources: Resources,
        handlers: Mapping[str, Handler],
        subresources: Mapping[tuple[str, str], Handler],
        virtual: VirtualHandler,
        plain: list[PlainHandler],
    ) -> None:
        self._resources = resources
        self._handlers = handlers
        self._subresources = subresources
        self._virtual = virtual
        self._plain = plain
        self.elsewhere: VirtualHandler | None = None

    def route(self, request: RequestContext, info: RequestInfo) -> Response | Awaitable[Response]:
        address = info.address
        if address.is_nowhere:
            return respond.not_found_page()
        if self.elsewhere is not None:
            response = self.elsewhere(request)
            if response is not None:
                return response
        if address.is_resource:
            scopes = self._resources.find(address.group, address.version, address.resource)
            if scopes is not None and (info.verb != _PROXY or scopes[""].is_custom):
                return self._route_resource(request, info, scopes)
            response = self._virtual(request) if info.verb != _PROXY else None
            if response is not None:
                return response
        http = request.http if "%" not in request.path else _decoded(request.http)
        for handler in self._plain:
            response = handler(http)
            if response is not None:
                return response
        return self._not_served(info)

    def _not_served(self, info: RequestInfo) -> Response:
        path = decode(info.path) if info.address.is_resource else info.path
        if path.startswith(_TREES) or (path.startswith("/apis/") and self._resources.is_builtin_group(_group_of(path))):
            raise errors.NotFound.generic()
        return respond.not_found_page()

    def _route_resource(
        self, request: RequestContext, info: RequestInfo, scopes: Scopes
    ) -> Response | Awaitable[Response]:
        address = info.address
        if not scopes[""].is_custom and len(address.parts) > _PARTS_OF_OBJECTS and _has_no_route(info):
            raise errors.NotFound.generic()
        scope = scopes.get(address.subresource)
        resource = scopes[""].resource
        if not _fits_scope(info, resource.namespaced, is_custom=scopes[""].is_custom):
            if not scopes[""].is_custom and resource.namespaced and scope is not None:
                self._refuse_across_namespaces(request, info, scope)
            return self._not_served(info)
        if scopes[""].is_custom:
            _warn_of_deprecation(request, scopes[""])
        if scope is None:
            if not scopes[""].is_custom:
                raise errors.NotFound.generic()
            raise errors.NotFound.of(resource.group, resource.name, address.name)
        request.scope = scope
        verb = info.verb
        if address.subresource and not (address.name or scope.is_custom):
            _require_name(scope, request.method)
        if address.subresource == _PROXY and request.method == "OPTIONS" and not scope.is_custom:
            return self._subresources[_PROXY, "get"](request, info, scope)  # it is the other server's to answer
        if not scope.is_custom and (
            (request.method == "HEAD" and address.subresource != _PROXY)
            or (address.is_watch_path and request.method != "GET")
        ):
            self._refuse_method(request, scope, verb)
        if address.subresource:
            handler = self._subresources.get((address.subresource, verb)) or (
                self._handlers.get(verb) if verb in _SUBRESOURCE_VERBS else None
            )
        else:
            handler = self._handlers.get(verb)
        if handler is None or (not scope.is_custom and not _allowed(scope, info)):
            self._refuse_method(request, scope, verb)
        assert handler is not None
        if not scope.is_custom:
            _warn_of_deprecation(request, scopes[""])
        if request.body and body.takes_long(request):
            return self._read_and_handle(handler, request, info, scope)
        return handler(request, info, scope)

    async def _read_and_handle(
        self, handler: Handler, request: RequestContext, info: RequestInfo, scope: Scope
    ) -> Response:
        await body.read_ahead(request)
        try:
            answer = handler(request, info, scope)
            return answer if isinstance(answer, Response) else await answer
        finally:
            request.decoded = None  # the connection keeps its last request

    def _refuse_across_namespaces(self, request: RequestContext, info: RequestInfo, scope: Scope) -> None:
        """At the list of a namespaced resource of upstream's own across namespaces only the method is wrong."""
        if not info.address.is_watch_path and not info.address.name:
            self._refuse_method(request, scope, info.verb)

    @staticmethod
    def _refuse_method(request: RequestContext, scope: Scope, verb: str) -> None:
        request.scope = None  # as upstream, no metric tells of the resource
        if scope.is_custom:
            raise errors.MethodNotAllowed.of(scope.resource.group, scope.resource.name, verb)
        raise errors.MethodNotAllowed("the server does not allow this method on the requested resource", {})


def _allowed(scope: Scope, info: RequestInfo) -> bool:
    """Built-in resources have only the verbs that discovery names, and no POST to an object's address."""
    if info.verb == "create" and info.address.name and not scope.subresource:
        return False
    if info.verb in ("update", "patch") and not info.address.name:
        return False
    if not scope.subresource:
        return info.verb in scope.resource.verbs
    declared = (entry for entry in scope.resource.subresources if entry.name == scope.subresource)
    return all(info.verb in entry.verbs for entry in declared)


def _require_name(scope: Scope, method: str) -> None:
    """A subresource of a built-in object without a name is routed by the method alone. Raises BadRequest."""
    verb = _VERBS_OF_METHODS.get(method, "get" if scope.subresource == _PROXY else "")
    if any(verb in entry.verbs for entry in scope.resource.subresources if entry.name == scope.subresource):
        raise errors.BadRequest("name must be provided")


def _warn_of_deprecation(request: RequestContext, scope: Scope) -> None:
    """Upstream does so before it looks for the method of a custom resource, of a built-in one once it has it."""
    if warning := scope.deprecation_warning:
        request.warnings.append(warning)
        request.annotations["k8s.io/deprecated"] = "true"
        if scope.removed_release:
            request.annotations["k8s.io/removed-release"] = scope.removed_release


def _fits_scope(info: RequestInfo, namespaced: bool, *, is_custom: bool) -> bool:
    """A namespaced resource is addressed in its namespace, save to list or watch all; a cluster-scoped one without.
    An empty namespace is one to upstream's own resources: who needs it misses it later."""
    address = info.address
    if not is_custom:
        if not namespaced:
            return not address.is_inside
        return address.has_namespace or (info.verb in _ACROSS_NAMESPACES and not address.name)
    if namespaced:
        return bool(address.namespace) or info.verb in _ACROSS_NAMESPACES
    return not address.namespace


def _has_no_route(info: RequestInfo) -> bool:
    """Whether upstream has no route of so many parts for a resource of its own: a subresource is one part, a proxied
    path any number of them. An empty part is one too, save at the end of the path."""
    address = info.address
    if address.is_watch_path or not address.subresource:
        return True
    return len(address.parts) > _PARTS_OF_SUBRESOURCES and address.subresource != _PROXY


def _decoded(sent: Request) -> Request:
    """With the path that has been authorized, for those who look for theirs."""
    request = Request(sent.method, decode(sent.path), sent.query, sent.headers, sent.body, sent.connection)
    request.base, request.timeout_s = sent.base, sent.timeout_s
    return request


def _group_of(path: str) -> str:
    return path.split("/", 3)[2]
