"""The issuers whose tokens are believed: each finds its documents by itself, from the start on until it has them.

The first answer for a token of a known issuer counts. `replace` takes others up when all of them can answer, and a
token that an earlier one has let in is judged anew.

Source: plugin/pkg/authenticator/token/oidc/oidc.go, pkg/kubeapiserver/authenticator/config.go (newJWTAuthenticator,
updateAuthenticationConfig).
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from quarterdeck.authentication.interface import BadToken, Found, Identity, MaybeLater
from quarterdeck.authentication.oidc import claims
from quarterdeck.authentication.oidc.configuration import JWTAuthenticator
from quarterdeck.authentication.oidc.distributed import Resolver
from quarterdeck.authentication.oidc.fetch import FetchFailed
from quarterdeck.authentication.oidc.metrics import IssuerMetrics
from quarterdeck.authentication.oidc.validation import Programs
from quarterdeck.authentication.oidc.verifier import Verified, Verifier

_LOG: Final = logging.getLogger(__name__)
# A token is judged anew after so long: its key may have been taken back.
_BELIEVED_S: Final = 10.0
_RETRY_S: Final = 10.0


class IssuerTokens:
    """Of one issuer. `resolver` None: groups are never told elsewhere."""

    def __init__(
        self,
        given: JWTAuthenticator,
        programs: Programs,
        verifier: Verifier,
        resolver: Resolver | None,
        metrics: IssuerMetrics,
    ) -> None:
        self.url = given.issuer.url
        self.verifier = verifier
        self.metrics = metrics
        self.fault = f'oidc: authenticator for issuer "{self.url}" is not initialized'
        self._given = given
        self._programs = programs
        self._resolver = resolver
        self._is_believed = True
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._find(), name="OpenID discovery")

    async def ready(self) -> None:
        """Returns when its documents are found."""
        assert self._task is not None
        await asyncio.shield(self._task)

    def stop(self) -> None:
        """What it let in is not believed any more."""
        self._is_believed = False
        if self._task is not None:
            self._task.cancel()

    async def _find(self) -> None:
        while True:
            try:
                await self.verifier.discover()
            except FetchFailed as error:
                self.fault = f'oidc: authenticator for issuer "{self.url}" is not healthy: {error}'
                _LOG.error("oidc authenticator: initializing plugin: %s", error)
                await asyncio.sleep(_RETRY_S)
            else:
                return

    def authenticate_token(self, token: str) -> MaybeLater:
        """Raises BadToken."""
        begin_s = time.monotonic()
        try:
            verified = self._verify(token)
            found = self._finish(verified) if isinstance(verified, Verified) else verified
        except BadToken:
            self.metrics.observe(time.monotonic() - begin_s, is_good=False)
            raise
        if not isinstance(found, Identity):
            return self._finish_later(found, begin_s)
        self.metrics.observe(time.monotonic() - begin_s, is_good=True)
        return found

    def _verify(self, token: str) -> Verified | Awaitable[Verified]:
        try:
            verified = self.verifier.verify(token)
        except BadToken as error:
            raise _describe(error) from error
        if isinstance(verified, Verified) and (self._resolver is None or not self._resolver.is_needed(verified)):
            return verified
        return self._wait(verified)

    async def _wait(self, waiting: Verified | Awaitable[Verified]) -> Verified:
        try:
            verified = waiting if isinstance(waiting, Verified) else await waiting
        except BadToken as error:
            raise _describe(error) from error
        if self._resolver is None or not self._resolver.is_needed(verified):
            return verified
        try:
            return await self._resolver.expand(verified)
        except BadToken as error:
            raise BadToken(f"oidc: could not expand distributed claims: {error}") from error

    async def _finish_later(self, waiting: Awaitable[Verified], begin_s: float) -> Found:
        try:
            found = self._finish(await waiting)
        except BadToken:
            self.metrics.observe(time.monotonic() - begin_s, is_good=False)
            raise
        self.metrics.observe(time.monotonic() - begin_s, is_good=True)
        return found

    def _finish(self, verified: Verified) -> Identity:
        user = claims.build_user(self._given, self._programs, verified.claims)
        until_s = min(verified.until_s, time.time() + _BELIEVED_S)
        return Identity(user, until_s, lambda: self._is_believed)


def _describe(error: BadToken) -> BadToken:
    text = str(error)
    return error if text.endswith("not initialized") else BadToken(f"oidc: verify token: {text}")


class Unreachable(Exception):
    """An issuer does not tell its documents; the text says why, of each."""


Build = Callable[[JWTAuthenticator, Programs], IssuerTokens]


class Issuers:
    """`on_change` is called when the issuers are others."""

    def __init__(self, build: Build, on_change: Callable[[], None]) -> None:
        self._build = build
        self._on_change = on_change
        self._current: dict[str, IssuerTokens] = {}

    def authenticate_token(self, token: str) -> MaybeLater:
        if not self._current:
            return None
        issuer = claims.issuer_of(token)
        found = self._current.get(issuer) if issuer is not None else None
        return None if found is None else found.authenticate_token(token)

    def begin(self, given: Sequence[JWTAuthenticator], programs: Sequence[Programs]) -> None:
        """At the start of the server: those that cannot be reached yet are looked for while it runs."""
        self._swap(self._make(given, programs))

    async def replace(self, given: Sequence[JWTAuthenticator], programs: Sequence[Programs], wait_s: float) -> None:
        """Raises Unreachable where one of them cannot be reached in time; the old ones stay."""
        made = self._make(given, programs)
        try:
            async with asyncio.timeout(wait_s):
                await asyncio.gather(*(each.ready() for each in made.values()))
        except BaseException as error:
            _stop(made)
            if not isinstance(error, TimeoutError):
                raise
            faults = [each.fault for each in made.values() if not each.verifier.is_ready]
            raise Unreachable("; ".join(faults)) from None
        self._swap(made)

    def stop(self) -> None:
        _stop(self._current)

    def _make(self, given: Sequence[JWTAuthenticator], programs: Sequence[Programs]) -> dict[str, IssuerTokens]:
        made = {each.issuer.url: self._build(each, compiled) for each, compiled in zip(given, programs, strict=True)}
        for issuer in made.values():
            issuer.start()
        return made

    def _swap(self, made: dict[str, IssuerTokens]) -> None:
        old, self._current = self._current, made
        _stop(old)
        for url in old.keys() - made.keys():
            old[url].metrics.forget()
        self._on_change()


def _stop(issuers: dict[str, IssuerTokens]) -> None:
    for issuer in issuers.values():
        issuer.stop()
