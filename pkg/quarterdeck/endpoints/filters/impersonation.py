"""Lets who may do so act as somebody else (`kubectl --as`), and refuses everybody else.

Without RBAC only system:masters may; the refusal names the request that was meant, as upstream's constrained
impersonation does.

Source: apiserver/pkg/endpoints/filters/impersonation.
Differs from upstream: Impersonate-Extra-… without any other Impersonate header is not an error, it is not looked at.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import unquote

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.user import ALL_AUTHENTICATED, ALL_UNAUTHENTICATED, ANONYMOUS_NAME, User
from quarterdeck.authorization.authorizer import Authorizer
from quarterdeck.endpoints.filters.authorization import attributes_of, forbidden
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.transport.messages import Request

_USER: Final = "impersonate-user"
_GROUP: Final = "impersonate-group"
_UID: Final = "impersonate-uid"
_EXTRA: Final = "impersonate-extra-"
_ACCOUNT_PREFIX: Final = "system:serviceaccount:"
_ACCOUNTS: Final = "system:serviceaccounts"


class ImpersonationFilter:
    def __init__(self, authorizer: Authorizer) -> None:
        self.refusals = 0
        self._authorizer = authorizer

    def __call__(self, request: Request, info: RequestInfo) -> None:
        headers = request.headers
        if not (_USER in headers or _GROUP in headers or _UID in headers):
            return
        wanted = _read_user(headers)
        user = request.user
        assert isinstance(user, User)
        asked = RequestInfo(f"impersonate-on:user-info:{info.verb}", info.address, info.path)
        if not user.is_master and not self._authorizer.authorize(user, attributes_of(asked)).is_allowed:
            self.refusals += 1
            raise forbidden(user, asked)
        request.user = wanted
        for name in [name for name in headers if name.startswith("impersonate-")]:
            del headers[name]


def _read_user(headers: dict[str, str]) -> User:
    name = headers.get(_USER, "")
    if not name:
        raise errors.BadRequest("invalid impersonation: requested attributes without impersonating a user")
    # Repeated fields come joined, the way Go's clients never send one.
    groups = [group for group in headers.get(_GROUP, "").split(", ") if group]
    extra = {
        unquote(key.removeprefix(_EXTRA)): tuple(value.split(", "))
        for key, value in headers.items()
        if key.startswith(_EXTRA)
    }
    if not groups and name.startswith(_ACCOUNT_PREFIX):
        namespace, _, account = name.removeprefix(_ACCOUNT_PREFIX).partition(":")
        if namespace and account and ":" not in account:
            groups = [_ACCOUNTS, f"{_ACCOUNTS}:{namespace}"]
    if name == ANONYMOUS_NAME:
        if ALL_UNAUTHENTICATED not in groups:
            groups.append(ALL_UNAUTHENTICATED)
    elif ALL_AUTHENTICATED not in groups and ALL_UNAUTHENTICATED not in groups:
        groups.append(ALL_AUTHENTICATED)
    return User(name, headers.get(_UID, ""), tuple(groups), extra)
