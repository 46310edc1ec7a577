"""Every kind of credential, good ones and endless mutations of them, and who may be believed to be whom.

A mutation is believed if and only if it says what a good one says: the same static token, the same signed text with the
same signature, the same certificate. Nothing but Unauthorized may be raised.
"""

from __future__ import annotations

import asyncio
import base64
import json
import random
import tempfile
from collections.abc import Callable
from pathlib import Path

from cryptography import x509

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.user import User
from quarterdeck.authentication.authenticator import Authenticator
from quarterdeck.authentication.bearer import BearerMethod
from quarterdeck.authentication.bootstraptokens import BootstrapTokens
from quarterdeck.authentication.cache import CacheMetrics, TokenCache
from quarterdeck.authentication.requestheader import Headers, RequestHeaderMethod
from quarterdeck.authentication.serviceaccounts.bindings import BoundObject
from quarterdeck.authentication.serviceaccounts.keys import Keys
from quarterdeck.authentication.serviceaccounts.tokens import ServiceAccountTokens, Settings
from quarterdeck.authentication.tokenfile import TokenFile
from quarterdeck.authentication.union import AccountTokens, Agnostic, TokenUnion
from quarterdeck.authentication.x509 import CertificateMethod
from quarterdeck.metrics.registry import Registry
from quarterdeck.transport.messages import ConnectionInfo, Request
from support.certificates import CLIENT, SERVER, Certificate
from support.issuer import Key, encode
from support.oidc_world import World

_API = "https://kubernetes.default.svc"
_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ \t\0é\ud800,:{}\"'"
_ALGORITHMS = (
    "none",
    "None",
    "HS256",
    "HS512",
    "RS256",
    "RS384",
    "PS256",
    "ES256",
    "ES384",
    "ES512",
    "EdDSA",
    "",
    None,
    7,
)
_CLAIMS = ("iss", "aud", "sub", "exp", "nbf", "kubernetes.io", "groups", "jti")
_VALUES = (None, 0, -1, 1e308, 1 << 80, "", "system:masters", [], ["system:masters"], {}, True, _API, [_API], "x" * 500)


