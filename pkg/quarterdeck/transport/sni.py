"""Certificates that clients get for the names that they ask for (SNI), or for the address that they reach.

A name is looked for as it is, then with its first label as a star, then among the names that certificates tell; what is
found nowhere gets the usual certificate. Without a name the address counts. Names that were given to a certificate go
before those that it tells itself, and earlier certificates before later ones.

Source: apiserver/pkg/server/dynamiccertificates/{named_certificates,tlsconfig}.go; Go's crypto/tls (getCertificate).
"""

from __future__ import annotations

import ipaddress
import ssl
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from quarterdeck.apimachinery import names


class NamedFiles(NamedTuple):
    """Of --tls-sni-cert-key; `names` empty: those of the certificate."""

    certificate: Path
    key: Path
    names: tuple[str, ...] = ()


def parse_named_files(text: str) -> NamedFiles:
    """ "cert,key" or "cert,key:name,name". Raises ValueError with upstream's text."""
    files, colon, given = text.partition(":")
    wanted: tuple[str, ...] = ()
    if colon:
        if not given.strip():
            raise ValueError("empty names list is not allowed")
        wanted = tuple(name.strip() for name in given.strip().split(","))
    parts = files.split(",")
    if len(parts) != 2:
        raise ValueError("expected comma separated certificate and key file paths")
    return NamedFiles(Path(parts[0].strip()), Path(parts[1].strip()), wanted)


class NamedCertificates:
    """The contexts of named certificates; `build` makes one of files. Raises OSError (ssl.SSLError is one), ValueError.

    `usual` is the file of the usual certificate.
    """

    def __init__(self, named: Sequence[NamedFiles], usual: Path, build: Callable[[Path, Path], ssl.SSLContext]) -> None:
        self._contexts: dict[str, ssl.SSLContext] = {}
        self._told: list[tuple[list[str], ssl.SSLContext]] = []
        self._usual_names = _names_of(usual.read_bytes())[1]
        given: dict[str, ssl.SSLContext] = {}
        for files in reversed(named):
            context = build(files.certificate, files.key)
            common, alternative = _names_of(files.certificate.read_bytes())
            if files.names:
                given.update(dict.fromkeys(files.names, context))
            else:
                self._contexts.update(dict.fromkeys([*common, *alternative], context))
            self._told.insert(0, (alternative, context))
        self._contexts.update(given)

    def attach(self, usual: ssl.SSLContext) -> None:
        """Choose among them in handshakes that begin with the usual certificate."""
        usual.sni_callback = self._choose

    def _choose(self, connection: ssl.SSLObject, name: str | None, _: ssl.SSLContext) -> None:
        chosen = self.find(name or "", getattr(connection, "local_address", ""))
        if chosen is not None:
            connection.context = chosen

    def find(self, name: str, address: str) -> ssl.SSLContext | None:
        """None: the usual certificate. `address`: that the client has reached."""
        if not name:
            return self._contexts.get(address)
        name = name.lower()
        rest = name.partition(".")[2]
        starred = f"*.{rest}" if rest else "*"
        found = self._contexts.get(name) or self._contexts.get(starred)
        if found is not None or _covers(self._usual_names, name, starred):
            return found
        return next((context for told, context in self._told if _covers(told, name, starred)), None)


def note_address(connection: ssl.SSLObject, address: Sequence[object] | None) -> None:
    """Where the client has come to (what `getsockname` tells), which counts where it names no host."""
    connection.local_address = str(address[0]) if address else ""  # type: ignore[attr-defined]


def _covers(told: Sequence[str], name: str, starred: str) -> bool:
    return any(each.lower() in (name, starred) for each in told)


def _names_of(pem: bytes) -> tuple[list[str], list[str]]:
    """The common name, where it is a name of a host, and the alternative names of the first certificate."""
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    certificate = x509.load_pem_x509_certificate(pem)
    common = [str(each.value) for each in certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)][-1:]
    common = [name for name in common if not _is_address(name) and _is_host(name)]
    try:
        extension = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    except x509.ExtensionNotFound:
        return common, []
    return common, extension.value.get_values_for_type(x509.DNSName)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_host(name: str) -> bool:
    return name == "*" or not names.dns1123_subdomain(name.removeprefix("*."))
