"""The keys of one issuer, and whether a token is its and good now.

    NEW ──discovery──> READY (keys are fetched when a token comes that none of the known ones has signed)

Keys are fetched for one token at a time, and not again within `REFRESH_S`: whoever sends tokens with keys that nobody
knows costs the issuer no more than that. A token whose key is known waits for nobody.

Source: go-oidc (oidc.go NewProvider, jwks.go, verify.go).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, NamedTuple

from quarterdeck.apimachinery import gofmt
from quarterdeck.authentication.interface import BadToken
from quarterdeck.authentication.oidc import claims, signatures
from quarterdeck.authentication.oidc.claims import Claims
from quarterdeck.authentication.oidc.fetch import Fetcher, FetchFailed
from quarterdeck.authentication.oidc.signatures import Key, SignedToken

REFRESH_S: Final = 2.0
_WELL_KNOWN: Final = "/.well-known/openid-configuration"
_GOOGLE: Final = "https://accounts.google.com"


class Verified(NamedTuple):
    claims: Claims
    until_s: float


class Verifier:
    """`audiences`: for one of which a token has to be. `discovery_url` empty: the issuer's usual one. `note_keys` is
    told of each fetch of keys: the document, None where there is none."""

    def __init__(
        self,
        issuer: str,
        audiences: Sequence[str],
        algorithms: Sequence[str],
        fetcher: Fetcher,
        *,
        discovery_url: str = "",
        note_keys: Callable[[bytes | None], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.issuer = issuer
        self._audiences = frozenset(audiences)
        self._algorithms = tuple(algorithms)
        self._fetcher = fetcher
        self._note_keys = note_keys
        self._discovery_url = discovery_url or issuer.rstrip("/") + _WELL_KNOWN
        self._clock = clock
        self._keys_url = ""
        self._keys: tuple[Key, ...] = ()
        self._fetched_at: float | None = None
        self._fetching: asyncio.Task[None] | None = None

    @property
    def is_ready(self) -> bool:
        return bool(self._keys_url)

    async def discover(self) -> None:
        """Raises FetchFailed."""
        document, _ = await self._fetcher.get_document(self._discovery_url)
        if not isinstance(document, dict):
            raise FetchFailed("oidc: failed to decode provider discovery object: it is no object")
        told = document.get("issuer")
        if told != self.issuer and not (self.issuer == _GOOGLE and told == "accounts.google.com"):
            shown = gofmt.quote(told if isinstance(told, str) else "")
            raise FetchFailed(
                "oidc: issuer did not match the issuer returned by provider, expected "
                f"{gofmt.quote(self.issuer)} got {shown}"
            )
        url = document.get("jwks_uri")
        if not isinstance(url, str) or not url:
            raise FetchFailed("provider did not return JWKS URL")
        self._keys_url = url

    def verify(self, text: str) -> Verified | Awaitable[Verified]:
        """At once where the key is known. Raises BadToken."""
        if not self.is_ready:
            raise BadToken("oidc: authenticator not initialized")
        token = signatures.parse_token(text)
        found = claims.parse(token.payload)
        if claims.read_issuer(found.values) != self.issuer:
            expected, told = gofmt.quote(self.issuer), gofmt.quote(str(found.values.get("iss", "")))
            raise BadToken(f"oidc: id token issued by a different provider, expected {expected} got {told}")
        claims.check_audiences(found.values, self._audiences)
        until_s = claims.check_times(found.values, time.time())
        signatures.check_algorithm(token, self._algorithms)
        verified = Verified(found, until_s)
        if token.is_signed_by(self._keys):
            return verified
        return self._verify_later(token, verified)

    async def _verify_later(self, token: SignedToken, verified: Verified) -> Verified:
        await self._refresh()
        if not token.is_signed_by(self._keys):
            raise BadToken("failed to verify signature: failed to verify id token signature")
        return verified

    async def _refresh(self) -> None:
        """The keys as the issuer tells them now, unless that was asked a moment ago. Raises BadToken."""
        task = self._fetching
        if task is None:
            if self._fetched_at is not None and self._clock() - self._fetched_at < REFRESH_S:
                return
            task = self._fetching = asyncio.ensure_future(self._fetch())
            task.add_done_callback(self._end_fetch)
        try:
            await asyncio.shield(task)
        except FetchFailed as error:
            raise BadToken(f"failed to verify signature: fetching keys {error}") from error

    async def _fetch(self) -> None:
        data: bytes | None = None
        try:
            document, found = await self._fetcher.get_document(self._keys_url)
            self._keys = signatures.parse_keys(document)
            data = found
        except ValueError as error:
            raise FetchFailed(f"oidc: failed to decode keys: {error}") from error
        finally:
            self._fetched_at = self._clock()
            if self._note_keys is not None:
                self._note_keys(data)

    def _end_fetch(self, task: asyncio.Task[None]) -> None:
        self._fetching = None
        if not task.cancelled():
            task.exception()  # told to who waits; nobody may
