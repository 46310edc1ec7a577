"""Wiring of the issuers whose tokens are believed: those of the flags, or of a file that is read again when it changes.

What the file says that cannot be used is told in the log and counted, and what it said before stays. Who may come
without credentials cannot change.

Source: pkg/kubeapiserver/options/authentication.go (ToAuthenticationConfig, ApplyTo).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Final, Protocol

from quarterdeck.apimachinery import field
from quarterdeck.authentication.oidc import load, validation
from quarterdeck.authentication.oidc.configuration import Anonymous, Configuration, JWTAuthenticator
from quarterdeck.authentication.oidc.distributed import Resolver
from quarterdeck.authentication.oidc.fetch import Fetcher
from quarterdeck.authentication.oidc.issuers import Issuers, IssuerTokens, Unreachable
from quarterdeck.authentication.oidc.metrics import IssuerMetrics, OIDCMetrics
from quarterdeck.authentication.oidc.signatures import ALGORITHMS
from quarterdeck.authentication.oidc.validation import Programs
from quarterdeck.authentication.oidc.verifier import Verifier
from quarterdeck.metrics.registry import Registry
from quarterdeck.schema.configfile import BadFile
from quarterdeck.server.config import Authentication, ConfigError
from quarterdeck.server.configmetrics import ConfigMetrics
from quarterdeck.transport.client.pool import HTTPClient
from quarterdeck.transport.client.trust import trust_of

_LOG: Final = logging.getLogger(__name__)
_PERIOD_S: Final = 2.0
_RETRY_S: Final = 60.0
_UPDATE_S: Final = 60.0

Looks = tuple[int, int, int] | None


class Builder:
    """Makes what verifies the tokens of an issuer. `server_id`: the name of the server's identity lease."""

    def __init__(self, http: HTTPClient, metrics: Registry, server_id: str, algorithms: tuple[str, ...]) -> None:
        self._http = http
        self._metrics = OIDCMetrics(metrics, server_id)
        self._algorithms = algorithms

    def build(self, given: JWTAuthenticator, programs: Programs) -> IssuerTokens:
        issuer = given.issuer
        fetcher = Fetcher(self._http, trust_of(issuer.certificate_authority.encode()))
        metrics = IssuerMetrics(self._metrics, issuer.url)

        def build_verifier(
            url: str, discovery_url: str = "", note_keys: Callable[[bytes | None], None] | None = None
        ) -> Verifier:
            return Verifier(
                url, issuer.audiences, self._algorithms, fetcher, discovery_url=discovery_url, note_keys=note_keys
            )

        claim = given.groups.claim
        resolver = Resolver(claim, fetcher, build_verifier) if claim else None
        verifier = build_verifier(issuer.url, issuer.discovery_url, metrics.note_keys)
        return IssuerTokens(given, programs, verifier, resolver, metrics)


class JWTIssuers(Protocol):
    """`issuers` look for their documents from the start on. `anonymous`: what the file says of anonymous requests."""

    issuers: Issuers
    anonymous: Anonymous | None

    def start(self) -> None: ...

    async def stop(self) -> None: ...


def build(
    given: Authentication,
    disallowed: Collection[str],
    builder: Builder,
    metrics: Registry,
    on_change: Callable[[], None],
    server_id: str,
) -> JWTIssuers:
    """Raises ConfigError."""
    issuers = Issuers(builder.build, on_change)
    if given.file is None:
        return IssuersOfFlags(issuers, given.jwt, _compile(Configuration(given.jwt), disallowed))
    try:
        data = given.file.read_bytes()
        configuration = load.load(data)
    except (OSError, BadFile) as error:
        text = f'failed to load authentication configuration from file "{given.file}"'
        raise ConfigError(f"{text}: {error}") from error
    if configuration.anonymous is not None and given.is_anonymous_given:
        text = "--anonymous-auth flag cannot be set when anonymous field is configured in authentication configuration "
        text += "file"
        raise ConfigError(str(field.forbidden("anonymous", text)))
    programs = _compile(configuration, disallowed)
    counts = ConfigMetrics(metrics, "authentication", server_id)
    counts.note(data)
    return AuthenticationFile(given.file, data, (configuration, programs), disallowed, issuers, counts)


def _compile(configuration: Configuration, disallowed: Collection[str]) -> list[Programs]:
    problems, programs = validation.validate(configuration, disallowed)
    if problems:
        raise ConfigError(f"invalid authentication configuration: {field.aggregate_message(problems)}")
    for each in configuration.jwt:
        if each.issuer.egress:
            raise ConfigError(f'oidc: egress lookup required with egress selector type "{each.issuer.egress}"')
    return programs


class IssuersOfFlags:
    """They stay the same."""

    def __init__(self, issuers: Issuers, given: Sequence[JWTAuthenticator], programs: Sequence[Programs]) -> None:
        self.issuers = issuers
        self.anonymous: Anonymous | None = None
        self._given = given
        self._programs = programs

    def start(self) -> None:
        self.issuers.begin(self._given, self._programs)

    async def stop(self) -> None:
        self.issuers.stop()


class AuthenticationFile:
    """Looks at the file every few seconds, however it is replaced. `data` is what it says at first, `compiled` the
    same, with its programs."""

    def __init__(
        self,
        path: Path,
        data: bytes,
        compiled: tuple[Configuration, list[Programs]],
        disallowed: Collection[str],
        issuers: Issuers,
        counts: ConfigMetrics,
    ) -> None:
        self._path = path
        self.issuers = issuers
        self.anonymous = compiled[0].anonymous
        self._data = data
        self._compiled = compiled
        self._disallowed = disallowed
        self._counts = counts
        self._looks = self._look()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        configuration, programs = self._compiled
        self.issuers.begin(configuration.jwt, programs)
        self._task = asyncio.create_task(self._run(), name="authentication configuration")

    async def stop(self) -> None:
        self.issuers.stop()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        retry_at = loop.time() + _RETRY_S
        while True:
            await asyncio.sleep(_PERIOD_S)
            looks = self._look()
            if looks != self._looks or loop.time() >= retry_at:
                self._looks = looks
                await self.check()
                retry_at = loop.time() + _RETRY_S

    async def check(self) -> None:
        """Take up what the file says now. What fails for the time being is tried again later."""
        try:
            data = self._path.read_bytes()
            if data == self._data:
                return
            await self._take_up(data)
        except (OSError, Unreachable) as error:
            self._fail(error)
        except (BadFile, ConfigError) as error:
            self._data = data  # it will not get better
            self._fail(error)
        else:
            self._data = data
            _LOG.info("reloaded authentication config")
            self._counts.count_success(data)

    async def _take_up(self, data: bytes) -> None:
        configuration = load.load(data)
        programs = await asyncio.to_thread(_compile, configuration, self._disallowed)
        if configuration.anonymous != self.anonymous:
            raise ConfigError(str(field.forbidden("anonymous", "changed from initial configuration file")))
        await self.issuers.replace(configuration.jwt, programs, _UPDATE_S)

    def _fail(self, error: Exception) -> None:
        _LOG.error("failed to update authentication config, the old one stays: %s", error)
        self._counts.count_failure()

    def _look(self) -> Looks:
        try:
            stat = self._path.stat()
        except OSError:
            return None
        return stat.st_mtime_ns, stat.st_size, stat.st_ino


def default_algorithms(given: Authentication) -> tuple[str, ...]:
    """A file's issuers may sign with any."""
    return ALGORITHMS if given.file is not None else given.algorithms
