"""What the claims of a verified token say: whether it is good now, and who it makes of whoever brings it.

Source: plugin/pkg/authenticator/token/oidc/oidc.go (AuthenticateToken and what it calls), go-oidc (verify.go).
"""

from __future__ import annotations

import datetime
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

from quarterdeck.apimachinery import gofmt
from quarterdeck.apimachinery.user import User
from quarterdeck.authentication.interface import BadToken
from quarterdeck.authentication.oidc import expressions, signatures
from quarterdeck.authentication.oidc.configuration import JWTAuthenticator
from quarterdeck.authentication.oidc.expressions import Compiled
from quarterdeck.authentication.oidc.validation import Programs

_CREDENTIAL_ID: Final = "authentication.kubernetes.io/credential-id"
_NOT_BEFORE_LEEWAY_S: Final = 60
_TIME_END_S: Final = 253402300800  # the year 10000
_NO_TEXTS: Final = "expression must return a string or a list of strings"


class Claims(NamedTuple):
    """`values` as JSON has them; `doubles` the same for expressions, where every number is a double."""

    values: dict[str, Any]
    doubles: dict[str, Any]


def parse(payload: bytes) -> Claims:
    """Raises BadToken."""
    try:
        values, doubles = signatures.load(payload), signatures.load(payload, is_float=True)
    except ValueError as error:
        raise BadToken(f"oidc: failed to unmarshal claims: {error}") from error
    if not isinstance(values, dict):
        raise BadToken(
            f"oidc: failed to unmarshal claims: json: cannot unmarshal {gofmt.json_type(values)} into Go value"
        )
    return Claims(values, doubles)


def issuer_of(text: str) -> str | None:
    """What a token that is not verified says who issued it; None for what is no token."""
    parts = text.split(".")
    if len(text) > signatures.TOKEN_BYTES_MAX or len(parts) != 3 or not text.isascii():
        return None
    try:
        claims = signatures.load(signatures.decode_part(parts[1]))
    except ValueError:
        return None
    return read_issuer(claims) if isinstance(claims, dict) else None


def read_issuer(values: Mapping[str, Any]) -> str | None:
    issuer = values.get("iss", "")
    if not isinstance(issuer, str):
        return None
    return "https://accounts.google.com" if issuer == "accounts.google.com" else issuer


def check_times(values: Mapping[str, Any], now_s: float) -> float:
    """Until when the token is good. Raises BadToken."""
    until_s = _read_time(values.get("exp"))
    if until_s is None or until_s < now_s:
        shown = "0001-01-01 00:00:00 +0000 UTC" if until_s is None else _show_time(until_s)
        raise BadToken(f"oidc: token is expired (Token Expiry: {shown})")
    if values.get("nbf") is None:
        return until_s
    valid_from = _read_time(values["nbf"])
    if valid_from is None or now_s + _NOT_BEFORE_LEEWAY_S < valid_from:
        shown = "invalid" if valid_from is None else _show_time(valid_from)
        raise BadToken(f"oidc: current time {_show_time(now_s)} before the nbf (not before) time: {shown}")
    return until_s


def check_audiences(values: Mapping[str, Any], wanted: Collection[str]) -> None:
    """Raises BadToken."""
    given = values.get("aud")
    found = [given] if isinstance(given, str) else given if isinstance(given, list) else []
    texts = [each for each in found if isinstance(each, str)]
    if not any(each in wanted for each in texts):
        shown = gofmt.quote(next(iter(wanted))) if len(wanted) == 1 else f"in {gofmt.quote_all(sorted(wanted))}"
        raise BadToken(f"oidc: expected audience {shown} got {gofmt.quote_all(texts)}")


def build_user(given: JWTAuthenticator, programs: Programs, claims: Claims) -> User:
    """Raises BadToken where the claims make no user, or one that the rules refuse."""
    user = User(
        _read_username(given, programs, claims),
        _read_uid(given, programs, claims),
        tuple(_read_groups(given, programs, claims)),
        _read_extra(programs, claims),
    )
    _check_claims(given, programs, claims)
    if programs.user_rules:
        seen = {
            "username": user.name,
            "uid": user.uid,
            "groups": list(user.groups),
            "extra": {name: list(values) for name, values in user.extra.items()},
        }
        _check_rules(programs.user_rules, seen, "oidc: error evaluating user info validation rule")
    return user


def _read_username(given: JWTAuthenticator, programs: Programs, claims: Claims) -> str:
    if programs.username is not None:
        prefix = "oidc: error evaluating username claim expression"
        name = _evaluate(programs.username, claims, prefix)
        if not isinstance(name, str):
            raise BadToken(f"{prefix}: username claim expression must return a string")
        if not name:
            raise BadToken("oidc: empty username via CEL expression is not allowed")
        return name
    claim = given.username.claim
    name = _text(claims, claim, f'oidc: parse username claims "{claim}"')
    if claim == "email" and "email_verified" in claims.values:
        verified = claims.values["email_verified"]
        if verified is not None and not isinstance(verified, bool):
            shown = gofmt.json_type(verified)
            text = f"json: cannot unmarshal {shown} into Go value of type bool"
            raise BadToken(f"oidc: parse 'email_verified' claim: {text}")
        if not verified:
            raise BadToken("oidc: email not verified")
    return (given.username.prefix or "") + name


