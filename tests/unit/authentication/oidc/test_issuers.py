"""Tokens of issuers: which are believed, which not and why, and when the issuer is asked for its keys."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time

import pytest
from cryptography.hazmat.primitives import serialization

from quarterdeck.apimachinery.user import User
from quarterdeck.authentication.interface import Identity
from quarterdeck.authentication.oidc import validation
from quarterdeck.authentication.oidc.configuration import ClaimOrExpression
from quarterdeck.authentication.oidc.issuers import Unreachable
from quarterdeck.authentication.oidc.signatures import ALGORITHMS, parse_keys
from support.issuer import Issuer, Key, encode
from support.oidc_world import URL, World

KEYS = {algorithm: Key(algorithm) for algorithm in ALGORITHMS}
KEY = KEYS["ES256"]


async def build(*keys: Key, **changes: object) -> World:
    world = World(*(keys or (KEY,)), **changes)
    await world.begin()
    return world


@pytest.mark.parametrize("algorithm", ALGORITHMS)
async def test_every_algorithm(algorithm: str) -> None:
    world = await build(KEYS[algorithm])
    identity = await world.ask(world.issuer.issue(jti="t1"))
    assert identity is not None
    assert identity.user == User("jane", extra={"authentication.kubernetes.io/credential-id": ("JTI=t1",)})
    assert identity.expires_at <= time.time() + 10


async def test_a_known_key_is_not_asked_for_again() -> None:
    world = await build()
    assert await world.ask(world.issuer.issue()) is not None
    assert world.asked_for_keys() == 1
    assert isinstance(world.issuers.authenticate_token(world.issuer.issue()), Identity), "at once"
    assert world.asked_for_keys() == 1


async def test_a_new_key_is_found_and_strangers_do_not_make_the_issuer_busy() -> None:
    world = await build()
    assert await world.ask(world.issuer.issue()) is not None
    new = Key("ES256", "k2")
    for _ in range(50):
        refusal = await world.refusal(new.issue(world.issuer.claims()))
        assert refusal == "oidc: verify token: failed to verify signature: failed to verify id token signature"
    assert world.asked_for_keys() == 1
    world.clock.now_s += 2
    world.issuer.keys = [new]
    assert await world.ask(new.issue(world.issuer.claims())) is not None
    assert world.asked_for_keys() == 2
    assert "failed to verify" in await world.refusal(KEY.issue(world.issuer.claims())), "the old one was taken back"


async def test_a_token_without_key_id_may_be_of_any_key() -> None:
    world = await build(Key("ES256", "k0"), KEY)
    assert await world.ask(KEY.issue(world.issuer.claims(), kid=None)) is not None


async def test_an_issuer_that_is_down() -> None:
    world = await build()
    world.issuer.is_down = True
    text = "oidc: verify token: failed to verify signature: fetching keys 503 Service Unavailable: "
    assert await world.refusal(world.issuer.issue()) == text
    early = World(KEY)
    early.issuer.is_down = True
    found, programs = validation.validate_authenticator(early.given, "", ())
    assert not found
    early.issuers.begin([early.given], [programs])
    assert await early.refusal(early.issuer.issue()) == "oidc: authenticator not initialized"
    with pytest.raises(Unreachable, match="is not healthy: 503 Service Unavailable"):
        await early.issuers.replace([early.given], [programs], 0.05)
    early.issuers.stop()


async def test_others_tokens_are_not_of_this_kind() -> None:
    world = await build()
    foreign = KEY.issue(world.issuer.claims(iss="https://other.example.com"))
    for token in ("", "a", "a.b.c", "a.b.c.d", foreign, f"{{{foreign}", KEY.issue({}), KEY.issue({"iss": 5}), "é.é.é"):
        assert await world.ask(token) is None


@pytest.mark.parametrize(
    "claims, text",
    [
        ({"aud": "you"}, 'oidc: expected audience "me" got ["you"]'),
        ({"aud": []}, 'oidc: expected audience "me" got []'),
        ({"aud": None}, 'oidc: expected audience "me" got []'),
        ({"exp": 5}, "oidc: token is expired (Token Expiry: 1970-01-01 00:00:05 +0000 UTC)"),
        ({"exp": None}, "oidc: token is expired (Token Expiry: 0001-01-01 00:00:00 +0000 UTC)"),
        ({"exp": True}, "oidc: token is expired (Token Expiry: 0001-01-01 00:00:00 +0000 UTC)"),
        ({"exp": 1e300}, "oidc: token is expired (Token Expiry: 0001-01-01 00:00:00 +0000 UTC)"),
    ],
)
async def test_claims_that_make_a_token_bad(claims: dict[str, object], text: str) -> None:
    world = await build()
    assert await world.refusal(world.issuer.issue(**claims)) == f"oidc: verify token: {text}"


async def test_a_token_of_the_future() -> None:
    world = await build()
    now = int(time.time())
    assert await world.ask(world.issuer.issue(nbf=now + 30)) is not None
    refusal = await world.refusal(world.issuer.issue(nbf=now + 100))
    assert refusal.startswith("oidc: verify token: oidc: current time ")
    assert " before the nbf (not before) time: " in refusal


async def test_no_signature_and_secrets_made_of_public_keys_are_never_good() -> None:
    for algorithm in ("RS256", "ES256"):
        key = KEYS[algorithm]
        world = await build(key)
        assert await world.ask(world.issuer.issue()) is not None
        secret = (
            (key.rsa or key.curve)
            .public_key()
            .public_bytes(  # type: ignore[union-attr]
                serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
            )
        )
        claims = encode(json.dumps(world.issuer.claims()).encode())
        good = world.issuer.issue().split(".")[2]
        for name in (
            "none",
            "None",
            "NONE",
            "nOnE",
            "HS256",
            "HS384",
            "HS512",
            "",
            "EdDSA",
            "ES256K",
            None,
            5,
            ["RS256"],
        ):
            head = encode(json.dumps({"alg": name, "kid": "k1"}).encode())
            mac = encode(hmac.new(secret, f"{head}.{claims}".encode(), hashlib.sha256).digest())
            for signature in ("", mac, good):
                refusal = await world.refusal(f"{head}.{claims}.{signature}")
                assert refusal.startswith("oidc: verify token: oidc: id token signed with unsupported algorithm")


async def test_an_algorithm_of_another_key_is_never_good() -> None:
    for algorithm, key in KEYS.items():
        world = await build(key)
        for other in ALGORITHMS:
            head = encode(json.dumps({"alg": other, "kid": "k1"}).encode())
            data = f"{head}.{encode(json.dumps(world.issuer.claims()).encode())}"
            token = f"{data}.{encode(key.sign(data.encode()))}"
            if other == algorithm:
                assert await world.ask(token) is not None
            else:
                assert "failed to verify signature" in await world.refusal(token)


async def test_only_the_algorithms_that_are_allowed() -> None:
    world = await build(KEYS["RS512"], algorithms=("RS256", "ES256"))
    text = 'oidc: id token signed with unsupported algorithm, expected ["RS256" "ES256"] got "RS512"'
    assert await world.refusal(world.issuer.issue()) == f"oidc: verify token: {text}"


async def test_a_header_that_has_to_be_understood_is_not() -> None:
    world = await build()
    for header in ({"crit": ["b64"], "b64": False}, {"crit": []}, {"b64": True}):
        assert "unsupported crit" in await world.refusal(KEY.issue(world.issuer.claims(), **header))


async def test_others_take_the_place_and_what_was_let_in_is_judged_anew() -> None:
    world = await build()
    identity = await world.ask(world.issuer.issue())
    assert identity is not None
    assert identity.is_current is not None
    assert identity.is_current()
    assert world.changes == 1
    await world.issuers.replace([], [], 1)
    assert world.changes == 2
    assert not identity.is_current()
    assert await world.ask(world.issuer.issue()) is None


def test_keys_that_cannot_be_used_are_passed_over() -> None:
    good = KEYS["ES256"].to_jwk()
    bad = [
        {**good, "use": "enc"},
        {**good, "crv": "P-999"},
        {**good, "crv": "P-384"},
        {**good, "x": good["y"]},
        {**good, "kty": "oct", "k": "c2VjcmV0"},
        {**good, "kid": 5},
        {"kty": "RSA", "n": "AQAB", "e": "AQAB"},
        {"kty": "RSA", "n": encode(b"\xff" * 4096), "e": "AQAB"},
        {"kty": "RSA", "n": KEYS["RS256"].to_jwk()["n"], "e": "AQ"},
        {"kty": "RSA"},
        5,
    ]
    assert [key.key_id for key in parse_keys({"keys": [*bad, good]})] == ["k1"]
    for document in ({}, [], None, {"keys": {}}, {"keys": None}):
        with pytest.raises(ValueError, match="no list of keys"):
            parse_keys(document)


async def test_another_issuer_than_the_document_tells() -> None:
    world = World(KEY)
    other = Issuer(URL, KEY)
    other.document = lambda path: {"issuer": "https://evil.example.com", "jwks_uri": f"{URL}/keys"}  # type: ignore[method-assign]
    world.fetcher.issuers = [other]
    found, programs = validation.validate_authenticator(world.given, "", ())
    assert not found
    with pytest.raises(Unreachable, match="issuer did not match the issuer returned by provider"):
        await world.issuers.replace([world.given], [programs], 0.05)


async def test_what_is_counted() -> None:
    world = await build()
    await world.ask(world.issuer.issue())
    await world.refusal(world.issuer.issue(exp=1))
    families = {family.name: family for family in world.registry.families()}
    prefix = "apiserver_authentication_jwt_authenticator"
    issuer = f"sha256:{hashlib.sha256(URL.encode()).hexdigest()}"
    server = f"sha256:{hashlib.sha256(b'apiserver-x').hexdigest()}"
    latency = families[f"{prefix}_latency_seconds"].children()
    assert [labels for labels, _ in latency] == [("success", issuer), ("failure", issuer)]
    (fetched,) = families[f"{prefix}_jwks_fetch_last_timestamp_seconds"].children()
    assert fetched[0] == ("success", issuer, server)
    document = hashlib.sha256(json.dumps(world.issuer.document("/keys")).encode()).hexdigest()
    expected = [((issuer, server, f"sha256:{document}"), 1.0)]
    assert families[f"{prefix}_jwks_fetch_last_key_set_info"].children() == expected
    await world.issuers.replace([], [], 1)
    assert families[f"{prefix}_jwks_fetch_last_key_set_info"].children() == []


async def test_groups_that_are_told_elsewhere() -> None:
    world = await build(groups=ClaimOrExpression("groups", prefix="g:"))
    other = Issuer("https://groups.example.com", Key("ES256", "other"))
    world.fetcher.issuers.append(other)
    world.fetcher.texts["https://groups.example.com/of"] = other.issue(groups=["a", "b"])

    def token(**source: object) -> str:
        return world.issuer.issue(_claim_names={"groups": "src"}, _claim_sources={"src": source})

    identity = await world.ask(token(endpoint="https://groups.example.com/of", access_token="secret"))
    assert identity is not None
    assert identity.user.groups == ("g:a", "g:b")
    assert world.fetcher.access_tokens == ["secret"]
    plain = await world.ask(world.issuer.issue(groups="own", _claim_names={"groups": "src"}))
    assert plain is not None
    assert plain.user.groups == ("g:own",)
    prefix = "oidc: could not expand distributed claims: "
    assert await world.refusal(world.issuer.issue(_claim_names={"groups": "src"})) == f"{prefix}oidc: no claim sources"
    refusal = await world.refusal(token(endpoint="https://groups.example.com/none"))
    assert (
        refusal
        == f'{prefix}while getting distributed claim "groups": error while getting distributed claim JWT: 404 Not Found'
    )
    world.fetcher.texts["https://groups.example.com/of"] = KEY.issue(other.claims(groups=["system:masters"]))
    refusal = await world.refusal(token(endpoint="https://groups.example.com/of"))
    assert refusal.startswith(f"{prefix}verify distributed claim token: failed to verify signature")


def test_the_helper_signs_as_the_rfc_says() -> None:
    head = json.loads(base64.urlsafe_b64decode(KEY.issue({}).split(".")[0] + "=="))
    assert head == {"alg": "ES256", "kid": "k1"}
