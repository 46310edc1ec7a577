"""Chains of client certificates: does one lead to an authority, and until when is it good?

Verification is cryptography's (RFC 5280) under policies that ask of a private authority no more than Go does. It still
refuses what Go accepts: certificates of version 1, which `openssl x509 -req` makes, Ed25519 keys, a certificate that is
an authority itself. So what it refuses goes the second way below, which tries issuers by name and checks of each what
Go's x509.Verify does (dates, basic constraints, key usage, path length, purpose, critical extensions, kinds of keys and
digests), within Go's bound of 100 signatures. Names are not constrained there: a chain with name constraints is
refused.

The library is imported when the first certificate comes: it takes 50 ms.
"""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeVar

    from cryptography import x509
    from cryptography.x509 import verification

    E = TypeVar("E", bound=x509.ExtensionType)

_CHAIN_DEPTH_MAX: Final = 8
_CHAIN_LENGTH_MAX: Final = 16  # certificates that are looked at, however many the client sends
_SIGNATURES_MAX: Final = 100
_RSA_BITS_MIN: Final = 1024
# Larger numbers take long to work with; Go refuses them, too (crypto/tls, crypto/rsa).
_RSA_BITS_MAX: Final = 8192
_RSA_EXPONENT_MAX: Final = (1 << 31) - 1


class BadChain(Exception):
    """It leads to no authority, or may not be used by a client, or not now."""


def check_authorities(data: bytes) -> None:
    """Raises ValueError where there is no certificate in PEM."""
    if b"-----BEGIN CERTIFICATE-----" not in data:
        raise ValueError("no certificate found")


class Verifier:
    """`authorities` is PEM, one certificate or more."""

    def __init__(self, authorities: bytes) -> None:
        from cryptography import x509

        self._roots = x509.load_pem_x509_certificates(authorities)
        self._policy = _build_policy(self._roots)

    def verify(self, chain: Sequence[bytes]) -> tuple[x509.Certificate, float]:
        """The leaf, and when the first certificate of its chain expires. `chain`: DER, leaf first. Raises BadChain."""
        from cryptography import exceptions, x509
        from cryptography.x509 import verification

        try:
            leaf, *others = [x509.load_der_x509_certificate(der) for der in chain[:_CHAIN_LENGTH_MAX]]
            _check_sizes((leaf, *others))
            try:
                found = self._policy.build_client_verifier().verify(leaf, others).chain
            except verification.VerificationError:
                found = _find_chain(leaf, others, self._roots)
            expires_at = min(certificate.not_valid_after_utc for certificate in found).timestamp()
        except (
            ValueError,
            TypeError,
            exceptions.UnsupportedAlgorithm,  # a curve that nobody knows
            x509.DuplicateExtension,
            x509.InvalidVersion,
            x509.UnsupportedGeneralNameType,
        ) as error:
            raise BadChain(str(error)) from error
        return leaf, expires_at


def _build_policy(roots: list[x509.Certificate]) -> verification.PolicyBuilder:
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
        .store(verification.Store(roots))
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


def _check_sizes(certificates: Sequence[x509.Certificate]) -> None:
    """Before anything is verified with what a client has sent."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric import rsa

    for certificate in certificates:
        try:
            key = certificate.public_key()
        except (ValueError, UnsupportedAlgorithm):
            continue  # it verifies nothing
        if isinstance(key, rsa.RSAPublicKey) and (
            key.key_size > _RSA_BITS_MAX or key.public_numbers().e > _RSA_EXPONENT_MAX
        ):
            raise ValueError("RSA key is too large")


def _find_chain(
    leaf: x509.Certificate, others: list[x509.Certificate], roots: list[x509.Certificate]
) -> list[x509.Certificate]:
    """Raises ValueError where there is none."""
    now = datetime.datetime.now(datetime.UTC)
    _check_usable(leaf, now)
    signatures = 0
    open_chains = [[leaf]]
    while open_chains:
        chain = open_chains.pop()
        last = chain[-1]
        if last in roots:
            return chain
        for issuer in (*others, *roots):
            if issuer.subject != last.issuer or issuer in chain or len(chain) > _CHAIN_DEPTH_MAX:
                continue
            signatures += 1
            if signatures > _SIGNATURES_MAX:
                raise ValueError("signature check attempts exceeds limit while verifying certificate chain")
            if _has_issued(issuer, last, len(chain) - 1, now, is_root=issuer in roots):
                open_chains.append([*chain, issuer])
    raise ValueError("certificate signed by unknown authority")


def _has_issued(
    issuer: x509.Certificate, child: x509.Certificate, below: int, now: datetime.datetime, *, is_root: bool
) -> bool:
    """`below`: how many authorities there are under the issuer. A root of version 1 cannot say that it is one."""
    from cryptography import x509
    from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm

    try:
        _check_usable(issuer, now)
        constraints = _extension(issuer, x509.BasicConstraints)
        if constraints is not None:
            _check_authority(None, None, constraints)
            if constraints.path_length is not None and below > constraints.path_length:
                return False
        elif not is_root or issuer.version is not x509.Version.v1:
            return False
        _check_signs(None, None, _extension(issuer, x509.KeyUsage))
        if not _can_be_trusted(issuer, child):
            return False
        child.verify_directly_issued_by(issuer)
    except (ValueError, TypeError, InvalidSignature, UnsupportedAlgorithm):
        return False
    return True


def _can_be_trusted(issuer: x509.Certificate, child: x509.Certificate) -> bool:
    """Whether Go knows a signature of that kind, and holds it for one (crypto/x509: checkSignature)."""
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

    digest = child.signature_hash_algorithm  # None for Ed25519
    if digest is not None and not isinstance(digest, (hashes.SHA256, hashes.SHA384, hashes.SHA512)):
        return False
    key = issuer.public_key()
    if isinstance(key, rsa.RSAPublicKey):
        return key.key_size >= _RSA_BITS_MIN
    if isinstance(key, ec.EllipticCurvePublicKey):
        return isinstance(key.curve, (ec.SECP224R1, ec.SECP256R1, ec.SECP384R1, ec.SECP521R1))
    return isinstance(key, ed25519.Ed25519PublicKey)


def _check_usable(certificate: x509.Certificate, now: datetime.datetime) -> None:
    from cryptography import x509

    if not certificate.not_valid_before_utc <= now <= certificate.not_valid_after_utc:
        raise ValueError("certificate has expired or is not yet valid")
    _check_purpose(None, None, _extension(certificate, x509.ExtendedKeyUsage))
    known = (x509.BasicConstraints, x509.KeyUsage, x509.ExtendedKeyUsage, x509.SubjectAlternativeName)
    for extension in certificate.extensions:
        if isinstance(extension.value, x509.NameConstraints) or (
            extension.critical and not isinstance(extension.value, known)
        ):
            raise ValueError("unhandled critical extension")


def _extension(certificate: x509.Certificate, kind: type[E]) -> E | None:
    from cryptography import x509

    try:
        return certificate.extensions.get_extension_for_class(kind).value
    except x509.ExtensionNotFound:
        return None
