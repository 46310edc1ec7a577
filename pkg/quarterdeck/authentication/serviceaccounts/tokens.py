"""Tokens of service accounts: issued for TokenRequest, judged as bearer tokens and for TokenReview.

Source: pkg/serviceaccount/{claims,jwt}.go, registry/core/serviceaccount/storage/token.go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NamedTuple, TypeGuard

from quarterdeck.apimachinery import clock, gofmt, meta
from quarterdeck.apimachinery.user import User
from quarterdeck.authentication.interface import FOREVER, Identity
from quarterdeck.authentication.serviceaccounts import bindings, jws, legacy
from quarterdeck.authentication.serviceaccounts.bindings import LEEWAY_S, Find, Reference, TokenError
from quarterdeck.authentication.serviceaccounts.keys import Keys

_PRIVATE: Final = "kubernetes.io"
_TIME_END_S: Final = 253402300800  # the year 10000
_USER_PREFIX: Final = "system:serviceaccount:"
_GROUP: Final = "system:serviceaccounts"
_CREDENTIAL_ID: Final = "authentication.kubernetes.io/credential-id"
_LEGACY_TOKEN: Final = "authentication.k8s.io/legacy-token"
_BAD_SIGNATURE: Final = "go-jose/go-jose: error in cryptographic primitive"


@dataclass(frozen=True, slots=True)
class Settings:
    """`issuers`: the first one signs, all are believed. `audiences` are the API's own."""

    issuers: tuple[str, ...]
    audiences: tuple[str, ...]
    jwks_uri: str = ""
    expiration_max_s: int = 0  # 0: no bound


class Verdict(NamedTuple):
    user: User
    audiences: tuple[str, ...]
    expires_at: float
    check: Callable[[], object]
    """Whether the token is good still: raises TokenError."""
    warning: str = ""
    """A text to warn of its use with."""
    annotations: tuple[tuple[str, str], ...] = ()
    """What audits are told of its use."""


