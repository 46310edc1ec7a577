"""Client certificates: the subject's common name is the user, its organizations are the groups.

Upstream: apiserver/pkg/authentication/request/x509. The handshake takes any certificate; here its chain must lead to
one of the authorities, be within its dates, and allow client authentication. Verification is cryptography's (RFC 5280)
under policies that ask of a private authority no more than Go does. The library is imported when the first certificate
comes: it takes 50 ms.

Differs from upstream: authorities with Ed25519 keys are not supported.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.user import User
from quarterdeck.authentication.interface import Identity
from quarterdeck.transport.messages import Request

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.x509 import verification

_CHAIN_DEPTH_MAX: Final = 8
_CHAIN_LENGTH_MAX: Final = 16  # certificates that are looked at, however many the client sends
_UID_OID: Final = "1.3.6.1.4.1.57683.2"
_CREDENTIAL_ID: Final = "authentication.kubernetes.io/credential-id"


# Chains whose judgement is remembered: a client that opens many connections is judged once. An identity takes 1 KB.
_KNOWN_MAX: Final = 1024


class CertificateMethod:
    """`authorities` is PEM, one certificate or more. Raises ValueError when it holds none.

    A good chain is good until the first of its certificates expires: what it came to is kept by the digest of its
    bytes. That the client has the key has been proved by each handshake."""

    def __init__(self, authorities: bytes) -> None:
        if b"-----BEGIN CERTIFICATE-----" not in authorities:
            raise ValueError("no certificate found")
        self._authorities = authorities
        self._policy: verification.PolicyBuilder | None = None
        self._known: dict[bytes, Identity] = {}

    def authenticate(self, request: Request) -> Identity | None:
        chain = request.connection.peer_certificates
        if not chain:
            return None
        digest = _digest(chain)
        known = self._known.get(digest)
        if known is not None and known.expires_at > time.time():
            return known
        if self._policy is None:
            self._policy = _build_policy(self._authorities)
        identity = _judge(self._policy, chain[0], tuple(chain[1:_CHAIN_LENGTH_MAX]))
        if identity is not None:
            if len(self._known) >= _KNOWN_MAX:
                del self._known[next(iter(self._known))]
            self._known[digest] = identity
        return identity


def _digest(chain: Sequence[bytes]) -> bytes:
    digest = hashlib.sha256()
    for certificate in chain:
        digest.update(b"%d:" % len(certificate))
        digest.update(certificate)
    return digest.digest()


def _build_policy(authorities: bytes) -> verification.PolicyBuilder:
    from cryptography import x509
    from cryptography.x509 import verification

    agnostic = verification.Criticality.AGNOSTIC
    any_extensions = verification.ExtensionPolicy.permit_all()
    for_leaf = any_extensions.may_be_present(x509.ExtendedKeyUsage, agnostic, _check_purpose)
    for_authority = (
        any_extensions.require_present(x509.BasicConstraints, agnostic, _check_authority)
        .may_be_present(x509.KeyUsage, agnostic, _check_signs)
        .may_be_present(x509.ExtendedKeyUsage, agnostic, _check_purpose)
    )
    return (
        verification.PolicyBuilder()
        .store(verification.Store(x509.load_pem_x509_certificates(authorities)))
        .max_chain_depth(_CHAIN_DEPTH_MAX)
        .extension_policies(ca_policy=for_authority, ee_policy=for_leaf)
    )


def _check_purpose(_policy: object, _certificate: object, usage: x509.ExtendedKeyUsage | None) -> None:
    """Without the extension every use is allowed, as in Go."""
    from cryptography.x509.oid import ExtendedKeyUsageOID

    if usage is None or ExtendedKeyUsageOID.CLIENT_AUTH in usage or ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE in usage:
        return
    raise ValueError("certificate specifies an incompatible key usage")


def _check_authority(_policy: object, _certificate: object, constraints: x509.BasicConstraints) -> None:
    if not constraints.ca:
        raise ValueError("certificate is not authorized to sign other certificates")


def _check_signs(_policy: object, _certificate: object, usage: x509.KeyUsage | None) -> None:
    if usage is not None and not usage.key_cert_sign:
        raise ValueError("certificate is not authorized to sign other certificates")


def _judge(policy: verification.PolicyBuilder, leaf_der: bytes, others_der: tuple[bytes, ...]) -> Identity | None:
    from cryptography import x509
    from cryptography.x509 import verification

    try:
        leaf = x509.load_der_x509_certificate(leaf_der)
        others = [x509.load_der_x509_certificate(der) for der in others_der]
        verified = policy.build_client_verifier().verify(leaf, others)
        user = _build_user(leaf, leaf_der)
        expires_at = min(certificate.not_valid_after_utc for certificate in verified.chain).timestamp()
    except (ValueError, verification.VerificationError, x509.UnsupportedGeneralNameType) as error:
        raise errors.Unauthorized from error
    if user is None or expires_at <= time.time():
        return None
    return Identity(user, expires_at)


def _build_user(leaf: x509.Certificate, der: bytes) -> User | None:
    """None for a subject without a name: it is nobody."""
    from cryptography.x509.oid import NameOID

    names: list[str] = []
    groups: list[str] = []
    uid = ""
    for attribute in leaf.subject:
        value = attribute.value if isinstance(attribute.value, str) else attribute.value.decode("utf-8", "replace")
        if attribute.oid == NameOID.COMMON_NAME:
            names.append(value)
        elif attribute.oid == NameOID.ORGANIZATION_NAME:
            groups.append(value)
        elif attribute.oid.dotted_string == _UID_OID:
            uid = value
    if not names or not names[-1]:
        return None
    extra: dict[str, tuple[str, ...]] = {_CREDENTIAL_ID: (f"X509SHA256={hashlib.sha256(der).hexdigest()}",)}
    return User(names[-1], uid, tuple(groups), extra)
