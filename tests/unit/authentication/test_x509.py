"""Client certificates: whom they stand for, and which are refused."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence

import cryptography.x509
import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa

from quarterdeck.apimachinery import errors
from quarterdeck.authentication import chains
from quarterdeck.authentication.interface import Identity
from quarterdeck.authentication.x509 import CertificateMethod
from quarterdeck.transport.messages import ConnectionInfo, Request
from support.certificates import CLIENT, SERVER, Certificate

AUTHORITY = Certificate("authority", is_authority=True)
STRANGER = Certificate("authority", is_authority=True)
MIDDLE = Certificate("middle", issuer=AUTHORITY, is_authority=True)
LEAF = Certificate("leaf", issuer=AUTHORITY, usages=(CLIENT,))


def ask(*chain: Certificate, authorities: tuple[Certificate, ...] = (AUTHORITY,)) -> Identity | None:
    method = CertificateMethod(b"".join(authority.pem for authority in authorities))
    connection = ConnectionInfo("", is_secure=True, peer_certificates=[one.der for one in chain])
    return method.authenticate(Request("GET", "/", "", {}, b"", connection), [])


def test_common_name_is_the_user_and_organizations_are_groups() -> None:
    leaf = Certificate("alice", "dev", "ops", issuer=AUTHORITY, usages=(CLIENT,), uid="42")
    identity = ask(leaf)
    assert identity is not None
    assert (identity.user.name, identity.user.groups, identity.user.uid) == ("alice", ("dev", "ops"), "42")
    digest = hashlib.sha256(leaf.der).hexdigest()
    assert identity.user.extra == {"authentication.kubernetes.io/credential-id": (f"X509SHA256={digest}",)}
    chain = [cryptography.x509.load_der_x509_certificate(each.der) for each in (leaf, AUTHORITY)]
    assert identity.expires_at == min(each.not_valid_after_utc for each in chain).timestamp()


def test_without_a_certificate_there_is_nothing_to_say() -> None:
    assert ask() is None


def test_a_certificate_without_a_name_is_nobody() -> None:
    assert ask(Certificate("", "dev", issuer=AUTHORITY, usages=(CLIENT,))) is None


@pytest.mark.parametrize(
    "chain",
    [
        (Certificate("any use", issuer=AUTHORITY),),
        (Certificate("both", issuer=AUTHORITY, usages=(SERVER, CLIENT)),),
        (Certificate("below middle", issuer=MIDDLE, usages=(CLIENT,)), MIDDLE),
        (LEAF, STRANGER, MIDDLE),
        (LEAF, AUTHORITY),
    ],
    ids=lambda chain: chain[0].subject.rfc4514_string(),
)
def test_what_leads_to_the_authority_is_accepted(chain: tuple[Certificate, ...]) -> None:
    assert ask(*chain) is not None


ENDED = Certificate("ended", issuer=AUTHORITY, is_authority=True, days=(-3, -2))
NO_SIGNER = Certificate("no signer", issuer=AUTHORITY, is_authority=True, key_cert_sign=False)
FOR_SERVERS = Certificate("for servers", issuer=AUTHORITY, is_authority=True, usages=(SERVER,))
SHORT = Certificate("short", is_authority=True, path_length=0)
BELOW_SHORT = Certificate("below", issuer=SHORT, is_authority=True)


@pytest.mark.parametrize(
    "chain",
    [
        (Certificate("stranger", issuer=STRANGER, usages=(CLIENT,)),),
        (Certificate("self-signed", usages=(CLIENT,)),),
        (Certificate("expired", issuer=AUTHORITY, usages=(CLIENT,), days=(-3, -2)),),
        (Certificate("not yet", issuer=AUTHORITY, usages=(CLIENT,), days=(2, 3)),),
        (Certificate("server", issuer=AUTHORITY, usages=(SERVER,)),),
        (Certificate("middle missing", issuer=MIDDLE, usages=(CLIENT,)),),
        (Certificate("signed by a leaf", issuer=LEAF, usages=(CLIENT,)), LEAF),
        (Certificate("signed by an ended", issuer=ENDED, usages=(CLIENT,)), ENDED),
        (Certificate("signed by no signer", issuer=NO_SIGNER, usages=(CLIENT,)), NO_SIGNER),
        (Certificate("signed for servers", issuer=FOR_SERVERS, usages=(CLIENT,)), FOR_SERVERS),
        (Certificate("too deep", issuer=BELOW_SHORT, usages=(CLIENT,)), BELOW_SHORT),
    ],
    ids=lambda chain: chain[0].subject.rfc4514_string(),
)
def test_what_does_not_is_refused(chain: tuple[Certificate, ...]) -> None:
    with pytest.raises(errors.Unauthorized):
        ask(*chain, authorities=(AUTHORITY, SHORT))


def test_garbage_is_refused() -> None:
    method = CertificateMethod(AUTHORITY.pem)
    for chain in ([b"garbage"], [LEAF.der, b"garbage"], [b""]):
        connection = ConnectionInfo("", is_secure=True, peer_certificates=chain)
        with pytest.raises(errors.Unauthorized):
            method.authenticate(Request("GET", "/", "", {}, b"", connection), [])


def test_a_key_of_an_unknown_kind_is_refused() -> None:
    good = LEAF.der
    changed = good.replace(bytes.fromhex("06082a8648ce3d030107"), bytes.fromhex("06082a8648ce3d030177"))
    assert changed != good
    method = CertificateMethod(AUTHORITY.pem)
    for chain, is_good in (([changed], False), ([changed, AUTHORITY.der], False), ([good, changed], True)):
        request = Request("GET", "/", "", {}, b"", ConnectionInfo("", is_secure=True, peer_certificates=chain))
        if is_good:
            assert method.authenticate(request, []) is not None
            continue
        with pytest.raises(errors.Unauthorized):
            method.authenticate(request, [])


def test_authorities_must_be_there() -> None:
    with pytest.raises(ValueError, match="no certificate"):
        CertificateMethod(b"")


class Counting:
    """How often a chain is judged."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.judged = 0
        verify = chains.Verifier.verify

        def count(verifier: chains.Verifier, chain: Sequence[bytes]) -> tuple[cryptography.x509.Certificate, float]:
            self.judged += 1
            return verify(verifier, chain)

        monkeypatch.setattr(chains.Verifier, "verify", count)


