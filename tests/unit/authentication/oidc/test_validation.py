"""Files of --authentication-config: what is read, and what is refused in upstream's words.

The cases are those of apiserver/pkg/apis/apiserver/validation/validation_test.go.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from quarterdeck.authentication.oidc import load, validation
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
from quarterdeck.schema.configfile import BadFile
from support.certificates import Certificate

GOOD = JWTAuthenticator(
    Issuer("https://issuer-url", audiences=("audience",)), username=ClaimOrExpression("sub", prefix="")
)
NEEDS_VERIFIED = (
    "claims.email_verified must be used in claimMappings.username.expression or "
    "claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in "
    "claimMappings.username.expression"
)


def problems(configuration: Configuration, *disallowed: str) -> list[str]:
    return [str(each) for each in validation.validate(configuration, disallowed)[0]]


def problems_of(**changes: Any) -> list[str]:
    found, _ = validation.validate_authenticator(dataclasses.replace(GOOD, **changes), "", ())
    return [str(each) for each in found]


def issuer(url: str = "https://issuer-url", **changes: Any) -> dict[str, Issuer]:
    return {"issuer": Issuer(**{"url": url, "audiences": ("audience",), **changes})}


def test_a_good_one_has_no_problems() -> None:
    everything = JWTAuthenticator(
        Issuer(
            "https://a.example.com",
            "https://b.example.com/x",
            Certificate("ca").pem.decode(),
            ("x", "y"),
            "MatchAny",
        ),
        (ClaimRule("hd", "example.com"), ClaimRule(expression="claims.exp - claims.iat < 3600.0", message="too long")),
        ClaimOrExpression(expression="claims.?email_verified.orValue(true) == true ? claims.email : 'x'"),
        ClaimOrExpression(expression="claims.roles.split(',')"),
        ClaimOrExpression("sub"),
        (ExtraMapping("example.com/tenant", "claims.acme__dot__io__slash__tenant"),),
        (UserRule("!user.username.startsWith('system:')", "reserved"),),
    )
    assert problems(Configuration((everything, GOOD), Anonymous(True, ("/livez",)))) == []


def test_of_the_whole() -> None:
    assert problems(Configuration((GOOD,) * 65)) == ["jwt: Too many: 65: must have at most 64 items"]
    assert problems(Configuration((GOOD, GOOD))) == ['jwt[1].issuer.url: Duplicate value: "https://issuer-url"']
    other = dataclasses.replace(GOOD, issuer=Issuer("https://two", "https://d/x", audiences=("a",)))
    third = dataclasses.replace(GOOD, issuer=Issuer("https://three", "https://d/x", audiences=("a",)))
    assert problems(Configuration((other, third))) == ['jwt[1].issuer.discoveryURL: Duplicate value: "https://d/x"']
    text = 'jwt[0].issuer.url: Invalid value: "https://issuer-url": URL must not overlap with disallowed issuers: [a b'
    assert problems(Configuration((GOOD,)), "b", "https://issuer-url", "a") == [f"{text} https://issuer-url]"]
    text = "enabled should be set to true when conditions are defined"
    text = f'anonymous.conditions: Invalid value: [{{"Path":"/x"}}]: {text}'
    assert problems(Configuration(anonymous=Anonymous(False, ("/x",)))) == [text]


@pytest.mark.parametrize(
    "url, text",
    [
        ("", "Required value"),
        ("invalid-url", 'Invalid value: "invalid-url": URL scheme must be https'),
        ("http://issuer-url", 'Invalid value: "http://issuer-url": URL scheme must be https'),
        (
            "https://issuer-url:invalid-port",
            'Invalid value: "https://issuer-url:invalid-port": parse "https://issuer-url:invalid-port": invalid port '
            '":invalid-port" after host',
        ),
        ("https://user:pass@issuer-url", "URL must not contain a username or password"),
        ("https://issuer-url?query", "URL must not contain a query"),
        ("https://issuer-url#fragment", "URL must not contain a fragment"),
    ],
)
def test_the_issuers_url(url: str, text: str) -> None:
    (problem,) = problems_of(**issuer(url))
    assert problem.startswith("issuer.url: ")
    assert problem.endswith(text)


@pytest.mark.parametrize(
    "changes, text",
    [
        (
            {"discovery_url": "https://issuer-url//"},
            'issuer.discoveryURL: Invalid value: "https://issuer-url//": discoveryURL must be different from URL',
        ),
        (
            {"discovery_url": "http://other"},
            'issuer.discoveryURL: Invalid value: "http://other": URL scheme must be https',
        ),
        ({"audiences": ()}, "issuer.audiences: Required value: at least one issuer.audiences is required"),
        ({"audiences": ("",)}, "issuer.audiences[0]: Required value"),
        ({"audiences": ("a", "a"), "match_policy": "MatchAny"}, 'issuer.audiences[1]: Duplicate value: "a"'),
        (
            {"match_policy": "MatchExact"},
            'issuer.audienceMatchPolicy: Invalid value: "MatchExact": audienceMatchPolicy must be empty or MatchAny '
            "for single audience",
        ),
        (
            {"audiences": ("a", "b")},
            'issuer.audienceMatchPolicy: Invalid value: "": audienceMatchPolicy must be MatchAny for multiple '
            "audiences",
        ),
        (
            {"certificate_authority": "invalid"},
            'issuer.certificateAuthority: Invalid value: "<omitted>": data does not contain any valid RSA or ECDSA '
            "certificates",
        ),
        (
            {"egress": "panda"},
            'issuer.egressSelectorType: Invalid value: "panda": egress selector must be either controlplane or cluster',
        ),
    ],
)
def test_the_issuer(changes: dict[str, Any], text: str) -> None:
    assert problems_of(**issuer(**changes)) == [text]


@pytest.mark.parametrize(
    "rules, text",
    [
        ([ClaimRule()], "[0]: Required value: claim or expression is required"),
        (
            [ClaimRule("claim", expression="expression")],
            '[0]: Invalid value: "claim": claim and expression can\'t both be set',
        ),
        (
            [ClaimRule("claim", message="message")],
            '[0].message: Invalid value: "message": may not be specified when claim is set',
        ),
        (
            [ClaimRule(expression="claims.foo == 'bar'", required_value="value")],
            '[0].requiredValue: Invalid value: "value": may not be specified when expression is set',
        ),
        ([ClaimRule("c"), ClaimRule("c")], '[1].claim: Duplicate value: "c"'),
        (
            [ClaimRule(expression="claims.a == 1.0")] * 2,
            '[1].expression: Duplicate value: "claims.a == 1.0"',
        ),
        (
            [ClaimRule(expression="foo.bar")],
            '[0].expression: Invalid value: "foo.bar": compilation failed: ERROR: <input>:1:1: undeclared reference to '
            "'foo' (in container '')\n | foo.bar\n | ^",
        ),
        ([ClaimRule(expression="claims.foo")], '[0].expression: Invalid value: "claims.foo": must evaluate to bool'),
    ],
)
def test_rules_of_claims(rules: list[ClaimRule], text: str) -> None:
    assert problems_of(claim_rules=tuple(rules)) == [f"claimValidationRules{text}"]


@pytest.mark.parametrize(
    "changes, text",
    [
        ({"username": ClaimOrExpression()}, "username: Required value: claim or expression is required"),
        (
            {"username": ClaimOrExpression("c", "e")},
            'username: Invalid value: "": claim and expression can\'t both be set',
        ),
        (
            {"username": ClaimOrExpression(expression="claims.sub", prefix="prefix")},
            'username.prefix: Invalid value: "prefix": may not be specified when expression is set',
        ),
        (
            {"groups": ClaimOrExpression("c")},
            "groups.prefix: Required value: prefix is required when claim is set. It can be set to an empty string to "
            "disable prefixing",
        ),
        ({"uid": ClaimOrExpression("c", "e")}, 'uid: Invalid value: "": claim and expression can\'t both be set'),
        ({"extra": (ExtraMapping("", "claims.x"),)}, "extra[0].key: Required value"),
        ({"extra": (ExtraMapping("example.org/foo"),)}, "extra[0].valueExpression: Required value"),
        (
            {"extra": (ExtraMapping("example.org/foo", "'a'"),) * 2},
            'extra[1].key: Duplicate value: "example.org/foo"',
        ),
        (
            {"extra": (ExtraMapping("foo", "'a'"),)},
            'extra[0].key: Invalid value: "foo": must be a domain-prefixed path (such as "acme.io/foo")',
        ),
        (
            {"extra": (ExtraMapping("example.org/Foo", "'a'"),)},
            'extra[0].key: Invalid value: "example.org/Foo": must be lowercase',
        ),
        (
            {"extra": (ExtraMapping("example.k8s.io/foo", "'a'"),)},
            'extra[0].key: Invalid value: "example.k8s.io/foo": k8s.io, kubernetes.io and their subdomains are '
            "reserved for Kubernetes use",
        ),
    ],
)
def test_mappings(changes: dict[str, Any], text: str) -> None:
    assert problems_of(**changes) == [f"claimMappings.{text}"]


@pytest.mark.parametrize(
    "expression",
    [
        "claims.email",
        "['yay', string(claims.email), 'panda'].join(' ')",
        "claims.?email",
        '{claims.?email: "panda"}',
        '{"fancy": claims.?email}',
        '["a"].map(i, i + claims.email)',
        "has(claims.email) ? claims.email : claims.sub",
        "claims.email.trim()",
    ],
)
def test_an_email_has_to_be_verified(expression: str) -> None:
    mapping = ClaimOrExpression(expression=expression)
    (problem,) = problems_of(username=mapping)
    assert problem.startswith("claimMappings.username.expression: Invalid value: ")
    assert problem.endswith(NEEDS_VERIFIED)
    for more in (
        {"claim_rules": (ClaimRule(expression="claims.?email_verified.orValue(true) == true"),)},
        {"claim_rules": (ClaimRule(expression="claims.email_verified == true"),)},
        {"extra": (ExtraMapping("example.com/foo", "claims.email_verified ? 'y' : 'n'"),)},
    ):
        assert problems_of(username=mapping, **more) == []
    assert problems_of(username=ClaimOrExpression(expression="claims.foo.email")) == []


def test_rules_of_users() -> None:
    def of(*expressions: str) -> list[str]:
        return problems_of(user_rules=tuple(UserRule(each) for each in expressions))

    assert of("") == ["userValidationRules[0].expression: Required value"]
    text = 'userValidationRules[0].expression: Invalid value: "user.username": must evaluate to bool'
    assert of("user.username") == [text]
    twice = "user.username == 'foo'"
    assert of(twice, twice) == [f'userValidationRules[1].expression: Duplicate value: "{twice}"']
    assert "undefined field 'unknown'" in of("user.unknown == 'foo'")[0]


FILE = """\
apiVersion: apiserver.config.k8s.io/v1beta1
kind: AuthenticationConfiguration
jwt:
- issuer: {url: "https://issuer-url", audiences: [audience], discoveryURL: null}
  claimValidationRules:
  - {claim: hd, requiredValue: example.com}
  claimMappings:
    username: {claim: sub, prefix: ""}
    extra:
    - {key: example.com/a, valueExpression: claims.a}
  userValidationRules:
  - {expression: "true", message: m}
