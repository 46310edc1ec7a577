"""What each of Kubernetes' own signers takes, and the certificates that it gives.

Source: pkg/controller/certificates/signer/signer.go, authority/{authority,policies}.go,
pkg/apis/certificates/helpers.go (ValidateKubeletClientCSR, ValidateKubeletServingCSR).
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec, rsa

CLIENT: Final = "kubernetes.io/kube-apiserver-client"
KUBELET_CLIENT: Final = "kubernetes.io/kube-apiserver-client-kubelet"
KUBELET_SERVING: Final = "kubernetes.io/kubelet-serving"
LEGACY: Final = "kubernetes.io/legacy-unknown"
BACKDATE_S: Final = 5 * 60
# From here on the time before now counts as a part of the whole; below, a certificate would hold notably less long.
_LONG_S: Final = 8 * 3600
_NOTHING: Final = datetime.timedelta()
# Of the controllers of requests for certificates (pkg/controller/certificates/certificate_controller.go).
RETRY_FIRST_S: Final = 0.2

_KEY_USAGES: Final = {
    "signing": "digital_signature",
    "digital signature": "digital_signature",
    "content commitment": "content_commitment",
    "key encipherment": "key_encipherment",
    "key agreement": "key_agreement",
    "data encipherment": "data_encipherment",
    "cert sign": "key_cert_sign",
    "crl sign": "crl_sign",
    "encipher only": "encipher_only",
    "decipher only": "decipher_only",
}
_EXTENDED_USAGES: Final = {
    "any": "2.5.29.37.0",
    "server auth": "1.3.6.1.5.5.7.3.1",
    "client auth": "1.3.6.1.5.5.7.3.2",
    "code signing": "1.3.6.1.5.5.7.3.3",
    "email protection": "1.3.6.1.5.5.7.3.4",
    "s/mime": "1.3.6.1.5.5.7.3.4",
    "ipsec end system": "1.3.6.1.5.5.7.3.5",
    "ipsec tunnel": "1.3.6.1.5.5.7.3.6",
    "ipsec user": "1.3.6.1.5.5.7.3.7",
    "timestamping": "1.3.6.1.5.5.7.3.8",
    "ocsp signing": "1.3.6.1.5.5.7.3.9",
    "microsoft sgc": "1.3.6.1.4.1.311.10.3.3",
    "netscape sgc": "2.16.840.1.113730.4.1",
}


class NotTaken(Exception):
    """The signer does not take the request; the text is upstream's."""