class Credentials:
    """`seed` chooses the mutations; the keys are made anew."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.folder = tempfile.TemporaryDirectory(prefix="credentials-")
        self.loop = asyncio.new_event_loop()
        oidc = World(Key("RS256", "k1"), Key("ES256", "k2"))
        self.loop.run_until_complete(oidc.begin())
        self._oidc = oidc
        accounts = self._build_accounts()
        secret = {"token-id": "abcdef", "token-secret": "0123456789abcdef", "usage-bootstrap-authentication": "true"}
        data = {name: base64.b64encode(value.encode()).decode() for name, value in secret.items()}
        joining = {"metadata": {}, "type": "bootstrap.kubernetes.io/token", "data": data}
        find = {("kube-system", "bootstrap-token-abcdef"): joining}
        static = {"static-token-1": User("alice"), "st": User("bob"), "ü": User("carol")}
        kinds = [
            Agnostic(TokenFile(static), [_API]),
            AccountTokens(accounts),
            Agnostic(BootstrapTokens(lambda *where: find.get(where)), [_API]),
            Agnostic(oidc.issuers, [_API]),
        ]
        self.authority = Certificate("authority", is_authority=True)
        proxies = Certificate("proxies", is_authority=True)
        self.certificates = CertificateMethod(self.authority.pem)
        proxy = RequestHeaderMethod(proxies.pem, Headers(allowed_names=("proxy",)))
        bearer = BearerMethod(TokenCache(TokenUnion(kinds), CacheMetrics(Registry()), entries_max=64), [_API])
        self.authenticator = Authenticator([proxy, self.certificates, bearer], is_anonymous_allowed=False)
        issued = accounts.issue("ns", ("robot", "u1"), [_API], 3600)[0]
        claims = oidc.issuer.claims()
        self.jwts = [issued, *(key.issue(claims) for key in oidc.issuer.keys)]
        self.static = [*static, "abcdef.0123456789abcdef"]
        leaf = Certificate("dave", "g", issuer=self.authority, usages=(CLIENT,))
        middle = Certificate("middle", issuer=self.authority, is_authority=True)
        below = Certificate("erin", issuer=middle, usages=(CLIENT,))
        self.chains = [[leaf.der], [below.der, middle.der]]
        self.bad = [
            Certificate("expired", issuer=self.authority, usages=(CLIENT,), days=(-3, -1)).der,
            Certificate("server", issuer=self.authority, usages=(SERVER,)).der,
            Certificate("stranger", usages=(CLIENT,)).der,
            Certificate("of no authority", issuer=leaf, usages=(CLIENT,)).der,
            Certificate("no proxy of ours", issuer=proxies, usages=(CLIENT,)).der,
        ]

    def _build_accounts(self) -> ServiceAccountTokens:
        keys = Keys(None, [], Path(self.folder.name) / "sa.key", lambda path, data: path.write_bytes(data))
        objects = {("serviceaccounts", "ns", "robot"): BoundObject("u1", None)}
        return ServiceAccountTokens(Settings((_API,), (_API,)), keys, lambda *where: objects.get(where))

    def close(self) -> None:
        self._oidc.issuers.stop()
        self.loop.run_until_complete(self.loop.shutdown_asyncgens())
        self.loop.close()
        self.folder.cleanup()

    # What is believed.

    def ask(self, headers: dict[str, str], chain: list[bytes]) -> User | None:
        return self.loop.run_until_complete(self._ask(headers, chain))

    async def _ask(self, headers: dict[str, str], chain: list[bytes]) -> User | None:
        request = Request("GET", "/", "", headers, b"", ConnectionInfo("", is_secure=True, peer_certificates=chain))
        try:
            found = self.authenticator.authenticate(request, [])
            return found if found is None or isinstance(found, User) else await found
        except errors.Unauthorized:
            return None

    def check_token(self) -> None:
        text = self.mutate_token()
        user = self.ask({"authorization": f"Bearer {text}"}, [])
        parts = f"Bearer {text}".strip().split(" ", 2)
        said = parts[1] if len(parts) > 1 else ""
        if user is not None:
            assert said in self.static or any(_is_same(said, good) for good in self.jwts), (user, text)
        elif said in self.static or said in self.jwts:
            raise AssertionError(f"a good token is refused: {said!r}")

    def check_chain(self) -> None:
        chain = self.mutate_chain()
        user = self.ask({"x-remote-user": "root", "x-remote-group": "system:masters"}, chain)
        if user is not None:
            assert user.name in ("dave", "erin"), user
            assert any(_is_same_certificate(chain[0], good[0]) for good in self.chains), user

    # Mutations.

    def mutate_token(self) -> str:
        pick = self.random
        good = pick.choice(self.jwts if pick.random() < 0.8 else self.static)
        steps: list[Callable[[str], str]] = [self._junk, self._flip, self._cut, self._insert, self._repeat]
        if good.count(".") == 2:
            steps += [self._mix, self._change_header, self._change_claims, self._strip] * 2
        for _ in range(pick.choice((1, 1, 1, 2, 3))):
            good = pick.choice(steps)(good)
        return good

    def _junk(self, _: str) -> str:
        return "".join(self.random.choices(_ALPHABET, k=self.random.choice((0, 1, 5, 40, 400))))

    def _flip(self, text: str) -> str:
        at = self.random.randrange(len(text) + 1)
        return text[:at] + self.random.choice(_ALPHABET) + text[at + 1 :]

    def _cut(self, text: str) -> str:
        begin, end = sorted((self.random.randrange(len(text) + 1), self.random.randrange(len(text) + 1)))
        return text[:begin] + text[end:]

    def _insert(self, text: str) -> str:
        at = self.random.randrange(len(text) + 1)
        return text[:at] + self.random.choice((*_ALPHABET, "..", "==", "AAAA")) + text[at:]

    def _repeat(self, text: str) -> str:
        return text * 2 if len(text) < 100_000 else text

    def _mix(self, text: str) -> str:
        """A part of another token."""
        parts, other = text.split("."), self.random.choice(self.jwts).split(".")
        at = self.random.randrange(3)
        if len(parts) == 3:
            parts[at] = other[at]
        return ".".join(parts)

    def _strip(self, text: str) -> str:
        return text[: text.rfind(".") + 1] + self.random.choice(("", "AA", "AAAA" * 16, "AAAA" * 22))

    def _change_header(self, text: str) -> str:
        head, _, rest = text.partition(".")
        changed = _decode(head)
        changed["alg"] = self.random.choice(_ALGORITHMS)
        if self.random.random() < 0.3:
            name = self.random.choice(("kid", "jwk", "jku", "x5c", "x5u", "crit", "b64", "typ", "zip", "enc"))
            changed[name] = self.random.choice((*_VALUES, self._oidc.issuer.keys[0].to_jwk(), ["b64"]))
        return f"{encode(json.dumps(changed).encode())}.{rest}"

    def _change_claims(self, text: str) -> str:
        parts = text.split(".")
        if len(parts) != 3:
            return text
        changed = _decode(parts[1])
        changed[self.random.choice(_CLAIMS)] = self.random.choice(_VALUES)
        parts[1] = encode(json.dumps(changed).encode())
        return ".".join(parts)

    def mutate_chain(self) -> list[bytes]:
        pick = self.random
        chain = list(pick.choice(self.chains))
        for _ in range(pick.choice((1, 1, 2, 4))):
            at = pick.randrange(len(chain))
            step = pick.randrange(6)
            if step == 0:
                chain[at] = pick.choice(self.bad)
            elif step == 1:
                chain.insert(at, pick.choice(self.bad))
            elif step == 2:
                chain[at] = chain[at][: pick.randrange(len(chain[at]) + 1)] or b"\0"
            elif step == 3:
                chain[at] += pick.randbytes(3)
            else:
                data = bytearray(chain[at])
                for _ in range(pick.choice((1, 1, 3))):
                    data[pick.randrange(len(data))] = pick.randrange(256)
                chain[at] = bytes(data)
        return chain


def _decode(part: str) -> dict[str, object]:
    try:
        found = json.loads(base64.urlsafe_b64decode(part + "=="))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _is_same(text: str, good: str) -> bool:
    """The same signed text and signature; the last bits of base64 may stand for nothing."""
    signed, _, signature = text.rpartition(".")
    good_signed, _, good_signature = good.rpartition(".")
    if signed != good_signed:
        return False
    padded, good_padded = (each + "=" * (-len(each) % 4) for each in (signature, good_signature))
    return base64.urlsafe_b64decode(padded) == base64.urlsafe_b64decode(good_padded)


def _is_same_certificate(der: bytes, good: bytes) -> bool:
    """All that is signed, and the key, is the same."""
    found, wanted = x509.load_der_x509_certificate(der), x509.load_der_x509_certificate(good)
    return found.tbs_certificate_bytes == wanted.tbs_certificate_bytes
