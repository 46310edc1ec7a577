"""Wiring of who sends a request and what they may do: authenticators, the authorizer, reviews, tokens of accounts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from quarterdeck.admission.chain import Chain
from quarterdeck.apimachinery import meta
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.time import parse_rfc3339
from quarterdeck.authentication.authenticator import Authenticator
from quarterdeck.authentication.bearer import BearerMethod
from quarterdeck.authentication.interface import Method, TokenMethod
from quarterdeck.authentication.requestheader import Headers, RequestHeaderMethod
from quarterdeck.authentication.review import TokenReviewer
from quarterdeck.authentication.serviceaccounts import jws
from quarterdeck.authentication.serviceaccounts.keys import Keys
from quarterdeck.authentication.serviceaccounts.tokens import BoundObject, ServiceAccountTokens, Settings
from quarterdeck.authentication.tokenfile import TokenFile
from quarterdeck.authentication.x509 import CertificateMethod
from quarterdeck.authorization.authorizer import Authorizer, MastersAuthorizer
from quarterdeck.endpoints.handlers.reviews import Reviews, build_answers
from quarterdeck.endpoints.handlers.token_request import TokenRequestHandler
from quarterdeck.endpoints.openid import OpenIDPaths
from quarterdeck.metrics.registry import Histogram, Registry
from quarterdeck.registry.builtin import reviews
from quarterdeck.registry.scope import Scope
from quarterdeck.server import lifecycle
from quarterdeck.server.config import DEFAULT_ISSUER, Config, ConfigError, FrontProxy
from quarterdeck.server.files import PRIVATE, write_atomically
from quarterdeck.server.reload import FileWatch

OWN_KEY_FILE: Final = "pki/sa.key"
_DAY_S: Final = 86400
_EXPIRATION_BOUNDS: Final = (
    *(0, 1800, 3600, 7200, 21600, 43200),
    *(days * _DAY_S for days in (1, 2, 4, 7, 30, 90, 180, 365)),
)

Builtin = Mapping[tuple[str, str, str], Mapping[str, Scope]]


class Access(NamedTuple):
    authenticator: Authenticator
    authorizer: Authorizer
    reviews: Reviews
    token_requests: TokenRequestHandler
    openid: OpenIDPaths
    file_watches: list[FileWatch]


def build(config: Config, served: Builtin, metrics: Registry, admission: Chain) -> Access:
    find = partial(_find_bound_object, served)
    accounts = ServiceAccountTokens(_build_settings(config), _build_keys(config), find)
    static = _build_static(config)
    certificates = CertificateMethod(lifecycle.client_authorities(config), _count_expirations(metrics))
    watches: list[FileWatch] = []
    if config.client_ca_file is not None:
        watches.append(FileWatch([config.client_ca_file], lambda: certificates.replace(_read_authorities(config))))
    # A front proxy's word, then certificates, then tokens, as upstream asks them.
    methods: list[Method] = [certificates, BearerMethod([*static, accounts])]
    naming_headers: tuple[str, ...] = ()
    if config.front_proxy is not None:
        proxy = _build_front_proxy(config.front_proxy)
        file = config.front_proxy.client_ca_file
        watches.append(FileWatch([file], lambda: proxy.replace(file.read_bytes())))
        methods.insert(0, proxy)
        naming_headers = proxy.headers.names
    authorizer = MastersAuthorizer()
    answers = build_answers(authorizer, TokenReviewer(static, accounts))
    return Access(
        Authenticator(methods, is_anonymous_allowed=config.is_anonymous_allowed, naming_headers=naming_headers),
        authorizer,
        Reviews([reviews.build_scope(each) for each in reviews.REVIEWS], answers, admission),
        TokenRequestHandler(reviews.build_scope(reviews.TOKEN_REQUEST), accounts, find, admission),
        OpenIDPaths(accounts, f"{config.bind_address}:{config.secure_port}"),
        watches,
    )


def _build_front_proxy(given: FrontProxy) -> RequestHeaderMethod:
    def lower(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name.lower() for name in names)

    headers = Headers(
        lower(given.names), lower(given.uids), lower(given.groups), lower(given.extra_prefixes), given.allowed_names
    )
    try:
        return RequestHeaderMethod(given.client_ca_file.read_bytes(), headers)
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot use --requestheader-client-ca-file {given.client_ca_file}: {error}") from error


def _read_authorities(config: Config) -> bytes:
    try:
        return lifecycle.client_authorities(config)
    except lifecycle.StartError as error:
        raise ValueError(str(error)) from error


def _count_expirations(metrics: Registry) -> Histogram:
    return metrics.histogram(
        "apiserver_client_certificate_expiration_seconds",
        "[ALPHA] Distribution of the remaining lifetime on the certificate used to authenticate a request.",
        _EXPIRATION_BOUNDS,
    ).labels()


def _build_static(config: Config) -> list[TokenMethod]:
    if config.token_auth_file is None:
        return []
    try:
        return [TokenFile.load(config.token_auth_file)]
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot read --token-auth-file: {error}") from error


def _build_settings(config: Config) -> Settings:
    accounts = config.service_accounts
    issuers = accounts.issuers or (DEFAULT_ISSUER,)
    return Settings(issuers, accounts.audiences or issuers[:1], accounts.jwks_uri, accounts.expiration_max_s)


def _build_keys(config: Config) -> Keys:
    accounts = config.service_accounts
    keys = Keys(accounts.signing_key_file, accounts.key_files, config.data_dir / OWN_KEY_FILE, _keep_key)
    if keys.has_files:
        try:
            keys.load()
        except (OSError, jws.UnusableKey) as error:
            raise ConfigError(f"cannot use the service account keys: {error}") from error
    return keys


def _keep_key(path: Path, pem: bytes) -> None:
    write_atomically(path, pem, PRIVATE)


def _find_bound_object(served: Builtin, resource: str, namespace: str, name: str) -> BoundObject | None:
    scopes = served.get(("", "v1", resource))
    entry = scopes[""].store.cache.get(namespace, name) if scopes is not None else None
    if entry is None:
        return None
    obj = json_codec.load(entry.data)
    deleted_at = meta.deletion_timestamp(obj)
    return BoundObject(meta.uid(obj), parse_rfc3339(deleted_at) if deleted_at else None)
