"""Client certificates: the subject's common name is the user, its organizations are the groups.

Upstream: apiserver/pkg/authentication/request/x509. The handshake takes any certificate; here its chain must lead to
one of the authorities, be within its dates, and allow client authentication (chains.py).
"""

from __future__ import annotations

import dataclasses
import hashlib
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.user import User
from quarterdeck.authentication.chains import BadChain, Verifier, check_authorities
from quarterdeck.authentication.interface import Identity
from quarterdeck.metrics.registry import Histogram
from quarterdeck.transport.messages import Request

if TYPE_CHECKING:
    from cryptography import x509

_UID_OID: Final = "1.3.6.1.4.1.57683.2"
_CREDENTIAL_ID: Final = "authentication.kubernetes.io/credential-id"

# Chains whose judgement is remembered: a client that opens many connections is judged once. An identity takes 1 KB.
_KNOWN_MAX: Final = 1024
# For so long a chain that was refused is not looked at again: a client may send requests faster than that can be done.
_REFUSED_S: Final = 10.0


class CertificateMethod:
    """`authorities` is PEM, one certificate or more. Raises ValueError when it holds none.

    A good chain is good until the first of its certificates expires or the authorities are replaced: what it came to
    is kept by the digest of its bytes. That the client has the key has been proved by each handshake. `expirations`
    observes how long the certificate of each new chain is still good."""

    def __init__(self, authorities: bytes, expirations: Histogram | None = None, known_max: int = _KNOWN_MAX) -> None:
        self._expirations = expirations
        self._known_max = known_max
        self._known: dict[bytes, Identity] = {}
        self._refused: dict[bytes, float] = {}
        self.replace(authorities)

    def replace(self, authorities: bytes) -> None:
        """From now on these; connections that have been judged by the old ones are judged again."""
        check_authorities(authorities)
        self._authorities = authorities
        self._verifier: Verifier | None = None
        self._known = {}
        self._refused = {}

    def authenticate(self, request: Request, warnings: list[str]) -> Identity | None:
        chain = request.connection.peer_certificates
        if not chain:
            return None
        digest = _digest(chain)
        known = self._known.get(digest)
        if known is not None and known.expires_at > time.time():
            return known
        if self._refused.get(digest, 0.0) > time.monotonic():
            raise errors.Unauthorized
        if self._verifier is None:
            self._verifier = Verifier(self._authorities)
        judged_by = self._verifier
        try:
            identity = _judge(judged_by, chain)
        except errors.Unauthorized:
            self._refuse(digest)
            raise
        if identity is None:
            return None
        if self._expirations is not None:
            self._expirations.observe(max(identity.expires_at - time.time(), 0.0))
        identity = dataclasses.replace(identity, is_current=lambda: self._verifier is judged_by)
        if len(self._known) >= self._known_max:
            del self._known[next(iter(self._known))]
        self._known[digest] = identity
        return identity

    def _refuse(self, digest: bytes) -> None:
        if len(self._refused) >= self._known_max:
            del self._refused[next(iter(self._refused))]
        self._refused[digest] = time.monotonic() + _REFUSED_S


def _digest(chain: Sequence[bytes]) -> bytes:
    digest = hashlib.sha256()
    for certificate in chain:
        digest.update(b"%d:" % len(certificate))
        digest.update(certificate)
    return digest.digest()


def _judge(verifier: Verifier, chain: Sequence[bytes]) -> Identity | None:
    try:
        leaf, expires_at = verifier.verify(chain)
        user = _build_user(leaf, chain[0])
    except (BadChain, ValueError) as error:
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
