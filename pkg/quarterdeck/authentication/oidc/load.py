"""The file of --authentication-config: AuthenticationConfiguration of apiserver.config.k8s.io, v1, v1beta1 or v1alpha1.

The three versions have the same fields. Decoding is strict. Source: apiserver/pkg/apis/apiserver/v1/types.go,
pkg/kubeapiserver/options/authentication.go (loadAuthenticationConfigFromData).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from quarterdeck.authentication.oidc.configuration import (
    Anonymous,
    ClaimOrExpression,
    ClaimRule,
    Configuration,
    ExtraMapping,
    Issuer,
    JWTAuthenticator,
    UserRule,
)
from quarterdeck.schema import configfile
from quarterdeck.schema.gotype import BOOL, STRING, Field, GoType, ListOf, Scalar, Struct

GROUP: Final = "apiserver.config.k8s.io"
KIND: Final = "AuthenticationConfiguration"
VERSIONS: Final = ("v1", "v1beta1", "v1alpha1")
_SCHEME: Final = "pkg/kubeapiserver/options/authentication.go:815"


def load(data: bytes) -> Configuration:
    """Raises configfile.BadFile."""
    if not data:
        raise configfile.BadFile("empty config data")
    obj = configfile.decode(data, {(GROUP, version, KIND): _struct(version) for version in VERSIONS}, _SCHEME)
    anonymous = obj.get("anonymous")
    return Configuration(
        tuple(_read_authenticator(each) for each in obj.get("jwt") or ()),
        None if anonymous is None else _read_anonymous(anonymous),
    )


def _read_anonymous(given: Mapping[str, Any]) -> Anonymous:
    paths = tuple(condition.get("path", "") for condition in given.get("conditions") or ())
    return Anonymous(bool(given.get("enabled")), paths)


def _read_authenticator(given: Mapping[str, Any]) -> JWTAuthenticator:
    mappings = given["claimMappings"]
    return JWTAuthenticator(
        _read_issuer(given["issuer"]),
        tuple(_read_rule(rule) for rule in given.get("claimValidationRules") or ()),
        _read_mapping(mappings.get("username") or {}),
        _read_mapping(mappings.get("groups") or {}),
        _read_mapping(mappings.get("uid") or {}),
        tuple(ExtraMapping(*_texts(each, "key", "valueExpression")) for each in mappings.get("extra") or ()),
        tuple(UserRule(*_texts(each, "expression", "message")) for each in given.get("userValidationRules") or ()),
    )


def _read_issuer(given: Mapping[str, Any]) -> Issuer:
    url, discovery_url, authority = _texts(given, "url", "discoveryURL", "certificateAuthority")
    policy, egress = _texts(given, "audienceMatchPolicy", "egressSelectorType")
    return Issuer(url, discovery_url, authority, tuple(given.get("audiences") or ()), policy, egress)


def _read_rule(given: Mapping[str, str]) -> ClaimRule:
    return ClaimRule(*_texts(given, "claim", "requiredValue", "expression", "message"))


def _read_mapping(given: Mapping[str, str]) -> ClaimOrExpression:
    return ClaimOrExpression(given.get("claim", ""), given.get("expression", ""), given.get("prefix"))


def _texts(given: Mapping[str, Any], *names: str) -> list[str]:
    return [given.get(name) or "" for name in names]


def _struct(package: str) -> Struct:
    """The Go types of one version, for decoding and its errors."""

    def struct(name: str, **fields: GoType) -> Struct:
        return Struct(name, {field: Field(go_type) for field, go_type in fields.items()}, package)

    prefixed = Struct(
        "PrefixedClaimOrExpression",
        {"claim": Field(STRING), "prefix": Field(STRING, pointer=True), "expression": Field(STRING)},
        package,
    )
    rule = struct("ClaimValidationRule", claim=STRING, requiredValue=STRING, expression=STRING, message=STRING)
    mappings = struct(
        "ClaimMappings",
        username=prefixed,
        groups=prefixed,
        uid=struct("ClaimOrExpression", claim=STRING, expression=STRING),
        extra=ListOf(struct("ExtraMapping", key=STRING, valueExpression=STRING)),
    )
    issuer = struct(
        "Issuer",
        url=STRING,
        discoveryURL=STRING,
        certificateAuthority=STRING,
        audiences=ListOf(STRING),
        audienceMatchPolicy=Scalar(f"{package}.AudienceMatchPolicyType", "string"),
        egressSelectorType=Scalar(f"{package}.EgressSelectorType", "string"),
    )
    authenticator = struct(
        "JWTAuthenticator",
        issuer=issuer,
        claimValidationRules=ListOf(rule),
        claimMappings=mappings,
        userValidationRules=ListOf(struct("UserValidationRule", expression=STRING, message=STRING)),
    )
    condition = struct("AnonymousAuthCondition", path=STRING)
    anonymous = struct("AnonymousAuthConfig", enabled=BOOL, conditions=ListOf(condition))
    fields = {
        "kind": Field(STRING),
        "apiVersion": Field(STRING),
        "jwt": Field(ListOf(authenticator)),
        "anonymous": Field(anonymous, pointer=True),
    }
    return Struct(KIND, fields, package)
