"""What leads from a request to a `proxy`, or for a stream, to the server that answers it: admission, then the call.

Source: apiserver/pkg/endpoints/handlers/rest.go (ConnectResource); pkg/registry/core/pod/rest/subresources.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NoReturn, cast
from urllib.parse import unquote

from quarterdeck.admission.attributes import CONNECT, Attributes, Equivalent
from quarterdeck.admission.chain import Chain
from quarterdeck.apimachinery import errors
from quarterdeck.apis.resource import GroupVersionKind
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.proxy import calls, messages
from quarterdeck.endpoints.proxy.calls import Call
from quarterdeck.endpoints.proxy.kubelets import Kubelets
from quarterdeck.endpoints.proxy.locations import Location
from quarterdeck.endpoints.proxy.messages import Links
from quarterdeck.endpoints.query import parse_query
from quarterdeck.registry import mutated, mutatedkinds
from quarterdeck.registry.scope import Scope
from quarterdeck.transport.client.pool import HTTPClient
from quarterdeck.transport.messages import Response

Object = dict[str, Any]


class _NoOptions:
    """Connections have none: what they are asked with is the object."""

    def describe(self, _operation: str) -> Object:
        return cast("Object", None)


_NO_OPTIONS: Final = _NoOptions()


class _Connected:
    """The kind of what a connection is asked with (admission.attributes.ObjectInterfaces): flat, in one version."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    @property
    def kind(self) -> GroupVersionKind:
        return self._scope.kind

    @property
    def is_custom(self) -> bool:
        return self._scope.is_custom

    def refuse_mutation(self, _kind: GroupVersionKind) -> str:
        return ""

    def is_served(self, _kind: GroupVersionKind) -> bool:
        return True

    def default(self, obj: Object, *, drops_nulls: bool = False) -> Object:
        return obj

    def read_mutated(self, value: Any, kind: GroupVersionKind, *, is_strict: bool = False) -> Object:
        if is_strict:
            mutatedkinds.find(value, kind, kind)
        return mutated.read_options(value, kind, is_strict=is_strict)

    def convert(self, obj: Object, _kind: GroupVersionKind) -> Object:
        return obj

    def bring_back(self, obj: Object, _known: Object) -> Object:
        return obj

    def merge(self, _live: Object, _patch: Object) -> Object:
        raise mutated.no_type(self.kind)

    def equivalents(self) -> Sequence[Equivalent]:
        return self._scope.equivalents()


def refuse_dry_run(request: RequestContext) -> None:
    """Comes before all else. Raises BadRequest."""
    if "dryRun" in parse_query(request.query):
        raise errors.BadRequest("dryRun is not supported")


class Connecting:
    """`nodes`: where the nodes are that `kubelets` belong to."""

    def __init__(self, http: HTTPClient, admission: Chain, kubelets: Kubelets, nodes: Scope) -> None:
        self.http = http
        self.kubelets = kubelets
        self.nodes = nodes
        self._admission = admission

    async def admit(self, request: RequestContext, scope: Scope, options: Object) -> Object:
        """The options as admission left them. Raises APIStatus."""
        kind, address = scope.kind, request.info.address
        obj = {"kind": kind.kind, "apiVersion": kind.api_version, **options}
        attributes = Attributes(
            CONNECT,
            scope.resource,
            scope.subresource,
            address.namespace,
            address.name,
            obj,
            None,
            request.user,
            _NO_OPTIONS,
            _Connected(scope),
            request.warnings,
            request.annotations,
            False,
        )
        for step in (self._admission.admit, self._admission.validate):
            waiting = step(attributes)
            if waiting is not None:
                await waiting
        return obj

    async def stream(self, request: RequestContext, where: Location, target: str) -> Response:
        """Of a kubelet, over an upgraded connection. Raises APIStatus."""
        if not messages.wants_upgrade(request.headers):
            raise errors.BadRequest("Upgrade request required")
        return await calls.upgrade(self.http, request, _describe(request, where, target, Links(()), _fail))

    async def proxy(self, request: RequestContext, where: Location, path: str) -> Response:
        """`path`: decoded, at the server. Raises APIStatus."""
        own = unquote(request.http.base + request.path)
        if not path.endswith("/") and own.endswith("/"):
            path += "/"
        target = messages.quote_path(path) or "/"
        if messages.wants_upgrade(request.headers):
            # The query stays here, as upstream leaves it out.
            return await calls.upgrade(self.http, request, _describe(request, where, target, Links(()), _fail))
        query = f"?{request.query}" if request.query else ""
        if not path and request.method in ("GET", "HEAD"):
            return Response(301, [("Location", f"{messages.quote_path(own)}/{query}")])
        prefix = messages.quote_path(own.removesuffix(path))
        links = Links((where.authority, request.headers.get("host", "")), prefix=prefix)
        return await calls.call(self.http, request, _describe(request, where, f"{target}{query}", links, _refuse))


def _describe(request: RequestContext, where: Location, target: str, links: Links, refuse: calls.Refuse) -> Call:
    pairs = (
        *messages.forwarded_for(request.http),
        ("X-Forwarded-Uri", messages.forwarded_uri(request.http.base + request.path)),
    )
    return Call(where.server, target, request.headers.get("host") or where.authority, pairs, links, refuse)


def _refuse(text: str) -> NoReturn:
    raise errors.ServiceUnavailable(text)


def _fail(text: str) -> NoReturn:
    raise errors.Unreasoned(text)