def _read_groups(given: JWTAuthenticator, programs: Programs, claims: Claims) -> Sequence[str]:
    claim = given.groups.claim
    if claim and claim in claims.values:
        prefix = given.groups.prefix or ""
        return [prefix + group for group in _texts(claims.values[claim], f'oidc: parse groups claim "{claim}"')]
    if programs.groups is None:
        return ()
    prefix = "oidc: error evaluating group claim expression"
    return _to_texts(_evaluate(programs.groups, claims, prefix), prefix)


def _read_uid(given: JWTAuthenticator, programs: Programs, claims: Claims) -> str:
    claim = given.uid.claim
    if claim:
        return _text(claims, claim, f'oidc: parse uid claim "{claim}"')
    if programs.uid is None:
        return ""
    prefix = "oidc: error evaluating uid claim expression"
    uid = _evaluate(programs.uid, claims, prefix)
    if not isinstance(uid, str):
        raise BadToken(f"{prefix}: uid claim expression must return a string")
    return uid


def _read_extra(programs: Programs, claims: Claims) -> dict[str, tuple[str, ...]]:
    extra: dict[str, tuple[str, ...]] = {}
    token_id = claims.values.get("jti")
    if isinstance(token_id, str) and token_id:
        extra[_CREDENTIAL_ID] = (f"JTI={token_id}",)
    for key, program in programs.extra:
        value = expressions.evaluate(program, claims.doubles)
        prefix = f"oidc: error evaluating extra claim expression: {program.expression}"
        if texts := _to_texts(value, prefix):
            extra[key] = tuple(texts)
    return extra


def _check_claims(given: JWTAuthenticator, programs: Programs, claims: Claims) -> None:
    for rule in given.claim_rules:
        if not rule.claim:
            continue
        if rule.claim not in claims.values:
            raise BadToken(f"oidc: required claim {rule.claim} not present in ID token")
        found = _text(claims, rule.claim, f"oidc: parse claim {rule.claim}")
        if found != rule.required_value:
            text = f"oidc: required claim {rule.claim} value does not match."
            raise BadToken(f"{text} Got = {found}, want = {rule.required_value}")
    _check_rules(programs.claim_rules, claims.doubles, "oidc: error evaluating claim validation expression")


def _check_rules(rules: Sequence[tuple[Compiled, str]], value: Mapping[str, Any], prefix: str) -> None:
    for program, message in rules:
        found = _evaluate_of(program, value, prefix)
        if not isinstance(found, bool):
            raise BadToken(f"{prefix}: validation expression must return a boolean")
        if not found:
            raise BadToken(f"{prefix}: validation expression '{program.expression}' failed: {message}")


def _evaluate(program: Compiled, claims: Claims, prefix: str) -> Any:
    return _evaluate_of(program, claims.doubles, prefix)


def _evaluate_of(program: Compiled, value: Mapping[str, Any], prefix: str) -> Any:
    try:
        return expressions.evaluate(program, value)
    except BadToken as error:
        raise BadToken(f"{prefix}: {error}") from error


def _text(claims: Claims, name: str, prefix: str) -> str:
    """A claim that is a string; null is an empty one, as Go reads it."""
    if name not in claims.values:
        raise BadToken(f"{prefix}: claim not present")
    value = claims.values[name]
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadToken(f"{prefix}: json: cannot unmarshal {gofmt.json_type(value)} into Go value of type string")
    return value


def _texts(value: Any, prefix: str) -> list[str]:
    """A claim that is a string or a list of strings."""
    if value is None:
        return []
    if isinstance(value, list) and all(item is None or isinstance(item, str) for item in value):
        return [item or "" for item in value]
    if not isinstance(value, str):
        raise BadToken(f"{prefix}: json: cannot unmarshal {gofmt.json_type(value)} into Go value of type string")
    return [value]


def _to_texts(value: Any, prefix: str) -> list[str]:
    """What an expression gave, without empty strings."""
    if value is None:
        return []
    found = [value] if isinstance(value, str) else value
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise BadToken(f"{prefix}: {_NO_TEXTS}")
    return [item for item in found if item]


def _read_time(value: object) -> float | None:
    """Seconds since 1970, where the claim is a time that a calendar knows."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < _TIME_END_S:
        return None
    return value


def _show_time(seconds: float) -> str:
    return datetime.datetime.fromtimestamp(int(seconds), datetime.UTC).strftime("%Y-%m-%d %H:%M:%S +0000 UTC")