class Authority(NamedTuple):
    """Who issues."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey


def check(signer: str, request: bytes, usages: Collection[str]) -> str:
    """The common name that is asked for. `request` is PEM. Raises NotTaken."""
    from cryptography import x509

    asked = _read(x509.load_pem_x509_csr(request))
    SIGNERS[signer](asked, usages)
    return asked.common_name


class _Asked(NamedTuple):
    """What a request asks for. The names are those of its subjectAltName."""

    common_name: str
    organizations: tuple[str, ...]
    dns: bool
    emails: bool
    addresses: bool
    uris: bool


def _read(request: x509.CertificateSigningRequest) -> _Asked:
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    def texts(oid: x509.ObjectIdentifier) -> tuple[str, ...]:
        return tuple(str(each.value) for each in request.subject.get_attributes_for_oid(oid))

    try:
        names = request.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        names = x509.SubjectAlternativeName([])
    return _Asked(
        (texts(NameOID.COMMON_NAME) or ("",))[-1],
        texts(NameOID.ORGANIZATION_NAME),
        bool(names.get_values_for_type(x509.DNSName)),
        bool(names.get_values_for_type(x509.RFC822Name)),
        bool(names.get_values_for_type(x509.IPAddress)),
        bool(names.get_values_for_type(x509.UniformResourceIdentifier)),
    )


def _check_client(asked: _Asked, usages: Collection[str]) -> None:
    for usage in usages:
        if usage not in ("digital signature", "key encipherment", "client auth"):
            raise NotTaken(f"invalid usage for client certificate: {usage}")
    if "client auth" not in usages:
        raise NotTaken("missing required usage for client certificate: client auth")


def _check_kubelet_client(asked: _Asked, usages: Collection[str]) -> None:
    _check_node(asked)
    for has, what in (
        (asked.dns, "DNS"),
        (asked.emails, "Email"),
        (asked.addresses, "IP"),
        (asked.uris, "URI"),
    ):
        if has:
            raise NotTaken(f"{what} subjectAltNames are not allowed")
    _check_node_name(asked)
    _check_usages(usages, "client auth")


def _check_kubelet_serving(asked: _Asked, usages: Collection[str]) -> None:
    _check_node(asked)
    if not asked.dns and not asked.addresses:
        raise NotTaken("DNS or IP subjectAltName is required")
    for has, what in ((asked.emails, "Email"), (asked.uris, "URI")):
        if has:
            raise NotTaken(f"{what} subjectAltNames are not allowed")
    _check_usages(usages, "server auth")
    _check_node_name(asked)


def _check_node(asked: _Asked) -> None:
    if asked.organizations != ("system:nodes",):
        raise NotTaken("subject organization is not system:nodes")


def _check_node_name(asked: _Asked) -> None:
    if not asked.common_name.startswith("system:node:"):
        raise NotTaken("subject common name does not begin with system:node: ")


def _check_usages(usages: Collection[str], purpose: str) -> None:
    wanted = {"digital signature", purpose}
    if {*usages} not in (wanted, wanted | {"key encipherment"}):
        expected = " ".join(sorted(wanted | {"key encipherment"}))
        raise NotTaken(f"usages did not match [{expected}]")


def _check_nothing(asked: _Asked, usages: Collection[str]) -> None:
    """The legacy signer takes everything."""


SIGNERS: Final[dict[str, Callable[[_Asked, Collection[str]], None]]] = {
    CLIENT: _check_client,
    KUBELET_CLIENT: _check_kubelet_client,
    KUBELET_SERVING: _check_kubelet_serving,
    LEGACY: _check_nothing,
}


def issue(request: bytes, usages: Sequence[str], duration_s: int, now_s: float, authority: Authority) -> bytes:
    """The certificate in PEM. It never outlives its authority. Raises ValueError where that has expired."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization

    asked = x509.load_pem_x509_csr(request)
    now = datetime.datetime.fromtimestamp(int(now_s), datetime.UTC)
    limit = authority.certificate.not_valid_after_utc
    if limit <= now:
        raise ValueError(f"refusing to sign a certificate that expired in the past: NotAfter={limit}")
    backdate = datetime.timedelta(seconds=BACKDATE_S)
    end = now + datetime.timedelta(seconds=duration_s) - (backdate if duration_s >= _LONG_S else _NOTHING)
    builder = (
        x509.CertificateBuilder()
        .subject_name(asked.subject)
        .issuer_name(authority.certificate.subject)
        .public_key(asked.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - backdate)
        .not_valid_after(min(end, limit))
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
    )
    for extension in _usage_extensions(usages):
        builder = builder.add_extension(extension, critical=isinstance(extension, x509.KeyUsage))
    with_names = [each for each in asked.extensions if isinstance(each.value, x509.SubjectAlternativeName)]
    for each in with_names:
        builder = builder.add_extension(each.value, critical=each.critical)
    public = authority.certificate.public_key()
    identifier = x509.AuthorityKeyIdentifier.from_issuer_public_key(public)  # type: ignore[arg-type]  # a CA's own
    certificate = builder.add_extension(identifier, critical=False).sign(authority.key, hashes.SHA256())
    return certificate.public_bytes(serialization.Encoding.PEM)


def _usage_extensions(usages: Sequence[str]) -> list[x509.KeyUsage | x509.ExtendedKeyUsage]:
    from cryptography import x509

    found: list[x509.KeyUsage | x509.ExtendedKeyUsage] = []
    bits = {_KEY_USAGES[usage] for usage in usages if usage in _KEY_USAGES}
    if "key_agreement" not in bits:
        bits -= {"encipher_only", "decipher_only"}  # they say something of a key agreement alone
    if bits:
        every = (*dict.fromkeys(_KEY_USAGES.values()),)
        found.append(x509.KeyUsage(**{name: name in bits for name in every}))
    purposes = dict.fromkeys(_EXTENDED_USAGES[usage] for usage in usages if usage in _EXTENDED_USAGES)
    if purposes:
        found.append(x509.ExtendedKeyUsage([x509.ObjectIdentifier(each) for each in purposes]))
    return found
