"""Who opens a stream to a pod must be allowed to create one, by whatever method the request comes.

WebSockets are opened with GET, which is authorized as the verb "get": who may only read would run commands.
Source: pkg/registry/core/pod/rest/authorize.go (AuthorizePodWebsocketUpgradeCreatePermission).
"""

from __future__ import annotations

from functools import partial
from typing import Final

from quarterdeck.apimachinery import errors, questions
from quarterdeck.authorization.authorizer import Authorizer
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.filters.authorization import attributes_of
from quarterdeck.endpoints.request_info import RequestInfo

_VERB: Final = "create"


async def confirm(authorizer: Authorizer, request: RequestContext, info: RequestInfo) -> None:
    """Raises Forbidden where the user may not, Unreasoned where that cannot be found out."""
    if info.verb != _VERB:
        await questions.settle(partial(_confirm, authorizer, request, info))


def _confirm(authorizer: Authorizer, request: RequestContext, info: RequestInfo) -> None:
    asked = attributes_of(info, request.query)._replace(verb=_VERB)
    if authorizer.allows(request.user, asked):
        return
    decision = authorizer.authorize(request.user, asked)
    if decision.error:
        raise errors.Unreasoned(decision.error)
    raise errors.Forbidden.of(asked.group, asked.resource, asked.name, decision.reason)
