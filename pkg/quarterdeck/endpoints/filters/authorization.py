"""Refuses what the user may not do, with 403 and upstream's text.

system:masters are asked about nothing; whatever else is allowed, the authorizer knows.
Source: apiserver/pkg/endpoints/filters/authorization.go, handlers/responsewriters/errors.go (forbiddenMessage).
"""

from __future__ import annotations

import html

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.user import User
from quarterdeck.authorization.authorizer import Attributes, Authorizer
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.transport.messages import Request


class AuthorizationFilter:
    """`refusals` counts what was answered 403."""

    def __init__(self, authorizer: Authorizer) -> None:
        self.refusals = 0
        self._authorizer = authorizer

    def __call__(self, request: Request, info: RequestInfo) -> None:
        user = request.user
        assert isinstance(user, User)
        if user.is_master or self._authorizer.authorize(user, attributes_of(info)).is_allowed:
            return
        self.refusals += 1
        raise forbidden(user, info)


def attributes_of(info: RequestInfo) -> Attributes:
    address = info.address
    if not address.is_resource:
        return Attributes(info.verb, path=info.path, is_resource=False)
    return Attributes(
        info.verb,
        address.group,
        address.version,
        address.resource,
        address.subresource,
        address.namespace,
        address.name,
        info.path,
    )


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
