"""What is offered in a TLS handshake follows --tls-min-version and --tls-cipher-suites."""

from __future__ import annotations

import contextlib
import ssl

import pytest

from quarterdeck._kernels import tls13, tlsrecords
from quarterdeck.server import pki
from quarterdeck.transport import tls_settings
from quarterdeck.transport.sni import NamedFiles
from quarterdeck.transport.tls import TLSContext

ECDSA = "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"
RSA = "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"


@pytest.fixture(scope="module")
def issued(tmp_path_factory: pytest.TempPathFactory) -> pki.PKI:
    return pki.ensure(tmp_path_factory.mktemp("data"), "127.0.0.1", None)


def shake_hands(issued: pki.PKI, settings: tls_settings.TLSSettings, maximum: ssl.TLSVersion) -> tuple[str, str]:
    """The version and the cipher. Raises ssl.SSLError."""
    server = TLSContext(issued.serving_certificate, issued.serving_key, (), settings)
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname, client.verify_mode, client.maximum_version = False, ssl.CERT_NONE, maximum
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = (server.wrap(to_server, to_client), client.wrap_bio(to_client, to_server))
    for _ in range(4):
        for end in ends:
            try:
                end.do_handshake()
            except ssl.SSLWantReadError:
                continue
    cipher = ends[1].cipher()
    assert cipher is not None
    return ends[1].version() or "", cipher[0]


@pytest.mark.parametrize(
    ("version", "kind"),
    [(ssl.TLSVersion.TLSv1_3, tls13.Records), (ssl.TLSVersion.TLSv1_2, tlsrecords.Records)],
    ids=["1.3", "1.2"],
)
@pytest.mark.parametrize("name", ["usual.example", "named.example"])
def test_records_are_read_and_written_by_the_best_there_is(
    issued: pki.PKI, version: ssl.TLSVersion, kind: type, name: str
) -> None:
    named = (NamedFiles(issued.serving_certificate, issued.serving_key, ("named.example",)),)
    server = TLSContext(issued.serving_certificate, issued.serving_key, (), tls_settings.TLSSettings(named=named))
    if not server.is_lenient:
        pytest.skip("this Python hides its OpenSSL")
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname, client.verify_mode, client.maximum_version = False, ssl.CERT_NONE, version
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ours, theirs = server.wrap(to_server, to_client), client.wrap_bio(to_client, to_server, server_hostname=name)
    for end in (theirs, ours, theirs, ours):
        with contextlib.suppress(ssl.SSLWantReadError):
            end.do_handshake()
    assert type(server.build_records(ours, to_server, to_client)) is kind


def test_the_chosen_cipher_is_used(issued: pki.PKI) -> None:
    for settings in (tls_settings.parse("", (ECDSA, RSA)), tls_settings.parse("VersionTLS11", (ECDSA, RSA))):
        version, cipher = shake_hands(issued, settings, ssl.TLSVersion.TLSv1_2)
        assert version == "TLSv1.2"
        assert cipher.endswith("AES256-GCM-SHA384")


def test_aes_128_is_preferred_whatever_the_client_prefers(issued: pki.PKI) -> None:
    chosen = shake_hands(issued, tls_settings.DEFAULT_TLS, ssl.TLSVersion.TLSv1_3)
    assert chosen == ("TLSv1.3", "TLS_AES_128_GCM_SHA256")


def test_an_older_version_is_refused(issued: pki.PKI) -> None:
    newest = tls_settings.parse("VersionTLS13", ())
    assert shake_hands(issued, newest, ssl.TLSVersion.TLSv1_3)[0] == "TLSv1.3"
    with pytest.raises(ssl.SSLError):
        shake_hands(issued, newest, ssl.TLSVersion.TLSv1_2)


@pytest.mark.parametrize("suite", sorted(tls_settings._CIPHERS))
def test_every_cipher_that_can_be_asked_for_is_known_to_openssl(suite: str) -> None:
    try:
        settings = tls_settings.parse("", (suite,))
    except ValueError:
        return  # gone from OpenSSL
    ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).set_ciphers(settings.ciphers + ":@SECLEVEL=0")