def ask_method(method: CertificateMethod, *chain: Certificate) -> Identity | None:
    connection = ConnectionInfo("", is_secure=True, peer_certificates=[one.der for one in chain])
    return method.authenticate(Request("GET", "/", "", {}, b"", connection), [])


def test_a_chain_is_judged_once_until_it_expires(monkeypatch: pytest.MonkeyPatch) -> None:
    counting, method = Counting(monkeypatch), CertificateMethod(AUTHORITY.pem)
    first = ask_method(method, LEAF)
    assert ask_method(method, LEAF) is first
    assert counting.judged == 1
    other = Certificate("leaf", issuer=AUTHORITY, usages=(CLIENT,))
    assert ask_method(method, other) is not first
    assert counting.judged == 2
    assert first is not None
    monkeypatch.setattr(time, "time", lambda: first.expires_at + 1)
    assert ask_method(method, LEAF) is None
    assert counting.judged == 3


def test_a_bad_chain_is_refused_each_time_and_looked_at_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    counting, method = Counting(monkeypatch), CertificateMethod(AUTHORITY.pem)
    now_s = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now_s)
    assert ask_method(method, LEAF) is not None
    below = Certificate("below", issuer=MIDDLE, usages=(CLIENT,))
    for later_s, judged in ((0, 2), (5, 2), (6, 3)):
        now_s += later_s
        with pytest.raises(errors.Unauthorized):
            ask_method(method, below, LEAF)
        assert counting.judged == judged
    assert ask_method(method, below, MIDDLE) is not None, "it is not mixed up with a good one"


