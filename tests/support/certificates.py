"""A small authority for tests: certificates that are good, and bad in one way each."""

from __future__ import annotations

import datetime
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

CLIENT = ExtendedKeyUsageOID.CLIENT_AUTH
SERVER = ExtendedKeyUsageOID.SERVER_AUTH
SHA256 = hashes.SHA256()


class Certificate:
    """A certificate with its key; it can sign others, whether it may or not."""

    def __init__(
        self,
        name: str,
        *groups: str,
        issuer: Certificate | None = None,
        is_authority: bool | None = None,
        path_length: int | None = None,
        usages: tuple[x509.ObjectIdentifier, ...] = (),
        days: tuple[int, int] = (-1, 1),
        key_cert_sign: bool | None = None,
        names: tuple[x509.GeneralName, ...] = (),
        uid: str = "",
        edwards: bool = False,
        is_version_1: bool = False,
        public_key: rsa.RSAPublicKey | None = None,
        digest: hashes.HashAlgorithm = SHA256,
    ) -> None:
        """`public_key`: of somebody else, so that the certificate can only be looked at."""
        self.key: ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey = (
            ed25519.Ed25519PrivateKey.generate() if edwards else ec.generate_private_key(ec.SECP256R1())
        )
        attributes = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group) for group in groups]
        if name:
            attributes.append(x509.NameAttribute(NameOID.COMMON_NAME, name))
        if uid:
            attributes.append(x509.NameAttribute(x509.ObjectIdentifier("1.3.6.1.4.1.57683.2"), uid))
        # One attribute for each relative name keeps the order in which the groups stand.
        self.subject = x509.Name([x509.RelativeDistinguishedName([attribute]) for attribute in attributes])
        now = datetime.datetime.now(datetime.UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(self.subject)
            .issuer_name((issuer or self).subject)
            .public_key(public_key or self.key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now + datetime.timedelta(days=days[0]))
            .not_valid_after(now + datetime.timedelta(days=days[1]))
        )
        if is_authority is not None:
            builder = builder.add_extension(x509.BasicConstraints(is_authority, path_length), critical=True)
        if is_authority:
            identifier = x509.SubjectKeyIdentifier.from_public_key(self.key.public_key())
            builder = builder.add_extension(identifier, critical=False)
        if usages:
            builder = builder.add_extension(x509.ExtendedKeyUsage(usages), critical=False)
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        if key_cert_sign is not None:
            bits = dict.fromkeys(
                (
                    "content_commitment",
                    "key_encipherment",
                    "data_encipherment",
                    "key_agreement",
                    "crl_sign",
                    "encipher_only",
                    "decipher_only",
                ),
                False,
            )
            usage = x509.KeyUsage(digital_signature=True, key_cert_sign=key_cert_sign, **bits)
            builder = builder.add_extension(usage, critical=True)
        signer = (issuer or self).key
        if isinstance(signer, ed25519.Ed25519PrivateKey):
            self.certificate = builder.sign(signer, None)
        else:
            self.certificate = builder.sign(signer, digest)
            if is_version_1:
                self.certificate = _without_version(self.certificate, signer)

    @property
    def der(self) -> bytes:
        return self.certificate.public_bytes(serialization.Encoding.DER)

    @property
    def pem(self) -> bytes:
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    @property
    def key_pem(self) -> bytes:
        return self.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )

    def write(self, folder: Path, *chain: Certificate) -> tuple[Path, Path]:
        """The certificate (with those that lead to the authority) and the key, as files."""
        name = self.subject.rfc4514_string().replace("/", "_").replace(",", "_") or "nameless"
        certificate, key = folder / f"{name}.crt", folder / f"{name}.key"
        certificate.write_bytes(self.pem + b"".join(other.pem for other in chain))
        key.write_bytes(self.key_pem)
        return certificate, key


def _without_version(made: x509.Certificate, signer: ec.EllipticCurvePrivateKey) -> x509.Certificate:
    """The same of version 1, which has no extensions: what `openssl x509 -req` makes."""
    version, algorithm = bytes.fromhex("a003020102"), bytes.fromhex("300a06082a8648ce3d040302")  # ECDSA with SHA-256
    body = _wrap(0x30, made.tbs_certificate_bytes.partition(version)[2])
    signature = signer.sign(body, ec.ECDSA(hashes.SHA256()))
    return x509.load_der_x509_certificate(_wrap(0x30, body + algorithm + _wrap(0x03, b"\0" + signature)))


def _wrap(tag: int, content: bytes) -> bytes:
    """One element of DER."""
    size = len(content)
    digits = size.to_bytes((size.bit_length() + 7) // 8, "big")
    length = bytes([size]) if size < 0x80 else bytes([0x80 | len(digits)]) + digits
    return bytes([tag]) + length + content
