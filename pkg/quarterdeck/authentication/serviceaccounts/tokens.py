"""Tokens of service accounts: issued for TokenRequest, judged as bearer tokens and for TokenReview.

A token stands for its account as long as the account, and the object that it may be bound to, exist with the uid that
the token names: that is looked up at every request, while the signature is checked once a connection.

Source: pkg/serviceaccount/{claims,jwt}.go, registry/core/serviceaccount/storage/token.go.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeGuard

from quarterdeck.apimachinery import gofmt, meta
from quarterdeck.apimachinery.user import User
from quarterdeck.authentication.interface import Identity
from quarterdeck.authentication.serviceaccounts import jws
from quarterdeck.authentication.serviceaccounts.keys import Keys

_PRIVATE: Final = "kubernetes.io"
_TIME_END_S: Final = 253402300800  # the year 10000
_LEEWAY_S: Final = 60
_USER_PREFIX: Final = "system:serviceaccount:"
_GROUP: Final = "system:serviceaccounts"
_CREDENTIAL_ID: Final = "authentication.kubernetes.io/credential-id"
_BOUND: Final = {"secret": "secrets", "pod": "pods", "node": "nodes"}


class TokenError(Exception):
    """A token of ours that is not good. The text is upstream's, for TokenReview."""


class BoundObject(NamedTuple):
    """An object that a token names, as it is now."""

    uid: str
    deleted_at_s: float | None


Find = Callable[[str, str, str], BoundObject | None]  # (resource, namespace, name)


@dataclass(frozen=True, slots=True)
class Settings:
    """`issuers`: the first one signs, all are believed. `audiences` are the API's own."""

    issuers: tuple[str, ...]
    audiences: tuple[str, ...]
    jwks_uri: str = ""
    expiration_max_s: int = 0  # 0: no bound


class Reference(NamedTuple):
    """An object that a token is bound to: `member` is "pod", "secret" or "node"."""

    member: str
    name: str
    uid: str


class Verdict(NamedTuple):
    user: User
    audiences: tuple[str, ...]
    expires_at: float
    check: Callable[[], None]


class ServiceAccountTokens:
    def __init__(self, settings: Settings, keys: Keys, find: Find) -> None:
        self.settings = settings
        self.keys = keys
        self._find = find

    # - issuing

    def issue(
        self, namespace: str, account: tuple[str, str], audiences: Sequence[str], seconds: int, bound: Reference | None
    ) -> tuple[str, int]:
        """A token for the account (name, uid), and when it ends. The keys must be loaded."""
        now_s = int(time.time())
        name, uid = account
        private: dict[str, Any] = {"namespace": namespace, "serviceaccount": {"name": name, "uid": uid}}
        if bound is not None:
            private[bound.member] = {"name": bound.name, "uid": bound.uid}
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

    def authenticate_token(self, token: str) -> Identity | None:
        try:
            verdict = self.judge(token, self.settings.audiences)
        except TokenError:
            return None
        if verdict is None:
            return None

        def is_current() -> bool:
            try:
                verdict.check()
            except TokenError:
                return False
            return True

        return Identity(verdict.user, verdict.expires_at, is_current)

    def judge(self, text: str, audiences: Sequence[str]) -> Verdict | None:
        """None for what is no token of these issuers. Raises TokenError for one that is not good (any more)."""
        token = jws.Token.parse(text)
        if token is None or token.claims.get("iss") not in self.settings.issuers or not self.keys.have_signed:
            return None
        key_id = token.header.get("kid")
        keys = [key for key in self.keys.verifying() if not key_id or key.key_id == key_id] or self.keys.verifying()
        if not any(token.is_signed_by(key) for key in keys):
            raise TokenError("go-jose/go-jose: error in cryptographic primitive")
        own = _texts(token.claims.get("aud"))
        common = tuple(audience for audience in own if audience in audiences)
        if not common:
            wanted = _quote(audiences)
            raise TokenError(f"token audiences {_quote(own)} is invalid for the target audiences {wanted}")
        return self._judge_claims(token.claims, common)

    def _judge_claims(self, claims: dict[str, Any], audiences: tuple[str, ...]) -> Verdict:
        now_s = time.time()
        expires_at, valid_from, issued_at = claims.get("exp"), claims.get("nbf", 0), claims.get("iat", 0)
        if not _is_time(expires_at) or now_s > expires_at + _LEEWAY_S:
            raise TokenError("service account token has expired")
        if not _is_time(valid_from) or now_s < valid_from - _LEEWAY_S:
            raise TokenError("service account token is not valid yet")
        if not _is_time(issued_at) or now_s < issued_at - _LEEWAY_S:
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
            for member in _BOUND
            if isinstance(private.get(member), dict)
        ]

        def check() -> None:
            self._check_living("serviceaccounts", namespace, name, uid, "service account")
            for reference in bound:
                where = "" if reference.member == "node" else namespace
                resource = _BOUND[reference.member]
                self._check_living(resource, where, reference.name, reference.uid, reference.member)

        check()
        return Verdict(_build_user(namespace, name, uid, claims, bound), audiences, expires_at + _LEEWAY_S, check)

    def _check_living(self, resource: str, namespace: str, name: str, uid: str, title: str) -> None:
        bound = self._find(resource, namespace, name)
        if bound is None or (bound.deleted_at_s is not None and bound.deleted_at_s < time.time() - _LEEWAY_S):
            raise TokenError(f"{title} {namespace}/{name} has been deleted")
        if bound.uid != uid:
            raise TokenError(f"The {title} UID ({bound.uid}) does not match the claimed UID ({uid})")

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
            extra |= {f"{prefix}-name": (reference.name,), f"{prefix}-uid": (reference.uid,)}
    if isinstance(claims.get("jti"), str):
        extra[_CREDENTIAL_ID] = (f"JTI={claims['jti']}",)
    return User(f"{_USER_PREFIX}{namespace}:{name}", uid, (_GROUP, f"{_GROUP}:{namespace}"), extra)


def _texts(value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [each for each in values if isinstance(each, str)]


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _quote(values: Sequence[str]) -> str:
    """Go's %q of a list."""
    return f"[{' '.join(gofmt.quote(value) for value in values)}]"