anonymous:
  enabled: true
  conditions:
  - path: /livez
"""


@pytest.mark.parametrize("version", ["v1", "v1beta1", "v1alpha1"])
def test_a_file_is_read(version: str) -> None:
    assert load.load(FILE.replace("v1beta1", version).encode()) == Configuration(
        (
            dataclasses.replace(
                GOOD,
                claim_rules=(ClaimRule("hd", "example.com"),),
                extra=(ExtraMapping("example.com/a", "claims.a"),),
                user_rules=(UserRule("true", "m"),),
            ),
        ),
        Anonymous(True, ("/livez",)),
    )


@pytest.mark.parametrize(
    "text, error",
    [
        ("", "empty config data"),
        (
            "kind: AuthenticationConfiguration\n",
            "Object 'apiVersion' is missing in 'kind: AuthenticationConfiguration\n'",
        ),
        (
            "apiVersion: apiserver.config.k8s.io/v1\n",
            "Object 'Kind' is missing in 'apiVersion: apiserver.config.k8s.io/v1\n'",
        ),
        (
            FILE.replace("v1beta1", "v9"),
            'no kind "AuthenticationConfiguration" is registered for version "apiserver.config.k8s.io/v9" in scheme '
            '"pkg/kubeapiserver/options/authentication.go:815"',
        ),
        (
            FILE + "more: 1\n",
            'strict decoding error: unknown field "more"',
        ),
        (
            FILE.replace("hd, requiredValue", "hd, required"),
            'strict decoding error: unknown field "jwt[0].claimValidationRules[0].required"',
        ),
        (
            FILE + "anonymous: {}\n",
            'strict decoding error: yaml: unmarshal errors:\n  line 17: key "anonymous" already set in map',
        ),
        (
            FILE.replace("audiences: [audience]", "audiences: audience"),
            "json: cannot unmarshal string into Go struct field Issuer.jwt.issuer.audiences of type []string",
        ),
        (
            '{"apiVersion": "apiserver.config.k8s.io/v1", "kind": "AuthenticationConfiguration", "jwt": [], "jwt": []}',
            'strict decoding error: duplicate field "jwt"',
        ),
    ],
)
def test_a_file_is_refused(text: str, error: str) -> None:
    with pytest.raises(BadFile) as caught:
        load.load(text.encode())
    assert str(caught.value) == error
