"""Who makes an object by an update or an apply must be allowed to create it.

Source: apiserver/pkg/endpoints/handlers/{update,patch}.go (withAuthorization).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from quarterdeck.apimachinery.user import User
from quarterdeck.authorization.authorizer import Attributes, Authorizer
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.filters.authorization import forbidden
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.registry.scope import Scope


def confirmation(
    authorizer: Authorizer | None, request: RequestContext, info: RequestInfo, scope: Scope
) -> Callable[[], None] | None:
    """What raises Forbidden where the user may not; None for those who may do everything."""
    user, address, resource = request.user, info.address, scope.resource
    if authorizer is None or user.is_master:
        return None
    asked = Attributes(
        "create",
        resource.group,
        resource.version,
        resource.name,
        scope.subresource,
        address.namespace,
        address.name,
        info.path,
    )
    return partial(_confirm, authorizer, user, asked)


def _confirm(authorizer: Authorizer, user: User, asked: Attributes) -> None:
    if not authorizer.allows(user, asked):
        refusal = forbidden(user, asked, authorizer.authorize(user, asked).reason)
        refusal.nosniff = False  # as of any other refusal by a handler
        raise refusal
