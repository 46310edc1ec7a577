"""Tokens of nodes that join: believed while their secret says so."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from quarterdeck.authentication.bootstraptokens import BootstrapTokens, Object
from quarterdeck.authentication.interface import Identity

TOKEN = "abcdef.0123456789abcdef"
GOOD = {
    "token-id": "abcdef",
    "token-secret": "0123456789abcdef",
    "usage-bootstrap-authentication": "true",
}


class Secrets:
    """One secret, or none; and what a token comes to."""

    def __init__(self, **data: str) -> None:
        self.obj: dict[str, Any] = {"metadata": {}, "type": "bootstrap.kubernetes.io/token"}
        self.put(**data)
        self.tokens = BootstrapTokens(self.find)

    def put(self, **data: str) -> None:
        named = {**GOOD, **{key.replace("_", "-"): value for key, value in data.items()}}
        self.obj["data"] = {key: base64.b64encode(value.encode()).decode() for key, value in named.items()}

    def find(self, namespace: str, name: str) -> Object | None:
        return self.obj if (namespace, name) == ("kube-system", "bootstrap-token-abcdef") else None

    def who(self, token: str = TOKEN) -> tuple[str, ...]:
        found = self.tokens.authenticate_token(token)
        return () if found is None else (found.user.name, *found.user.groups)


def test_a_token_is_its_user_with_the_groups_of_its_secret() -> None:
    assert Secrets().who() == ("system:bootstrap:abcdef", "system:bootstrappers")
    more = Secrets(auth_extra_groups="system:bootstrappers:b,system:bootstrappers:a:x,system:bootstrappers:b")
    groups = ("system:bootstrappers", "system:bootstrappers:a:x", "system:bootstrappers:b")
    assert more.who() == ("system:bootstrap:abcdef", *groups)


@pytest.mark.parametrize(
    "data",
    [
        {"token_secret": "0123456789abcdeg"},
        {"token_secret": ""},
        {"token_id": "abcdeg"},
        {"usage_bootstrap_authentication": "yes"},
        {"expiration": "2020-01-01T00:00:00Z"},
        {"expiration": "soon"},
        {"auth_extra_groups": "system:masters"},
        {"auth_extra_groups": "system:bootstrappers"},
        {"auth_extra_groups": "system:bootstrappers:a,"},
        {"auth_extra_groups": "system:bootstrappers:a:"},
        {"auth_extra_groups": "system:bootstrappers:a\n"},
    ],
)
def test_a_secret_that_says_otherwise(data: dict[str, str]) -> None:
    assert Secrets(**data).who() == ()


@pytest.mark.parametrize(
    "token",
    ["", "abcdef", "abcdef.0123456789abcde", "ABCDEF.0123456789abcdef", f"{TOKEN}\n", "abcdeg.0123456789abcdef"],
)
def test_what_is_no_such_token(token: str) -> None:
    assert Secrets().who(token) == ()


def test_a_token_ends_with_its_secret() -> None:
    def start(**data: str) -> tuple[Secrets, Identity]:
        secrets = Secrets(expiration="2100-01-01T00:00:00+01:00", **data)
        found = secrets.tokens.authenticate_token(TOKEN)
        assert found is not None
        return secrets, found

    secrets, found = start()
    assert found.expires_at == 4102441200.0
    assert found.is_current is not None
    assert found.is_current()
    secrets.put(auth_extra_groups="system:bootstrappers:more")
    assert not found.is_current(), "it is somebody with other groups now"
    secrets.put()
    secrets.obj["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert not found.is_current()
    secrets, found = start()
    secrets.obj["type"] = "Opaque"
    assert found.is_current is not None
    assert not found.is_current()
