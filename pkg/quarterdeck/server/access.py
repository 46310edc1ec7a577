"""Wiring of who sends a request and what they may do: authenticators, the authorizer, reviews, tokens of accounts."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from quarterdeck.admission.chain import Chain
from quarterdeck.apimachinery import meta
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.time import parse_rfc3339
from quarterdeck.authentication import tokenfile, websocket
from quarterdeck.authentication.authenticator import Authenticator
from quarterdeck.authentication.bearer import BearerMethod
from quarterdeck.authentication.bootstraptokens import BootstrapTokens
from quarterdeck.authentication.cache import CacheMetrics, TokenCache
from quarterdeck.authentication.interface import AudienceTokenMethod, Method, TokenMethod
from quarterdeck.authentication.oidc.configuration import Anonymous
from quarterdeck.authentication.requestheader import Headers, RequestHeaderMethod
from quarterdeck.authentication.review import TokenReviewer
from quarterdeck.authentication.serviceaccounts import jws
from quarterdeck.authentication.serviceaccounts.bindings import BoundObject
from quarterdeck.authentication.serviceaccounts.keys import Keys
from quarterdeck.authentication.serviceaccounts.legacy import LegacyTokens
from quarterdeck.authentication.serviceaccounts.tokens import ServiceAccountTokens, Settings
from quarterdeck.authentication.tokenfile import TokenFile
from quarterdeck.authentication.union import AccountTokens, Agnostic, TokenUnion
from quarterdeck.authentication.websocket import WebSocketMethod
from quarterdeck.authentication.x509 import CertificateMethod
from quarterdeck.authorization.authorizer import Authorizer
from quarterdeck.authorization.rbac.resolver import Resolver
from quarterdeck.controllers.identitylease import build_name
from quarterdeck.controllers.tokenuses import TokenUses
from quarterdeck.endpoints.handlers.reviews import Reviews, build_answers
from quarterdeck.endpoints.handlers.token_request import TokenRequestHandler
from quarterdeck.endpoints.openid import OpenIDPaths
from quarterdeck.metrics.registry import Histogram, Registry
from quarterdeck.registry.builtin import reviews
from quarterdeck.registry.identity import LOOPBACK, Identity
from quarterdeck.registry.scope import Builtin
from quarterdeck.server import lifecycle
from quarterdeck.server.authorization import Authorization, admits_anonymous
from quarterdeck.server.config import DEFAULT_ISSUER, Config, ConfigError, FrontProxy, TokenWebhook
from quarterdeck.server.files import PRIVATE, write_atomically
from quarterdeck.server.reload import FileWatch, Watch
from quarterdeck.transport.client.pool import HTTPClient
from quarterdeck.webhook.loopback import Loopback

if TYPE_CHECKING:
    from quarterdeck.server.jwtissuers import JWTIssuers

OWN_KEY_FILE: Final = "pki/sa.key"
_DAY_S: Final = 86400
_EXPIRATION_BOUNDS: Final = (
    *(0, 1800, 3600, 7200, 21600, 43200),
    *(days * _DAY_S for days in (1, 2, 4, 7, 30, 90, 180, 365)),
)


class Access(NamedTuple):
    authenticator: Authenticator
    authorizer: Authorizer
    reviews: Reviews
    token_requests: TokenRequestHandler
    openid: OpenIDPaths
    file_watches: list[Watch]
    resolver: Resolver
    keys: Keys


def build(
    config: Config, served: Builtin, metrics: Registry, admission: Chain, http: HTTPClient, loopback: Loopback | None
) -> Access:
    """Everything that tells who asks and what they may do. `admission` sees reviews and token requests; `loopback` is
    how this server calls itself. Raises ConfigError."""
    find = partial(_find_bound_object, served)
    keys = _build_keys(config)
    uses = TokenUses(Identity(admission, LOOPBACK), served["", "v1", "secrets"][""])
    accounts = ServiceAccountTokens(_build_settings(config), keys, find, LegacyTokens(find, uses.note))
    certificates = CertificateMethod(lifecycle.client_authorities(config), _count_expirations(metrics))
    static = TokenFile({})
    watches: list[Watch] = []
    if config.client_ca_file is not None:
        watches.append(FileWatch([config.client_ca_file], lambda: certificates.replace(_read_authorities(config))))
    # A front proxy's word, then certificates, then tokens, as upstream asks them.
    audiences, known = accounts.settings.audiences, served["", "v1", "serviceaccounts"][""].store.cache
    own = AccountTokens(accounts, known.shared.catch_up if known.shared.lags else None)
    others = [Agnostic(kind, audiences) for kind in _build_local(config, served, loopback)]
    kinds = TokenUnion([Agnostic(static, audiences), own, *others])
    cache_metrics = CacheMetrics(metrics)
    tokens = TokenCache(kinds, cache_metrics)
    watches += _watch_credentials(config, static, keys, tokens.clear)
    anonymous = Anonymous(admits_anonymous(config))
    if config.authentication.has_issuers:
        found = _build_issuers(config, accounts.settings, metrics, http, tokens.clear)
        kinds.add(Agnostic(found.issuers, audiences))
        anonymous = found.anonymous or anonymous
        watches.append(found)
    if config.authentication.webhook is not None:
        kinds.add(_build_webhook(config.authentication.webhook, audiences, http, cache_metrics))
    methods: list[Method] = [certificates, BearerMethod(tokens, audiences), WebSocketMethod(tokens, audiences)]
    naming_headers: tuple[str, ...] = (websocket.HEADER,)
    if config.front_proxy is not None:
        _check_overlap(config, config.front_proxy)
        proxy = _build_front_proxy(config.front_proxy)
        file = config.front_proxy.client_ca_file
        watches.append(FileWatch([file], lambda: proxy.replace(file.read_bytes())))
        methods.insert(0, proxy)
        naming_headers += proxy.headers.names
    authorization = Authorization(config, served, metrics, http)
    watches += authorization.file_watches
    reviewer = TokenReviewer(tokens, audiences, is_anonymous_allowed=anonymous.enabled and not anonymous.paths)
    answers = build_answers(authorization.chain, reviewer)
    return Access(
        Authenticator(
            methods,
            is_anonymous_allowed=anonymous.enabled,
            anonymous_paths=frozenset(anonymous.paths),
            naming_headers=naming_headers,
        ),
        authorization.chain,
        Reviews([reviews.build_scope(each) for each in reviews.REVIEWS], answers, admission),
        TokenRequestHandler(reviews.build_scope(reviews.TOKEN_REQUEST), accounts, find, admission),
        OpenIDPaths(accounts, f"{config.bind_address}:{config.secure_port}"),
        watches,
        authorization.resolver,
        keys,
    )


def _build_local(config: Config, served: Builtin, loopback: Loopback | None) -> list[TokenMethod]:
    """Of which nobody else has to be asked: bootstrap tokens, and the one by which this server knows itself."""
    kinds: list[TokenMethod] = []
    if config.has_bootstrap_tokens:
        kinds.append(BootstrapTokens(partial(_find_secret, served)))
    if loopback is not None:
        kinds.append(TokenFile({loopback.token: LOOPBACK}))
    return kinds


def _check_overlap(config: Config, given: FrontProxy) -> None:
    """Raises ConfigError where any client of an authority could name whoever it likes."""
    if config.client_ca_file is None or given.allowed_names:
        return
    from cryptography import x509

    try:
        clients, proxies = (
            x509.load_pem_x509_certificates(file.read_bytes()) for file in (config.client_ca_file, given.client_ca_file)
        )
    except (OSError, ValueError):
        return  # whoever uses them says what is wrong
    if any(each in clients for each in proxies):
        raise ConfigError(
            "--requestheader-client-ca-file and --client-ca-file contain overlapping certificates; "
            "--requestheader-allowed-names must be specified to ensure regular client certificates cannot set "
            "authenticating proxy headers for arbitrary users"
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


def _watch_credentials(config: Config, static: TokenFile, keys: Keys, on_change: Callable[[], None]) -> list[Watch]:
    """Reads the file of static tokens, and watches it and the files of keys (which have been read). Raises
    ConfigError."""
    watches: list[Watch] = []
    file = config.token_auth_file
    if file is not None:
        watches.append(FileWatch([file], lambda: _take_up(partial(_read_static, static, file), on_change)))
        try:
            _read_static(static, file)
        except (OSError, ValueError) as error:
            raise ConfigError(f"cannot read --token-auth-file: {error}") from error
    if keys.files:
        watches.append(FileWatch(keys.files, lambda: _take_up(keys.reload, on_change)))
    return watches


def _read_static(static: TokenFile, file: Path) -> None:
    static.replace(tokenfile.read(file))


def _take_up(reload: Callable[[], None], on_change: Callable[[], None]) -> None:
    reload()
    on_change()


def _build_issuers(
    config: Config, accounts: Settings, metrics: Registry, http: HTTPClient, on_change: Callable[[], None]
) -> JWTIssuers:
    from quarterdeck.server import jwtissuers  # imported late: few servers have any

    server_id = build_name(socket.gethostname())
    given = config.authentication
    builder = jwtissuers.Builder(http, metrics, server_id, jwtissuers.default_algorithms(given))
    return jwtissuers.build(given, accounts.issuers, builder, metrics, on_change, server_id)


def _build_webhook(
    given: TokenWebhook, audiences: Sequence[str], http: HTTPClient, metrics: CacheMetrics
) -> AudienceTokenMethod:
    from quarterdeck.authentication.webhook import RememberedWebhook, WebhookTokens
    from quarterdeck.webhook import kubeconfig
    from quarterdeck.webhook.client import post_to

    try:
        remote = kubeconfig.load(given.kubeconfig)
    except kubeconfig.BadKubeconfig as error:
        raise ConfigError(f"cannot use --authentication-token-webhook-config-file: {error}") from error
    post = partial(post_to, http, remote.target, remote.credentials.headers)
    return RememberedWebhook(WebhookTokens(given.version, audiences, post), metrics, given.ttl_s)


def _build_settings(config: Config) -> Settings:
    accounts = config.service_accounts
    issuers = accounts.issuers or (DEFAULT_ISSUER,)
    return Settings(issuers, accounts.audiences or issuers, accounts.jwks_uri, accounts.expiration_max_s)


def _build_keys(config: Config) -> Keys:
    accounts = config.service_accounts
    keys = Keys(
        accounts.signing_key_file,
        accounts.key_files,
        accounts.own_key_file or config.data_dir / OWN_KEY_FILE,
        _keep_key,
    )
    if keys.files:
        try:
            keys.load()
        except (OSError, jws.UnusableKey) as error:
            raise ConfigError(f"cannot use the service account keys: {error}") from error
    return keys


def _keep_key(path: Path, pem: bytes) -> None:
    write_atomically(path, pem, PRIVATE)


def _find_secret(served: Builtin, namespace: str, name: str) -> Mapping[str, Any] | None:
    found = _find_bound_object(served, "secrets", namespace, name)
    return None if found is None else found.obj


def _find_bound_object(served: Builtin, resource: str, namespace: str, name: str) -> BoundObject | None:
    scopes = served.get(("", "v1", resource))
    entry = scopes[""].store.cache.get(namespace, name) if scopes is not None else None
    if entry is None:
        return None
    obj = json_codec.load(entry.data)
    deleted_at = meta.deletion_timestamp(obj)
    return BoundObject(meta.uid(obj), parse_rfc3339(deleted_at) if deleted_at else None, obj)
