"""All ways of authentication together: who sends this request?

The ways are asked in order and the first that knows the credentials answers; if none does and one of them found bad
credentials, the answer is 401; without credentials the request is anonymous, where that is allowed. What a connection
has proven once is kept with it until it expires. A way that has to ask another server is waited for.
Upstream: authentication/request/union, group, anonymous, and kubeapiserver/authenticator/config.go for the order.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Sequence
from typing import Final
from urllib.parse import unquote

from quarterdeck.apimachinery import clock, errors
from quarterdeck.apimachinery.user import ALL_AUTHENTICATED, ALL_UNAUTHENTICATED, ANONYMOUS, SYSTEM_MASTERS, User
from quarterdeck.authentication.interface import FOREVER, Found, Identity, Method
from quarterdeck.transport.messages import Request

_FOREVER: Final = FOREVER  # compiled code looks up what a module may set anew in a dictionary each time
INSECURE_ADMIN: Final = User("system:admin", groups=(SYSTEM_MASTERS, ALL_AUTHENTICATED))


class _Proven:
    """What stands in ConnectionInfo.identity: the last header that a connection came with, and who that is to an
    authenticator: to another one, of another logical cluster, it may be nobody."""

    __slots__ = ("annotations", "authenticator", "authorization", "expires_at", "is_current", "user")

    def __init__(self, authenticator: Authenticator, authorization: str | None, identity: Identity) -> None:
        self.authenticator = authenticator
        self.authorization = authorization
        self.user = identity.user
        self.expires_at = identity.expires_at
        self.is_current = identity.is_current
        self.annotations = identity.annotations


class Authenticator:
    """Requests over plain HTTP are the administrator's: the transport accepts them on the loopback interface alone.
    With any of `naming_headers` a request may be somebody else's than the ones before it on its connection.
    `anonymous_paths`: where requests without credentials are allowed, if anywhere; none: everywhere."""

    def __init__(
        self,
        methods: Sequence[Method],
        *,
        is_anonymous_allowed: bool = True,
        anonymous_paths: frozenset[str] = frozenset(),
        naming_headers: Sequence[str] = (),
    ) -> None:
        self._methods = tuple(methods)
        self._naming_headers = tuple(naming_headers)
        self._is_anonymous_allowed = is_anonymous_allowed
        self._anonymous_paths = anonymous_paths
        # Whom the last new connection proved to be, and that with its group: a client's connections share one User.
        self._last_found: Identity | None = None
        self._last_accepted: Identity | None = None

    def authenticate(
        self, request: Request, warnings: list[str], annotations: dict[str, str] | None = None
    ) -> User | Awaitable[User | None] | None:
        """The user, with the group that all (un)authenticated ones are in, or None: no credentials, and anonymous
        requests are not allowed; or what to wait for. Raises errors.Unauthorized for bad credentials. On success the
        Authorization header is taken off the request, so that nothing behind this can leak it. Texts for the client go
        to `warnings`, what the request's audit is told to `annotations`."""
        connection = request.connection
        headers = request.headers
        if not connection.is_secure:
            headers.pop("authorization", None)
            return INSECURE_ADMIN
        authorization = headers.get("authorization")
        proven = connection.identity
        if (
            isinstance(proven, _Proven)
            and proven.authenticator is self
            and proven.authorization == authorization
            and (proven.expires_at == _FOREVER or clock.wall_s() < proven.expires_at)
            and (proven.is_current is None or proven.is_current())
            and not (self._naming_headers and self._is_named(headers))
        ):
            if authorization is not None:
                del headers["authorization"]
            if proven.annotations and annotations is not None:
                annotations.update(proven.annotations)
            return proven.user
        return self._identify(request, warnings, {} if annotations is None else annotations)

    def _identify(
        self, request: Request, warnings: list[str], annotations: dict[str, str]
    ) -> User | Awaitable[User | None] | None:
        warnings_count = len(warnings)
        refusal: errors.Unauthorized | None = None
        done = 0
        for method in self._methods:
            done += 1
            try:
                found = method.authenticate(request, warnings)
            except errors.Unauthorized as error:
                refusal = refusal or error
                continue
            if found is None:
                continue
            if isinstance(found, Identity):
                annotations.update(found.annotations)
                return self._accept(request, found, has_warning=len(warnings) != warnings_count)
            return self._go_on(request, warnings, annotations, found, done, refusal)
        return self._end(request, refusal, has_warning=len(warnings) != warnings_count)

    async def _go_on(
        self,
        request: Request,
        warnings: list[str],
        annotations: dict[str, str],
        waiting: Awaitable[Found],
        done: int,
        refusal: errors.Unauthorized | None,
    ) -> User | None:
        """What `_identify` does after a method that waits; `done` methods have been asked."""
        try:
            found = await waiting
        except errors.Unauthorized as error:
            found = None
            refusal = refusal or error
        for method in self._methods[done:]:
            if found is not None:
                break
            try:
                answer = method.authenticate(request, warnings)
                found = answer if answer is None or isinstance(answer, Identity) else await answer
            except errors.Unauthorized as error:
                refusal = refusal or error
        if found is not None:
            annotations.update(found.annotations)
            return self._accept(request, found, has_warning=bool(warnings))
        return self._end(request, refusal, has_warning=bool(warnings))

    def _accept(self, request: Request, found: Identity, *, has_warning: bool) -> User:
        identity = self._with_group(found)
        headers = request.headers
        authorization = headers.get("authorization")
        if identity.is_kept and not has_warning and not self._is_named(headers):
            # A header that is worth a warning gets it with each request.
            request.connection.identity = _Proven(self, authorization, identity)
        if authorization is not None:
            del headers["authorization"]
        return identity.user

    def _with_group(self, found: Identity) -> Identity:
        if found is self._last_found and self._last_accepted is not None:
            return self._last_accepted
        accepted = _add_group(found)
        self._last_found, self._last_accepted = found, accepted
        return accepted

    def _end(self, request: Request, refusal: errors.Unauthorized | None, *, has_warning: bool) -> User | None:
        """Nobody knows the credentials, or there are none."""
        if refusal is not None:
            raise refusal
        paths = self._anonymous_paths
        if not self._is_anonymous_allowed or (paths and unquote(request.path) not in paths):
            return None
        return self._accept(request, Identity(ANONYMOUS, is_kept=not paths), has_warning=has_warning)

    def _is_named(self, headers: dict[str, str]) -> bool:
        for name in self._naming_headers:  # noqa: SIM110  # a generator costs each request more than what it looks up
            if name in headers:
                return True
        return False


def _add_group(identity: Identity) -> Identity:
    user = identity.user
    if ALL_AUTHENTICATED in user.groups or ALL_UNAUTHENTICATED in user.groups:
        return identity
    user = User(user.name, user.uid, (*user.groups, ALL_AUTHENTICATED), user.extra)
    return dataclasses.replace(identity, user=user)
