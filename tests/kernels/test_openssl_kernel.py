"""The kernel that reaches into an SSL context: it changes the right thing, or nothing."""

from __future__ import annotations

import _ssl
import contextlib
import ssl
from pathlib import Path

import pytest

from quarterdeck._kernels import openssl
from quarterdeck.transport.handshakes import peer_chain
from support.certificates import Certificate
from support.handshakes import first_flight

LIBRARY = getattr(_ssl, "__file__", None)


def build_context(mode: ssl.VerifyMode = ssl.CERT_OPTIONAL) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.verify_mode = mode
    return context


def test_what_does_not_agree_with_python_is_left_alone() -> None:
    context = build_context()
    assert openssl.prepare_server(context, LIBRARY, context.options ^ ssl.OP_NO_TICKET) is False
    assert openssl.send_loaded_chain(context, LIBRARY, context.options ^ ssl.OP_NO_TICKET) is False
    assert openssl.name_authorities(context, LIBRARY, context.options ^ ssl.OP_NO_TICKET, []) is False
    assert openssl.set_groups(context, LIBRARY, context.options ^ ssl.OP_NO_TICKET, "X25519") is False
    assert openssl.set_suites(context, LIBRARY, context.options ^ ssl.OP_NO_TICKET, "TLS_AES_128_GCM_SHA256") is False
    assert openssl.set_suites(context, LIBRARY, context.options, "no such suite") is False
    context = build_context(ssl.CERT_NONE)
    assert openssl.prepare_server(context, LIBRARY, context.options) is False


def test_a_library_without_openssl_is_no_help() -> None:
    context = build_context()
    assert openssl.prepare_server(context, "/nowhere/_ssl.so", context.options) is False


def test_other_objects_are_a_type_error() -> None:
    for thing in (None, 5, "SSLContext", object()):
        with pytest.raises(TypeError):
            openssl.prepare_server(thing, LIBRARY, 0)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            openssl.send_loaded_chain(thing, LIBRARY, 0)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            openssl.name_authorities(thing, LIBRARY, 0, [])  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            openssl.set_groups(thing, LIBRARY, 0, "X25519")  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            openssl.set_suites(thing, LIBRARY, 0, "TLS_AES_128_GCM_SHA256")  # type: ignore[arg-type]


@pytest.mark.parametrize("is_prepared", [False, True])
def test_a_client_sends_the_chain_that_it_was_given(tmp_path: Path, is_prepared: bool) -> None:
    authority = Certificate("authority", is_authority=True, key_cert_sign=True)
    leaf = Certificate("leaf", issuer=authority)
    server = build_context()
    assert openssl.prepare_server(server, LIBRARY, server.options & 0xFFFFFFFFFFFFFFFF)
    server.load_cert_chain(*leaf.write(tmp_path))
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname = False
    client.load_verify_locations(cadata=authority.pem.decode())
    client.load_cert_chain(*leaf.write(tmp_path))
    if is_prepared:
        assert openssl.send_loaded_chain(client, LIBRARY, client.options & 0xFFFFFFFFFFFFFFFF)
    assert len(peer_chain(shake_hands(server, client))) == (1 if is_prepared else 2)


def test_a_server_names_the_authorities_that_it_was_given(tmp_path: Path) -> None:
    one, other = (Certificate(name, is_authority=True) for name in ("one", "other"))
    server = build_context()
    server.load_cert_chain(*Certificate("leaf").write(tmp_path))
    named = [one.der, b"nonsense", b"", other.der]
    assert openssl.name_authorities(server, LIBRARY, server.options & 0xFFFFFFFFFFFFFFFF, named)
    told = first_flight(lambda *buffers: server.wrap_bio(*buffers, server_side=True))
    assert told.index(one.subject.public_bytes()) < told.index(other.subject.public_bytes())


def test_no_session_is_kept_for_a_client_that_might_resume_it(tmp_path: Path) -> None:
    server = build_context()
    server.options |= ssl.OP_NO_TICKET
    server.load_cert_chain(*Certificate("server").write(tmp_path))
    assert openssl.prepare_server(server, LIBRARY, server.options & 0xFFFFFFFFFFFFFFFF)
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname, client.verify_mode = False, ssl.CERT_NONE
    client.maximum_version = ssl.TLSVersion.TLSv1_2  # where the server keeps them; in 1.3 the tickets do
    for _ in range(3):
        shake_hands(server, client)
    stats = server.session_stats()
    assert (stats["accept_good"], stats["number"]) == (3, 0)


def shake_hands(server: ssl.SSLContext, client: ssl.SSLContext) -> ssl.SSLObject:
    """The server's side of a connection."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ours = server.wrap_bio(to_server, to_client, server_side=True)
    theirs = client.wrap_bio(to_client, to_server)
    for side in (theirs, ours, theirs, ours):
        with contextlib.suppress(ssl.SSLWantReadError):
            side.do_handshake()
    return ours
