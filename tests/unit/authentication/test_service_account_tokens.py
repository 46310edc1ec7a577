"""Tokens of service accounts: what is issued is believed, what is changed, foreign, old or orphaned is not."""

from __future__ import annotations

import base64
import json
import time
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from quarterdeck.apimachinery.user import User
from quarterdeck.authentication.review import TokenReviewer
from quarterdeck.authentication.serviceaccounts import jws, tokens
from quarterdeck.authentication.serviceaccounts.keys import Keys
from quarterdeck.authentication.serviceaccounts.tokens import BoundObject, Reference, ServiceAccountTokens, Settings
from quarterdeck.authentication.tokenfile import TokenFile

ISSUER = "https://issuer.example.com"
SETTINGS = Settings((ISSUER, "https://old.example.com"), (ISSUER,))


def to_pem(key: object) -> bytes:
    return key.private_bytes(  # type: ignore[attr-defined,no-any-return]
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


class World:
    """Objects that tokens name, by (resource, namespace, name), and a signer over them."""

    def __init__(self, folder: Path, pem: bytes | None = None) -> None:
        self.objects = {("serviceaccounts", "ns", "robot"): BoundObject("u1", None)}
        signing = None
        if pem is not None:
            signing = folder / "signing.pem"
            signing.write_bytes(pem)
        self.keys = Keys(signing, [], folder / "sa.key", lambda path, data: path.write_bytes(data) and None)
        self.tokens = ServiceAccountTokens(SETTINGS, self.keys, lambda *where: self.objects.get(where))

    def issue(self, seconds: int = 600, bound: Reference | None = None, audience: str = ISSUER) -> str:
        return self.tokens.issue("ns", ("robot", "u1"), [audience], seconds, bound)[0]


@pytest.fixture(params=["rsa", "p256", "p384", "p521"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> World:
    curves = {"p256": ec.SECP256R1(), "p384": ec.SECP384R1(), "p521": ec.SECP521R1()}
    if request.param == "rsa":
        return World(tmp_path, to_pem(rsa.generate_private_key(65537, 2048)))
    return World(tmp_path, to_pem(ec.generate_private_key(curves[request.param])))


@pytest.fixture
def plain(tmp_path: Path) -> World:
    return World(tmp_path, to_pem(ec.generate_private_key(ec.SECP256R1())))


def test_an_issued_token_is_its_account(world: World) -> None:
    token = world.issue()
    identity = world.tokens.authenticate_token(token)
    assert identity is not None
    assert (identity.user.name, identity.user.uid) == ("system:serviceaccount:ns:robot", "u1")
    assert identity.user.groups == ("system:serviceaccounts", "system:serviceaccounts:ns")
    claims = jws.Token.parse(token).claims  # type: ignore[union-attr]
    assert identity.user.extra == {"authentication.kubernetes.io/credential-id": (f"JTI={claims['jti']}",)}
    assert claims["kubernetes.io"] == {"namespace": "ns", "serviceaccount": {"name": "robot", "uid": "u1"}}
    assert abs(claims["exp"] - time.time() - 600) < 5


def test_every_changed_byte_is_noticed(world: World) -> None:
    token = world.issue()
    for position in range(0, len(token), 7):
        other = "A" if token[position] != "A" else "B"
        changed = token[:position] + other + token[position + 1 :]
        if jws.Token.parse(changed) is not None and position >= len(token) - 2:
            continue  # bits of base64 that stand for nothing
        assert world.tokens.authenticate_token(changed) is None, position


def encode(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def test_the_header_does_not_choose_the_algorithm(world: World, tmp_path: Path) -> None:
    _, claims, signature = world.issue().split(".")
    for algorithm in ("none", "HS256", "RS512", "ES256K", "", None):
        assert world.tokens.authenticate_token(f"{encode({'alg': algorithm})}.{claims}.{signature}") is None
        assert world.tokens.authenticate_token(f"{encode({'alg': algorithm})}.{claims}.") is None


def test_another_key_is_not_ours(plain: World, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = World(tmp_path / "other", to_pem(ec.generate_private_key(ec.SECP256R1())))
    assert plain.tokens.authenticate_token(other.issue()) is None
    with pytest.raises(tokens.TokenError, match="error in cryptographic primitive"):
        plain.tokens.judge(other.issue(), [ISSUER])


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "..",
        "a.b.c",
        "." * 1_000_000,
        "a" * 200_000,
        "é.b.c",
        f"{'W10'}.{'W10'}.",
        "e30.e30.",
        "e30.e30.=",
        "\udcff..",
    ],
)
def test_what_is_no_token_is_none_of_ours(plain: World, text: str) -> None:
    assert plain.tokens.judge(text, [ISSUER]) is None


def test_a_token_lives_as_long_as_its_account(plain: World) -> None:
    identity = plain.tokens.authenticate_token(plain.issue())
    assert identity is not None
    assert identity.is_current is not None
    account = ("serviceaccounts", "ns", "robot")
    assert identity.is_current()
    plain.objects[account] = BoundObject("u1", time.time() - 10)  # a minute is left to it
    assert identity.is_current()
    plain.objects[account] = BoundObject("u1", time.time() - 61)
    assert not identity.is_current()
    plain.objects[account] = BoundObject("u2", None)
    assert not identity.is_current()
    with pytest.raises(
        tokens.TokenError, match=r"The service account UID \(u2\) does not match the claimed UID \(u1\)"
    ):
        plain.tokens.judge(plain.issue(), [ISSUER])
    del plain.objects[account]
    assert not identity.is_current()


def test_a_bound_token_lives_as_long_as_what_it_is_bound_to(plain: World) -> None:
    secret = ("secrets", "ns", "s")
    plain.objects[secret] = BoundObject("u9", None)
    token = plain.issue(bound=Reference("secret", "s", "u9"))
    identity = plain.tokens.authenticate_token(token)
    assert identity is not None
    del plain.objects[secret]
    assert identity.is_current is not None
    assert not identity.is_current()
    assert plain.tokens.authenticate_token(token) is None


def test_time_passes_with_a_minute_of_leeway(plain: World, monkeypatch: pytest.MonkeyPatch) -> None:
    token = plain.issue(600)
    begin = time.time()
    for seconds, is_good in ((0, True), (650, True), (700, False), (-30, True), (-90, False)):
        monkeypatch.setattr(tokens.time, "time", lambda at=begin + seconds: at)
        assert (plain.tokens.authenticate_token(token) is not None) is is_good


def test_audiences_and_issuers(plain: World) -> None:
    assert plain.tokens.authenticate_token(plain.issue(audience="other")) is None
    verdict = plain.tokens.judge(plain.issue(audience="other"), ["more", "other"])
    assert verdict is not None
    assert verdict.audiences == ("other",)
    foreign = plain.keys.load().sign({"iss": "https://foreign.example.com", "aud": [ISSUER]})
    assert plain.tokens.judge(foreign, [ISSUER]) is None
    strange = plain.keys.load().sign({"iss": ISSUER, "aud": ISSUER, "exp": int(time.time()) + 9, "kubernetes.io": 5})
    assert plain.tokens.authenticate_token(strange) is None


def test_reviews_tell_what_is_wrong(plain: World) -> None:
    reviewer = TokenReviewer([TokenFile({"static": User("alice")})], plain.tokens)
    assert reviewer.judge("static", []) == (User("alice", groups=("system:authenticated",)), [ISSUER], "")
    assert reviewer.judge("static", ["nobody"]) == (None, [], "invalid bearer token")
    assert reviewer.judge("garbage", []) == (None, [], "invalid bearer token")
    user, audiences, error = reviewer.judge(plain.issue(), [])
    assert user is not None
    assert (user.name, audiences, error) == ("system:serviceaccount:ns:robot", [ISSUER], "")
    wanted = f'[invalid bearer token, token audiences ["{ISSUER}"] is invalid for the target audiences ["a" "b"]]'
    assert reviewer.judge(plain.issue(), ["a", "b"]) == (None, [], wanted)


def test_the_own_key_is_made_once_and_only_when_needed(tmp_path: Path) -> None:
    world = World(tmp_path)
    assert world.tokens.authenticate_token("a.b.c") is None
    assert not (tmp_path / "sa.key").exists()
    token = world.issue()
    pem = (tmp_path / "sa.key").read_bytes()
    again = World(tmp_path)
    assert again.tokens.authenticate_token(token) is not None
    assert (tmp_path / "sa.key").read_bytes() == pem
    assert again.tokens.to_openid_configuration("x")["id_token_signing_alg_values_supported"] == ["RS256"]


def test_files_may_hold_many_keys(tmp_path: Path) -> None:
    first, second = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    public = first.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    assert len(jws.load_verification_keys(b"text\n" + public + to_pem(second))) == 2
    for pem in (b"", b"nonsense", to_pem(ed25519.Ed25519PrivateKey.generate()), public[:60]):
        with pytest.raises(jws.UnusableKey):
            jws.load_verification_keys(pem)
        with pytest.raises(jws.UnusableKey):
            jws.load_signing_key(pem)


def test_published_keys_are_those_that_sign(world: World) -> None:
    key = world.tokens.to_jwks()["keys"][0]  # type: ignore[index]
    header = jws.Token.parse(world.issue()).header  # type: ignore[union-attr]
    assert (key["kid"], key["alg"], key["use"]) == (header["kid"], header["alg"], "sig")
    assert set(key) == {"use", "kid", "alg", "kty"} | ({"n", "e"} if key["kty"] == "RSA" else {"crv", "x", "y"})


@pytest.mark.parametrize(
    "claim, value, text",
    [
        ("iat", 9_999_999_999, "issued in the future"),
        ("iat", "soon", "issued in the future"),
        ("iat", -1, "issued in the future"),
        ("exp", 10**30, "has expired"),
        ("exp", 1e300, "has expired"),
        ("exp", True, "has expired"),
        ("exp", -(10**30), "has expired"),
        ("exp", "never", "has expired"),
        ("nbf", 10**30, "not valid yet"),
        ("nbf", -1, "not valid yet"),
    ],
)
def test_times_that_cannot_be_are_refused(plain: World, claim: str, value: object, text: str) -> None:
    token = jws.Token.parse(plain.issue())
    assert token is not None
    forged = plain.keys.load().sign({**token.claims, claim: value})
    with pytest.raises(tokens.TokenError, match=text):
        plain.tokens.judge(forged, [ISSUER])


def test_clocks_may_differ_by_a_minute(plain: World) -> None:
    token = jws.Token.parse(plain.issue())
    assert token is not None
    for claim, offset_s in (("iat", 50), ("nbf", 50), ("exp", -50)):
        given = plain.keys.load().sign({**token.claims, claim: int(time.time()) + offset_s})
        assert plain.tokens.judge(given, [ISSUER]) is not None
