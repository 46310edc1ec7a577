"""Clients get the certificate of the name that they ask for, by --tls-sni-cert-key."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest
from cryptography import x509

from quarterdeck.transport import curves
from quarterdeck.transport.sni import NamedFiles, parse_named_files
from quarterdeck.transport.tls import TLSContext
from quarterdeck.transport.tls_settings import TLSSettings
from support.certificates import SERVER, Certificate


def write(folder: Path, common_name: str, *names: str) -> tuple[Path, Path]:
    """Under the name's own file names."""
    alternative = tuple(x509.DNSName(name) for name in names)
    made = Certificate(common_name, usages=(SERVER,), names=alternative)
    certificate, key = folder / f"{common_name}.crt", folder / f"{common_name}.key"
    certificate.write_bytes(made.pem)
    key.write_bytes(made.key_pem)
    return certificate, key


def get_name(server: TLSContext, name: str | None, address: str = "", curve: str = "") -> str:
    """The common name of the certificate that a client gets. `curve`: the only one that it has."""
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname, client.verify_mode = False, ssl.CERT_NONE
    if curve:
        client.set_ecdh_curve(curve)
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ours = server.wrap(to_server, to_client)
    ours.local_address = address  # type: ignore[attr-defined]
    theirs = client.wrap_bio(to_client, to_server, server_hostname=name)
    for _ in range(4):
        for end in (theirs, ours):
            try:
                end.do_handshake()
            except ssl.SSLWantReadError:
                continue
    der = theirs.getpeercert(binary_form=True)
    assert der is not None
    subject = x509.load_der_x509_certificate(der).subject
    return str(next(iter(subject)).value)


def test_names_choose_certificates(tmp_path: Path) -> None:
    usual = write(tmp_path, "usual", "usual.example", "both.example")
    named = (
        NamedFiles(*write(tmp_path, "given"), ("given.example", "*.wild.example", "10.9.8.7")),
        NamedFiles(*write(tmp_path, "told.example", "other.example", "both.example")),
        NamedFiles(*write(tmp_path, "late", "given.example", "covered.example"), ("late.example",)),
    )
    server = TLSContext(*usual, settings=TLSSettings(named=named))
    expected = {
        "given.example": "given",
        "GIVEN.example": "given",
        "a.wild.example": "given",
        "a.b.wild.example": "usual",
        "told.example": "told.example",
        "other.example": "told.example",
        "both.example": "told.example",
        "late.example": "late",
        "covered.example": "late",
        "usual.example": "usual",
        "nowhere.example": "usual",
        None: "usual",
    }
    assert {name: get_name(server, name) for name in expected} == expected
    assert get_name(server, None, "10.9.8.7") == "given"
    assert get_name(server, None, "10.9.8.6") == "usual"


def test_named_certificates_are_replaced_and_what_cannot_be_used_is_not(tmp_path: Path) -> None:
    usual = write(tmp_path, "usual")
    named = write(tmp_path, "named")
    server = TLSContext(*usual, settings=TLSSettings(named=(NamedFiles(*named, ("a.example",)),)))
    assert server.files() == [*usual, *named]
    newer = write(tmp_path, "newer")
    for old, new in zip(named, newer, strict=True):
        old.write_bytes(new.read_bytes())
    assert get_name(server, "a.example") == "named"
    server.reload()
    assert get_name(server, "a.example") == "newer"
    named[0].write_text("nonsense")
    with pytest.raises(OSError):
        server.reload()
    assert get_name(server, "a.example") == "newer"
    assert get_name(server, "b.example") == "usual"


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("a.crt,a.key", NamedFiles(Path("a.crt"), Path("a.key"))),
        (" a.crt , a.key : x, *.y ", NamedFiles(Path("a.crt"), Path("a.key"), ("x", "*.y"))),
    ],
)
def test_the_flag(text: str, parsed: NamedFiles) -> None:
    assert parse_named_files(text) == parsed


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a.crt", "expected comma separated certificate and key file paths"),
        ("a,b,c", "expected comma separated certificate and key file paths"),
        ("a,b:", "empty names list is not allowed"),
    ],
)
def test_what_the_flag_does_not_take(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        parse_named_files(text)


def test_curves() -> None:
    assert curves.parse([]) == ()
    assert curves.parse(["29", "23"]) == ("X25519", "prime256v1")
    for texts, told in (
        (["0"], r"curve preference 0 is out of range \(must be 1-65535\)"),
        (["23", "23"], "duplicate curve preference 23"),
        (["1"], "curve preference 1 is not supported by the current Go version"),
        (["x"], 'strconv.ParseInt: parsing "x": invalid syntax'),
    ):
        with pytest.raises(ValueError, match=told):
            curves.parse(texts)


@pytest.mark.parametrize("number", ["23", "24", "25", "29"])
def test_the_chosen_curve_is_the_only_one(tmp_path: Path, number: str) -> None:
    server = TLSContext(*write(tmp_path, "usual"), settings=TLSSettings(curves=curves.parse([number])))
    assert get_name(server, None) == "usual"
    check_refused(server, "prime256v1" if number != "23" else "secp384r1")


def test_several_curves_are_offered_and_no_others(tmp_path: Path) -> None:
    server = TLSContext(*write(tmp_path, "usual"), settings=TLSSettings(curves=curves.parse(["24", "29"])))
    for curve in ("secp384r1", "X25519"):
        assert get_name(server, None, curve=curve) == "usual"
    for curve in ("prime256v1", "secp521r1"):
        check_refused(server, curve)


def test_curves_that_openssl_does_not_have_are_told(tmp_path: Path) -> None:
    files = write(tmp_path, "usual")
    for names in (("X25519", "nonsense"), ("nonsense",)):
        with pytest.raises(ValueError, match="nonsense"):
            TLSContext(*files, settings=TLSSettings(curves=names))
    # Nothing is left that a later handshake would trip over.
    assert get_name(TLSContext(*files), None) == "usual"


def check_refused(server: TLSContext, curve: str) -> None:
    """A client that has this curve alone."""
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname, client.verify_mode = False, ssl.CERT_NONE
    client.set_ecdh_curve(curve)
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ours, theirs = server.wrap(to_server, to_client), client.wrap_bio(to_client, to_server)
    with pytest.raises(ssl.SSLWantReadError):
        theirs.do_handshake()
    with pytest.raises(ssl.SSLError, match=r"(?i)no_suitable|no suitable|shared"):
        ours.do_handshake()
