"""How claims become a user: the names and groups, in plain claims and in expressions, and the rules."""

from __future__ import annotations

import json
from typing import Any

import pytest

from quarterdeck.apimachinery.user import User
from quarterdeck.authentication.interface import BadToken
from quarterdeck.authentication.oidc import claims, configuration, expressions, validation
from quarterdeck.authentication.oidc.configuration import (
    ClaimOrExpression,
    ClaimRule,
    ExtraMapping,
    JWTAuthenticator,
    UserRule,
)

SUB = ClaimOrExpression("sub", prefix="")


def build(values: dict[str, Any], username: ClaimOrExpression = SUB, **changes: Any) -> User:
    given = JWTAuthenticator(configuration.Issuer("https://i", audiences=("a",)), username=username, **changes)
    problems, programs = validation.validate_authenticator(given, "", ())
    assert [str(each) for each in problems] == []
    return claims.build_user(given, programs, claims.parse(json.dumps(values).encode()))


def refusal(*arguments: Any, **changes: Any) -> str:
    with pytest.raises(BadToken) as caught:
        build(*arguments, **changes)
    return str(caught.value)


def by(expression: str) -> ClaimOrExpression:
    return ClaimOrExpression(expression=expression)


def test_the_name_of_a_claim() -> None:
    assert build({"sub": "jane"}) == User("jane")
    assert build({"sub": "jane"}, ClaimOrExpression("sub", prefix="oidc:")).name == "oidc:jane"
    assert refusal({}) == 'oidc: parse username claims "sub": claim not present'
    text = "json: cannot unmarshal number into Go value of type string"
    assert refusal({"sub": 5}) == f'oidc: parse username claims "sub": {text}'


def test_an_email_as_name() -> None:
    email = ClaimOrExpression("email", prefix="")
    assert build({"email": "a@b.c"}, email).name == "a@b.c"
    assert build({"email": "a@b.c", "email_verified": True}, email).name == "a@b.c"
    for value in (False, None):
        assert refusal({"email": "a@b.c", "email_verified": value}, email) == "oidc: email not verified"
    text = "json: cannot unmarshal string into Go value of type bool"
    assert refusal({"email": "a", "email_verified": "true"}, email) == f"oidc: parse 'email_verified' claim: {text}"


def test_a_name_by_expression() -> None:
    assert build({"sub": "jane", "realm": "r"}, by("claims.realm + '/' + claims.sub")).name == "r/jane"
    prefix = "oidc: error evaluating username claim expression"
    assert refusal({}, by("claims.sub")) == f"{prefix}: expression 'claims.sub' resulted in error: no such key: sub"
    assert refusal({"sub": 5}, by("claims.sub")) == f"{prefix}: username claim expression must return a string"
    assert refusal({"sub": ""}, by("claims.sub")) == "oidc: empty username via CEL expression is not allowed"


@pytest.mark.parametrize(
    "value, groups",
    [("a", ("a",)), (["a", "b"], ("a", "b")), ([], ()), (None, ()), (["a", None], ("a", "")), ("", ("",))],
)
def test_groups_of_a_claim(value: object, groups: tuple[str, ...]) -> None:
    mapping = ClaimOrExpression("groups", prefix="")
    assert build({"sub": "s", "groups": value}, groups=mapping).groups == groups
    assert build({"sub": "s"}, groups=mapping).groups == ()
    prefixed = ClaimOrExpression("groups", prefix="p:")
    assert build({"sub": "s", "groups": value}, groups=prefixed).groups == tuple(f"p:{group}" for group in groups)


@pytest.mark.parametrize("value, kind", [(5, "number"), ({}, "object"), ([5], "array"), (True, "bool")])
def test_groups_of_another_type(value: object, kind: str) -> None:
    text = f'oidc: parse groups claim "groups": json: cannot unmarshal {kind} into Go value of type string'
    assert refusal({"sub": "s", "groups": value}, groups=ClaimOrExpression("groups", prefix="")) == text


@pytest.mark.parametrize(
    "expression, groups",
    [
        ("claims.roles", ("a", "b")),
        ("claims.text.split(',')", ("x", "y")),
        ("dyn(claims.roles).map(r, 'p:' + r) + ['more', '']", ("p:a", "p:b", "more")),
        ("claims.nested.acme__dot__io.filter(r, r != 'x')", ("z",)),
        ("'one'", ("one",)),
        ("''", ()),
        ("[]", ()),
        ("claims.nothing", ()),
        ("has(claims.absent) ? claims.absent : ['none']", ("none",)),
        ("claims.?absent.orValue(['none'])", ("none",)),
        ('"a/b" in claims ? claims["a/b"] : []', ("slash",)),
        ("claims.a__slash__b", ("slash",)),
    ],
)
def test_groups_by_expression(expression: str, groups: tuple[str, ...]) -> None:
    values = {
        "sub": "s",
        "roles": ["a", "b"],
        "text": "x,y",
        "nested": {"acme.io": ["x", "z"]},
        "nothing": None,
        "a/b": "slash",
    }
    assert build(values, groups=by(expression)).groups == groups


