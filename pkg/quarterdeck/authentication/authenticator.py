"""All ways of authentication together: who sends this request?

The ways are asked in order and the first that knows the credentials answers; if none does and one of them found bad
credentials, the answer is 401; without credentials the request is anonymous, where that is allowed. What a connection
has proven once is kept with it until it expires. Upstream: authentication/request/union, group, anonymous, and
kubeapiserver/authenticator/config.go for the order.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.user import ALL_AUTHENTICATED, ALL_UNAUTHENTICATED, ANONYMOUS, SYSTEM_MASTERS, User
from quarterdeck.authentication.interface import FOREVER, Identity, Method
from quarterdeck.transport.messages import Request

INSECURE_ADMIN: Final = User("system:admin", groups=(SYSTEM_MASTERS, ALL_AUTHENTICATED))


class _Proven:
    """What stands in ConnectionInfo.identity: the last header that a connection came with, and who that is."""

    __slots__ = ("authorization", "expires_at", "is_current", "user")

    def __init__(self, authorization: str | None, identity: Identity) -> None:
        self.authorization = authorization
        self.user = identity.user
        self.expires_at = identity.expires_at
        self.is_current = identity.is_current


class Authenticator:
    """Requests over plain HTTP are the administrator's: the transport accepts them on the loopback interface alone.
    With any of `naming_headers` a request may be somebody else's than the ones before it on its connection."""

    def __init__(
        self, methods: Sequence[Method], *, is_anonymous_allowed: bool = True, naming_headers: Sequence[str] = ()
    ) -> None:
        self._methods = tuple(methods)
        self._naming_headers = tuple(naming_headers)
        self._is_anonymous_allowed = is_anonymous_allowed

    def authenticate(self, request: Request) -> User | None:
        """The user, with the group that all (un)authenticated ones are in, or None: no credentials, and anonymous
        requests are not allowed. Raises errors.Unauthorized for bad credentials. On success the Authorization header is
        taken off the request, so that nothing behind this can leak it."""
        connection = request.connection
        headers = request.headers
        if not connection.is_secure:
            headers.pop("authorization", None)
            return INSECURE_ADMIN
        authorization = headers.get("authorization")
        proven = connection.identity
        if (
            isinstance(proven, _Proven)
            and proven.authorization == authorization
            and (proven.expires_at == FOREVER or time.time() < proven.expires_at)
            and (proven.is_current is None or proven.is_current())
            and not (self._naming_headers and self._is_named(headers))
        ):
            if authorization is not None:
                del headers["authorization"]
            return proven.user
        warnings_count = len(request.warnings)
        identity = self._identify(request)
        if identity is None:
            return None
        if identity.is_kept and not self._is_named(headers) and len(request.warnings) == warnings_count:
            # A header that is worth a warning gets it with each request.
            connection.identity = _Proven(authorization, identity)
        if authorization is not None:
            del headers["authorization"]
        return identity.user

    def _is_named(self, headers: dict[str, str]) -> bool:
        return any(name in headers for name in self._naming_headers)

    def _identify(self, request: Request) -> Identity | None:
        refusal: errors.Unauthorized | None = None
        for method in self._methods:
            try:
                identity = method.authenticate(request)
            except errors.Unauthorized as error:
                refusal = refusal or error
                continue
            if identity is not None:
                return _add_group(identity)
        if refusal is not None:
            raise refusal
        return Identity(ANONYMOUS) if self._is_anonymous_allowed else None


def _add_group(identity: Identity) -> Identity:
    user = identity.user
    if ALL_AUTHENTICATED in user.groups or ALL_UNAUTHENTICATED in user.groups:
        return identity
    user = User(user.name, user.uid, (*user.groups, ALL_AUTHENTICATED), user.extra)
    return Identity(user, identity.expires_at, identity.is_current, identity.is_kept)
