"""Whom a client believes to be the server it calls, and Go's words for why not.

Source: crypto/x509/verify.go; client-go/transport/transport.go (rootCertPool).
"""

from __future__ import annotations

import datetime
import ipaddress
import ssl
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from quarterdeck.transport.client import bundle as bundles

if TYPE_CHECKING:
    from cryptography import x509

_FAILED: Final = "tls: failed to verify certificate: x509: "
_NOT_YET, _EXPIRED, _PURPOSE, _NAME, _ADDRESS = 9, 10, 26, 62, 64  # OpenSSL's codes


class UntrustableBundle(ValueError):
    """A caBundle without a certificate that can be read; the text is client-go's."""


class Trust:
    """The certificates that a server's has to lead to: those of a bundle (PEM), or the system's where it is empty.
    Reading the system's takes a while: `trust_of` keeps what it made."""

    __slots__ = ("bundle", "context")

    def __init__(self, bundle: bytes, own: tuple[bytes, bytes] | None = None, *, is_verified: bool = True) -> None:
        """`own`: the client's certificate and key (PEM). `is_verified` False: any server is believed. Raises
        UntrustableBundle, and ValueError for an `own` that cannot be used."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.hostname_checks_common_name = False
        # Go believes any certificate of the bundle, whoever has signed it.
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
        context.set_alpn_protocols(["http/1.1"])
        if bundle:
            _load(context, bundle)
        else:
            context.load_default_certs(ssl.Purpose.SERVER_AUTH)
        if not is_verified:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        if own is not None:
            _load_own(context, *own)
        self.bundle = bundle
        self.context = context


def _load(context: ssl.SSLContext, bundle: bytes) -> None:
    """One good certificate is enough: Go passes over the others."""
    is_any_good = False
    for der in bundles.read_certificates(bundle):
        with suppress(ssl.SSLError, ValueError):
            context.load_verify_locations(cadata=der)
            is_any_good = True
    if not is_any_good:
        text = bundles.find_problem(bundle)
        raise UntrustableBundle(text or "unable to load root certificates: no valid certificate authority data seen")


def _load_own(context: ssl.SSLContext, certificate: bytes, key: bytes) -> None:
    import tempfile  # imported late: few servers ask for a client's certificate

    # Python's ssl reads files alone; this one is the user's only, and gone at once.
    with tempfile.NamedTemporaryFile(prefix="quarterdeck-") as file:
        file.write(certificate + b"\n" + key)
        file.flush()
        try:
            context.load_cert_chain(file.name)
        except ssl.SSLError as error:
            raise ValueError(f"tls: the client's certificate and key cannot be used: {error.reason}") from error


@lru_cache(maxsize=200)
def trust_of(bundle: bytes) -> Trust:
    """Raises UntrustableBundle."""
    return Trust(bundle)


def describe_handshake(error: ssl.SSLError, connection: ssl.SSLObject, name: str, first: bytes) -> str:
    """Why a handshake failed. `first`: what the server sent first."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return _FAILED + _describe_verification(error.verify_code, _leaf(connection), name)
    if first.startswith(b"HTTP/"):
        return "http: server gave HTTP response to HTTPS client"
    reason = error.reason or ""
    _, alert, what = reason.partition("_ALERT_")
    if alert:
        return f"remote error: tls: {what.replace('_', ' ').lower()}"
    if reason in ("WRONG_VERSION_NUMBER", "UNEXPECTED_MESSAGE", "HTTP_REQUEST", "BAD_RECORD_TYPE"):
        return "tls: first record does not look like a TLS handshake"
    return f"tls: {reason.replace('_', ' ').lower() or 'handshake failure'}"


def _leaf(connection: ssl.SSLObject) -> x509.Certificate | None:
    """The certificate that was refused; None where this Python does not tell."""
    inner: Any = connection._sslobj  # type: ignore[attr-defined]  # public as get_unverified_chain from Python 3.13 on
    chain = inner.get_unverified_chain()
    if not chain or chain[0] is None:
        return None
    from cryptography import x509  # imported late: certificates are seldom refused

    der = chain[0].public_bytes(ssl._ssl.ENCODING_DER)  # type: ignore[attr-defined]
    try:
        return x509.load_der_x509_certificate(der)
    except ValueError:
        return None


def _describe_verification(code: int, leaf: x509.Certificate | None, name: str) -> str:
    if code in (_EXPIRED, _NOT_YET):
        return _describe_time(leaf)
    if code in (_NAME, _ADDRESS) and leaf is not None:
        return _describe_name(leaf, name)
    if code == _PURPOSE:
        return "certificate specifies an incompatible key usage"
    return "certificate signed by unknown authority"


def _describe_time(leaf: x509.Certificate | None) -> str:
    text = "certificate has expired or is not yet valid: "
    if leaf is None:
        return text
    now = datetime.datetime.now(datetime.UTC)
    if now > leaf.not_valid_after_utc:
        return f"{text}current time {_rfc3339(now)} is after {_rfc3339(leaf.not_valid_after_utc)}"
    if now < leaf.not_valid_before_utc:
        return f"{text}current time {_rfc3339(now)} is before {_rfc3339(leaf.not_valid_before_utc)}"
    return text


def _rfc3339(time: datetime.datetime) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


def _describe_name(leaf: x509.Certificate, name: str) -> str:
    from cryptography import x509

    try:
        names = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        dns = names.get_values_for_type(x509.DNSName)
        addresses = [str(address) for address in names.get_values_for_type(x509.IPAddress)]
        has_names = True
    except (x509.ExtensionNotFound, ValueError):
        dns, addresses, has_names = [], [], False
    if not has_names and _common_name(leaf):
        return "certificate relies on legacy Common Name field, use SANs instead"
    if _is_address(name):
        if not addresses:
            return f"cannot validate certificate for {name} because it doesn't contain any IP SANs"
        return f"certificate is valid for {', '.join(addresses)}, not {name}"
    if not dns:
        return f"certificate is not valid for any names, but wanted to match {name}"
    return f"certificate is valid for {', '.join(dns)}, not {name}"


def _common_name(leaf: x509.Certificate) -> str:
    from cryptography.x509.oid import NameOID

    found = leaf.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    return str(found[0].value) if found else ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
