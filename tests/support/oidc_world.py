"""Issuers that answer without a socket, and authenticators that ask them."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from quarterdeck.authentication.interface import BadToken, Identity
from quarterdeck.authentication.oidc import configuration, validation
from quarterdeck.authentication.oidc.configuration import ClaimOrExpression, JWTAuthenticator
from quarterdeck.authentication.oidc.distributed import Resolver
from quarterdeck.authentication.oidc.fetch import FetchFailed
from quarterdeck.authentication.oidc.issuers import Issuers, IssuerTokens
from quarterdeck.authentication.oidc.metrics import IssuerMetrics, OIDCMetrics
from quarterdeck.authentication.oidc.signatures import ALGORITHMS
from quarterdeck.authentication.oidc.validation import Programs
from quarterdeck.authentication.oidc.verifier import Verifier
from quarterdeck.metrics.registry import Registry
from quarterdeck.transport.client.answers import Answer
from support.issuer import Issuer, Key

URL = "https://issuer.example.com"
GIVEN = JWTAuthenticator(configuration.Issuer(URL, audiences=("me",)), username=ClaimOrExpression("sub", prefix=""))


class Fetcher:
    """Instead of the network: the documents of some issuers, and texts at other places."""

    def __init__(self, *issuers: Issuer) -> None:
        self.issuers = list(issuers)
        self.texts: dict[str, str] = {}
        self.access_tokens: list[str] = []

    async def get(self, url: str, *, access_token: str = "") -> Answer:
        self.access_tokens.append(access_token)
        text = self.texts.get(url)
        return Answer(404, {}, b"") if text is None else Answer(200, {}, text.encode())

    async def get_document(self, url: str) -> tuple[Any, bytes]:
        for issuer in self.issuers:
            if url.startswith(issuer.url):
                issuer.asked.append(url)
                if not issuer.is_down and (found := issuer.document(url.removeprefix(issuer.url))) is not None:
                    return found, json.dumps(found).encode()
        raise FetchFailed("503 Service Unavailable: ")


class Clock:
    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


class World:
    """One issuer, and what is believed of its tokens."""

    def __init__(self, *keys: Key, algorithms: tuple[str, ...] = ALGORITHMS, **changes: Any) -> None:
        self.issuer = Issuer(URL, *keys)
        self.fetcher = Fetcher(self.issuer)
        self.clock = Clock()
        self.registry = Registry()
        self.changes = 0
        self._metrics = OIDCMetrics(self.registry, "apiserver-x")
        self._algorithms = algorithms
        self.given = dataclasses.replace(GIVEN, **changes)
        self.issuers = Issuers(self.build, self._note_change)

    def _note_change(self) -> None:
        self.changes += 1

    def build(self, given: JWTAuthenticator, programs: Programs) -> IssuerTokens:
        metrics = IssuerMetrics(self._metrics, given.issuer.url)
        verifier = self.verifier(given.issuer.url, given.issuer.audiences, metrics.note_keys)
        claim = given.groups.claim
        resolver = (
            Resolver(claim, self.fetcher, lambda url: self.verifier(url, given.issuer.audiences)) if claim else None
        )
        return IssuerTokens(given, programs, verifier, resolver, metrics)

    def verifier(self, url: str, audiences: tuple[str, ...], note_keys: Any = None) -> Verifier:
        return Verifier(url, audiences, self._algorithms, self.fetcher, note_keys=note_keys, clock=self.clock)

    async def begin(self) -> None:
        found, programs = validation.validate_authenticator(self.given, "", ())
        assert found == []
        await self.issuers.replace([self.given], [programs], 5)

    async def ask(self, token: str) -> Identity | None:
        found = self.issuers.authenticate_token(token)
        return found if found is None or isinstance(found, Identity) else await found

    async def refusal(self, token: str) -> str:
        try:
            found = await self.ask(token)
        except BadToken as error:
            return str(error)
        raise AssertionError(found)

    def asked_for_keys(self) -> int:
        return self.issuer.asked.count(f"{URL}/keys")
