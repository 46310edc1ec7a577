"""The certificates that a server makes for itself: an authority, one to serve with, one for the administrator.

They are made once a data directory and renewed at a start when less than a twelfth of their life is left (the serving
one also when it has to stand for other names). Upstream's counterpart is --cert-dir (pkg/server/options/serving.go:
MaybeDefaultWithSelfSignedCerts).

`cryptography` takes long to import and is not needed once everything is there: what was issued, and until when, stands
in pki/issued.json, so that no certificate has to be parsed to know that it is still good.
"""

from __future__ import annotations

import json
import socket
import time
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from quarterdeck.controllers.optional.issuing import Authority
from quarterdeck.server.config import ConfigError
from quarterdeck.server.files import PRIVATE, PUBLIC, write_atomically

if TYPE_CHECKING:
    import datetime
    from collections.abc import Callable, Iterable, Sequence

    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec

ADMIN_NAME: Final = "quarterdeck-admin"
_DAY_S: Final = 86400
_AUTHORITY_DAYS: Final = 3650
_LEAF_DAYS: Final = 365
_CLOCK_SKEW_S: Final = 300
_NAMES: Final = (
    *("localhost", "127.0.0.1", "::1"),
    *("kubernetes", "kubernetes.default", "kubernetes.default.svc"),
    "kubernetes.default.svc.cluster.local",
)


@dataclass(frozen=True, slots=True)
class PKI:
    """The paths of keys and certificates."""

    folder: Path
    serving_certificate: Path
    serving_key: Path
    is_serving_own: bool = True
    """The serving certificate was made here; false where --cert-dir held one."""

    @property
    def authority_certificate(self) -> Path:
        return self.folder / "ca.crt"

    @property
    def authority_key(self) -> Path:
        return self.folder / "ca.key"

    @property
    def admin_certificate(self) -> Path:
        return self.folder / "admin.crt"

    @property
    def admin_key(self) -> Path:
        return self.folder / "admin.key"

    @property
    def record(self) -> Path:
        return self.folder / "issued.json"


def ensure(
    data_dir: Path,
    bind_address: str,
    cert_dir: Path | None = None,
    call: Callable[[Callable[[], None]], None] = lambda issue: issue(),
    addresses: Iterable[str] = (),
) -> PKI:
    """Make what is missing or worn out. With `cert_dir`, apiserver.crt and apiserver.key there are served if they
    exist, of whatever origin, and made there otherwise. `call` calls what issues certificates, if any have to be.
    `addresses`: others by which the server is reached.

    Source: apiserver/pkg/server/options/serving.go (MaybeDefaultWithSelfSignedCerts)."""
    folder = _folder(data_dir)
    serving_dir = cert_dir or folder
    pki = PKI(folder, serving_dir / "apiserver.crt", serving_dir / "apiserver.key")
    record = _read_record(pki.record)
    names = sorted({*_NAMES, bind_address, socket.gethostname(), *addresses})
    if cert_dir is not None and _serving_entry(pki) not in record and pki.serving_certificate.exists():
        pki, names = replace(pki, is_serving_own=False), []
    if _missing(pki, record, names):
        call(partial(_issue_missing, pki, record, names))
    return pki


def _serving_entry(pki: PKI) -> str:
    return f"serving {pki.serving_certificate}"


def _missing(pki: PKI, record: dict[str, object], names: Sequence[str]) -> set[str]:
    """Which entries of the record have to be made; the authority's means that all others have to be, too."""
    now = time.time()
    missing = set()
    if not _is_good(record.get("ca"), now, pki.authority_certificate, pki.authority_key):
        missing.add("ca")
    if not _is_good(record.get("admin"), now, pki.admin_certificate, pki.admin_key):
        missing.add("admin")
    key = _serving_entry(pki)
    if pki.is_serving_own and not _is_good(record.get(key), now, pki.serving_certificate, pki.serving_key, names):
        missing.add(key)
    return missing


def _issue_missing(pki: PKI, record: dict[str, object], names: list[str]) -> None:
    if "ca" in _missing(pki, record, names):
        record = {"ca": _issue_authority(pki)}
    missing = _missing(pki, record, names)
    if "admin" in missing:
        record["admin"] = _issue_admin(pki)
    if (key := _serving_entry(pki)) in missing:
        record[key] = _issue_serving(pki, names)
    write_atomically(pki.record, json.dumps(record, indent=1).encode(), PRIVATE)