class ServiceAccountTokens:
    """`tokens_of_secrets` None: those are not known."""

    def __init__(
        self, settings: Settings, keys: Keys, find: Find, tokens_of_secrets: legacy.LegacyTokens | None = None
    ) -> None:
        self.settings = settings
        self.keys = keys
        self._find = find
        self._legacy = tokens_of_secrets

    # - issuing

    def issue(
        self, namespace: str, account: tuple[str, str], audiences: Sequence[str], seconds: int, *bound: Reference
    ) -> tuple[str, int]:
        """A token for the account (name, uid), and when it ends. The keys must be loaded."""
        now_s = int(clock.wall_s())
        name, uid = account
        private: dict[str, Any] = {"namespace": namespace, "serviceaccount": {"name": name, "uid": uid}}
        for member, title, uid_of_bound in bound:
            private[member] = {"name": title} | ({"uid": uid_of_bound} if uid_of_bound else {})
        claims = {
            "aud": list(audiences),
            "exp": now_s + seconds,
            "iat": now_s,
            "iss": self.settings.issuers[0],
            "jti": meta.new_uid(),
            _PRIVATE: private,
            "nbf": now_s,
            "sub": f"{_USER_PREFIX}{namespace}:{name}",
        }
        return self.keys.load().sign(claims), now_s + seconds

    # - judging

    def authenticate_for(self, token: str, audiences: Sequence[str]) -> Identity | None:
        """None and TokenError as `judge`."""
        verdict = self.judge(token, audiences)
        if verdict is None:
            return None

        def is_current() -> bool:
            try:
                verdict.check()
            except TokenError:
                return False
            return True

        return Identity(
            verdict.user,
            verdict.expires_at,
            is_current,
            warning=verdict.warning,
            audiences=verdict.audiences,
            annotations=verdict.annotations,
        )

    def judge(self, text: str, audiences: Sequence[str]) -> Verdict | None:
        """None for what is no token of these issuers. Raises TokenError for one that is not good (any more)."""
        token = jws.Token.parse(text)
        if token is None or not self.keys.have_signed:
            return None
        issuer = token.claims.get("iss")
        is_legacy = self._legacy is not None and issuer == legacy.ISSUER
        if not is_legacy and issuer not in self.settings.issuers:
            return None
        key_id = token.header.get("kid")
        keys = [key for key in self.keys.verifying() if not key_id or key.key_id == key_id]
        if not keys:
            raise TokenError("invalid signature, no keys found")
        verified = next((key.key_id for key in keys if token.is_signed_by(key)), None)
        if verified is None:
            raise TokenError(_BAD_SIGNATURE)
        meant_for = _texts(token.claims.get("aud"))
        own = meant_for or self.settings.audiences
        common = tuple(audience for audience in audiences if audience in own)
        if not common:
            wanted = gofmt.quote_all(audiences)
            raise TokenError(f"token audiences {gofmt.quote_all(own)} is invalid for the target audiences {wanted}")
        judge = partial(self._judge_secret, text) if is_legacy else self._judge_claims
        verdict = judge(token.claims, common)

        def check() -> None:
            if not self.keys.verifies(verified):
                raise TokenError(_BAD_SIGNATURE)
            verdict.check()

        if meant_for:
            return verdict._replace(check=check)
        told = ((_LEGACY_TOKEN, _text(token.claims.get("sub"))), *verdict.annotations)
        return verdict._replace(check=check, annotations=told)

    def _judge_secret(self, text: str, claims: dict[str, Any], audiences: tuple[str, ...]) -> Verdict:
        assert self._legacy is not None
        found = self._legacy.judge(text, claims)
        user = _build_user(found.namespace, found.account, found.uid, {}, ())
        return Verdict(user, audiences, FOREVER, found.check, found.warning, found.annotations)

    def _judge_claims(self, claims: dict[str, Any], audiences: tuple[str, ...]) -> Verdict:
        now_s = clock.wall_s()
        expires_at, valid_from, issued_at = claims.get("exp"), claims.get("nbf", 0), claims.get("iat", 0)
        if not _is_time(expires_at) or now_s > expires_at + LEEWAY_S:
            raise TokenError("service account token has expired")
        if not _is_time(valid_from) or now_s < valid_from - LEEWAY_S:
            raise TokenError("service account token is not valid yet")
        if not _is_time(issued_at) or now_s < issued_at - LEEWAY_S:
            raise TokenError("service account token is issued in the future")
        private = claims.get(_PRIVATE)
        account = private.get("serviceaccount") if isinstance(private, dict) else None
        if not isinstance(private, dict) or not isinstance(account, dict):
            raise TokenError("service account token claims could not be validated due to unexpected private claim")
        namespace, name, uid = (
            _text(each) for each in (private.get("namespace"), account.get("name"), account.get("uid"))
        )
        if claims.get("sub") != f"{_USER_PREFIX}{namespace}:{name}" or not uid:
            raise TokenError("Token claims could not be validated")
        bound = [
            Reference(member, _text(private[member].get("name")), _text(private[member].get("uid")))
            for member in bindings.MEMBERS
            if isinstance(private.get(member), dict)
        ]

        def check() -> None:
            bindings.check_account(self._find, namespace, name, uid)
            bindings.check_bound(self._find, namespace, bound)

        check()
        return Verdict(_build_user(namespace, name, uid, claims, bound), audiences, expires_at + LEEWAY_S, check)

    # - what OpenID clients ask

    def to_openid_configuration(self, jwks_uri: str) -> dict[str, object]:
        algorithms = sorted({key.algorithm for key in self.keys.verifying()})
        return {
            "issuer": self.settings.issuers[0],
            "jwks_uri": self.settings.jwks_uri or jwks_uri,
            "response_types_supported": ["id_token"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": algorithms,
        }

    def to_jwks(self) -> dict[str, object]:
        return {"keys": [key.to_jwk() for key in self.keys.verifying()]}


def _is_time(value: object) -> TypeGuard[int | float]:
    """Whether a claim can be a time at all: seconds since 1970 that Go's types and a calendar know."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < _TIME_END_S


def _build_user(namespace: str, name: str, uid: str, claims: Mapping[str, Any], bound: Sequence[Reference]) -> User:
    extra: dict[str, tuple[str, ...]] = {}
    for reference in bound:
        if reference.member != "secret":
            prefix = f"authentication.kubernetes.io/{reference.member}"
            extra[f"{prefix}-name"] = (reference.name,)
            if reference.uid:
                extra[f"{prefix}-uid"] = (reference.uid,)
    if isinstance(claims.get("jti"), str):
        extra[_CREDENTIAL_ID] = (_credential_id(claims),)
    return User(f"{_USER_PREFIX}{namespace}:{name}", uid, (_GROUP, f"{_GROUP}:{namespace}"), extra)


def issued_credential_id(token: str) -> str:
    """What names a token of this server in an audit."""
    parsed = jws.Token.parse(token)
    assert parsed is not None
    return _credential_id(parsed.claims)


def _credential_id(claims: Mapping[str, Any]) -> str:
    return f"JTI={claims['jti']}"


def _texts(value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [each for each in values if isinstance(each, str)]


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
