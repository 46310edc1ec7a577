"""Groups that a token does not hold, but says where they are told (OpenID Connect Core 1.0, section 5.6.2).

The endpoint answers with a token of some issuer, whose documents are found when the first such token comes. How many
issuers are known that way is bounded.

Source: plugin/pkg/authenticator/token/oidc/oidc.go (claimResolver).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from quarterdeck.authentication.interface import BadToken
from quarterdeck.authentication.oidc import claims
from quarterdeck.authentication.oidc.claims import Claims
from quarterdeck.authentication.oidc.fetch import Fetcher, FetchFailed, show_status
from quarterdeck.authentication.oidc.verifier import Verified, Verifier

_ISSUERS_MAX: Final = 16
_NAMES: Final = "_claim_names"
_SOURCES: Final = "_claim_sources"


class Resolver:
    """Of the claim that groups are read from. `build` makes the verifier of an issuer."""

    def __init__(self, claim: str, fetcher: Fetcher, build: Callable[[str], Verifier]) -> None:
        self._claim = claim
        self._fetcher = fetcher
        self._build = build
        self._verifiers: dict[str, Verifier] = {}

    def is_needed(self, verified: Verified) -> bool:
        values = verified.claims.values
        return self._claim not in values and _NAMES in values

    async def expand(self, verified: Verified) -> Verified:
        """The token's claims with the one that is told elsewhere. Raises BadToken."""
        values = verified.claims.values
        source = self._find_source(values)
        url = source.get("endpoint") if source is not None else None
        if source is None or not url:
            return verified
        access_token = source.get("access_token") or ""
        if not isinstance(url, str) or not isinstance(access_token, str):
            raise BadToken("oidc: could not parse claim sources: an endpoint is no text")
        text = await self._get(url, access_token)
        issuer = claims.issuer_of(text)
        if issuer is None:
            raise BadToken(
                f'getting untrusted issuer from endpoint {url} failed for claim "{self._claim}": malformed token'
            )
        told = await self._verify(issuer, text)
        if self._claim not in told.values:
            raise BadToken(f'jwt returned by distributed claim endpoint "{url}" did not contain claim: {self._claim}')
        merged = Claims(
            {**values, self._claim: told.values[self._claim]},
            {**verified.claims.doubles, self._claim: told.doubles[self._claim]},
        )
        return Verified(merged, verified.until_s)

    def _find_source(self, values: dict[str, Any]) -> dict[str, Any] | None:
        names, sources = values[_NAMES], values.get(_SOURCES)
        if not isinstance(names, dict):
            raise BadToken("oidc: error parsing distributed claim names: they are no object")
        if _SOURCES not in values:
            raise BadToken("oidc: no claim sources")
        if not isinstance(sources, dict):
            raise BadToken("oidc: could not parse claim sources: they are no object")
        name = names.get(self._claim)
        if name is None:
            return None
        source = sources.get(name) if isinstance(name, str) else None
        if not isinstance(source, dict):
            raise BadToken(f"id token _claim_names contained a source {name} missing in _claims_sources")
        return source

    async def _get(self, url: str, access_token: str) -> str:
        prefix = f'while getting distributed claim "{self._claim}": '
        try:
            answer = await self._fetcher.get(url, access_token=access_token)
        except FetchFailed as error:
            raise BadToken(f"{prefix}{error}") from error
        if not 200 <= answer.status <= 226:
            raise BadToken(f"{prefix}error while getting distributed claim JWT: {show_status(answer)}")
        return answer.body.decode("utf-8", "replace").strip()

    async def _verify(self, issuer: str, text: str) -> Claims:
        verifier = self._verifiers.get(issuer)
        try:
            if verifier is None:
                if len(self._verifiers) >= _ISSUERS_MAX:
                    raise BadToken(f"more than {_ISSUERS_MAX} issuers would have to be known")
                verifier = self._build(issuer)
                await verifier.discover()
                self._verifiers[issuer] = verifier
            found = verifier.verify(text)
            verified = found if isinstance(found, Verified) else await found
        except FetchFailed as error:
            raise BadToken(f"verifying untrusted issuer {issuer} failed: {error}") from error
        except BadToken as error:
            raise BadToken(f"verify distributed claim token: {error}") from error
        return verified.claims
