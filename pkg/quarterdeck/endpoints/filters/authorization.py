"""Refuses what the user may not do, with 403 and upstream's text.

Until RBAC is served: system:masters may do everything, everybody may see health and version, nobody else anything.
Source: apiserver/pkg/endpoints/filters/authorization.go, handlers/responsewriters/errors.go (forbiddenMessage).
"""

from __future__ import annotations

import html
from typing import Final

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.user import User
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.transport.messages import Request

_OPEN_PATHS: Final = frozenset(("/healthz", "/livez", "/readyz", "/version", "/version/"))
_OPEN_PREFIXES: Final = ("/healthz/", "/livez/", "/readyz/")


class AuthorizationFilter:
    """`refusals` counts what was answered 403."""

    def __init__(self) -> None:
        self.refusals = 0

    def __call__(self, request: Request, info: RequestInfo) -> None:
        user = request.user
        assert isinstance(user, User)
        if user.is_master or _is_open(request):
            return
        self.refusals += 1
        raise forbidden(user, info)


def _is_open(request: Request) -> bool:
    path = request.path
    return request.method in ("GET", "HEAD") and (path in _OPEN_PATHS or path.startswith(_OPEN_PREFIXES))


def forbidden(user: User, info: RequestInfo) -> errors.Forbidden:
    """The texts are HTML-escaped: a browser may show them."""
    address = info.address
    name = html.escape(user.name).replace("&#x27;", "&#39;")
    if not address.is_resource:
        return errors.Forbidden.of("", "", "", f'User "{name}" cannot {info.verb} path "{html.escape(info.path)}"')
    resource = f"{address.resource}/{address.subresource}" if address.subresource else address.resource
    group = html.escape(address.group)
    text = f'User "{name}" cannot {info.verb} resource "{html.escape(resource)}" in API group "{group}"'
    if address.namespace:
        text += f' in the namespace "{html.escape(address.namespace)}"'
    else:
        text += " at the cluster scope"
    return errors.Forbidden.of(address.group, address.resource, address.name, text)