@pytest.mark.parametrize("expression", ["1", "{}", "[1]", "true", "claims.n", "[claims.n]"])
def test_groups_by_expression_of_another_type(expression: str) -> None:
    text = "oidc: error evaluating group claim expression: expression must return a string or a list of strings"
    assert refusal({"sub": "s", "n": 5}, groups=by(expression)) == text


def test_uid_and_extra() -> None:
    values = {"sub": "s", "oid": "u1", "tenant": ["t1", ""], "empty": ""}
    mappings = (
        ExtraMapping("example.com/tenant", "claims.tenant"),
        ExtraMapping("example.com/fixed", "'x'"),
        ExtraMapping("example.com/empty", "claims.empty"),
    )
    user = build(values, uid=ClaimOrExpression("oid"), extra=mappings)
    assert user == User("s", "u1", extra={"example.com/tenant": ("t1",), "example.com/fixed": ("x",)})
    assert build(values, uid=by("claims.oid + '!'")).uid == "u1!"
    assert refusal(values, uid=ClaimOrExpression("none")) == 'oidc: parse uid claim "none": claim not present'
    text = "oidc: error evaluating uid claim expression: uid claim expression must return a string"
    assert refusal(values, uid=by("1")) == text
    text = "oidc: error evaluating extra claim expression: 1: expression must return a string or a list of strings"
    assert refusal(values, extra=(ExtraMapping("example.com/a", "1"),)) == text


def test_claims_that_are_required() -> None:
    rules = (ClaimRule("hd", "example.com"),)
    assert build({"sub": "s", "hd": "example.com"}, claim_rules=rules).name == "s"
    assert refusal({"sub": "s"}, claim_rules=rules) == "oidc: required claim hd not present in ID token"
    text = "oidc: required claim hd value does not match. Got = evil.com, want = example.com"
    assert refusal({"sub": "s", "hd": "evil.com"}, claim_rules=rules) == text
    text = "oidc: parse claim hd: json: cannot unmarshal array into Go value of type string"
    assert refusal({"sub": "s", "hd": ["example.com"]}, claim_rules=rules) == text


def test_rules_of_claims_and_users() -> None:
    rules = (ClaimRule(expression="claims.exp - claims.nbf <= 86400.0", message="too long"),)
    assert build({"sub": "s", "exp": 100, "nbf": 50}, claim_rules=rules).name == "s"
    prefix = "oidc: error evaluating claim validation expression: "
    text = f"{prefix}validation expression 'claims.exp - claims.nbf <= 86400.0' failed: too long"
    assert refusal({"sub": "s", "exp": 100000, "nbf": 5}, claim_rules=rules) == text
    text = "expression 'claims.exp - claims.nbf <= 86400.0' resulted in error: no such key: exp"
    assert refusal({"sub": "s"}, claim_rules=rules) == prefix + text
    users = (
        UserRule("!user.username.startsWith('system:')", "reserved name"),
        UserRule("user.groups.all(g, !g.startsWith('system:')) && user.uid == '' && size(user.extra) == 0", "groups"),
    )
    assert build({"sub": "s"}, user_rules=users).name == "s"
    prefix = "oidc: error evaluating user info validation rule: validation expression"
    text = f"{prefix} '!user.username.startsWith('system:')' failed: reserved name"
    assert refusal({"sub": "system:admin"}, user_rules=users) == text
    groups = ClaimOrExpression("groups", prefix="")
    assert refusal({"sub": "s", "groups": "system:masters"}, groups=groups, user_rules=users).endswith("failed: groups")


def test_loops_over_a_claim_say_that_it_may_be_anything() -> None:
    """A claim is of CEL's type `any`, which is no range of a loop until `dyn()` makes it one."""
    rule = ClaimRule(expression="claims.l.all(a, a != '')")
    given = JWTAuthenticator(configuration.Issuer("https://i", audiences=("a",)), username=SUB, claim_rules=(rule,))
    (problem,) = validation.validate_authenticator(given, "", ())[0]
    assert "expression of type 'any' cannot be range of a comprehension (must be list, map, or dynamic)" in str(problem)


def test_what_costs_too_much_is_ended() -> None:
    nested = "dyn(claims.l).all(a, dyn(claims.l).all(b, dyn(claims.l).all(c, a + b + c != 'x')))"
    text = refusal({"sub": "s", "l": ["a"] * 200}, claim_rules=(ClaimRule(expression=nested),))
    assert text.endswith("operation cancelled: actual cost limit exceeded")


@pytest.mark.parametrize("payload", [b"", b"5", b"[]", b"{", b'{"a":NaN}', b"\xff", b'{"a":' * 5000, b"null", b'"x"'])
def test_claims_that_cannot_be_read(payload: bytes) -> None:
    with pytest.raises(BadToken, match=r"^oidc: failed to unmarshal claims: "):
        claims.parse(payload)


@pytest.mark.parametrize(
    "name, spelled",
    [
        ("plain", "plain"),
        ("a__dot__b", "a.b"),
        ("a__dash__b__slash__c", "a-b/c"),
        ("a__underscores__b", "a__b"),
        ("__namespace__", "namespace"),
        ("x__namespace__", "x__namespace__"),
        ("a__other__b", "a__other__b"),
    ],
)
def test_names_of_members(name: str, spelled: str) -> None:
    assert expressions.unescape(name) == spelled
