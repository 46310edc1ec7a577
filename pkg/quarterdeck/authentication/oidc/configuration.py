"""Which issuers' tokens are believed, and who may come without credentials: AuthenticationConfiguration.

Source: apiserver/pkg/apis/apiserver/types.go.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple


class ClaimOrExpression(NamedTuple):
    """`prefix` None: none is given, which is not the same as an empty one."""

    claim: str = ""
    expression: str = ""
    prefix: str | None = None


_NO_MAPPING: Final = ClaimOrExpression()


class ClaimRule(NamedTuple):
    claim: str = ""
    required_value: str = ""
    expression: str = ""
    message: str = ""


class UserRule(NamedTuple):
    expression: str = ""
    message: str = ""


class ExtraMapping(NamedTuple):
    key: str = ""
    expression: str = ""


@dataclass(frozen=True, slots=True)
class Issuer:
    """`certificate_authority` is PEM; empty: those of the system."""

    url: str = ""
    discovery_url: str = ""
    certificate_authority: str = ""
    audiences: tuple[str, ...] = ()
    match_policy: str = ""
    egress: str = ""


@dataclass(frozen=True, slots=True)
class JWTAuthenticator:
    """Who signs tokens, which of them are good, and who they make of their claims."""

    issuer: Issuer
    claim_rules: tuple[ClaimRule, ...] = ()
    username: ClaimOrExpression = _NO_MAPPING
    groups: ClaimOrExpression = _NO_MAPPING
    uid: ClaimOrExpression = _NO_MAPPING
    extra: tuple[ExtraMapping, ...] = ()
    user_rules: tuple[UserRule, ...] = ()


class Anonymous(NamedTuple):
    """`paths`: where alone requests without credentials are allowed; none: everywhere."""

    enabled: bool
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Configuration:
    """`anonymous` None: the file does not say."""

    jwt: tuple[JWTAuthenticator, ...] = ()
    anonymous: Anonymous | None = None