def test_what_is_remembered_of_bad_chains_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    counting, method = Counting(monkeypatch), CertificateMethod(AUTHORITY.pem, known_max=2)
    strangers = [Certificate(f"stranger{n}", usages=(CLIENT,)) for n in range(3)]
    for stranger in [*strangers, *strangers[1:], strangers[0]]:
        with pytest.raises(errors.Unauthorized):
            ask_method(method, stranger)
    assert counting.judged == 4


@pytest.mark.parametrize(
    ("modulus", "exponent"), [(1 << 8200 | 1, 65537), ((1 << 2047) + 0x123457, (1 << 31) + 1)], ids=["key", "exponent"]
)
def test_numbers_that_take_long_to_work_with_are_refused(modulus: int, exponent: int) -> None:
    key = rsa.RSAPublicNumbers(exponent, modulus).public_key()
    large = Certificate("large", issuer=AUTHORITY, usages=(CLIENT,), public_key=key)
    for sent in ((large,), (LEAF, large)):
        with pytest.raises(errors.Unauthorized):
            ask(*sent)


@pytest.mark.parametrize("digest", [hashes.SHA224(), hashes.SHA3_256()], ids=lambda digest: digest.name)
def test_digests_that_go_does_not_know_are_refused(digest: hashes.HashAlgorithm) -> None:
    with pytest.raises(errors.Unauthorized):
        ask(Certificate("odd", issuer=AUTHORITY, usages=(CLIENT,), digest=digest))


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    counting, method = Counting(monkeypatch), CertificateMethod(AUTHORITY.pem, known_max=2)
    leaves = [Certificate(f"leaf{n}", issuer=AUTHORITY, usages=(CLIENT,)) for n in range(3)]
    for leaf in [*leaves, *leaves[1:], leaves[0]]:
        assert ask_method(method, leaf) is not None
    assert counting.judged == 4


ED_AUTHORITY = Certificate("ed", is_authority=True, edwards=True)
ED_MIDDLE = Certificate("ed middle", issuer=ED_AUTHORITY, is_authority=True, edwards=True)


@pytest.mark.parametrize("is_edwards", [False, True], ids=["plain leaf", "edwards leaf"])
@pytest.mark.parametrize(
    ("authority", "middle"),
    [(AUTHORITY, ()), (ED_AUTHORITY, ()), (ED_AUTHORITY, (ED_MIDDLE,)), (AUTHORITY, (MIDDLE,))],
    ids=["plain", "edwards", "edwards, two deep", "plain, two deep"],
)
def test_edwards_keys_are_as_good_as_others(
    authority: Certificate, middle: tuple[Certificate, ...], is_edwards: bool
) -> None:
    issuer = middle[0] if middle else authority
    leaf = Certificate("alice", issuer=issuer, usages=(CLIENT,), edwards=is_edwards)
    identity = ask(leaf, *middle, authorities=(authority,))
    assert identity is not None
    assert identity.user.name == "alice"


@pytest.mark.parametrize(
    "chain",
    [
        (Certificate("old", issuer=ED_AUTHORITY, usages=(CLIENT,), days=(-2, -1), edwards=True),),
        (Certificate("early", issuer=ED_AUTHORITY, usages=(CLIENT,), days=(1, 2), edwards=True),),
        (Certificate("server", issuer=ED_AUTHORITY, usages=(SERVER,), edwards=True),),
        (Certificate("self", is_authority=True, edwards=True),),
        (Certificate("x", issuer=Certificate("ed", is_authority=True, edwards=True), usages=(CLIENT,)),),
        (Certificate("x", issuer=(LEAF_ED := Certificate("no ca", issuer=ED_AUTHORITY, edwards=True))), LEAF_ED),
        (
            Certificate(
                "x", issuer=(NOT_CA := Certificate("n", issuer=ED_AUTHORITY, is_authority=False, edwards=True))
            ),
            NOT_CA,
        ),
        (
            Certificate(
                "x",
                issuer=(
                    NO_SIGN := Certificate(
                        "n", issuer=ED_AUTHORITY, is_authority=True, key_cert_sign=False, edwards=True
                    )
                ),
            ),
            NO_SIGN,
        ),
        (
            Certificate(
                "x",
                issuer=(
                    SHORT := Certificate(
                        "below short",
                        issuer=(
                            ZERO := Certificate(
                                "z", issuer=ED_AUTHORITY, is_authority=True, path_length=0, edwards=True
                            )
                        ),
                        is_authority=True,
                        edwards=True,
                    )
                ),
            ),
            SHORT,
            ZERO,
        ),
    ],
    ids=lambda chain: chain[0].subject.rfc4514_string(),
)
def test_edwards_chains_have_to_be_good_too(chain: tuple[Certificate, ...]) -> None:
    with pytest.raises(errors.Unauthorized):
        ask(*chain, authorities=(ED_AUTHORITY,))