def find_authority(data_dir: Path) -> tuple[bytes, Callable[[], Authority]]:
    """The certificate of the own authority, in PEM, and what reads it with its key: that raises ConfigError for files
    that cannot be used. Empty where none was made."""
    folder = _folder(data_dir)
    pki = PKI(folder, folder / "apiserver.crt", folder / "apiserver.key")
    path = pki.authority_certificate
    return path.read_bytes() if path.exists() else b"", lambda: Authority(*_load_authority(pki))


def _folder(data_dir: Path) -> Path:
    return data_dir / "pki"


def _read_record(path: Path) -> dict[str, object]:
    try:
        record = json.loads(path.read_bytes())
    except (FileNotFoundError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def _is_good(entry: object, now: float, certificate: Path, key: Path, names: Sequence[str] = ()) -> bool:
    if not isinstance(entry, dict) or not certificate.exists() or not key.exists():
        return False
    issued, expires = entry.get("issued"), entry.get("expires")
    if not isinstance(issued, int) or not isinstance(expires, int) or entry.get("names", []) != list(names):
        return False
    return issued - _CLOCK_SKEW_S <= now < expires - (expires - issued) / 12


def _issue_authority(pki: PKI) -> dict[str, object]:
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    subject = _build_name("quarterdeck-ca")
    builder, entry = _build_certificate(subject, subject, key.public_key(), _AUTHORITY_DAYS, is_authority=True)
    _store(pki.authority_certificate, pki.authority_key, builder, key, key)
    return entry


def _issue_admin(pki: PKI) -> dict[str, object]:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID

    authority, authority_key = _load_authority(pki)
    key = ec.generate_private_key(ec.SECP256R1())
    builder, entry = _build_certificate(
        _build_name(ADMIN_NAME, "system:masters"), authority.subject, key.public_key(), _LEAF_DAYS
    )
    builder = builder.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH]), critical=False)
    _store(pki.admin_certificate, pki.admin_key, builder, key, authority_key)
    return entry


def _issue_serving(pki: PKI, names: list[str]) -> dict[str, object]:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID

    authority, authority_key = _load_authority(pki)
    key = ec.generate_private_key(ec.SECP256R1())
    builder, entry = _build_certificate(_build_name("quarterdeck"), authority.subject, key.public_key(), _LEAF_DAYS)
    alternatives = [_build_alternative(name) for name in names]
    builder = builder.add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
    builder = builder.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
    _store(pki.serving_certificate, pki.serving_key, builder, key, authority_key)
    entry["names"] = names
    return entry


def _load_authority(pki: PKI) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    from cryptography import x509
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    try:
        key = serialization.load_pem_private_key(pki.authority_key.read_bytes(), password=None)
        certificate = x509.load_pem_x509_certificate(pki.authority_certificate.read_bytes())
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise _unusable(pki, str(error)) from error
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise _unusable(pki, "the key is not one of those that are made here")
    if key.public_key() != certificate.public_key():
        raise _unusable(pki, "they do not belong together")
    return certificate, key


def _unusable(pki: PKI, why: str) -> ConfigError:
    return ConfigError(
        f"a certificate has to be made, but {pki.authority_key} and {pki.authority_certificate} cannot be used: {why}; "
        f"restore them, or remove {pki.folder} to begin with a new authority, which clients have to be told"
    )


def _build_name(common_name: str, *organizations: str) -> x509.Name:
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    attributes = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, name) for name in organizations]
    return x509.Name([*attributes, x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _build_alternative(name: str) -> x509.GeneralName:
    import ipaddress

    from cryptography import x509

    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _build_certificate(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, days: int, *, is_authority: bool = False
) -> tuple[x509.CertificateBuilder, dict[str, object]]:
    from cryptography import x509

    issued = int(time.time())
    expires = issued + days * _DAY_S
    usage = x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=is_authority,
        crl_sign=is_authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(_to_datetime(issued - _CLOCK_SKEW_S))
        .not_valid_after(_to_datetime(expires))
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
    )
    return builder, {"issued": issued, "expires": expires}


def _to_datetime(seconds: int) -> datetime.datetime:
    import datetime

    return datetime.datetime.fromtimestamp(seconds, datetime.UTC)


def _store(
    certificate_file: Path,
    key_file: Path,
    builder: x509.CertificateBuilder,
    key: ec.EllipticCurvePrivateKey,
    signer: ec.EllipticCurvePrivateKey,
) -> None:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization

    builder = builder.add_extension(
        x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False
    )
    certificate = builder.sign(signer, hashes.SHA256())
    key_pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    write_atomically(key_file, key_pem, PRIVATE)
    write_atomically(certificate_file, certificate.public_bytes(serialization.Encoding.PEM), PUBLIC)
