"""Tokens of service accounts: what is issued is believed, what is changed, foreign, old or orphaned is not."""

from __future__ import annotations

import base64
import json
import time
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from quarterdeck.apimachinery import clock
from quarterdeck.apimachinery.user import ANONYMOUS, User
from quarterdeck.authentication.interface import Identity
from quarterdeck.authentication.review import TokenReviewer
from quarterdeck.authentication.serviceaccounts import jws, legacy
from quarterdeck.authentication.serviceaccounts.bindings import BoundObject, Reference, TokenError
from quarterdeck.authentication.serviceaccounts.keys import Keys
from quarterdeck.authentication.serviceaccounts.legacy import LegacyTokens
from quarterdeck.authentication.serviceaccounts.tokens import ServiceAccountTokens, Settings
from quarterdeck.authentication.tokenfile import TokenFile
from quarterdeck.authentication.union import AccountTokens, Agnostic, TokenUnion

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
        return self.tokens.issue("ns", ("robot", "u1"), [audience], seconds, *[each for each in [bound] if each])[0]


@pytest.fixture(params=["rsa", "p256", "p384", "p521"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> World:
    curves = {"p256": ec.SECP256R1(), "p384": ec.SECP384R1(), "p521": ec.SECP521R1()}
    if request.param == "rsa":
        return World(tmp_path, to_pem(rsa.generate_private_key(65537, 2048)))
    return World(tmp_path, to_pem(ec.generate_private_key(curves[request.param])))


@pytest.fixture(autouse=True)
def now_s(monkeypatch: pytest.MonkeyPatch) -> float:
    """The time, which stands still."""
    now = float(int(clock.wall_s()))
    monkeypatch.setattr(clock, "wall_s", lambda: now)
    return now


@pytest.fixture
def plain(tmp_path: Path) -> World:
    return World(tmp_path, to_pem(ec.generate_private_key(ec.SECP256R1())))


def identify(accounts: ServiceAccountTokens, token: str) -> Identity | None:
    try:
        return accounts.authenticate_for(token, accounts.settings.audiences)
    except TokenError:
        return None


def test_an_issued_token_is_its_account(world: World, now_s: float) -> None:
    token = world.issue()
    identity = identify(world.tokens, token)
    assert identity is not None
    assert (identity.user.name, identity.user.uid) == ("system:serviceaccount:ns:robot", "u1")
    assert identity.user.groups == ("system:serviceaccounts", "system:serviceaccounts:ns")
    claims = jws.Token.parse(token).claims  # type: ignore[union-attr]
    assert identity.user.extra == {"authentication.kubernetes.io/credential-id": (f"JTI={claims['jti']}",)}
    assert claims["kubernetes.io"] == {"namespace": "ns", "serviceaccount": {"name": "robot", "uid": "u1"}}
    assert claims["exp"] == now_s + 600


def test_every_changed_byte_is_noticed(world: World) -> None:
    token = world.issue()
    for position in range(0, len(token), 7):
        other = "A" if token[position] != "A" else "B"
        changed = token[:position] + other + token[position + 1 :]
        if jws.Token.parse(changed) is not None and position >= len(token) - 2:
            continue  # bits of base64 that stand for nothing
        assert identify(world.tokens, changed) is None, position


def encode(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def test_the_header_does_not_choose_the_algorithm(world: World, tmp_path: Path) -> None:
    _, claims, signature = world.issue().split(".")
    for algorithm in ("none", "HS256", "RS512", "ES256K", "", None):
        assert identify(world.tokens, f"{encode({'alg': algorithm})}.{claims}.{signature}") is None
        assert identify(world.tokens, f"{encode({'alg': algorithm})}.{claims}.") is None


def test_another_key_is_not_ours(plain: World, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = World(tmp_path / "other", to_pem(ec.generate_private_key(ec.SECP256R1())))
    assert identify(plain.tokens, other.issue()) is None
    with pytest.raises(TokenError, match="invalid signature, no keys found"):
        plain.tokens.judge(other.issue(), [ISSUER])
    head, claims, _ = plain.issue().split(".")
    with pytest.raises(TokenError, match="error in cryptographic primitive"):
        plain.tokens.judge(f"{head}.{claims}.{other.issue().split('.')[2]}", [ISSUER])


@pytest.mark.parametrize(
    ("members", "text"),
    [
        ({}, ""),
        ({"kid": ""}, ""),
        ({"kid": None}, ""),
        ({"typ": "JWT"}, ""),
        ({"kid": "x"}, "invalid signature, no keys found"),
        ({"alg": None}, "error in cryptographic primitive"),
        ({"crit": ["exp"], "exp": 1}, "error in cryptographic primitive"),
        ({"b64": False}, "error in cryptographic primitive"),
        ({"kid": 1}, "none of ours"),
        ({"alg": 1}, "none of ours"),
        ({"nonce": []}, "none of ours"),
    ],
)
def test_what_headers_of_tokens_say(plain: World, members: dict[str, object], text: str) -> None:
    data = f"{encode({'alg': 'ES256', **members})}.{plain.issue().split('.')[1]}"
    token = f"{data}.{jws.encode_part(plain.keys.load()._sign(data.encode()))}"
    if text == "none of ours":
        assert plain.tokens.judge(token, [ISSUER]) is None
    elif text:
        with pytest.raises(TokenError, match=text):
            plain.tokens.judge(token, [ISSUER])
    else:
        assert plain.tokens.judge(token, [ISSUER]) is not None


def test_blanks_in_tokens_do_not_count(plain: World) -> None:
    head, claims, signature = plain.issue().split(".")
    assert (
        plain.tokens.judge(f"\t{head[:5]} {head[5:]}.{claims[:9]}\r\n{claims[9:]}.{signature}\n", [ISSUER]) is not None
    )
    assert plain.tokens.judge(f"{head}.{claims[:9]} {claims[9:]}.{signature}", [ISSUER]) is None
    with pytest.raises(TokenError, match="error in cryptographic primitive"):
        plain.tokens.judge(f".{claims}.{signature}", [ISSUER])


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
    identity = identify(plain.tokens, plain.issue())
    assert identity is not None
    assert identity.is_current is not None
    account = ("serviceaccounts", "ns", "robot")
    assert identity.is_current()
    plain.objects[account] = BoundObject("u1", clock.wall_s() - 10)  # a minute is left to it
    assert identity.is_current()
    plain.objects[account] = BoundObject("u1", clock.wall_s() - 61)
    assert not identity.is_current()
    plain.objects[account] = BoundObject("u2", None)
    assert not identity.is_current()
    with pytest.raises(TokenError, match=r"service account UID \(u2\) does not match claim \(u1\)"):
        plain.tokens.judge(plain.issue(), [ISSUER])
    del plain.objects[account]
    assert not identity.is_current()


def test_a_bound_token_lives_as_long_as_what_it_is_bound_to(plain: World) -> None:
    secret = ("secrets", "ns", "s")
    plain.objects[secret] = BoundObject("u9", None)
    token = plain.issue(bound=Reference("secret", "s", "u9"))
    identity = identify(plain.tokens, token)
    assert identity is not None
    del plain.objects[secret]
    assert identity.is_current is not None
    assert not identity.is_current()
    assert identify(plain.tokens, token) is None


def test_a_pods_token_tells_of_its_node_and_outlives_it(plain: World) -> None:
    plain.objects["pods", "ns", "p"] = BoundObject("u5", None)
    references = Reference("pod", "p", "u5"), Reference("node", "n", "u6")
    token = plain.tokens.issue("ns", ("robot", "u1"), [ISSUER], 600, *references)[0]
    identity = identify(plain.tokens, token)
    assert identity is not None
    prefix = "authentication.kubernetes.io/"
    told = {name.removeprefix(prefix): value for name, value in identity.user.extra.items()}
    del told["credential-id"]
    assert told == {"pod-name": ("p",), "pod-uid": ("u5",), "node-name": ("n",), "node-uid": ("u6",)}
    of_node = plain.tokens.issue("ns", ("robot", "u1"), [ISSUER], 600, references[1])[0]
    assert identify(plain.tokens, of_node) is None, "there is no such node"
    plain.objects["nodes", "", "n"] = BoundObject("other", None)
    with pytest.raises(TokenError, match=r"^node UID \(other\) does not match service account node ref claim \(u6\)$"):
        plain.tokens.judge(of_node, [ISSUER])
    plain.objects["pods", "ns", "p"] = BoundObject("u7", None)
    with pytest.raises(TokenError, match=r"^pod UID \(u7\) does not match service account pod ref claim \(u5\)$"):
        plain.tokens.judge(token, [ISSUER])
    del plain.objects["pods", "ns", "p"]
    with pytest.raises(TokenError, match=r"^service account token has been invalidated$"):
        plain.tokens.judge(token, [ISSUER])


class OfSecrets:
    """A secret with a token of the account, and what is noted of its use."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.uses: list[tuple[str, str, str, str]] = []
        accepted = LegacyTokens(lambda *where: world.objects.get(where), lambda *use: self.uses.append(use))
        self.tokens = ServiceAccountTokens(SETTINGS, world.keys, lambda *where: world.objects.get(where), accepted)
        self.token = legacy.issue(world.keys, "ns", "s", "robot", "u1")
        self.account("u1")
        self.secret({})

    def secret(self, labels: dict[str, str], token: str | None = None, deleted_at_s: float | None = None) -> None:
        data = {"token": base64.b64encode((token or self.token).encode()).decode()}
        obj = {"metadata": {"labels": labels}, "data": data}
        self.world.objects["secrets", "ns", "s"] = BoundObject("u9", deleted_at_s, obj)

    def account(self, uid: str, *names: str, deleted_at_s: float | None = None) -> None:
        obj = {"metadata": {}, "secrets": [{"name": name} for name in names]}
        self.world.objects["serviceaccounts", "ns", "robot"] = BoundObject(uid, deleted_at_s, obj)


@pytest.fixture
def of_secrets(plain: World) -> OfSecrets:
    return OfSecrets(plain)


def test_a_secrets_token_is_its_account_and_its_use_is_noted(of_secrets: OfSecrets, now_s: float) -> None:
    identity = identify(of_secrets.tokens, of_secrets.token)
    assert identity is not None
    groups = ("system:serviceaccounts", "system:serviceaccounts:ns")
    assert identity.user == User("system:serviceaccount:ns:robot", "u1", groups)
    assert (identity.expires_at, identity.warning) == (float("inf"), "")
    today = time.strftime("%Y-%m-%d", time.gmtime(now_s))
    assert of_secrets.uses == [("ns", "s", "u9", today)]
    of_secrets.secret({legacy.LAST_USED: today})
    assert identity.is_current is not None
    assert identity.is_current()
    assert len(of_secrets.uses) == 1
    verdict = of_secrets.tokens.judge(of_secrets.token, [ISSUER, "more"])
    assert verdict is not None
    assert verdict.audiences == (ISSUER,)
    assert identify(of_secrets.world.tokens, of_secrets.token) is None, "where such tokens are not known"


def test_who_uses_a_generated_secrets_token_is_warned(of_secrets: OfSecrets) -> None:
    of_secrets.account("u1", "other", "s")
    identity = identify(of_secrets.tokens, of_secrets.token)
    assert identity is not None
    assert identity.warning.startswith("Use tokens from the TokenRequest API or manually created secret-based tokens")


def test_audits_are_told_of_tokens_of_secrets(of_secrets: OfSecrets) -> None:
    account = ("authentication.k8s.io/legacy-token", "system:serviceaccount:ns:robot")
    kept = identify(of_secrets.tokens, of_secrets.token)
    assert kept is not None
    assert kept.annotations == (account, ("authentication.k8s.io/legacy-token-manual-secret", "s"))
    of_secrets.account("u1", "other", "s")
    kept = identify(of_secrets.tokens, of_secrets.token)
    assert kept is not None
    assert kept.annotations == (account, ("authentication.k8s.io/legacy-token-autogenerated-secret", "s"))
    requested = identify(of_secrets.tokens, of_secrets.world.issue())
    assert requested is not None
    assert requested.annotations == ()


def test_a_secrets_token_ends_with_its_secret_or_account(of_secrets: OfSecrets) -> None:
    identity = identify(of_secrets.tokens, of_secrets.token)
    assert identity is not None
    assert identity.is_current is not None
    world = of_secrets.world

    def refuse(text: str) -> None:
        assert identity is not None
        assert identity.is_current is not None
        assert not identity.is_current()
        with pytest.raises(TokenError) as caught:
            of_secrets.tokens.judge(of_secrets.token, [ISSUER])
        assert str(caught.value) == text

    of_secrets.secret({}, "another")
    refuse("Token does not match server's copy")
    of_secrets.secret({}, deleted_at_s=clock.wall_s())
    refuse("Token has been invalidated")
    del world.objects["secrets", "ns", "s"]
    refuse("Token has been invalidated")
    of_secrets.secret({legacy.INVALID_SINCE: "2026-01-01"})
    refuse(
        "the token in secret ns/s for service account ns/robot has been marked invalid. Use tokens from the"
        " TokenRequest API or manually created secret-based tokens, or remove the"
        " 'kubernetes.io/legacy-token-invalid-since' label from the secret to temporarily allow use of this token"
    )
    of_secrets.secret({})
    of_secrets.account("u2")
    refuse("ServiceAccount UID (u2) does not match claim (u1)")
    of_secrets.account("u1", deleted_at_s=clock.wall_s())
    refuse("ServiceAccount ns/robot has been deleted")
    del world.objects["serviceaccounts", "ns", "robot"]
    refuse('serviceaccounts "robot" not found')


@pytest.mark.parametrize(
    "member, value, text",
    [
        ("sub", None, "sub claim is missing"),
        ("sub", "system:serviceaccount:ns:other", "sub claim is invalid"),
        ("kubernetes.io/serviceaccount/namespace", "", "namespace claim is missing"),
        ("kubernetes.io/serviceaccount/secret.name", None, "secretName claim is missing"),
        ("kubernetes.io/serviceaccount/service-account.name", None, "serviceAccountName claim is missing"),
        ("kubernetes.io/serviceaccount/service-account.uid", 5, "serviceAccountUID claim is missing"),
        ("aud", ["other"], f'token audiences ["other"] is invalid for the target audiences ["{ISSUER}"]'),
    ],
)
def test_claims_of_a_secrets_token(of_secrets: OfSecrets, member: str, value: object, text: str) -> None:
    token = jws.Token.parse(of_secrets.token)
    assert token is not None
    strange = of_secrets.world.keys.load().sign({**token.claims, member: value})
    with pytest.raises(TokenError) as caught:
        of_secrets.tokens.judge(strange, [ISSUER])
    assert str(caught.value) == text


def test_time_passes_with_a_minute_of_leeway(plain: World, monkeypatch: pytest.MonkeyPatch) -> None:
    token = plain.issue(600)
    begin = clock.wall_s()
    for seconds, is_good in ((0, True), (650, True), (700, False), (-30, True), (-90, False)):
        monkeypatch.setattr(clock, "wall_s", lambda at=begin + seconds: at)
        assert (identify(plain.tokens, token) is not None) is is_good


def test_audiences_and_issuers(plain: World) -> None:
    assert identify(plain.tokens, plain.issue(audience="other")) is None
    verdict = plain.tokens.judge(plain.issue(audience="other"), ["more", "other"])
    assert verdict is not None
    assert verdict.audiences == ("other",)
    # As they are asked for.
    token, _ = plain.tokens.issue("ns", ("robot", "u1"), ["a", "b"], 600)
    verdict = plain.tokens.judge(token, ["b", "c", "a", "b"])
    assert verdict is not None
    assert verdict.audiences == ("b", "a", "b")
    foreign = plain.keys.load().sign({"iss": "https://foreign.example.com", "aud": [ISSUER]})
    assert plain.tokens.judge(foreign, [ISSUER]) is None
    strange = plain.keys.load().sign({"iss": ISSUER, "aud": ISSUER, "exp": int(clock.wall_s()) + 9, "kubernetes.io": 5})
    assert identify(plain.tokens, strange) is None


def test_reviews_tell_what_is_wrong(plain: World) -> None:
    kinds = TokenUnion([Agnostic(TokenFile({"static": User("alice")}), [ISSUER]), AccountTokens(plain.tokens)])
    reviewer = TokenReviewer(kinds, [ISSUER])
    assert reviewer.judge("static", []) == (User("alice", groups=("system:authenticated",)), [ISSUER], "")
    assert reviewer.judge("static", ["nobody"]) == (None, [], "invalid bearer token")
    assert reviewer.judge("garbage", []) == (None, [], "invalid bearer token")
    # A token of blanks is none: whoever may come without one is who sends it.
    for blanks in (" ", "  ", " x "):
        assert reviewer.judge(blanks, ["a"]) == (None, [], "")
        open_to_all = TokenReviewer(kinds, [ISSUER], is_anonymous_allowed=True)
        assert open_to_all.judge(blanks, ["a"]) == (ANONYMOUS, ["a"], "")
        assert open_to_all.judge(blanks, []) == (ANONYMOUS, [ISSUER], "")
    user, audiences, error = reviewer.judge(plain.issue(), [])
    assert user is not None
    assert (user.name, audiences, error) == ("system:serviceaccount:ns:robot", [ISSUER], "")
    wanted = f'[invalid bearer token, token audiences ["{ISSUER}"] is invalid for the target audiences ["a" "b"]]'
    assert reviewer.judge(plain.issue(), ["a", "b"]) == (None, [], wanted)


def test_the_own_key_is_made_once_and_only_when_needed(tmp_path: Path) -> None:
    world = World(tmp_path)
    assert identify(world.tokens, "a.b.c") is None
    assert not (tmp_path / "sa.key").exists()
    token = world.issue()
    pem = (tmp_path / "sa.key").read_bytes()
    again = World(tmp_path)
    assert identify(again.tokens, token) is not None
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
    with pytest.raises(TokenError, match=text):
        plain.tokens.judge(forged, [ISSUER])


def test_clocks_may_differ_by_a_minute(plain: World) -> None:
    token = jws.Token.parse(plain.issue())
    assert token is not None
    for claim, offset_s in (("iat", 50), ("nbf", 50), ("exp", -50)):
        given = plain.keys.load().sign({**token.claims, claim: int(clock.wall_s()) + offset_s})
        assert plain.tokens.judge(given, [ISSUER]) is not None


def test_files_of_keys_are_read_again(tmp_path: Path) -> None:
    def write(name: str) -> Path:
        path = tmp_path / name
        path.write_bytes(to_pem(ec.generate_private_key(ec.SECP256R1())))
        return path

    signing, former = write("signing.pem"), write("former.pem")
    keys = Keys(signing, [former], tmp_path / "sa.key", lambda *_: None)
    objects = {("serviceaccounts", "ns", "robot"): BoundObject("u1", None)}
    accounts = ServiceAccountTokens(SETTINGS, keys, lambda *where: objects.get(where))

    def issue() -> str:
        return accounts.issue("ns", ("robot", "u1"), [ISSUER], 600)[0]

    old = issue()
    believed = identify(accounts, old)
    assert believed is not None
    assert believed.is_current is not None
    former.write_bytes(signing.read_bytes())
    write("signing.pem")
    keys.reload()
    assert believed.is_current()
    new = issue()
    assert jws.Token.parse(new).header["kid"] != jws.Token.parse(old).header["kid"]  # type: ignore[union-attr]
    assert identify(accounts, old) is not None
    assert identify(accounts, new) is not None
    assert len(accounts.to_jwks()["keys"]) == 2  # type: ignore[arg-type]
    former.write_text("nonsense")
    with pytest.raises(jws.UnusableKey):
        keys.reload()
    assert believed.is_current()
    assert identify(accounts, issue()) is not None
    write("former.pem")
    keys.reload()
    assert not believed.is_current()
    assert identify(accounts, old) is None
    assert identify(accounts, new) is not None