OLD_AUTHORITY = Certificate("old authority", is_version_1=True)
UNMARKED = Certificate("unmarked authority")
SELF = Certificate("self", usages=(CLIENT,))


@pytest.mark.parametrize(
    ("chain", "authority"),
    [
        ((Certificate("old leaf", issuer=AUTHORITY, is_version_1=True),), AUTHORITY),
        ((Certificate("old below", issuer=MIDDLE, is_version_1=True), MIDDLE), AUTHORITY),
        ((Certificate("below old", issuer=OLD_AUTHORITY, usages=(CLIENT,)),), OLD_AUTHORITY),
        ((Certificate("all old", issuer=OLD_AUTHORITY, is_version_1=True),), OLD_AUTHORITY),
        ((Certificate("a client's authority", issuer=AUTHORITY, is_authority=True),), AUTHORITY),
        ((SELF,), SELF),
        ((OLD_AUTHORITY,), OLD_AUTHORITY),
    ],
    ids=lambda chain: chain[0].subject.rfc4514_string() if isinstance(chain, tuple) else "",
)
def test_what_go_takes_is_taken(chain: tuple[Certificate, ...], authority: Certificate) -> None:
    identity = ask(*chain, authorities=(authority,))
    assert identity is not None
    assert f"CN={identity.user.name}" == chain[0].subject.rfc4514_string()


OLD_MIDDLE = Certificate("old middle", issuer=AUTHORITY, is_version_1=True)


@pytest.mark.parametrize(
    "chain",
    [
        (Certificate("below unmarked", issuer=UNMARKED, usages=(CLIENT,)),),
        (Certificate("below old middle", issuer=OLD_MIDDLE, is_version_1=True), OLD_MIDDLE),
        (Certificate("old, of another", issuer=STRANGER, is_version_1=True),),
        (Certificate("old and ended", issuer=AUTHORITY, is_version_1=True, days=(-3, -2)),),
    ],
    ids=lambda chain: chain[0].subject.rfc4514_string(),
)
def test_what_go_does_not_take_is_refused(chain: tuple[Certificate, ...]) -> None:
    with pytest.raises(errors.Unauthorized):
        ask(*chain, authorities=(AUTHORITY, UNMARKED, OLD_AUTHORITY))


def test_a_maze_of_issuers_ends() -> None:
    maze = [
        Certificate("twin", issuer=Certificate("twin", edwards=True), is_authority=True, edwards=True)
        for _ in range(15)
    ]
    leaf = Certificate("leaf", issuer=Certificate("twin", edwards=True), usages=(CLIENT,), edwards=True)
    with pytest.raises(errors.Unauthorized):
        ask(leaf, *maze, authorities=(ED_AUTHORITY,))


def test_replaced_authorities_judge_known_connections_again() -> None:
    method = CertificateMethod(AUTHORITY.pem)
    identity = ask_method(method, LEAF)
    assert identity is not None
    assert identity.is_current is not None
    assert identity.is_current()
    method.replace(STRANGER.pem)
    assert not identity.is_current()
    with pytest.raises(errors.Unauthorized):
        ask_method(method, LEAF)
    with pytest.raises(ValueError, match="no certificate"):
        method.replace(b"")
    method.replace(AUTHORITY.pem + STRANGER.pem)
    assert ask_method(method, LEAF) is not None
